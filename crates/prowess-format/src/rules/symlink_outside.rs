//! `symlink-outside`: a link stays inside the folder or the repository it was found in.
//!
//! A link can point a skill at any file of its reader; it is followed outside only when allowed.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "symlink-outside",
    summary: "a link stays inside the folder or the repository it was found in",
    levels: Levels::ERROR,
    check: None,
};
