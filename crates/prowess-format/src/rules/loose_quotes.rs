//! `loose-quotes`: a quoted text over several lines is indented.
//!
//! YAML 1.2 asks for the indent; readers built on libyaml do not, so the file loads in some clients only.

use crate::rules::{Levels, Rule};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "loose-quotes",
    summary: "a quoted text over several lines is indented",
    levels: Levels::HINT,
    check: None,
};
