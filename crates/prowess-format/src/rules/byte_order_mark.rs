//! `byte-order-mark`: the file starts with its fence, without a byte order mark.
//!
//! At least one popular client does not see the fence behind the mark.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "byte-order-mark",
    summary: "the file starts with its fence, without a byte order mark",
    levels: Levels::HINT,
    check: None,
};
