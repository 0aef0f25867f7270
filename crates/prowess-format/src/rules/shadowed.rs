//! `shadowed`: a skill's name is its own.
//!
//! Of two skills with one name only one can be offered; the other stays in the catalog.

use crate::rules::{Levels, Rule};

/// Found while cataloguing.
pub static RULE: Rule = Rule {
    code: "shadowed",
    summary: "a skill's name is its own",
    levels: Levels::WARNING,
    check: None,
};
