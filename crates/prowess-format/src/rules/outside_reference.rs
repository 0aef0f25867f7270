//! `outside-reference`: instructions speak only of files inside the skill.
//!
//! A skill travels as one folder. What lies outside is not there on the next machine, and
//! Prowess never reads it.

use crate::{
    links::Target,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "outside-reference",
    summary: "instructions speak only of files inside the skill",
    levels: Levels::LOUD,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for reference in subject.document.references() {
        if let Target::Outside(path) = reference.target
            && !is_command(&path)
        {
            report.note_with_help(
                &RULE,
                reference.span,
                format!(
                    "`{}` lies outside the skill, and is missing where the skill is installed alone",
                    crate::shown(&path)
                ),
                "copy the file into the skill, or name the other skill instead",
            );
        }
    }
}

/// Whether a path is a client's command, such as `/review` or `/plugin:review`, or a page of the
/// site that the text is about, such as `/features/analytics`.
fn is_command(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| {
        let last = rest.rsplit('/').next().unwrap_or_default();
        last.contains(':') || !last.contains('.')
    })
}
