//! `invalid-utf8`: the file is UTF-8.
//!
//! Bytes in some other encoding would reach the model as different text.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "invalid-utf8",
    summary: "the file is UTF-8",
    levels: Levels::ERROR,
    check: None,
};
