//! `ignored-folder`: a skill does not lie in a folder that is passed over.
//!
//! Folders of build output and version control are not searched, so a skill inside is not found.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "ignored-folder",
    summary: "a skill does not lie in a folder that is passed over",
    levels: Levels::WARNING,
    check: None,
};
