//! `file-name`: the file is called `SKILL.md`.
//!
//! Most clients look for exactly this spelling and pass over `skill.md` without a word.

use crate::{
    diagnostic::Severity,
    rules::{Levels, Rule},
};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "file-name",
    summary: "the file is called `SKILL.md`",
    levels: Levels::new(
        Some(Severity::Hint),
        Some(Severity::Warning),
        Some(Severity::Error),
    ),
    check: None,
};
