//! `untrusted`: a project's skills are used after the project is trusted.
//!
//! A skill is text that steers a model; one from a stranger's repository waits for a word.

use crate::rules::{Levels, Rule};

/// Found while cataloguing.
pub static RULE: Rule = Rule {
    code: "untrusted",
    summary: "a project's skills are used after the project is trusted",
    levels: Levels::WARNING,
    check: None,
};
