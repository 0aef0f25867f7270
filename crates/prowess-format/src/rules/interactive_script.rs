//! `interactive-script`: a script takes what it needs as arguments.
//!
//! An agent runs a script without a terminal. One that waits for a person to type hangs, or fails
//! at the end of its input.

use crate::{
    Severity, Span,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`, where the folder was looked at.
pub static RULE: Rule = Rule {
    code: "interactive-script",
    summary: "a script takes what it needs as arguments",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(folder) = subject.folder else {
        return;
    };
    let body = subject.document.instructions();
    for file in &folder.files {
        let Some(line) = file.script.and_then(|script| script.asks_at) else {
            continue;
        };
        // One that the instructions never name is not run by an agent.
        if let Some(at) = body.find(&file.path) {
            let start = subject.document.instructions_span().start + at;
            report.note_with_help(
                &RULE,
                Span::new(start, start + file.path.len()),
                format!(
                    "`{}` waits in line {line} for somebody to type, and an agent cannot",
                    crate::shown(&file.path)
                ),
                "let it take arguments, and say in the instructions which",
            );
        }
    }
}
