//! `nested-skill`: a skill inside another one lies below a `skills` folder.
//!
//! A `SKILL.md` among a skill's own files is one of its resources, not a skill to be offered.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "nested-skill",
    summary: "a skill inside another one lies below a `skills` folder",
    levels: Levels::HINT,
    check: None,
};
