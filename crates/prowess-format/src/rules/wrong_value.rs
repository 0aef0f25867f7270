//! `wrong-value`: a field of a client has one of the values that client knows.
//!
//! A client passes over a value it does not know, so the field silently does nothing.

use crate::{
    Style, Value,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "wrong-value",
    summary: "a field of a client has one of the values that client knows",
    levels: Levels::CHECKED_LOUD,
    check: Some(check),
};

/// Fields with few values, as Claude Code documents them.
static VALUES: &[(&str, &[&str])] = &[
    ("context", &["fork"]),
    ("effort", &["low", "medium", "high", "xhigh", "max"]),
];

/// Fields that are a switch.
static SWITCHES: &[&str] = &["disable-model-invocation", "user-invocable"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (key, values) in VALUES {
        let Some(field) = subject.document.field(key) else {
            continue;
        };
        let Some(text) = field.node.value.as_str().map(str::trim) else {
            continue;
        };
        if !text.is_empty() && !values.contains(&text) {
            report.note_with_help(
                &RULE,
                field.node.span,
                format!(
                    "Claude Code does not know `{key}: {}`, so the field does nothing",
                    crate::shown(text)
                ),
                format!("write `{key}: {}`", values.join("`, `")),
            );
        }
    }
    for key in SWITCHES {
        let Some(field) = subject.document.field(key) else {
            continue;
        };
        let Value::Scalar(text, style) = &field.node.value else {
            continue;
        };
        let Some(on) = field.node.value.as_bool() else {
            continue;
        };
        // Plain `yes` is a switch to YAML 1.1 and a word to YAML 1.2; in quotes it is a word to all.
        if *style == Style::Quoted || !matches!(&**text, "true" | "false" | "True" | "False") {
            report.note_with_help(
                &RULE,
                field.node.span,
                format!("`{key}` is a word here, not a switch, to clients that follow YAML 1.2"),
                format!("write `{key}: {on}`"),
            );
        }
    }
}
