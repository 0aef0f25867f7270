//! Why a skill got its score, who came before it, and what would change that.

pub use prowess_search::{
    explain::{
        Advice, Explanation, FieldContribution, Lead, Missing, SignalContribution, WordContribution,
    },
    index::{Field, clauses},
};

use crate::skill::Skill;

/// A skill that came before.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rival<'c> {
    /// The skill.
    pub skill: &'c Skill,
    /// Its score.
    pub score: f32,
    /// The words that made the difference, most first.
    pub leads: Vec<Lead>,
}

/// Why a skill stands where it stands for a request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Why<'c> {
    /// Its rank, from 1; `None` where it shares nothing with the request.
    pub rank: Option<usize>,
    /// How many skills share anything with the request.
    pub ranked: usize,
    /// Its score, explained.
    pub explanation: Explanation,
    /// Who came before it, best first.
    pub rivals: Vec<Rival<'c>>,
    /// Words that would help, each tried alone, the most helpful first.
    pub advice: Vec<Advice>,
}
