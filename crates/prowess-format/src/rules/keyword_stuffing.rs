//! `keyword-stuffing`: a description is written for a reader.
//!
//! Repeating a word never raises a rank here, and it takes room from what a model needs to know.

use std::collections::HashMap;

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "keyword-stuffing",
    summary: "a description is written for a reader",
    levels: Levels::new(None, Some(Severity::Hint), Some(Severity::Warning)),
    check: Some(check),
};

/// A word this often is noticed; honest descriptions name their subject up to seven times.
const MAX_REPEATS: usize = 9;
/// And only where every so-many-th word is that one.
const MIN_SHARE: usize = 8;
/// Words that any honest text repeats.
static GLUE: &[&str] = &[
    "and", "any", "are", "der", "des", "die", "for", "les", "los", "que", "the", "und", "use",
    "user", "when", "with", "you", "your",
];
/// A run of this many entries parted by commas is a list of keywords.
const MAX_ENTRIES: usize = 60;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(text), Some(node)) = (document.description(), document.get("description")) else {
        return;
    };
    let message = if let Some((word, count)) = repeated(text) {
        format!(
            "the description says `{}` {count} times, which raises no rank",
            crate::shown(&word)
        )
    } else if let Some(entries) = listed(text) {
        format!("the description lists {entries} keywords, which leaves no room for what it does")
    } else {
        return;
    };
    report.note_with_help(
        &RULE,
        node.span,
        message,
        "say each thing once, in sentences",
    );
}

fn repeated(text: &str) -> Option<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut total = 0_usize;
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        total += 1;
        let word = word.to_lowercase();
        // Two letters are the glue of a sentence in most languages written with spaces.
        if word.chars().count() > 2 && !GLUE.contains(&word.as_str()) {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .filter(|(_, count)| *count > MAX_REPEATS && count * MIN_SHARE > total)
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)))
}

fn listed(text: &str) -> Option<usize> {
    let entries = text
        .split(['.', ';', '\n', '。'])
        .map(|sentence| sentence.split([',', '，', '、']).count())
        .max()?;
    (entries > MAX_ENTRIES).then_some(entries)
}
