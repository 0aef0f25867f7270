//! `html-comment`: what a comment tells a model is shown to its readers.
//!
//! A comment vanishes from the rendered page and not from the model's context, so what one says is
//! read by the model alone.

use crate::{
    Severity, Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "html-comment",
    summary: "what a comment tells a model is shown to its readers",
    levels: Levels::WARNING,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let text = document.text();
    let mut after = 0;
    let mut comments: Vec<Span> = Vec::new();
    for line in lines(document) {
        if line.fenced || line.start < after {
            continue;
        }
        let (mut at, mut counted, mut ticks) = (0, 0, 0);
        while let Some(open) = line.text[at..].find("<!--").map(|offset| at + offset) {
            // In backticks it is an example, and shows on the page.
            ticks += line.text[counted..open].matches('`').count();
            counted = open;
            if ticks % 2 == 1 {
                at = open + 4;
                continue;
            }
            let start = line.start + open;
            let body = start + 4;
            let end = text[body..]
                .find("-->")
                .map_or(text.len(), |offset| body + offset);
            let close = (end + 3).min(text.len());
            if speaks(&text[body..end]) {
                comments.push(Span::new(start, close));
            }
            after = close;
            if close >= line.start + line.text.len() {
                break;
            }
            at = close - line.start;
        }
    }
    // One finding for all of them: a file generated from a template has dozens.
    if let Some(first) = comments.first() {
        let said = first
            .of(text)
            .trim_start_matches("<!--")
            .trim_end_matches("-->");
        let more = match comments.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let message = format!(
            "this comment is read by models only: `{}`{more}",
            crate::shown(said)
        );
        if let Some(diagnostic) = report.note(&RULE, *first, message) {
            if comments.iter().all(|span| is_credit(span.of(text))) {
                diagnostic.severity = diagnostic.severity.max(Severity::Hint);
            }
            diagnostic.help = Some("make it part of the text, or take it out".into());
        }
    }
}

/// Whether a comment names a source or an example, as far as its first words tell: still shown to
/// who asks for hints, since nothing keeps an order from hiding behind such words.
fn is_credit(comment: &str) -> bool {
    let start: String = comment.chars().take(CREDIT_CHARACTERS).collect();
    let start = start.to_ascii_lowercase();
    CREDITS.iter().any(|words| start.contains(words))
}

const CREDIT_CHARACTERS: usize = 120;

static CREDITS: &[&str] = &[
    "based on",
    "adapted from",
    "sourced from",
    "copyright",
    "license",
    "spdx-",
    "example for",
    "example:",
];

/// Whether a comment says something. A single word, or a word with a sign in it and one beside it
/// such as `markdownlint-disable MD013`, is a mark for a tool. What a sentence means is not judged:
/// an order has no end of ways to be put.
fn speaks(comment: &str) -> bool {
    let mut words = comment
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric));
    let lower = comment.to_ascii_lowercase();
    // Marks of generators speak to whoever edits the file.
    if [
        "generated",
        "do not edit",
        "begin",
        "end",
        "start of",
        "prowess-ignore",
    ]
    .iter()
    .any(|mark| lower.trim_start().starts_with(mark) || lower.contains("do not edit"))
    {
        return false;
    }
    // A few words without a full stop are a label, such as a template has for its reader.
    let is_sentence = comment
        .trim_end()
        .ends_with(['.', '!', '?', ':', ';', '。']);
    if !is_sentence && words.clone().count() < 5 {
        return false;
    }
    match (words.next(), words.next(), words.next()) {
        (Some(first), Some(_), None) => !first.contains(['-', '_', '/', ':']),
        (_, second, _) => second.is_some(),
    }
}
