//! `thin-description`: a description says what the skill is about.
//!
//! A model picks a skill by its description. One of two words, or of words that fit every skill,
//! gives it nothing to match a request with.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "thin-description",
    summary: "a description says what the skill is about",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// Words that fit every skill.
static EMPTY: &[&str] = &[
    "a",
    "an",
    "and",
    "any",
    "assistant",
    "at",
    "be",
    "best",
    "by",
    "can",
    "description",
    "do",
    "does",
    "easily",
    "etc",
    "everything",
    "for",
    "general",
    "good",
    "great",
    "handles",
    "handy",
    "help",
    "helper",
    "helpers",
    "helpful",
    "helping",
    "helps",
    "i",
    "in",
    "is",
    "it",
    "lots",
    "many",
    "me",
    "more",
    "my",
    "new",
    "nice",
    "of",
    "on",
    "or",
    "other",
    "our",
    "s",
    "skill",
    "skills",
    "some",
    "something",
    "stuff",
    "such",
    "task",
    "tasks",
    "test",
    "that",
    "the",
    "things",
    "this",
    "to",
    "tool",
    "tools",
    "used",
    "useful",
    "user",
    "users",
    "various",
    "very",
    "we",
    "when",
    "which",
    "with",
    "work",
    "works",
    "you",
    "your",
    "use",
    "foo",
    "bar",
    "baz",
    "x",
    "y",
    "z",
    "tbd",
    "todo",
    "processes",
    "data",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(text), Some(node)) = (document.description(), document.get("description")) else {
        return;
    };
    // Scripts without spaces say much in few words.
    if !text.is_ascii() || document.text_of("when_to_use").is_some() {
        return;
    }
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let telling = words.iter().filter(|word| !EMPTY.contains(&word.as_str()));
    let message = match telling.count() {
        0 => "the description says nothing about what the skill does, so a model cannot choose it",
        1 | 2 if words.len() < 5 => {
            "the description is a few words long, so a model can hardly tell when the skill fits"
        }
        _ => return,
    };
    report.note_with_help(
        &RULE,
        node.span,
        message,
        "say what it does, with the words a user would say, and when to use it",
    );
}
