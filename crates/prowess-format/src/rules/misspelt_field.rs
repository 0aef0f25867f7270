//! `misspelt-field`: a known field is spelt the way it is read.
//!
//! A slip in a key is silent everywhere else: the field is simply not there.

use crate::{
    Fix, Profile, fields,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`, and on loading where loading fails loud.
pub static RULE: Rule = Rule {
    code: "misspelt-field",
    summary: "a known field is spelt the way it is read",
    levels: Levels::LOUD,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    for field in document.fields() {
        let Some(meant) = fields::did_you_mean(&field.key) else {
            continue;
        };
        let key = crate::shown(&field.key);
        if document.field(meant).is_some() {
            report.note_with_help(
                &RULE,
                field.key_span,
                format!("`{key}` is not read; `{meant}` is there already"),
                format!("move what it says into `{meant}` and remove it"),
            );
            continue;
        }
        let reader = if &*field.key == "allowed_tools" {
            // Who loads strictly comes from defect, where this is how the field is spelt.
            if report.profile() == Profile::Strict {
                continue;
            }
            "read here and by few other clients"
        } else {
            "not read"
        };
        report.note_with_fix(
            &RULE,
            field.key_span,
            format!("`{key}` is {reader}; did you mean `{meant}`?"),
            Fix::replace(format!("rename it to `{meant}`"), field.key_span, meant),
        );
    }
}
