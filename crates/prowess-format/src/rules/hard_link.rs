//! `hard-link`: a skill's file belongs to whoever installed the skill.
//!
//! A file of another owner that also lives elsewhere can be changed from there, unseen.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "hard-link",
    summary: "a skill's file belongs to whoever installed the skill",
    levels: Levels::WARNING,
    check: None,
};
