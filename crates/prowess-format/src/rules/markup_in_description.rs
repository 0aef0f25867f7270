//! `markup-in-description`: a description is plain text, without tags.
//!
//! Claude Code and VS Code take tags out of a description, and the standard's own list is XML.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "markup-in-description",
    summary: "a description is plain text, without tags",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(text), Some(node)) = (document.description(), document.get("description")) else {
        return;
    };
    let Some(tag) = tag(text) else {
        return;
    };
    report.note_with_help(
        &RULE,
        node.span,
        format!(
            "Claude Code and VS Code take `{}` out of the description",
            crate::shown(tag)
        ),
        "write it without angle brackets",
    );
}

/// The first `<word>` or `</word>`; `a < b` is none.
fn tag(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let name = rest.strip_prefix('/').unwrap_or(rest);
        let end = rest.find('>')?;
        let opens = name.starts_with(|c: char| c.is_ascii_alphabetic());
        (opens && end < 64 && !rest[..end].contains(['<', '\n'])).then(|| &text[at..at + end + 2])
    })
}
