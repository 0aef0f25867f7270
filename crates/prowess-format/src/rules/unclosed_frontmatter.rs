//! `unclosed-frontmatter`: the frontmatter ends with the fence it starts with.
//!
//! Without the closing fence nobody can tell fields from instructions; the body is never guessed.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "unclosed-frontmatter",
    summary: "the frontmatter ends with the fence it starts with",
    levels: Levels::ERROR,
    check: None,
};
