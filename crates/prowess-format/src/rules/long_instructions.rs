//! `long-instructions`: instructions stay below 5,000 tokens and 500 lines.
//!
//! They enter the context whole. What is needed only at times belongs into `references/`, where
//! it costs nothing until it is read.

use crate::{
    estimate_tokens,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "long-instructions",
    summary: "instructions stay below 5,000 tokens and 500 lines",
    levels: Levels::WARNING,
    check: Some(check),
};

/// What the standard recommends.
const MAX_TOKENS: usize = 5000;
const MAX_LINES: usize = 500;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let text = document.instructions();
    let tokens = estimate_tokens(text);
    let lines = text.lines().count();
    let message = match (tokens > MAX_TOKENS, lines > MAX_LINES) {
        (true, true) => format!(
            "the instructions take about {tokens} tokens in {lines} lines, over the advised 5,000 and 500"
        ),
        (true, false) => {
            format!("the instructions take about {tokens} tokens, over the advised 5,000")
        }
        (false, true) => format!("the instructions have {lines} lines, over the advised 500"),
        (false, false) => return,
    };
    let span = document.instructions_span();
    let first_line = text.lines().next().map_or(0, str::len);
    report.note_with_help(
        &RULE,
        crate::Span::new(span.start, span.start + first_line),
        message,
        "move what is needed only at times into `references/` and link it",
    );
}
