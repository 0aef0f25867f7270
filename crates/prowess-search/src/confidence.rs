//! How likely a match is to be right.
//!
//! The best matches share one chance with each other and with the answer that none is right, so
//! two that are equally good are never both likely. What each brings is how strong it is and how
//! far it is behind the first. The weights were fitted on labelled requests (`cargo xtask quality
//! --calibrate`); `docs/SELECTION.md` shows how well the result holds.

use crate::{rank::Hit, ranker::Ranker};

/// From this confidence on, a match is taken without asking.
pub const CONFIDENT: f32 = 0.7;

/// Below this confidence nothing is relevant.
///
/// Chosen by cost: saying `none` to somebody whose skill is on top costs more than a menu for
/// somebody who needs no skill. `cargo xtask quality --calibrate` counts both.
pub const RELEVANT: f32 = 0.29;

/// A menu holds what has at least this share of the first match's confidence.
pub const CLOSE: f32 = 0.2;

/// So many matches share the chance, and make the menu.
pub(crate) const MENU: usize = 5;

/// Where no word of the request stands in name, description or tags, the confidence is not above
/// this: instructions mention many things that a skill is not for.
const BODY_ALONE: f32 = 0.5;

/// What is known of a match besides its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Its score, in proportion to a power (0.6) of the rarest a word can be in a catalog of this
    /// size: of what makes a score, words grow with the catalog and the other signals do not.
    pub strength: f32,
    /// The root of how much less its score is than the first match's: the first steps count most.
    pub behind: f32,
    /// How much of what is asked stands in its name, description and tags, 0 to 1.
    pub metadata: f32,
}

/// Constant, strength, behind and metadata, for the ranker `lexical`.
const LEXICAL: [f32; 4] = [-4.65, 1.61, -0.65, 1.78];

/// The same for `overlap`, whose scores say little: only the distance helps.
const OVERLAP: [f32; 4] = [-0.9, 0.0, -1.6, 0.0];

impl Evidence {
    /// What is known of each of the ranked documents. `size` is the number of documents.
    pub fn of(ranked: &[Hit], size: usize) -> Vec<Self> {
        let rarest = (2.0 * size as f32 + 2.0).ln().powf(0.6);
        let first = ranked.first().map_or(0.0, |scored| scored.score);
        let evidence = |scored: &Hit| Self {
            strength: scored.score / rarest,
            behind: (first - scored.score).max(0.0).sqrt(),
            metadata: scored.metadata,
        };
        ranked.iter().map(evidence).collect()
    }

    /// How likely it is that this match is right, against none being right.
    pub fn odds(&self, ranker: Ranker) -> f32 {
        let [constant, strength, behind, metadata] = match ranker {
            Ranker::Lexical => LEXICAL,
            Ranker::Overlap => OVERLAP,
        };
        let sum =
            constant + strength * self.strength + behind * self.behind + metadata * self.metadata;
        // More would not fit a number; it is certain long before.
        sum.min(40.0).exp()
    }
}

/// How likely each of the scored documents is to be the right one.
pub(crate) fn weigh(ranker: Ranker, found: &[Hit], size: usize) -> Vec<f32> {
    let odds: Vec<f32> = Evidence::of(found, size)
        .iter()
        .map(|evidence| evidence.odds(ranker))
        .collect();
    // However many are asked for, the first ones decide, so that the confidence stays the same.
    let shared: f32 = 1.0 + odds.iter().take(MENU).sum::<f32>();
    let weigh = |(at, (odds, scored)): (usize, (f32, &Hit))| {
        let confidence = odds / (shared + if at < MENU { 0.0 } else { odds });
        let body_alone = ranker == Ranker::Lexical && scored.metadata <= 0.0;
        confidence.min(if body_alone { BODY_ALONE } else { 1.0 })
    };
    odds.into_iter().zip(found).enumerate().map(weigh).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(scores: &[f32]) -> Vec<f32> {
        let found = |(at, score): (usize, &f32)| Hit {
            metadata: 1.0,
            ..Hit::new(at as u32, *score)
        };
        let found: Vec<Hit> = scores.iter().enumerate().map(found).collect();
        weigh(Ranker::Lexical, &found, 100)
    }

    #[test]
    fn matches_that_tie_share_one_chance() {
        let [alone] = weighed(&[15.0])[..] else {
            panic!("one in, one out");
        };
        assert!(alone > 0.95, "{alone}");
        for ties in 2..8 {
            let tied = weighed(&vec![15.0; ties]);
            assert!(tied[0] <= 0.5, "{tied:?}");
            assert!(tied.iter().take(MENU).sum::<f32>() <= 1.0, "{tied:?}");
        }
    }

    #[test]
    fn instructions_alone_are_no_reason_to_be_sure() {
        let alone = weigh(Ranker::Lexical, &[Hit::new(0, 40.0)], 100)[0];
        assert!(alone <= BODY_ALONE, "{alone}");
        assert!(weighed(&[40.0])[0] > 0.95);
    }

    #[test]
    fn what_the_metadata_says_makes_surer_than_what_the_instructions_say() {
        let at = |metadata| {
            let found = Hit {
                metadata,
                ..Hit::new(0, 7.0)
            };
            weigh(Ranker::Lexical, &[found], 100)[0]
        };
        let sure: Vec<f32> = [0.0, 0.2, 0.5, 1.0].map(at).to_vec();
        assert!(sure.is_sorted_by(|one, next| one < next), "{sure:?}");
        assert!(sure[0] <= BODY_ALONE && sure[3] > CONFIDENT, "{sure:?}");
    }

    #[test]
    fn a_rival_that_falls_back_makes_the_first_surer() {
        let first: Vec<f32> = [7.0, 6.5, 5.0, 2.0]
            .iter()
            .map(|second| weighed(&[7.0, *second])[0])
            .collect();
        assert!(first.is_sorted(), "{first:?}");
        assert_eq!(
            weighed(&[7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0])[..5],
            weighed(&[7.0, 6.0, 5.0, 4.0, 3.0])[..]
        );
    }

    #[test]
    fn odd_scores_give_plain_chances() {
        for scores in [
            vec![],
            vec![0.0],
            vec![0.0, 0.0],
            vec![1e30, 1.0],
            vec![f32::MAX; 3],
        ] {
            let weighed = weighed(&scores);
            assert_eq!(weighed.len(), scores.len());
            assert!(
                weighed.iter().all(|it| (0.0..=1.0).contains(it)),
                "{weighed:?}"
            );
        }
    }
}
