//! `duplicate`: a skill is catalogued once.
//!
//! The same bytes in two places are one skill; the second copy only costs context.

use crate::rules::{Levels, Rule};

/// Found while cataloguing.
pub static RULE: Rule = Rule {
    code: "duplicate",
    summary: "a skill is catalogued once",
    levels: Levels::WARNING,
    check: None,
};
