//! Which formula ranks, and what its signals weigh.

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

/// What each signal adds. Public so that an ablation can turn one off.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// A request that covers the whole name.
    pub name_cover: f32,
    /// Two words that stand together in request and metadata, by the lighter one's weight.
    pub pair: f32,
    /// A document that holds every word, for holding them at all.
    pub cover: f32,
    /// A part of a compound, against a whole word.
    pub part: f32,
    /// A number, against a word.
    pub number: f32,
    /// A word taken for another one slip away.
    pub fuzzy: f32,
    /// Each half of a word that was taken apart.
    pub split: f32,
    /// Two words of the request that are one word elsewhere.
    pub join: f32,
    /// Words at each end of a long request that count in full.
    pub long_words: f32,
    /// Words between those ends.
    pub long_middle: f32,
    /// Words of a fenced block, where the request says something beside it.
    pub fenced: f32,
    /// The power of the number of words that sums are divided by.
    pub root: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            name_cover: 1.4,
            pair: 1.0,
            cover: 2.0,
            part: 0.70,
            number: 0.50,
            fuzzy: 0.80,
            split: 0.50,
            join: 0.50,
            long_words: 30.00,
            long_middle: 0.10,
            fenced: 0.10,
            root: 0.40,
        }
    }
}

impl Weights {
    /// A weight by its name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut f32> {
        Some(match name {
            "name_cover" => &mut self.name_cover,
            "pair" => &mut self.pair,
            "cover" => &mut self.cover,
            "part" => &mut self.part,
            "number" => &mut self.number,
            "fuzzy" => &mut self.fuzzy,
            "split" => &mut self.split,
            "join" => &mut self.join,
            "long_words" => &mut self.long_words,
            "long_middle" => &mut self.long_middle,
            "fenced" => &mut self.fenced,
            "root" => &mut self.root,
            _ => return None,
        })
    }

    /// What a word counts for at this place of a request of so many words.
    pub(crate) fn place(&self, position: usize, total: usize) -> f32 {
        let ends = self.long_words;
        if total as f32 <= 2.0 * ends {
            return 1.0;
        }
        let near = position.min(total - 1 - position) as f32;
        if near < ends { 1.0 } else { self.long_middle }
    }
}
