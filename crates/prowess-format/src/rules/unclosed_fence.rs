//! `unclosed-fence`: a fenced block is closed.
//!
//! Everything after a fence that is never closed is code, to a reader and to a model.

use crate::{
    Severity, Span,
    links::{fence_of, lines},
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "unclosed-fence",
    summary: "a fenced block is closed",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let mut open: Option<(u8, usize, Span)> = None;
    for line in lines(subject.document) {
        let Some((mark, count, bare)) = fence_of(line.text) else {
            continue;
        };
        match open {
            None => {
                let start = line.start + line.text.len() - line.text.trim_start().len();
                open = Some((mark, count, Span::new(start, start + count)));
            }
            Some((opened, length, _)) if opened == mark && count >= length && bare => open = None,
            Some(_) => {}
        }
    }
    if let Some((_, _, span)) = open {
        report.note_with_help(
            &RULE,
            span,
            "this block is never closed, so that everything below it is code",
            "add a line with the same fence after the block",
        );
    }
}
