//! `frontmatter-too-large`: the frontmatter is at most 64 KiB.
//!
//! Real frontmatter is about 1 KiB; more is a body behind a lost fence, or an attack.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "frontmatter-too-large",
    summary: "the frontmatter is at most 64 KiB",
    levels: Levels::ERROR,
    check: None,
};
