//! `link-loop`: a link does not lead back to a folder it lies in.
//!
//! Following it again would never end; the folder is searched once.

use crate::rules::{Levels, Rule};

/// Found while scanning.
pub static RULE: Rule = Rule {
    code: "link-loop",
    summary: "a link does not lead back to a folder it lies in",
    levels: Levels::HINT,
    check: None,
};
