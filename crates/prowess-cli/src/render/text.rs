//! Text measured the way a terminal shows it.

use std::{borrow::Cow, fmt::Write as _};

use prowess::{display_text, format::is_invisible};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Text from a file as one safe line: runs of white space become one space.
pub(crate) fn line(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
    }
    display_text(&flat)
}

/// The beginning of a text as one safe line: enough of it to be cut to `columns`.
pub(crate) fn line_start(text: &str, columns: usize) -> String {
    // A character that takes no column of its own is escaped and takes several.
    let end = text.char_indices().nth(columns.saturating_mul(2) + 2);
    line(end.map_or(text, |(at, _)| &text[..at]))
}

/// Text of several lines, each safe to show; tabs stay.
pub(crate) fn safe_lines(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), "\n"),
            None => (line, ""),
        };
        for (at, part) in line.split('\t').enumerate() {
            if at > 0 {
                safe.push('\t');
            }
            safe.push_str(&display_text(part));
        }
        safe.push_str(end);
    }
    safe
}

/// JSON with what is invisible or moves a cursor written as `\\uXXXX`, which reads back the same.
/// Outside of its texts JSON has no such characters but line breaks.
pub(crate) fn escape_json(json: &str) -> Cow<'_, str> {
    let disturbs = |char: char| char != '\n' && (char.is_control() || is_invisible(char));
    if !json.contains(disturbs) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for char in json.chars() {
        if disturbs(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(char);
        }
    }
    Cow::Owned(escaped)
}

/// A size as people say it.
pub(crate) fn byte_size(size: u64) -> String {
    match size {
        0..1_000 => count(size as usize, "byte"),
        1_000..1_000_000 => format!("{:.1} KB", size as f64 / 1e3),
        _ => format!("{:.1} MB", size as f64 / 1e6),
    }
}

/// The beginning of a text that fits, with `…` where something is left out.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut used = 0;
    let mut kept = String::new();
    for char in text.chars() {
        used += char.width().unwrap_or(0);
        if used > room {
            break;
        }
        kept.push(char);
    }
    let kept = kept.trim_end();
    format!("{kept}…")
}

/// The text in lines of at most this many columns, broken between words.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(last) if width(last) + 1 + width(word) <= columns => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Lines broken between words where they are longer than a terminal is wide; what goes over
/// starts `hang` columns in. Colours take no room.
pub(crate) fn fit(text: &str, columns: usize, hang: usize) -> String {
    let mut fitted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if shown_width(line.trim_end()) <= columns {
            fitted.push_str(line);
            continue;
        }
        let body = line.trim_start_matches(' ');
        let lead = line.len() - body.len();
        fitted.push_str(&line[..lead]);
        let mut used = lead;
        // A run of spaces belongs to the word after it, so that columns stay where they are.
        for word in words_with_spaces(body.trim_end()) {
            let room = shown_width(word);
            if used > lead && used + room > columns {
                let word = word.trim_start_matches(' ');
                fitted.push('\n');
                fitted.push_str(&" ".repeat(hang));
                fitted.push_str(word);
                used = hang + shown_width(word);
            } else {
                fitted.push_str(word);
                used += room;
            }
        }
        fitted.push_str(&line[line.trim_end_matches(['\n', ' ']).len()..]);
    }
    fitted
}

/// Each word with the spaces before it.
fn words_with_spaces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|c| c != ' ')?;
        let end = rest[start..].find(' ').map_or(rest.len(), |at| start + at);
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// How many columns a text takes once its colours are applied.
fn shown_width(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map_or(0, width);
    // A colour is `ESC [ … m`.
    first
        + parts
            .map(|part| part.split_once('m').map_or(0, |(_, rest)| width(rest)))
            .sum::<usize>()
}

/// A count with its noun: `1 skill`, `2 skills`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{} {noun}s", thousands(number))
    }
}

/// A number with its thousands apart: `12,345`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Words as a sentence lists them: `a`, `a and b`, `a, b and c`.
pub(crate) fn list<T: AsRef<str>>(words: &[T]) -> String {
    match words {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [rest @ .., last] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", rest.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(cut("日本語の文", 7), "日本語…");
        assert_eq!(cut("plain text", 10), "plain text");
        assert_eq!(cut("plain text", 7), "plain…");
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line("a\n  b\t\u{1b}[31mc"), "a b \\u{1b}[31mc");
    }

    #[test]
    fn json_shows_what_would_disturb_a_terminal_and_reads_back_the_same() {
        let text = "a\u{9b}31m \u{7f} \u{202e} \u{e0041} größe 日本 🛠";
        let value = serde_json::json!({"name": text, "list": [1, "\u{85}"]});
        let json = serde_json::to_string_pretty(&value).unwrap();
        let shown = escape_json(&json);
        assert_eq!(
            display_text(&shown.replace('\n', "")),
            shown.replace('\n', "")
        );
        assert!(shown.contains("größe 日本 🛠"), "{shown}");
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read, value);
    }

    #[test]
    fn words_are_kept_whole() {
        assert_eq!(wrap("aa bb cccc d", 5), ["aa bb", "cccc", "d"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(
            fit("short\naa bb cc dd\n", 6, 2),
            "short\naa bb\n  cc\n  dd\n"
        );
        assert_eq!(fit("  a    bb cc\n", 10, 7), "  a    bb\n       cc\n");
        assert_eq!(
            fit("\u{1b}[1mhint\u{1b}[0m: aa bb\n", 9, 6),
            "\u{1b}[1mhint\u{1b}[0m: aa\n      bb\n"
        );
    }

    #[test]
    fn numbers_and_nouns_agree() {
        assert_eq!(count(1, "skill"), "1 skill");
        assert_eq!(count(12345, "skill"), "12,345 skills");
        assert_eq!(count(0, "skill"), "0 skills");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
