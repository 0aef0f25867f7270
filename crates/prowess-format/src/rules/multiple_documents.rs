//! `multiple-documents`: the frontmatter is one YAML document.
//!
//! Fields after a second document mark are read by some clients and dropped by others.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "multiple-documents",
    summary: "the frontmatter is one YAML document",
    levels: Levels::ERROR,
    check: None,
};
