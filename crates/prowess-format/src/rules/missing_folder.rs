//! `missing-folder`: a folder that was named is there.
//!
//! A misspelt `--dir` would otherwise look like an empty catalog.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "missing-folder",
    summary: "a folder that was named is there",
    levels: Levels::WARNING,
    check: None,
};
