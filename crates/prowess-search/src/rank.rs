//! Orders documents by how well they answer a request.

mod best;
pub mod lexical;
pub mod overlap;
pub(crate) mod query;
mod scratch;

use std::{cmp::Ordering, str::FromStr};

pub use lexical::Weights;

/// How a request is compared with skills.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Ranker {
    /// Rare words, where they stand, how they stand together; the default.
    #[default]
    Lexical,
    /// The formula of adk-skill, to six decimals.
    Overlap,
}

impl Ranker {
    /// Every ranker.
    pub const ALL: [Self; 2] = [Self::Lexical, Self::Overlap];

    /// The word that stands for it in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Overlap => "overlap",
        }
    }

    /// The least score a match has when the policy does not say.
    pub fn default_min_score(self) -> f32 {
        match self {
            Self::Lexical => lexical::MIN_SCORE,
            Self::Overlap => 1.0,
        }
    }
}

/// A word that names no ranker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no ranker named `{name}`; use `lexical` or `overlap`")]
pub struct UnknownRanker {
    /// The word that was given.
    pub name: String,
}

impl FromStr for Ranker {
    type Err = UnknownRanker;

    fn from_str(name: &str) -> Result<Self, UnknownRanker> {
        Self::ALL
            .into_iter()
            .find(|ranker| ranker.name() == name)
            .ok_or_else(|| UnknownRanker {
                name: name.to_owned(),
            })
    }
}

/// A document and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Position of the document in the index.
    pub document: u32,
    /// How well it answers; comparable between requests for the ranker `lexical`.
    pub score: f32,
}

/// Best first; equal scores in the order of the documents.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "sorting passes references"
)]
pub(crate) fn best_first(left: &Scored, right: &Scored) -> Ordering {
    right
        .score
        .total_cmp(&left.score)
        .then(left.document.cmp(&right.document))
}

/// Keeps the best `limit`, best first.
pub(crate) fn keep_best(scored: &mut Vec<Scored>, limit: usize) {
    if limit == 0 {
        scored.clear();
    } else if scored.len() > limit {
        scored.select_nth_unstable_by(limit - 1, best_first);
        scored.truncate(limit);
    }
    scored.sort_unstable_by(best_first);
}
