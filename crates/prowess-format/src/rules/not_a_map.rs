//! `not-a-map`: the frontmatter is a map of fields.
//!
//! A list or a single text has no field that could be a name or a description.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "not-a-map",
    summary: "the frontmatter is a map of fields",
    levels: Levels::ERROR,
    check: None,
};
