//! `yaml-limit`: the frontmatter stays within the limits for nodes, nesting and aliases.
//!
//! Reading stops at the limit, so that a hostile file costs no more than a good one.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "yaml-limit",
    summary: "the frontmatter stays within the limits for nodes, nesting and aliases",
    levels: Levels::ERROR,
    check: None,
};
