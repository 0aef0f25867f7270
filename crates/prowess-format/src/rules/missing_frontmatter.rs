//! `missing-frontmatter`: a skill starts with fields between two `---` lines.
//!
//! A file without fields has no name and no description, so there is nothing to offer a model.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "missing-frontmatter",
    summary: "a skill starts with fields between two `---` lines",
    levels: Levels::ERROR,
    check: None,
};
