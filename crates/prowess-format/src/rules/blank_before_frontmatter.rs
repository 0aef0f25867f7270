//! `blank-before-frontmatter`: the opening fence is the first line.
//!
//! Readers that look only at the first line find no frontmatter.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "blank-before-frontmatter",
    summary: "the opening fence is the first line",
    levels: Levels::HINT,
    check: None,
};
