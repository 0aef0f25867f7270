//! `fence-in-value`: no value holds three hyphens.
//!
//! Claude Code and goose look for the closing fence anywhere in a line, and Codex in any indented
//! line, so that three hyphens in a value end the frontmatter there.

use crate::{
    Span, Syntax,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "fence-in-value",
    summary: "no value holds three hyphens",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    if document.syntax() != Some(Syntax::Yaml) {
        return;
    }
    let frontmatter = document.frontmatter_span();
    let text = frontmatter.of(document.text());
    let Some(at) = text.match_indices("---").map(|(at, _)| at).find(|at| {
        // A longer run is a ruler in a comment, or another mistake.
        let before = text[..*at].chars().next_back();
        let after = text[at + 3..].chars().next();
        before != Some('-') && after != Some('-') && !is_comment(text, *at)
    }) else {
        return;
    };
    let start = frontmatter.start + at;
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    // A line of its own ends it for Codex, a place within a line for the two others.
    let alone = text[line..]
        .lines()
        .next()
        .is_some_and(|it| it.trim() == "---");
    let clients = if alone {
        "Codex"
    } else {
        "Claude Code and goose"
    };
    report.note_with_help(
        &RULE,
        Span::new(start, start + 3),
        format!("`---` in a value ends the frontmatter early for {clients}, and the rest is lost"),
        "write `—`, a colon or a full stop instead",
    );
}

/// Whether the line of this place is a comment.
fn is_comment(text: &str, at: usize) -> bool {
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    text[line..].trim_start().starts_with('#')
}
