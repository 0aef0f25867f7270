//! The words a frame is made of, where a text has them, and names that stay inside them.

use prowess_format::is_invisible;

/// Where markers stand: a bracket, any number of backslashes, then `/skill]` or `skill:` in any
/// case, perhaps with blanks or invisible characters that a model would read over. No marker
/// holds a second bracket, so they never overlap, and adding or taking a backslash changes none
/// of the others.
pub(super) fn markers(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    text.match_indices('[').filter_map(|(at, _)| {
        let rest = text[at + 1..].trim_start_matches('\\');
        let after = marker_tail(rest)?;
        Some((at, text.len() - after.len()))
    })
}

/// What follows the rest of a marker; `None` where it is none.
fn marker_tail(text: &str) -> Option<&str> {
    let blank = |char: char| matches!(char, ' ' | '\t') || is_invisible(char);
    let mut rest = text.trim_start_matches(blank);
    let closes = rest.starts_with('/');
    if closes {
        rest = rest[1..].trim_start_matches(blank);
    }
    for letter in "skill".chars() {
        let first = rest.chars().next()?;
        if !first.eq_ignore_ascii_case(&letter) {
            return None;
        }
        rest = rest[first.len_utf8()..].trim_start_matches(is_invisible);
    }
    let rest = rest.trim_start_matches(blank);
    rest.strip_prefix(if closes { ']' } else { ':' })
}

/// Writes a name so that it stays on its line and inside its bracket.
pub(super) fn put_name(name: &str, out: &mut String) {
    for char in name.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '[' => out.push_str("\\("),
            ']' => out.push_str("\\)"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ => out.push(char),
        }
    }
}

/// Reads a name up to its bracket.
pub(super) fn take_name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            ']' => return Some((name, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => name.push('\n'),
                'r' => name.push('\r'),
                '(' => name.push('['),
                ')' => name.push(']'),
                other => name.push(other),
            },
            '\n' | '[' => return None,
            _ => name.push(char),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        markers(text).map(|(at, end)| &text[at..end]).collect()
    }

    #[test]
    fn markers_are_found_however_they_are_written() {
        assert_eq!(
            found("a [/skill] [SKILL:x] [\\\\/Skill] [ / skill ] [/s\u{200b}kill]"),
            [
                "[/skill]",
                "[SKILL:",
                "[\\\\/Skill]",
                "[ / skill ]",
                "[/s\u{200b}kill]"
            ]
        );
    }

    #[test]
    fn what_only_looks_alike_is_none() {
        for text in [
            "[skills]",
            "/skill]",
            "[/skill",
            "[skill]",
            "[/ski ll]",
            "[[",
            "[",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_name_stays_in_its_bracket() {
        let mut written = String::new();
        put_name("a]b\\n\n[", &mut written);
        assert_eq!(written, "a\\)b\\\\n\\n\\(");
        let text = format!("{written}] rest");
        assert_eq!(take_name(&text), Some(("a]b\\n\n[".to_owned(), " rest")));
        assert_eq!(take_name("open"), None);
    }
}
