//! `file-too-large`: a skill's file stays below the size limit.
//!
//! A file far beyond any real skill is a mistake or an attack; it is not read past the limit.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "file-too-large",
    summary: "a skill's file stays below the size limit",
    levels: Levels::ERROR,
    check: None,
};
