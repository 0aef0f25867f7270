//! `empty-file`: the file holds a skill.
//!
//! An empty file is usually a save that went wrong.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "empty-file",
    summary: "the file holds a skill",
    levels: Levels::ERROR,
    check: None,
};
