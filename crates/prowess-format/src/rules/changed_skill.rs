//! `changed-skill`: a trusted skill stays as it was trusted.
//!
//! Trust holds for the files a user looked at. Once one of them changes, the skill waits again.

use crate::rules::{Levels, Rule};

/// Found while cataloguing.
pub static RULE: Rule = Rule {
    code: "changed-skill",
    summary: "a trusted skill stays as it was trusted",
    levels: Levels::WARNING,
    check: None,
};
