//! `substituted-text`: code keeps its own `$1`.
//!
//! When a skill is called with arguments, Claude Code puts them in place of `$1`, `$2` and
//! `$ARGUMENTS` everywhere, in code as well: `awk '{print $1}'` becomes something else.

use crate::{
    Severity, Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "substituted-text",
    summary: "code keeps its own `$1`",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    // A skill that asks for arguments means its `$1`; awk's fields it never means.
    let asks = ["argument-hint", "arguments"]
        .iter()
        .any(|key| document.get(key).is_some());
    for line in lines(document) {
        let Some(at) = place(line.text) else {
            continue;
        };
        let in_awk = line.text[..at].contains("awk");
        let in_quotes = line.text[..at].matches('\'').count() % 2 == 1;
        let in_code = line.fenced || line.text[..at].matches('`').count() % 2 == 1;
        if in_code && (in_awk && in_quotes || line.fenced && !asks && is_shell(line.text, at)) {
            let start = line.start + at;
            report.note_with_help(
                &RULE,
                Span::new(start, start + 2),
                format!(
                    "Claude Code puts an argument of the call in place of `{}` here",
                    &line.text[at..at + 2]
                ),
                "move the command into a file below `scripts/`, where nothing is replaced",
            );
            return;
        }
    }
}

/// Where `$1` to `$9` stands as a word of its own; `$10` is a price.
fn place(text: &str) -> Option<usize> {
    let marks = text.match_indices('$').map(|(at, _)| at);
    let mut marks = marks.filter(|at| {
        let rest = &text.as_bytes()[at + 1..];
        let next = rest.get(1);
        matches!(rest.first(), Some(b'1'..=b'9'))
            && !next.is_some_and(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b',' | b'_')
            })
            && !text[..*at].ends_with('\\')
    });
    marks.next()
}

/// Whether `$1` is a shell's here: quoted, or given to a command.
fn is_shell(text: &str, at: usize) -> bool {
    text[..at].ends_with(['"', '=', '{']) && !text[..at].trim_end_matches(['"', '=']).is_empty()
}
