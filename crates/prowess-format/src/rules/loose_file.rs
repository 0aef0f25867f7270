//! `loose-file`: a skill lies in a folder of its own.
//!
//! A Markdown file with frontmatter next to skill folders looks like a skill to its author, and
//! to few clients.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "loose-file",
    summary: "a skill lies in a folder of its own",
    levels: Levels::HINT,
    check: None,
};
