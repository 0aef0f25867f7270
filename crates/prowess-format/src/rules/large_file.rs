//! `large-file`: a skill's file is of ordinary size.
//!
//! Ninety-nine of a hundred real skills are below 34 KB; a much larger one floods a context.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "large-file",
    summary: "a skill's file is of ordinary size",
    levels: Levels::WARNING,
    check: None,
};
