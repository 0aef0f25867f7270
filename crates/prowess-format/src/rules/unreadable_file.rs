//! `unreadable-file`: a skill's file can be read.
//!
//! Missing rights or a failing disk concern this skill alone.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "unreadable-file",
    summary: "a skill's file can be read",
    levels: Levels::ERROR,
    check: None,
};
