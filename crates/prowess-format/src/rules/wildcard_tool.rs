//! `wildcard-tool`: a skill asks for the tools it needs.
//!
//! A pattern that lets everything through asks the host to approve what nobody has looked at.
//! Whatever a skill asks for, it gets no more than the host and the user grant.

use crate::rules::{Levels, Report, Rule, Subject};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "wildcard-tool",
    summary: "a skill asks for the tools it needs",
    levels: Levels::WARNING,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for pattern in subject.document.allowed_tools() {
        if pattern.is_readable() && pattern.is_wildcard() {
            let all = match pattern.argument {
                Some(_) => format!("everything `{}` can do", crate::shown(pattern.tool)),
                None => "every tool".to_owned(),
            };
            report.note_with_help(
                &RULE,
                pattern.span,
                format!("`{}` asks for {all}", crate::shown(&pattern.to_string())),
                "name what the skill needs, such as `Bash(git status:*)`",
            );
        }
    }
}
