//! `description-too-large`: a description is at most 16 KiB.
//!
//! Real ones end below 3 KiB. One of this size is a body in the wrong place or an attack on
//! the list every model reads.

use crate::rules::{Levels, Report, Rule, Subject};

/// The most that is taken for a description.
pub const MAX_BYTES: usize = 16 * 1024;

/// Checked on loading too.
pub static RULE: Rule = Rule {
    code: "description-too-large",
    summary: "a description is at most 16 KiB",
    levels: Levels::ERROR,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(text), Some(node)) = (document.description(), document.get("description")) else {
        return;
    };
    if text.len() > MAX_BYTES {
        report.note_with_help(
            &RULE,
            node.span,
            format!(
                "the description is {} KiB long; no client shows more than 1,536 characters of it",
                text.len() / 1024
            ),
            "say what it does and when to use it, and move the rest into the instructions",
        );
    }
}
