//! A request whose right skill is known, and what became of it.

use serde::Serialize;

/// What a request should lead to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// One skill of each group; any member of a group is right. Names or ids.
    Skills(Vec<Vec<String>>),
    /// Anything but these skills.
    Not(Vec<String>),
    /// No skill at all.
    Nothing,
}

impl Expected {
    /// How many skills it should lead to.
    pub(crate) fn groups(&self) -> usize {
        match self {
            Self::Skills(groups) => groups.len(),
            Self::Not(_) | Self::Nothing => 0,
        }
    }
}

/// A request and what it should lead to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Its own id, or its number in the file.
    pub id: String,
    /// The request.
    pub query: String,
    /// What it should lead to.
    pub expected: Expected,
}

/// What became of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A right skill came first.
    Hit,
    /// Another skill came first, or none.
    Missed,
    /// Nothing fired that should not.
    Quiet,
    /// A skill fired that should not.
    FalseFire,
}

impl Verdict {
    /// Whether it is as it should be.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Hit | Self::Quiet)
    }
}

/// What a catalog answered to a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// The case's id.
    pub id: String,
    /// The request.
    pub query: String,
    /// What it should have led to.
    pub expected: Expected,
    /// What became of it.
    pub verdict: Verdict,
    /// The names that were found, best first.
    pub found: Vec<String>,
    /// The rank of the first right skill.
    pub rank: Option<usize>,
    /// `confident`, `ambiguous` or `none`.
    pub decision: &'static str,
    /// The confidence of the first match.
    pub confidence: f32,
}
