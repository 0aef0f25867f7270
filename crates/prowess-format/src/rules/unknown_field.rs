//! `unknown-field`: every field means something to someone.
//!
//! The standard has six fields and `metadata` for everything else. The reference validator
//! refuses any other, most clients pass over it: either way it does nothing.

use crate::{
    Severity, fields,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`, and on loading where loading fails loud.
pub static RULE: Rule = Rule {
    code: "unknown-field",
    summary: "every field means something to someone",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Error)),
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for field in subject.document.fields() {
        if fields::known_field(&field.key).is_none() && fields::did_you_mean(&field.key).is_none() {
            // Sub-agents have `tools`; in a skill its meaning is too near to guess and too far to fix.
            let help = match &*field.key {
                "tools" => "write `allowed-tools` for tools it needs, or move it below `metadata`",
                _ => "move it below `metadata`",
            };
            report.note_with_help(
                &RULE,
                field.key_span,
                format!(
                    "no client is known to read `{}`, and the reference validator refuses it",
                    crate::shown(&field.key)
                ),
                help,
            );
        }
    }
}
