//! Quotes in YAML: where they close, and how to put text into them.

use std::fmt::Write;

/// The offset of the quote that closes the one at `open`; `None` when there is none.
pub(crate) fn closing(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mark = *bytes.get(open)?;
    let mut at = open + 1;
    match mark {
        b'"' => loop {
            match bytes.get(at)? {
                b'\\' => at += 2,
                b'"' => return Some(at),
                _ => at += 1,
            }
        },
        b'\'' => loop {
            match bytes.get(at)? {
                b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
                b'\'' => return Some(at),
                _ => at += 1,
            }
        },
        _ => None,
    }
}

/// The text between the outer quotes of a value whose author forgot about the quotes inside:
/// `'the user's text'`, `"says "hi" twice"`. `close` is where a reader of YAML sees the end.
///
/// `"one" and "two"` is not such a value: there the quotes belong to the words.
pub(crate) fn wrapped(value: &str, close: usize) -> Option<&str> {
    let mark = value.chars().next()?;
    let inner = value.get(1..)?.strip_suffix(mark)?;
    if close + 1 >= value.len() || inner.contains('\\') {
        return None;
    }
    // `""text""` is quoted twice.
    if close == 1 {
        let inner = inner.strip_prefix(mark)?.strip_suffix(mark)?;
        return (!inner.contains(mark)).then_some(inner);
    }
    let before = value[..close].chars().next_back()?;
    let after = value[close + 1..].chars().next()?;
    let is_apostrophe = before.is_alphanumeric() && after.is_alphanumeric();
    let opens = (before.is_whitespace() || before == '(') && !after.is_whitespace();
    (is_apostrophe || opens).then_some(inner)
}

/// Whether nothing but white space, or a comment, stands here.
pub(crate) fn is_blank_or_comment(text: &str) -> bool {
    let rest = text.trim_start();
    rest.is_empty() || (rest.starts_with('#') && !rest.contains(['\n', '\r']))
}

/// Whether a value is the header of a block: `|`, `>-`, `|2+`.
pub(crate) fn opens_block(value: &str) -> bool {
    let header = value.split(" #").next().unwrap_or_default().trim_end();
    let Some(flags) = header.strip_prefix(['|', '>']) else {
        return false;
    };
    flags.len() <= 2
        && flags
            .chars()
            .all(|char| matches!(char, '+' | '-' | '1'..='9'))
}

/// Writes text as a quoted value on one line, in single quotes where that needs no escapes.
pub(crate) fn quote(text: &str) -> String {
    let plain_inside = !text.contains('\'') && !text.chars().any(char::is_control);
    if plain_inside && text.contains(['"', '\\']) {
        return format!("'{text}'");
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // These break a line, or vanish, when a YAML reader meets them unescaped.
            char if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(out, "\\u{:04X}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

/// Rewrites escapes that YAML does not know: JSON's surrogate pairs become the character they
/// stand for, and a backslash before any other letter becomes a backslash.
pub(crate) fn repair_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let unit = |text: &str| -> Option<u32> {
            let digits = text.strip_prefix("\\u")?.get(..4)?;
            digits
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit())
                .then(|| u32::from_str_radix(digits, 16).ok())?
        };
        match unit(rest) {
            Some(high @ 0xD800..=0xDBFF) => match unit(&rest[6..]) {
                Some(low @ 0xDC00..=0xDFFF) => {
                    let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    rest = &rest[12..];
                }
                _ => {
                    out.push(char::REPLACEMENT_CHARACTER);
                    rest = &rest[6..];
                }
            },
            Some(0xDC00..=0xDFFF) => {
                out.push(char::REPLACEMENT_CHARACTER);
                rest = &rest[6..];
            }
            Some(_) => {
                out.push_str(&rest[..6]);
                rest = &rest[6..];
            }
            None => {
                let next = rest[1..].chars().next();
                let known = next.is_some_and(|char| "0abt\tnvfre \"/\\N_LPx\n".contains(char));
                out.push_str(if known { "\\" } else { "\\\\" });
                // The escaped character goes along, so that `\\` is never read twice.
                let width = 1 + next.filter(|_| known).map_or(0, char::len_utf8);
                out.push_str(&rest[1..width]);
                rest = &rest[width..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_close_where_a_reader_says() {
        assert_eq!(closing(r#""a\"b" c"#, 0), Some(5));
        assert_eq!(closing("'it''s' x", 0), Some(6));
        assert_eq!(closing("\"open", 0), None);
        assert_eq!(closing("plain", 0), None);
    }

    #[test]
    fn text_is_quoted_in_the_plainest_way() {
        assert_eq!(quote("a: b"), r#""a: b""#);
        assert_eq!(quote(r#"say "hi""#), r#"'say "hi"'"#);
        assert_eq!(quote("it's \"x\""), r#""it's \"x\"""#);
        assert_eq!(quote("a\nb\u{1}"), r#""a\nb\u0001""#);
    }

    #[test]
    fn escapes_of_json_become_characters() {
        assert_eq!(repair_escapes(r#""\ud83e\udde0""#), "\"\u{1f9e0}\"");
        assert_eq!(repair_escapes(r#""\ud83e x""#), "\"\u{fffd} x\"");
        assert_eq!(
            repair_escapes(r#""\d+ \n \\d \u00e9""#),
            r#""\\d+ \n \\d \u00e9""#
        );
        assert_eq!(repair_escapes("\\"), "\\\\");
    }
}
