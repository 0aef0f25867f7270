//! `repaired-yaml`: the frontmatter is read as written, without mending.
//!
//! Other readers refuse what is mended here, so the exact replacement is always shown.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "repaired-yaml",
    summary: "the frontmatter is read as written, without mending",
    levels: Levels::LOUD,
    check: None,
};
