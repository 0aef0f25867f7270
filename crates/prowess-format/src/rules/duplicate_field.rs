//! `duplicate-field`: each field stands once.
//!
//! Readers differ in which of the two they keep, so the author's intent is lost in some of them.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "duplicate-field",
    summary: "each field stands once",
    levels: Levels::SPECIFICATION,
    check: None,
};
