//! `wrong-encoding`: the file is UTF-8, not UTF-16 or UTF-32.
//!
//! Editors on Windows still save UTF-16; naming the encoding tells the author what to change.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "wrong-encoding",
    summary: "the file is UTF-8, not UTF-16 or UTF-32",
    levels: Levels::ERROR,
    check: None,
};
