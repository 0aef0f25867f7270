//! `metadata-not-text`: `metadata` is a map from text to text.
//!
//! Clients that follow the standard read each value as text; a list or a map in it is dropped
//! or turned into a word like `[object Object]`.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "metadata-not-text",
    summary: "`metadata` is a map from text to text",
    levels: Levels::new(None, Some(Severity::Hint), Some(Severity::Warning)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(fields) = subject
        .document
        .get("metadata")
        .and_then(|node| node.value.as_map())
    else {
        return;
    };
    for field in fields {
        if field.node.value.as_str().is_none() {
            report.note_with_help(
                &RULE,
                field.key_span,
                format!(
                    "`{}` in `metadata` is {}, where the standard has text",
                    crate::shown(&field.key),
                    field.node.value.kind()
                ),
                "write it as one text, such as a list parted by commas",
            );
        }
    }
}
