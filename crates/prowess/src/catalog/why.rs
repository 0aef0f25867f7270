//! Why a skill of the catalog was chosen for a request, or was not, and what would change that.

use serde::Serialize;

use prowess_search::{Entry, Query};

use super::Catalog;
use crate::{
    explain::{Explanation, Rival, Why},
    select::{Policy, Ranker},
    skill::Skill,
};

/// A tried change of a description: the words it would have to say, and what comes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescriptionChange {
    /// The words to add, the weightiest first.
    pub words: Vec<String>,
    /// The rank with them, in an index that holds the changed description.
    pub rank: Option<usize>,
    /// The score with them.
    pub score: f32,
    /// The confidence with them.
    pub confidence: f32,
    /// What a host would make of the request then: `confident`, `ambiguous` or `none`.
    pub decision: &'static str,
}

impl DescriptionChange {
    /// Whether the skill comes first and a host would offer it.
    pub fn is_offered(&self) -> bool {
        self.rank == Some(1) && self.decision != "none"
    }
}

/// So many words are tried together; a description that needs more is about something else.
const MOST_WORDS: usize = 6;

impl Catalog {
    /// Explains the score a skill gets for a request.
    pub fn explain(&self, query: &str, skill: &Skill, ranker: Ranker) -> Explanation {
        let query = Query::new(self.index(), query, ranker);
        self.index().explain(&query, &skill.entry())
    }

    /// Explains the score by what a request can see: name, description and tags, without the
    /// instructions, which are read after the choice.
    pub fn explain_listed(&self, query: &str, skill: &Skill, ranker: Ranker) -> Explanation {
        let query = Query::new(self.index(), query, ranker);
        let entry = Entry {
            body: "",
            ..skill.entry()
        };
        self.index().explain(&query, &entry)
    }

    /// Says why a skill stands where it stands for a request, among those the policy lets pass;
    /// `None` for a skill that does not answer to its name.
    pub fn why(&self, query: &str, skill: &Skill, policy: &Policy) -> Option<Why<'_>> {
        let document = self.document(skill)?;
        let query = Query::new(self.index(), query, policy.ranker);
        let why = self.index().why(
            &query,
            document,
            |document| self.skill(document).entry(),
            |other| other == document || self.admits(other, policy),
        );
        let rival = |rival: prowess_search::explain::Rival| Rival {
            skill: self.skill(rival.document),
            score: rival.score,
            leads: rival.leads,
        };
        Some(Why {
            rank: why.rank,
            ranked: why.ranked,
            explanation: why.explanation,
            rivals: why.rivals.into_iter().map(rival).collect(),
            advice: why.advice,
        })
    }

    /// Looks for the fewest words of the request that make a skill the one that is offered, once
    /// its description says them: first, and sure enough not to be passed over. `None` where the
    /// description says them all already.
    ///
    /// What is reported was tried: in an index that holds the changed description.
    pub fn change(&self, query: &str, skill: &Skill, policy: &Policy) -> Option<DescriptionChange> {
        let mut missing: Vec<String> = Vec::new();
        for word in self.explain(query, skill, policy.ranker).missing {
            let lower = word.word.to_lowercase();
            if !missing.contains(&lower) {
                missing.push(lower);
            }
        }
        missing.truncate(MOST_WORDS);
        let mut best: Option<DescriptionChange> = None;
        for count in 1..=missing.len() {
            let tried = self.tried(query, skill, &missing[..count], policy)?;
            let offered = tried.is_offered();
            if best.as_ref().is_none_or(|best| is_better(&tried, best)) {
                best = Some(tried);
            }
            if offered {
                break;
            }
        }
        let mut best = best?;
        // A word that was taken along and made no difference is not worth asking for.
        while best.is_offered() && best.words.len() > 1 {
            let fewer = (0..best.words.len()).filter_map(|left_out| {
                let mut words = best.words.clone();
                words.remove(left_out);
                self.tried(query, skill, &words, policy)
            });
            match fewer.into_iter().find(DescriptionChange::is_offered) {
                Some(tried) => best = tried,
                None => break,
            }
        }
        Some(best)
    }

    /// What a request would give if a description had these words too.
    fn tried(
        &self,
        query: &str,
        skill: &Skill,
        words: &[String],
        policy: &Policy,
    ) -> Option<DescriptionChange> {
        let description = format!("{} {}.", skill.description(), words.join(", "));
        let tried = self.draft(skill, &description)?.try_out(query, policy);
        Some(DescriptionChange {
            words: words.to_vec(),
            rank: tried.rank,
            score: tried.score,
            confidence: tried.confidence,
            decision: tried.decision,
        })
    }
}

/// A better rank is better; the same rank with more words is not.
fn is_better(tried: &DescriptionChange, best: &DescriptionChange) -> bool {
    let place = |it: &DescriptionChange| (it.rank.unwrap_or(usize::MAX), !it.is_offered());
    place(tried) < place(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory_catalog;
    use expect_test::expect;

    fn catalog() -> Catalog {
        memory_catalog(&[
            ("pipe-repair", "Mends pipes and taps that drip."),
            ("ceiling-paint", "Paints a kitchen ceiling or a wall."),
            ("wall-art", "Hangs pictures on a wall."),
        ])
    }

    #[test]
    fn the_words_that_are_asked_for_bring_the_skill_to_the_front() {
        let catalog = catalog();
        let query = "water runs through the kitchen ceiling";
        let pipe = catalog.get("pipe-repair").unwrap();
        let policy = Policy::default();
        let first = catalog.select(query, &policy).matches[0];
        assert_eq!(first.skill().name(), "ceiling-paint");
        let change = catalog.change(query, pipe, &policy).unwrap();
        expect![[r#"["water", "runs", "kitchen"] Some(1)"#]]
            .assert_eq(&format!("{:?} {:?}", change.words, change.rank));
        // The promise holds in a catalog that really says so.
        let said = format!(
            "Mends pipes and taps that drip. {}.",
            change.words.join(", ")
        );
        let changed = memory_catalog(&[
            ("pipe-repair", &said),
            ("ceiling-paint", "Paints a kitchen ceiling or a wall."),
            ("wall-art", "Hangs pictures on a wall."),
        ]);
        let found = changed.select(query, &policy).matches[0];
        assert_eq!(found.skill().name(), "pipe-repair");
        assert_eq!(found.score.to_bits(), change.score.to_bits());
    }

    #[test]
    fn who_says_everything_already_needs_no_words() {
        let catalog = catalog();
        let wall = catalog.get("wall-art").unwrap();
        assert_eq!(
            catalog.change("pictures on the wall", wall, &Policy::default()),
            None
        );
    }
}
