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
    // Without frontmatter the first fence is as likely one around the whole file.
    if subject.document.syntax().is_none() {
        return;
    }
    let mut open: Option<Block<'_>> = None;
    // The first block in which another one opens: from there on code and text change places.
    let mut around: Option<(Block<'_>, Span)> = None;
    for line in lines(subject.document) {
        let Some((mark, length, bare)) = fence_of(line.text) else {
            continue;
        };
        let start = line.start + line.text.len() - line.text.trim_start().len();
        let span = Span::new(start, start + length);
        match open {
            None => {
                let info = line.text.trim().trim_start_matches(char::from(mark)).trim();
                open = Some(Block {
                    mark,
                    length,
                    info,
                    span,
                });
            }
            Some(block) if block.mark == mark && length >= block.length => {
                if bare {
                    open = None;
                } else if around.is_none() {
                    around = Some((block, span));
                }
            }
            Some(_) => {}
        }
    }
    let Some(block) = open else {
        return;
    };
    let text = subject.document.text();
    if let Some((outer, inner)) = around {
        let line = text[..inner.start].matches('\n').count() + 1;
        let help = if outer.holds_text() {
            let marks = if outer.mark == b'`' {
                "backticks"
            } else {
                "tildes"
            };
            format!(
                "give this one a longer fence, of {} {marks}",
                outer.length + 1
            )
        } else {
            format!("close this one before line {line}")
        };
        report.note_with_help(
            &RULE,
            outer.span,
            format!(
                "the block in line {line} opens inside this one and ends both, so that code and text change places below"
            ),
            help,
        );
    } else if text[block.span.end..].trim().is_empty() {
        report.note_with_help(
            &RULE,
            block.span,
            "this fence opens a block, and nothing follows it",
            "take the line out",
        );
    } else {
        report.note_with_help(
            &RULE,
            block.span,
            "this block is never closed, so that everything below it is code",
            "add a line with the same fence after the block",
        );
    }
}

/// A fenced block by the line that opens it.
#[derive(Clone, Copy)]
struct Block<'a> {
    mark: u8,
    length: usize,
    /// What stands after the fence: a language, mostly.
    info: &'a str,
    span: Span,
}

impl Block<'_> {
    /// Whether it holds text in which blocks are expected: Markdown, or nothing said.
    fn holds_text(&self) -> bool {
        ["", "markdown", "md", "mdx", "text", "txt"].contains(&self.info)
    }
}
