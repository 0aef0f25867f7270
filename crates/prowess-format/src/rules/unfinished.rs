//! `unfinished`: nothing is left to be written.
//!
//! A template that was never filled in, or a note to oneself, reaches the model as an instruction.

use crate::{
    Severity, Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "unfinished",
    summary: "nothing is left to be written",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// How a note to oneself starts.
static NOTES: &[&str] = &["TODO", "FIXME", "TBD", "XXX"];

/// Sentences of common templates, that of `prowess new` among them.
static TEMPLATES: &[&str] = &[
    "Replace with description of the skill",
    "[TODO",
    "Your skill description here",
    "your skill description here",
    "Insert instructions below",
    "What this skill does, and when to use it",
    "Describe what this skill does",
    "Complete and informative explanation of what the skill does",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    if let (Some(text), Some(node)) = (document.description(), document.get("description")) {
        let note_to_self = NOTES.iter().find(|mark| text.starts_with(**mark));
        let template = TEMPLATES.iter().find(|mark| stands(text, mark));
        if let Some(mark) = note_to_self.or(template) {
            note(node.span, mark, report);
            return;
        }
    }
    for line in lines(document).filter(|line| !line.fenced) {
        // A note opens its line; within a sentence the word is spoken about.
        let text = line
            .text
            .trim_start_matches([' ', '\t', '-', '*', '#', '>', '[', '(']);
        let text = text.trim_start_matches("<!--").trim_start();
        let note_to_self = NOTES.iter().find(|mark| {
            text.strip_prefix(**mark)
                .is_some_and(|rest| rest.starts_with([':', ']', ' ']) && !rest.trim().is_empty())
        });
        let template = TEMPLATES.iter().find(|mark| stands(line.text, mark));
        let in_code = |mark: &str| {
            let at = line.text.find(mark).unwrap_or(0);
            line.text[..at].matches('`').count() % 2 == 1
        };
        if let Some(mark) = note_to_self.or(template).filter(|mark| !in_code(mark)) {
            let start = line.start + line.text.len() - line.text.trim_start().len();
            let end = line.start + line.text.trim_end().len();
            note(Span::new(start, end.max(start)), mark, report);
            return;
        }
    }
}

fn note(span: Span, mark: &str, report: &mut Report<'_>) {
    report.note_with_help(
        &RULE,
        span,
        format!("`{mark}` is left from writing, and a model takes it for a part of the skill"),
        "write what is meant, or take it out",
    );
}

/// Whether the words stand in the text as words of their own.
fn stands(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !beside(text[..at].chars().next_back()) && !beside(text[at + words.len()..].chars().next())
    })
}
