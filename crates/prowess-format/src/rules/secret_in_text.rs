//! `secret-in-text`: no key or token stands in the text.
//!
//! A key in a skill is given to every model and everybody who gets the skill.

use crate::{
    Severity, Span,
    rules::{Levels, Report, Rule, Subject},
    secret,
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "secret-in-text",
    summary: "no key or token stands in the text",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// Parts of tokens that only show what one looks like.
static SAMPLES: &[&str] = &[
    "example",
    "sample",
    "xxx",
    "your",
    "1234",
    "abcd",
    "test",
    "fake",
    "dummy",
    "placeholder",
    "...",
    "000",
    "secret",
    "redacted",
    "token",
    "key",
    "localhost",
    "pass",
    "user",
    "admin",
    // `{"alg":"none"`: the header of a web token that nobody signed.
    "eyjhbgcioijub25l",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let text = subject.document.text();
    let found = secret::secrets(text)
        .into_iter()
        .find(|&(start, end)| !is_sample(&text[start..end]));
    if let Some((start, end)) = found {
        report.note_with_help(
            &RULE,
            Span::new(start, end),
            "a key or token stands in the text, for every model and every reader",
            "revoke it, and name the variable it comes from instead",
        );
    }
}

/// Whether a token only shows what one looks like: its letters are few, in a row, or words.
fn is_sample(token: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    if SAMPLES.iter().any(|it| lower.contains(it))
        || token.contains("-----BEGIN") && token.len() < 200
    {
        return true;
    }
    let body: Vec<u8> = token.bytes().rev().take(24).collect();
    let mut kinds = body.clone();
    kinds.sort_unstable();
    kinds.dedup();
    let steps = body
        .windows(2)
        .filter(|pair| pair[0].abs_diff(pair[1]) <= 1)
        .count();
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = body
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .count();
    kinds.len() < 12 || steps * 3 > body.len() || digits < 2 || letters < 4
}
