//! `bad-tool-pattern`: every tool in `allowed-tools` can be read.
//!
//! What cannot be read is never granted, so the skill lacks a tool its author thought of.

use crate::rules::{Levels, Report, Rule, Subject};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "bad-tool-pattern",
    summary: "every tool in `allowed-tools` can be read",
    levels: Levels::LOUD,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    for pattern in document
        .allowed_tools()
        .into_iter()
        .chain(document.disallowed_tools())
    {
        if pattern.is_readable() {
            continue;
        }
        let text = pattern.tool;
        let (opened, closed) = (text.matches('(').count(), text.matches(')').count());
        let help = if opened > closed {
            "close the parenthesis"
        } else if closed > opened {
            "take out the `)` that closes nothing"
        } else if text.contains("()") {
            "write the tool without parentheses, or say in them what it may do"
        } else {
            "write a tool's name, and what it may do in parentheses: `Bash(git add:*)`"
        };
        report.note_with_help(
            &RULE,
            pattern.span,
            format!(
                "`{}` names no tool, so none is asked for",
                crate::shown(text)
            ),
            help,
        );
    }
}
