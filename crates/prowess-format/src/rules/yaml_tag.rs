//! `yaml-tag`: the frontmatter uses no YAML tags.
//!
//! A tag asks a reader to build an object; here it is never obeyed and the value stays text.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "yaml-tag",
    summary: "the frontmatter uses no YAML tags",
    levels: Levels::LOUD,
    check: None,
};
