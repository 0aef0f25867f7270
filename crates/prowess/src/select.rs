//! From a request to skills: ranked matches, each with its skill, and a decision.

use prowess_search::{Explainer, Index, Query};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use std::fmt;

pub use prowess_search::{Policy, Ranker, UnknownRanker, same_tag};

use crate::{explain::Explanation, skill::Skill};

/// A skill that answers a request.
///
/// It holds the skill itself, so it cannot name another one after a reload.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Match<'c> {
    skill: &'c Skill,
    /// How well it answers.
    pub score: f32,
    /// How likely it is to be the right one, 0 to 1.
    pub confidence: f32,
}

impl<'c> Match<'c> {
    pub(crate) fn new(skill: &'c Skill, score: f32, confidence: f32) -> Self {
        Self {
            skill,
            score,
            confidence,
        }
    }

    /// The skill.
    pub fn skill(&self) -> &'c Skill {
        self.skill
    }
}

/// The skill by what a host needs of it, its tools among that, and how well it answers.
impl Serialize for Match<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = serializer.serialize_struct("Match", 6)?;
        shown.serialize_field("id", &self.skill.id())?;
        shown.serialize_field("name", self.skill.name())?;
        shown.serialize_field("description", self.skill.description())?;
        shown.serialize_field("allowed_tools", &self.skill.allowed_tools())?;
        shown.serialize_field("score", &self.score)?;
        shown.serialize_field("confidence", &self.confidence)?;
        shown.end()
    }
}

impl fmt::Debug for Match<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Match")
            .field("skill", &self.skill.name())
            .field("score", &self.score)
            .field("confidence", &self.confidence)
            .finish()
    }
}

/// What the scores mean for a host: `Confident`, `Ambiguous` or `None`.
pub type Decision<'c> = prowess_search::Decision<Match<'c>>;

/// Ranked matches and what they mean.
#[derive(Clone)]
#[non_exhaustive]
pub struct Selection<'c> {
    /// The matches, best first.
    pub matches: Vec<Match<'c>>,
    /// What a host should make of them.
    pub decision: Decision<'c>,
    index: &'c Index,
    query: Query,
}

impl<'c> Selection<'c> {
    pub(crate) fn new(
        found: prowess_search::Selection,
        index: &'c Index,
        query: Query,
        skill: impl Fn(u32) -> &'c Skill,
    ) -> Self {
        let with_skill = |found: prowess_search::Match| {
            Match::new(skill(found.document), found.score, found.confidence)
        };
        Self {
            matches: found.matches.into_iter().map(with_skill).collect(),
            decision: found.decision.map(with_skill),
            index,
            query,
        }
    }

    /// Why each match got its score, in their order. The request is not read again, and a word
    /// that stands in several skills is worked out once.
    pub fn explain(&self) -> Vec<Explanation> {
        let mut explainer = Explainer::new(self.index, &self.query);
        let explain = |found: &Match<'_>| explainer.explain(&found.skill.entry());
        self.matches.iter().map(explain).collect()
    }
}

/// The decision as a word, and the matches.
impl Serialize for Selection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = serializer.serialize_struct("Selection", 2)?;
        shown.serialize_field("decision", self.decision.name())?;
        shown.serialize_field("matches", &self.matches)?;
        shown.end()
    }
}

impl fmt::Debug for Selection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection")
            .field("matches", &self.matches)
            .field("decision", &self.decision)
            .finish_non_exhaustive()
    }
}
