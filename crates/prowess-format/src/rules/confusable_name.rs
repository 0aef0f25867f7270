//! `confusable-name`: no two skills have names that look alike.
//!
//! Names that differ only in case, in composed accents or in look-alike letters let one skill
//! pass for another.

use crate::rules::{Levels, Rule};

/// Found while cataloguing.
pub static RULE: Rule = Rule {
    code: "confusable-name",
    summary: "no two skills have names that look alike",
    levels: Levels::WARNING,
    check: None,
};
