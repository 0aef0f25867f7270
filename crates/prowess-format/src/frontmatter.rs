//! Finds the fences: `---` around YAML, `+++` around TOML.

use memchr::memchr2;

use crate::{diagnostic::Span, document::Syntax};

/// A file cut at its fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The language between the fences.
    pub(crate) syntax: Syntax,
    /// The opening fence.
    pub(crate) fence: Span,
    /// The lines between the fences.
    pub(crate) frontmatter: Span,
    /// Everything after the closing fence's line, trimmed; `None` when nothing closes it.
    pub(crate) instructions: Option<Span>,
}

/// Where the text starts once a byte order mark and blank lines are passed over.
pub(crate) fn start(text: &str) -> (usize, usize) {
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut at = mark;
    while at < text.len() {
        let next = line_end(text, at);
        if !text[at..next].trim().is_empty() {
            break;
        }
        at = next;
    }
    (mark, at)
}

/// Cuts the text whose first line starts at `from`; `None` when that line is no fence.
pub(crate) fn cut(text: &str, from: usize) -> Option<Cut> {
    let first = line_end(text, from);
    let syntax = fence(&text[from..first])?;
    let fence_span = Span::new(from, from + 3);
    let mut at = first;
    while at < text.len() {
        let next = line_end(text, at);
        if fence(&text[at..next]) == Some(syntax) {
            return Some(Cut {
                syntax,
                fence: fence_span,
                frontmatter: Span::new(first, at),
                instructions: Some(trimmed(text, next, text.len())),
            });
        }
        at = next;
    }
    Some(Cut {
        syntax,
        fence: fence_span,
        frontmatter: Span::new(first, text.len()),
        instructions: None,
    })
}

/// Reads a line as a fence. It stands at the margin and alone; only blanks may follow.
fn fence(line: &str) -> Option<Syntax> {
    match line.trim_end() {
        "---" => Some(Syntax::Yaml),
        "+++" => Some(Syntax::Toml),
        _ => None,
    }
}

/// The offset after the line that holds `from`; `\n`, `\r\n` and a lone `\r` end a line.
pub(crate) fn line_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    match memchr2(b'\n', b'\r', &bytes[from..]) {
        Some(at) if bytes[from + at] == b'\r' && bytes.get(from + at + 1) == Some(&b'\n') => {
            from + at + 2
        }
        Some(at) => from + at + 1,
        None => bytes.len(),
    }
}

/// The span of `text[start..end]` without white space at its ends.
pub(crate) fn trimmed(text: &str, start: usize, end: usize) -> Span {
    let slice = &text[start..end];
    let lead = slice.len() - slice.trim_start().len();
    let body = slice.trim();
    Span::new(start + lead, start + lead + body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(&str, Option<&str>)> {
        let cut = cut(text, start(text).1)?;
        Some((
            cut.frontmatter.of(text),
            cut.instructions.map(|span| span.of(text)),
        ))
    }

    #[test]
    fn fences_stand_alone_at_the_margin() {
        assert_eq!(
            parts("---\na: b\n---\nbody\n"),
            Some(("a: b\n", Some("body")))
        );
        assert_eq!(
            parts("+++\na = 1\n+++\nbody"),
            Some(("a = 1\n", Some("body")))
        );
        assert_eq!(parts("---  \na: b\n--- \t\n"), Some(("a: b\n", Some(""))));
        assert_eq!(
            parts("---\na: |\n  ---\n---foo\n---\nx"),
            Some(("a: |\n  ---\n---foo\n", Some("x")))
        );
        assert_eq!(
            parts("---\na = 1\n+++\n---\n"),
            Some(("a = 1\n+++\n", Some("")))
        );
        assert_eq!(parts("----\na: b\n---\n"), None);
        assert_eq!(parts("# Title\n---\n"), None);
        assert_eq!(parts(""), None);
    }

    #[test]
    fn an_open_fence_has_no_instructions() {
        assert_eq!(parts("---\na: b\nbody"), Some(("a: b\nbody", None)));
    }

    #[test]
    fn every_kind_of_line_end_and_a_mark_are_passed_over() {
        assert_eq!(
            parts("\u{feff}---\r\na: b\r\n---\r\nx\r\n"),
            Some(("a: b\r\n", Some("x")))
        );
        assert_eq!(parts("---\ra: b\r---\rx\r"), Some(("a: b\r", Some("x"))));
        assert_eq!(parts("\n  \n---\na: b\n---\n"), Some(("a: b\n", Some(""))));
    }
}
