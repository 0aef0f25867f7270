//! How likely a match is to be right.
//!
//! Three signals, each with a reason: how strong the match is, how much of what the request asks
//! for it gives, and how far it is ahead of its best rival. Their weights were fitted by logistic
//! regression on labelled requests (`cargo xtask quality --calibrate`); `docs/SELECTION.md` shows
//! how well the result holds.

use crate::{
    rank::{Ranker, Scored},
    select::Match,
};

/// From this confidence on, a match is taken without asking.
pub const CONFIDENT: f32 = 0.7;

/// Below this confidence nothing is relevant.
pub const RELEVANT: f32 = 0.25;

/// A menu holds what has at least this share of the first match's confidence.
pub const CLOSE: f32 = 0.2;

/// What is known of a match besides its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Its score, in proportion to the rarest a word can be in a catalog of this size.
    pub strength: f32,
    /// Its score as a share of the score of a document that holds every word of the request.
    pub share: f32,
    /// How far it is ahead of its best rival, or behind, as a share of the better score.
    pub lead: f32,
}

/// A larger lead says no more: in a small catalog one shared word is a lead over everything.
const MAX_LEAD: f32 = 0.5;

/// Constant, strength, share and lead, for the ranker `lexical`.
const LEXICAL: [f32; 4] = [-3.9, 3.3, 0.5, 4.5];

/// The same for `overlap`, whose scores say little: only the lead helps.
const OVERLAP: [f32; 4] = [-2.4, 0.3, 0.0, 1.8];

impl Evidence {
    /// What is known of each of the ranked documents. `size` is the number of documents.
    pub fn of(ranked: &[Scored], ideal: f32, size: usize) -> Vec<Self> {
        let rarest = (2.0 * size as f32 + 2.0).ln();
        let share = |part: f32, whole: f32| if whole > 0.0 { part / whole } else { 0.0 };
        let first = ranked.first().map_or(0.0, |scored| scored.score);
        let evidence = |(rank, scored): (usize, &Scored)| {
            let rival = if rank == 0 {
                ranked.get(1).map_or(0.0, |second| second.score)
            } else {
                first
            };
            Self {
                strength: scored.score / rarest,
                share: share(scored.score, ideal),
                lead: share(scored.score - rival, scored.score.max(rival)).min(MAX_LEAD),
            }
        };
        ranked.iter().enumerate().map(evidence).collect()
    }

    /// The chance that the match is right.
    pub fn confidence(&self, ranker: Ranker) -> f32 {
        let [constant, strength, share, lead] = match ranker {
            Ranker::Lexical => LEXICAL,
            Ranker::Overlap => OVERLAP,
        };
        let sum = constant + strength * self.strength + share * self.share + lead * self.lead;
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Gives each scored document its confidence.
pub(crate) fn weigh(ranker: Ranker, found: &[Scored], ideal: f32, size: usize) -> Vec<Match> {
    let evidence = Evidence::of(found, ideal, size);
    let weigh = |(scored, evidence): (&Scored, &Evidence)| Match {
        document: scored.document,
        score: scored.score,
        confidence: evidence.confidence(ranker),
    };
    found.iter().zip(&evidence).map(weigh).collect()
}
