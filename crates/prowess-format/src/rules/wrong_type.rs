//! `wrong-type`: a field of the standard holds what the standard says.
//!
//! A name that is a list is no name: readers take its first entry, its whole text, or nothing.

use crate::{
    Field, Value,
    fields::{self, Origin, Shape},
    rules::{Levels, Report, Rule, Subject},
};

/// Checked on loading too.
pub static RULE: Rule = Rule {
    code: "wrong-type",
    summary: "a field of the standard holds what the standard says",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    check_fields(&RULE, |origin| origin == Origin::Standard, subject, report);
}

/// Compares the fields of some origin with their shapes.
pub(super) fn check_fields(
    rule: &'static Rule,
    wanted: fn(Origin) -> bool,
    subject: &Subject<'_>,
    report: &mut Report<'_>,
) {
    for field in subject.document.fields() {
        let Some(known) = fields::known_field(&field.key) else {
            continue;
        };
        if wanted(known.origin) && !fits(field, known.shape) {
            report.note_with_help(
                rule,
                field.node.span,
                format!(
                    "`{}` is {}, where {} is read",
                    known.key,
                    found(field),
                    known.shape.as_str()
                ),
                format!("write {} after `{}`", known.shape.as_str(), known.key),
            );
        }
    }
}

fn fits(field: &Field, shape: Shape) -> bool {
    let value = &field.node.value;
    // A field without a value is as good as none.
    if value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return true;
    }
    match shape {
        Shape::Any => true,
        Shape::Text => value.as_str().is_some(),
        Shape::Switch => value.as_bool().is_some(),
        Shape::Texts => is_texts(value),
        Shape::Map => value.as_map().is_some(),
        Shape::Triggers => match value {
            Value::Map(fields) => fields
                .iter()
                .filter(|field| matches!(&*field.key, "globs" | "keywords"))
                .all(|field| is_texts(&field.node.value)),
            value => is_texts(value),
        },
    }
}

fn is_texts(value: &Value) -> bool {
    match value {
        Value::Scalar(..) => true,
        Value::List(nodes) => nodes.iter().all(|node| node.value.as_str().is_some()),
        Value::Map(_) => false,
    }
}

fn found(field: &Field) -> String {
    match &field.node.value {
        Value::Scalar(text, _) => format!("`{}`", crate::shown(text)),
        Value::List(nodes) if nodes.iter().any(|node| node.value.as_map().is_some()) => {
            "a list of maps".to_owned()
        }
        value => value.kind().to_owned(),
    }
}
