//! `invalid-toml`: frontmatter between `+++` lines is TOML that can be read.
//!
//! TOML is never mended: its readers agree on what is wrong.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "invalid-toml",
    summary: "frontmatter between `+++` lines is TOML that can be read",
    levels: Levels::ERROR,
    check: None,
};
