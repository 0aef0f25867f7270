//! Which formula ranks.

use std::str::FromStr;

/// The least score of a match by `lexical` when the policy does not say.
const MIN_SCORE: f32 = 0.5;

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

    /// The threshold that lets everything pass that shares anything with a request. The form of a
    /// request can bring a score of `lexical` below zero.
    pub fn lowest_score(self) -> f32 {
        match self {
            Self::Lexical => f32::NEG_INFINITY,
            Self::Overlap => f32::MIN_POSITIVE,
        }
    }

    /// The least score a match has when the policy does not say.
    pub fn default_min_score(self) -> f32 {
        match self {
            Self::Lexical => MIN_SCORE,
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
