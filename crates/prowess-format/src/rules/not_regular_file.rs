//! `not-regular-file`: a skill's file is a regular file.
//!
//! A pipe or a device may never end; a folder has no text.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "not-regular-file",
    summary: "a skill's file is a regular file",
    levels: Levels::ERROR,
    check: None,
};
