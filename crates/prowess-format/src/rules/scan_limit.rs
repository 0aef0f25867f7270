//! `scan-limit`: a folder can be searched to its end.
//!
//! What lies beyond a limit was not looked at, so the answer is partial.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "scan-limit",
    summary: "a folder can be searched to its end",
    levels: Levels::WARNING,
    check: None,
};
