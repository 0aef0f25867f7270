//! From the bytes of a file to the characters between its fences.

use std::borrow::Cow;

use prowess_format::Span;

/// Frontmatter longer than this is refused unread. The longest of 45,007 real ones
/// is far below; the reference has no limit and no use for more either.
const LONGEST_FRONTMATTER: usize = 1 << 20;

/// Something that can not be read, with the character it stands at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) message: Cow<'static, str>,
    pub(super) at: usize,
}

/// The characters between the fences, with line ends folded to `\n`.
#[derive(Debug, Default)]
pub(super) struct Frontmatter {
    pub(super) chars: Vec<char>,
    /// The byte each character starts at in the file, and one more for the end.
    offsets: Vec<u32>,
}

/// Why there is no frontmatter to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    NotUtf8 { byte: usize },
    TooLong { byte: usize },
    NoFence,
    NoSecondFence,
}

impl Frontmatter {
    /// Cuts the file at its first two `---`, wherever they stand.
    pub(super) fn find(bytes: &[u8]) -> Result<Self, Unreadable> {
        let text = std::str::from_utf8(bytes).map_err(|error| Unreadable::NotUtf8 {
            byte: error.valid_up_to(),
        })?;
        let rest = text.strip_prefix("---").ok_or(Unreadable::NoFence)?;
        let length = rest.find("---").ok_or(Unreadable::NoSecondFence)?;
        if length > LONGEST_FRONTMATTER {
            return Err(Unreadable::TooLong {
                byte: 3 + LONGEST_FRONTMATTER,
            });
        }
        let mut frontmatter = Self::default();
        let inside = &rest[..length];
        for (offset, char) in inside.char_indices() {
            let char = match char {
                '\r' if inside[offset..].starts_with("\r\n") => continue,
                '\r' => '\n',
                char => char,
            };
            frontmatter.chars.push(char);
            frontmatter.offsets.push((3 + offset) as u32);
        }
        frontmatter.offsets.push((3 + length) as u32);
        Ok(frontmatter)
    }

    /// The bytes of the file behind a range of characters.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let byte = |at: usize| {
            let last = self.offsets.len().saturating_sub(1);
            self.offsets
                .get(at.min(last))
                .map_or(0, |byte| *byte as usize)
        };
        Span::new(byte(start), byte(end.max(start)))
    }

    /// Line and column of a character, both from one, as the reference counts them.
    pub(super) fn position(&self, at: usize) -> (usize, usize) {
        let before = &self.chars[..at.min(self.chars.len())];
        let line = before.iter().filter(|char| **char == '\n').count() + 1;
        let column = before
            .iter()
            .rev()
            .take_while(|char| **char != '\n')
            .count();
        (line, column + 1)
    }

    /// Looks for a character that YAML does not allow anywhere.
    pub(super) fn check_characters(&self) -> Result<(), Fault> {
        match self.chars.iter().position(|char| !is_printable(*char)) {
            None => Ok(()),
            Some(at) => Err(Fault {
                message: format!(
                    "the character U+{:04X} is not allowed",
                    u32::from(self.chars[at])
                )
                .into(),
                at,
            }),
        }
    }
}

fn is_printable(char: char) -> bool {
    matches!(char,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str) -> Result<String, Unreadable> {
        Frontmatter::find(text.as_bytes()).map(|found| found.chars.iter().collect())
    }

    #[test]
    fn fences_are_found_wherever_they_stand() {
        assert_eq!(inside("---\na: b\n---\n"), Ok("\na: b\n".into()));
        assert_eq!(inside("---a: b --- c"), Ok("a: b ".into()));
        assert_eq!(inside("------"), Ok(String::new()));
        assert_eq!(inside("-----"), Err(Unreadable::NoSecondFence));
        assert_eq!(inside("\n---\n---"), Err(Unreadable::NoFence));
        assert_eq!(inside("\u{feff}---\n---"), Err(Unreadable::NoFence));
    }

    #[test]
    fn line_ends_are_folded_and_spans_point_into_the_file() {
        let found = Frontmatter::find(b"---\r\na\rb\r\n---").unwrap();
        assert_eq!(found.chars, ['\n', 'a', '\n', 'b', '\n']);
        assert_eq!(found.span(1, 2), Span::new(5, 6));
        assert_eq!(found.span(3, 9), Span::new(7, 10));
        assert_eq!(found.position(3), (3, 1));
    }
}
