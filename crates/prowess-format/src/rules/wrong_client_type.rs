//! `wrong-client-type`: a field of a client holds what that client reads.
//!
//! The standard does not know these fields, so a slip in one is never an error by the standard;
//! the field simply has no effect.

use crate::{
    fields::Origin,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`, and on loading where loading fails loud.
pub static RULE: Rule = Rule {
    code: "wrong-client-type",
    summary: "a field of a client holds what that client reads",
    levels: Levels::LOUD,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    super::wrong_type::check_fields(&RULE, |origin| origin != Origin::Standard, subject, report);
    let triggers = subject.document.get("triggers");
    let unknown = triggers
        .and_then(|node| node.value.as_map())
        .into_iter()
        .flatten();
    for field in unknown.filter(|field| !matches!(&*field.key, "globs" | "keywords")) {
        report.note_with_help(
            &RULE,
            field.key_span,
            format!(
                "`{}` below `triggers` is not read",
                crate::shown(&field.key)
            ),
            "write `globs` for files and `keywords` for words",
        );
    }
}
