//! A diagnostic as a person reads it: what, where, the line itself, and the step to take.

use std::fmt::Write as _;

use prowess::format::{Diagnostic, Position, Span, redact, rules};

use super::{
    Terminal,
    paint::Paint,
    text::{cut, line, width},
};

/// Lines are shown up to this many columns even where the terminal is narrower or wider.
const WIDEST: usize = 120;

/// This much of a line is looked at on each side of what is marked: more than any terminal shows,
/// and enough to know a long key by its start.
const NEAR: usize = 16 * 1024;

/// A tab is shown as this many columns.
const TAB: &str = "    ";

impl Terminal {
    /// Shows a finding to a person; `text` is the file it is about.
    pub(crate) fn diagnostic(&mut self, diagnostic: &Diagnostic, path: &str, text: Option<&str>) {
        let drawn = render(
            diagnostic,
            path,
            text,
            self.message_paint,
            self.columns.min(WIDEST),
        );
        self.message(&drawn);
        self.message("\n");
    }
}

/// Draws one finding.
pub(crate) fn render(
    diagnostic: &Diagnostic,
    path: &str,
    text: Option<&str>,
    paint: Paint,
    columns: usize,
) -> String {
    let mut drawn = String::new();
    let severity = diagnostic.severity;
    let head = format!("{}[{}]", severity.as_str(), diagnostic.code);
    // Writing to a string does not fail.
    let _ = writeln!(
        drawn,
        "{}: {}",
        paint.severity(severity, &head),
        paint.strong(&line(&diagnostic.message))
    );
    let help = diagnostic.help.as_deref().map(line);
    let snippet = text
        .filter(|text| !text.is_empty() && points_at_text(diagnostic))
        .and_then(|text| Snippet::new(text, diagnostic.span));
    let number = diagnostic.position.line.to_string();
    let margin = " ".repeat(snippet.as_ref().map_or(1, |_| number.len()));
    let arrow = paint.frame("-->");
    let Some(snippet) = snippet else {
        let start = Position { line: 1, column: 1 };
        let place = if points_at_text(diagnostic) || diagnostic.position != start {
            at(path, diagnostic)
        } else {
            path.to_owned()
        };
        let _ = writeln!(drawn, "{margin}{arrow} {place}");
        if let Some(help) = help {
            let _ = writeln!(drawn, "{margin} {} {help}", paint.frame("= help:"));
        }
        return drawn;
    };
    let bar = paint.frame("|");
    let _ = writeln!(drawn, "{margin}{arrow} {}", at(path, diagnostic));
    let _ = writeln!(drawn, "{margin} {bar}");
    let room = columns.saturating_sub(number.len() + 3);
    let (shown, start, length) = snippet.window(room);
    let _ = writeln!(drawn, "{} {bar} {}", paint.frame(&number), shown.trim_end());
    let marks = format!(
        "{}{}",
        " ".repeat(start),
        paint.severity(severity, &"^".repeat(length))
    );
    match help {
        Some(help) if start + length + 1 + width(&help) <= room => {
            let help = paint.severity(severity, &help);
            let _ = writeln!(drawn, "{margin} {bar} {marks} {help}");
        }
        Some(help) => {
            let _ = writeln!(drawn, "{margin} {bar} {marks}");
            let _ = writeln!(drawn, "{margin} {} {help}", paint.frame("= help:"));
        }
        None => {
            let _ = writeln!(drawn, "{margin} {bar} {marks}");
        }
    }
    drawn
}

/// The place as editors and terminals open it.
fn at(path: &str, diagnostic: &Diagnostic) -> String {
    let position = diagnostic.position;
    format!("{path}:{}:{}", position.line, position.column)
}

/// Findings about a file's place among others, or about a file nobody could read, stand at its
/// start and point at no text in it.
fn points_at_text(diagnostic: &Diagnostic) -> bool {
    diagnostic.span != Span::at(0) || diagnostic.code == rules::missing_frontmatter::RULE.code
}

/// One line of a file and what is marked in it.
struct Snippet {
    before: String,
    marked: String,
    after: String,
}

