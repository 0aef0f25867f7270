//! Paths and names as a terminal, a log or JSON can safely show them.

use std::{fmt::Write as _, path::Path};

use prowess_format::is_invisible;

/// The path as text, with everything that could disturb a line of output escaped: control
/// characters, direction marks, invisible characters and bytes that are no text.
pub fn display_path(path: &Path) -> String {
    display_bytes(path.as_os_str().as_encoded_bytes())
}

/// Any text as one safe line.
pub fn display_text(text: &str) -> String {
    display_bytes(text.as_bytes())
}

fn display_bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if is_disturbing(char) {
                shown.extend(char.escape_default());
            } else {
                shown.push(char);
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

fn is_disturbing(char: char) -> bool {
    char.is_control() || is_invisible(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_shown_as_it_is() {
        assert_eq!(
            display_path(Path::new("skills/größe 日本/SKILL.md")),
            "skills/größe 日本/SKILL.md"
        );
    }

    #[test]
    fn what_could_disturb_a_line_is_escaped() {
        assert_eq!(
            display_text("a\nb\u{1b}[31m\u{202e}c\u{200b}"),
            "a\\nb\\u{1b}[31m\\u{202e}c\\u{200b}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_shown_as_bytes() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
        assert_eq!(
            display_path(Path::new(OsStr::from_bytes(b"a\xffb"))),
            "a\\xffb"
        );
    }
}
