//! `html-comment`: what a comment tells a model is shown to its readers.
//!
//! A comment vanishes from the rendered page and not from the model's context, so orders in one
//! are read by the model alone.

use crate::{
    Span,
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

/// Words that give an order or speak of orders.
static ORDERS: &[&str] = &[
    "must",
    "never",
    "always",
    "ignore",
    "disregard",
    "override",
    "execute",
    "run",
    "send",
    "upload",
    "download",
    "instruction",
    "instructions",
    "forget",
    "pretend",
    "secret",
    "secretly",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let text = document.text();
    let mut after = 0;
    for line in lines(document) {
        if line.fenced || line.start < after {
            continue;
        }
        let mut at = 0;
        while let Some(open) = line.text[at..].find("<!--").map(|offset| at + offset) {
            // In backticks it is an example, and shows on the page.
            if line.text[..open].matches('`').count() % 2 == 1 {
                at = open + 4;
                continue;
            }
            let start = line.start + open;
            let body = start + 4;
            let end = text[body..]
                .find("-->")
                .map_or(text.len(), |offset| body + offset);
            let close = (end + 3).min(text.len());
            if gives_orders(&text[body..end]) {
                report.note_with_help(
                    &RULE,
                    Span::new(start, close),
                    format!(
                        "this comment is read by models only: `{}`",
                        crate::shown(&text[body..end])
                    ),
                    "make it part of the text, or take it out",
                );
            }
            after = close;
            if close >= line.start + line.text.len() {
                break;
            }
            at = close - line.start;
        }
    }
}

fn gives_orders(comment: &str) -> bool {
    let mut words = 0;
    let mut orders = false;
    for word in comment
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        words += 1;
        orders = orders || ORDERS.contains(&word.to_ascii_lowercase().as_str());
    }
    // A marker such as `run-start` is for a tool.
    orders && words > 2
}
