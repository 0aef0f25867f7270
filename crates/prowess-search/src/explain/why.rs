//! Why a skill was not chosen: who beat it, by which words, and which words would help.

use serde::Serialize;

use super::Explanation;
use crate::{
    index::{Entry, Index},
    rank::{Ranker, Scored, Weights, lexical, overlap},
};

/// What a word made of the difference to a rival.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lead {
    /// The word of the request.
    pub word: String,
    /// How much more it added for the rival.
    pub by: f32,
}

/// A skill that came before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rival {
    /// Position of the rival in the index.
    pub document: u32,
    /// Its score.
    pub score: f32,
    /// The words that made the difference, most first.
    pub leads: Vec<Lead>,
}

/// What a word in the description would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// The word to add.
    pub word: String,
    /// The score with it.
    pub score: f32,
    /// The rank with it.
    pub rank: usize,
}

/// Why a skill stands where it stands for a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// Its rank, from 1; `None` where it shares nothing with the request.
    pub rank: Option<usize>,
    /// How many skills share anything with the request.
    pub ranked: usize,
    /// Its score, explained.
    pub explanation: Explanation,
    /// Who came before it, best first.
    pub rivals: Vec<Rival>,
    /// Words that would help, each tried alone, the most helpful first.
    pub advice: Vec<Advice>,
}

/// So many rivals are compared, and so many words tried.
const MOST: usize = 5;

impl Index {
    /// Says why a document stands where it stands for a request.
    ///
    /// `entry` gives the text of a document, and `allow` hides the same skills as in a selection.
    pub fn why<'a>(
        &self,
        query: &str,
        document: u32,
        ranker: Ranker,
        entry: impl Fn(u32) -> Entry<'a>,
        allow: impl Fn(u32) -> bool,
    ) -> Why {
        let all = self.len();
        let found: Vec<Scored> = match ranker {
            Ranker::Lexical => lexical::rank(self, query, &Weights::default(), all, allow),
            Ranker::Overlap => overlap::rank(self, query, f32::MIN_POSITIVE, all, false, allow),
        };
        let own = entry(document);
        let explanation = self.explain(query, &own, ranker);
        let place = found.iter().position(|scored| scored.document == document);
        let before = &found[..place.unwrap_or(found.len())];
        let rivals = before
            .iter()
            .take(MOST)
            .map(|rival| Rival {
                document: rival.document,
                score: rival.score,
                leads: leads(
                    &self.explain(query, &entry(rival.document), ranker),
                    &explanation,
                ),
            })
            .collect();
        let mut advice: Vec<Advice> = explanation
            .missing
            .iter()
            .take(MOST)
            .map(|missing| {
                let description = format!("{} {}", own.description, missing.word);
                let changed = Entry {
                    description: &description,
                    ..own.clone()
                };
                let score = self.score(query, &changed, ranker);
                let better = |other: &&Scored| other.document != document && other.score > score;
                let rank = found.iter().filter(better).count() + 1;
                Advice {
                    word: missing.word.clone(),
                    score,
                    rank,
                }
            })
            .filter(|advice| advice.score > explanation.score)
            .collect();
        advice.sort_by(|l, r| r.score.total_cmp(&l.score));
        Why {
            rank: place.map(|place| place + 1),
            ranked: found.len(),
            explanation,
            rivals,
            advice,
        }
    }
}

/// The words that added more for the rival.
fn leads(rival: &Explanation, own: &Explanation) -> Vec<Lead> {
    let mut leads: Vec<Lead> = rival
        .words
        .iter()
        .map(|word| {
            let mine = own.words.iter().find(|other| other.term == word.term);
            Lead {
                word: word.word.clone(),
                by: word.added - mine.map_or(0.0, |mine| mine.added),
            }
        })
        .filter(|lead| lead.by > 0.0)
        .collect();
    leads.sort_by(|l, r| r.by.total_cmp(&l.by));
    leads
}
