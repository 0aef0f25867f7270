//! `yaml-alias`: the frontmatter uses no anchors and aliases.
//!
//! The reference validator refuses them, and no real skill needs one.

use crate::{
    Severity,
    rules::{Levels, Rule},
};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "yaml-alias",
    summary: "the frontmatter uses no anchors and aliases",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Error)),
    check: None,
};
