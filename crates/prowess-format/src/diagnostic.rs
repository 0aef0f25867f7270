//! What is wrong with a file, where it stands, and the one step that fixes it.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct as _};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The skill breaks the profile it was checked against.
    Error,
    /// The skill works, but some client or reader will stumble.
    Warning,
    /// Worth knowing; nothing breaks.
    Hint,
}

impl Severity {
    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// A range of bytes in the file, end excluded.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// Creates the span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span runs forward");
        Self { start, end }
    }

    /// Creates an empty span, for findings about something that is not there.
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The bytes of `text` under this span.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A place a person can go to: line and column, both counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The line; `\n`, `\r\n` and a lone `\r` each end one.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl Position {
    /// Finds the line and column of a byte offset.
    pub fn of(bytes: &[u8], offset: usize) -> Self {
        LineCursor::default().position(bytes, offset)
    }
}

/// Finds places one after another, so that the lines above are counted once and not for each.
#[derive(Debug, Clone, Default)]
pub struct LineCursor {
    /// How many lines end before the line that was found last.
    above: u32,
    /// Where that line starts.
    start: usize,
    /// Up to where its characters are counted, and how many those are.
    counted: usize,
    characters: usize,
}

impl LineCursor {
    /// The place of an offset in the same bytes as before.
    pub fn position(&mut self, bytes: &[u8], offset: usize) -> Position {
        let before = &bytes[..offset.min(bytes.len())];
        if before.len() < self.counted {
            *self = Self::default();
        }
        let from = self.counted;
        for at in memchr::memchr2_iter(b'\n', b'\r', &before[from..]) {
            let at = from + at;
            // The `\n` of a `\r\n` pair ends the line; its `\r` does not.
            if before[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                continue;
            }
            self.above += 1;
            self.start = at + 1;
        }
        if self.start > self.counted {
            self.counted = self.start;
            self.characters = 0;
        }
        // Continuation bytes are part of the character before them.
        self.characters += before[self.counted..]
            .iter()
            .filter(|byte| !matches!(byte, 0x80..=0xBF))
            .count();
        self.counted = before.len();
        Position {
            line: self.above + 1,
            column: self.characters as u32 + 1,
        }
    }
}

/// One replacement in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What is replaced; empty to insert.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

/// A mechanical repair: all of its edits together, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// What the repair does, in a few words.
    pub title: String,
    /// The replacements, in order and apart from each other.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Creates a repair of a single replacement.
    pub fn replace(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            edits: vec![Edit {
                span,
                text: text.into(),
            }],
        }
    }

    /// Gives the text with the repair made; `None` where an edit does not fit it.
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut fixed = String::with_capacity(text.len());
        let mut done = 0;
        for edit in &self.edits {
            fixed.push_str(text.get(done..edit.span.start)?);
            text.get(edit.span.start..edit.span.end)?;
            fixed.push_str(&edit.text);
            done = edit.span.end;
        }
        fixed.push_str(text.get(done..)?);
        Some(fixed)
    }
}

/// One finding about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule's stable code, such as `missing-description`.
    pub code: &'static str,
    /// How much it matters under the profile in use.
    pub severity: Severity,
    /// The bytes it is about.
    pub span: Span,
    /// Where the span starts, for people.
    pub position: Position,
    /// Thing, place and effect, on a line that stands alone.
    pub message: String,
    /// The one step to take.
    pub help: Option<String>,
    /// The same step, where a machine can take it.
    pub fix: Option<Fix>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position;
        let (severity, code) = (self.severity.as_str(), self.code);
        write!(f, "{line}:{column}: {severity}[{code}]: {}", self.message)
    }
}

/// The shape that `--json` prints, which only grows; the bytes of the span are left out.
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = 6 + usize::from(self.fix.is_some());
        let mut shown = serializer.serialize_struct("Diagnostic", fields)?;
        shown.serialize_field("line", &self.position.line)?;
        shown.serialize_field("column", &self.position.column)?;
        shown.serialize_field("code", self.code)?;
        shown.serialize_field("severity", &self.severity)?;
        shown.serialize_field("message", &self.message)?;
        shown.serialize_field("help", &self.help)?;
        if let Some(fix) = &self.fix {
            shown.serialize_field("fix", fix)?;
        }
        shown.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_every_kind_of_line_end() {
        let text = "a\nb\r\nc\rd\u{e9}f".as_bytes();
        let at = |offset| {
            let Position { line, column } = Position::of(text, offset);
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (2, 1));
        assert_eq!(at(5), (3, 1));
        assert_eq!(at(7), (4, 1));
        assert_eq!(at(10), (4, 3), "columns count characters, not bytes");
        assert_eq!(at(99), (4, 4), "beyond the end is the end");
    }

    #[test]
    fn a_cursor_finds_what_counting_from_the_start_finds() {
        let text = "a\r\n\r\nb\r\rc\n\n\u{e9}\r\n".as_bytes();
        let mut cursor = LineCursor::default();
        let forth = 0..=text.len();
        for offset in forth.clone().chain(forth.rev()) {
            assert_eq!(cursor.position(text, offset), Position::of(text, offset));
        }
    }
}
