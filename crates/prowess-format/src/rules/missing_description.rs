//! `missing-description`: a skill says what it does and when to use it.
//!
//! The description is all a model sees before it chooses; without one there is nothing to choose.

use crate::{
    Span, fields,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked on loading too; the one fault that keeps a readable skill out.
pub static RULE: Rule = Rule {
    code: "missing-description",
    summary: "a skill says what it does and when to use it",
    levels: Levels::ERROR,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    if !subject.has_fields() || document.description().is_some() {
        return;
    }
    let field = document.field("description");
    // A list or a map is `wrong-type`, and as little use to a model.
    let (span, state) = match (field, document.field("name")) {
        (Some(field), _) if field.node.value.as_str().is_none() => {
            (field.key_span, "while its description is not text")
        }
        (Some(field), _) => (field.key_span, "while its description is empty"),
        (None, Some(name)) => (
            Span::new(
                name.key_span.start,
                name.node.span.end.max(name.key_span.end),
            ),
            "without a description",
        ),
        (None, None) => (
            Span::at(document.frontmatter_span().start),
            "without a description",
        ),
    };
    let subject_name = document.name().or(subject.folder_name()).map_or_else(
        || "a skill".to_owned(),
        |name| format!("`{}`", crate::shown(name)),
    );
    let slip = document
        .fields()
        .iter()
        .find(|field| fields::did_you_mean(&field.key) == Some("description"));
    let help = match slip {
        Some(slip) => format!("rename `{}` to `description`", crate::shown(&slip.key)),
        None if field.is_some() => {
            "write what the skill does and when to use it after `description:`".to_owned()
        }
        None => "add `description:` below: what the skill does and when to use it".to_owned(),
    };
    report.note_with_help(
        &RULE,
        span,
        format!("{subject_name} cannot be offered to a model {state}"),
        help,
    );
}
