//! `broken-link`: a link leads to something that is there.
//!
//! A link whose target was moved or deleted is a skill that silently went missing.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "broken-link",
    summary: "a link leads to something that is there",
    levels: Levels::ERROR,
    check: None,
};
