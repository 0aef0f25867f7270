//! `control-character`: the text holds no control characters.
//!
//! A NUL cuts the text short in some readers, an escape changes what a terminal shows.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "control-character",
    summary: "the text holds no control characters",
    levels: Levels::LOUD,
    check: None,
};
