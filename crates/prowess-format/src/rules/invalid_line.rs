//! `invalid-line`: every line of a catalog file is one skill as a JSON object.
//!
//! One bad line leaves the others in use.

use crate::rules::{Levels, Rule};

/// Found while importing.
pub static RULE: Rule = Rule {
    code: "invalid-line",
    summary: "every line of a catalog file is one skill as a JSON object",
    levels: Levels::ERROR,
    check: None,
};
