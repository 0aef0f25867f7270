//! `invalid-yaml`: the frontmatter is YAML that can be read.
//!
//! What can be mended without guessing is `repaired-yaml`; this is the rest.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "invalid-yaml",
    summary: "the frontmatter is YAML that can be read",
    levels: Levels::ERROR,
    check: None,
};
