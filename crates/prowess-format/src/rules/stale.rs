//! `stale`: what is in use is what the file says.
//!
//! A file that is saved half-done must not take a working skill away from a running agent.

use crate::rules::{Levels, Rule};

/// Found while watching.
pub static RULE: Rule = Rule {
    code: "stale",
    summary: "what is in use is what the file says",
    levels: Levels::WARNING,
    check: None,
};
