//! `unknown-alias`: an alias stands for a text that is there.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "unknown-alias",
    summary: "an alias stands for a text that is there",
    levels: Levels::SPECIFICATION,
    check: None,
};