impl Snippet {
    /// Finds the line a span starts in; `None` where there is nothing to point at.
    fn new(text: &str, span: Span) -> Option<Self> {
        if !text.is_char_boundary(span.start) {
            return None;
        }
        let is_end = |c: char| matches!(c, '\n' | '\r');
        let is_edge = |at: &usize| text.is_char_boundary(*at);
        let first = (span.start.saturating_sub(NEAR)..=span.start).find(is_edge)?;
        let last = (span.start..=text.len().min(span.start + NEAR)).rfind(is_edge)?;
        let start = text[first..span.start]
            .rfind(is_end)
            .map_or(first, |at| first + at + 1);
        let end = text[span.start..last]
            .find(is_end)
            .map_or(last, |at| span.start + at);
        let marked_end = span.end.clamp(span.start, end);
        Some(Self {
            before: visible(&text[start..span.start]),
            marked: visible(text.get(span.start..marked_end).unwrap_or_default()),
            after: visible(text.get(marked_end..end).unwrap_or_default()),
        })
    }

    /// The part of the line that fits, with the marks' start and length in columns.
    fn window(&self, room: usize) -> (String, usize, usize) {
        let (before, marked) = (width(&self.before), width(&self.marked).max(1));
        let whole = format!("{}{}{}", self.before, self.marked, self.after);
        if before + marked <= room.saturating_sub(2) || width(&whole) <= room {
            return (cut(&whole, room), before, marked);
        }
        // The marks stand far to the right: show a little of what comes before them.
        let lead = before.min(room / 3);
        let tail: String = {
            let skip = self.before.chars().count().saturating_sub(lead);
            self.before.chars().skip(skip).collect()
        };
        let mark = if tail.len() < self.before.len() {
            "…"
        } else {
            ""
        };
        let shown = format!("{mark}{tail}{}{}", self.marked, self.after);
        let start = width(&tail) + width(mark);
        (
            cut(&shown, room),
            start,
            marked.min(room.saturating_sub(start).max(1)),
        )
    }
}

/// Text of a file with tabs made even and nothing hidden.
fn visible(text: &str) -> String {
    prowess::display_text(&redact(&text.replace('\t', TAB)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use prowess::format::Severity;

    fn check(text: &str, marked: &str, help: &str, expected: &Expect) {
        let start = text.find(marked).unwrap();
        let diagnostic = Diagnostic {
            code: "some-code",
            severity: Severity::Warning,
            span: Span::new(start, start + marked.len()),
            position: Position::of(text.as_bytes(), start),
            message: "something is odd".into(),
            help: Some(help.into()),
            fix: None,
        };
        expected.assert_eq(&render(
            &diagnostic,
            "a/SKILL.md",
            Some(text),
            Paint::plain(),
            60,
        ));
    }

    #[test]
    fn the_line_is_shown_and_marked() {
        check(
            "---\nname: pdf\n---\n",
            "pdf",
            "call it `x`",
            &expect![[r"
                warning[some-code]: something is odd
                 --> a/SKILL.md:2:7
                  |
                2 | name: pdf
                  |       ^^^ call it `x`
            "]],
        );
    }

    #[test]
    fn wide_hidden_and_tabbed_text_still_lines_up() {
        check(
            "\t日本\u{200b}pdf",
            "pdf",
            "a step that is much too long to stand beside the marks on this line",
            &expect![[r"
                warning[some-code]: something is odd
                 --> a/SKILL.md:1:5
                  |
                1 |     日本\u{200b}pdf
                  |                 ^^^
                  = help: a step that is much too long to stand beside the marks on this line
            "]],
        );
    }

    #[test]
    fn a_long_mark_at_the_start_of_a_line_cuts_nothing_before_it() {
        let text = format!("description: {}", "word ".repeat(40));
        check(
            &text,
            text.trim_end(),
            "shorten it",
            &expect![[r#"
                warning[some-code]: something is odd
                 --> a/SKILL.md:1:1
                  |
                1 | description: word word word word word word word word wo…
                  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
                  = help: shorten it
            "#]],
        );
    }

    #[test]
    fn a_long_line_is_shown_around_its_marks() {
        let text = format!("{}pdf and {}", "word ".repeat(40), "more ".repeat(40));
        check(
            &text,
            "pdf",
            "shorten it",
            &expect![[r#"
                warning[some-code]: something is odd
                 --> a/SKILL.md:1:201
                  |
                1 | …rd word word word pdf and more more more more more mor…
                  |                    ^^^ shorten it
            "#]],
        );
    }
}
