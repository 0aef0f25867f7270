//! `client-field`: a skill for every client keeps to the fields of the standard.
//!
//! Worth knowing and nothing more: these fields are read here and by the client named.

use std::fmt::Write;

use crate::{
    Severity,
    fields::{self, KnownField, Origin},
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "client-field",
    summary: "a skill for every client keeps to the fields of the standard",
    levels: Levels::new(None, Some(Severity::Hint), Some(Severity::Hint)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let mut first = None;
    let mut guards = Vec::new();
    let mut list = String::new();
    for field in subject.document.fields() {
        let Some(KnownField {
            key,
            origin: Origin::Client(client),
            ..
        }) = fields::known_field(&field.key)
        else {
            continue;
        };
        let comma = if first.is_none() { "" } else { ", " };
        let _ = write!(list, "{comma}`{key}` (read by {client})");
        first.get_or_insert(field.key_span);
        if fields::is_guard(key) {
            guards.push(format!("`{key}`"));
        }
    }
    // One finding for all of them: a hint a line would bury the rest.
    if let Some(span) = first {
        report.note_with_help(
            &RULE,
            span,
            format!("not part of the standard: {list}"),
            match guards.as_slice() {
                [] => "keep it for those clients, or move it below `metadata` for all".to_owned(),
                guards => format!(
                    "keep {}: below `metadata` it does nothing, and the skill may do more",
                    guards.join(" and ")
                ),
            },
        );
    }
}
