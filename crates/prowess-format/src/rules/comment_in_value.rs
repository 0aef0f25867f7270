//! `comment-in-value`: no `#` cuts a description short.
//!
//! A space and `#` start a comment in YAML. `C# and issue #123` ends before `#123`, and no client
//! says so.

use crate::{
    Fix, Span, Style, Syntax, Value,
    quote::quote,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "comment-in-value",
    summary: "no `#` cuts a description short",
    levels: Levels::LOUD,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    if document.syntax() != Some(Syntax::Yaml) {
        return;
    }
    for key in ["description", "when_to_use"] {
        let Some(node) = document.get(key) else {
            continue;
        };
        let Value::Scalar(value, Style::Plain) = &node.value else {
            continue;
        };
        let text = document.text();
        let line = &text[node.span.end..];
        let line = &line[..line.find(['\n', '\r']).unwrap_or(line.len())];
        let comment = line.trim_start();
        // `# with a blank behind it` is what a comment looks like.
        let is_meant = comment
            .strip_prefix('#')
            .is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '#', '!', '-', '=']));
        if is_meant || node.span.of(text) != &**value {
            continue;
        }
        let end = node.span.end + line.trim_end().len();
        let whole = Span::new(node.span.start, end);
        let at = node.span.end + line.len() - comment.len();
        report.note_with_fix(
            &RULE,
            Span::new(at, end),
            format!(
                "`{key}` ends before `{}`, which YAML takes for a comment",
                crate::shown(comment)
            ),
            Fix::replace(
                "put the whole value in quotes",
                whole,
                quote(whole.of(text)),
            ),
        );
    }
}
