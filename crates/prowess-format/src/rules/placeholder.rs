//! `placeholder`: a skill's words mean the same in every client.
//!
//! Some clients put a user's words in place of `$ARGUMENTS` and its like. Prowess leaves the text
//! as it is.

use crate::{
    Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "placeholder",
    summary: "a skill's words mean the same in every client",
    levels: Levels::HINT,
    check: Some(check),
};

/// What is replaced, as clients write it.
static PLACEHOLDERS: &[&str] = &["$ARGUMENTS", "${ARGUMENTS}", "{{args}}", "{{ARGUMENTS}}"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for placeholder in PLACEHOLDERS {
        let found = lines(subject.document)
            .filter(|line| !line.fenced)
            .find_map(|line| line.text.find(placeholder).map(|at| line.start + at));
        if let Some(at) = found {
            report.note_with_help(
                &RULE,
                Span::new(at, at + placeholder.len()),
                format!(
                    "some clients put the user's words in place of `{placeholder}`; Prowess leaves it as it is"
                ),
                "say in words what to do with the request if it should work everywhere",
            );
        }
    }
}
