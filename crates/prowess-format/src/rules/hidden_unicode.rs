//! `hidden-unicode`: what a person sees is what a model reads.
//!
//! Tag characters, zero-width characters and direction marks carry text that no editor shows. A
//! skill that holds any is not given to a model unless its user allows that very file. What
//! belongs to an emoji, or to a script that joins its letters, is left alone, and what only tells
//! where a line may break is told by `invisible-character`.

use std::fmt::Write;

use crate::{
    Edit, Fix, Span, Value,
    rules::{Levels, Report, Rule, Subject},
    shown::is_invisible,
    value::{Field, Node},
};

/// Checked by `check`, and by every load: it decides whether a skill reaches a model.
pub static RULE: Rule = Rule {
    code: "hidden-unicode",
    summary: "what a person sees is what a model reads",
    levels: Levels::ERROR,
    check: Some(check),
};

/// Findings told one by one; the rest of a file are told together.
const MAX_FINDINGS: usize = 20;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let text = subject.document.text();
    if may_hide(text) {
        let runs = carriers(text);
        let (told, rest) = runs.split_at(runs.len().min(MAX_FINDINGS));
        for run in told {
            let fix = Fix::replace("take it out", *run, "");
            report.note_with_fix(&RULE, *run, message(run.of(text)), fix);
        }
        if let Some(first) = rest.first() {
            let edits = rest.iter().map(|span| Edit {
                span: *span,
                text: String::new(),
            });
            let fix = Fix {
                title: "take them out".to_owned(),
                edits: edits.collect(),
            };
            let message = format!("hidden characters stand in {} more places", rest.len());
            report.note_with_fix(&RULE, *first, message, fix);
        }
    }
    escaped(subject.document.fields(), text, report);
}

/// The first place of a text where a hidden character stands that can carry text.
///
/// ```
/// use prowess_format::rules::hidden_unicode::first_hidden;
///
/// assert_eq!(first_hidden("pay\u{202e}load").map(|span| span.start), Some(3));
/// assert_eq!(first_hidden("plain, and 👩\u{200d}💻"), None);
/// ```
pub fn first_hidden(text: &str) -> Option<Span> {
    if may_hide(text) {
        carriers(text).first().copied()
    } else {
        None
    }
}

/// The runs of hidden characters that can carry a text or turn it around.
pub(super) fn carriers(text: &str) -> Vec<Span> {
    let mut runs = hidden_runs(text);
    runs.retain(|run| !is_break(text, *run));
    runs
}

/// Whether a run is one character that only tells where a line may break: a soft hyphen, or a
/// space of no width beside something that is no letter.
pub(super) fn is_break(text: &str, run: Span) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match run.of(text) {
        "\u{AD}" => true,
        "\u{200B}" => {
            let before = text[..run.start].chars().next_back();
            !(letter(before) && letter(text[run.end..].chars().next()))
        }
        _ => false,
    }
}

/// Whether a text can hold hidden characters, told by the first bytes of its characters. Quick,
/// because every load asks.
pub(super) fn may_hide(text: &str) -> bool {
    let leads = |byte: u8| {
        matches!(
            byte,
            0xC2 | 0xCD | 0xD8 | 0xE1 | 0xE2 | 0xE3 | 0xEF | 0xF0 | 0xF3
        )
    };
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let chunk = &bytes[at..bytes.len().min(at + 64)];
        if !chunk.is_ascii() {
            for (offset, _) in chunk.iter().enumerate().filter(|(_, byte)| leads(**byte)) {
                let c = text[at + offset..].chars().next();
                if c.is_some_and(is_invisible) {
                    return true;
                }
            }
        }
        at += chunk.len();
    }
    false
}

/// Notes hidden characters that are written as escapes: plain in the file, hidden in the value.
fn escaped(fields: &[Field], text: &str, report: &mut Report<'_>) {
    for field in fields {
        escaped_text(&field.key, field.key_span, text, report);
        escaped_value(&field.node, text, report);
    }
}

fn escaped_value(node: &Node, text: &str, report: &mut Report<'_>) {
    match &node.value {
        Value::Scalar(value, _) => escaped_text(value, node.span, text, report),
        Value::Map(fields) => escaped(fields, text, report),
        Value::List(nodes) => {
            for node in nodes {
                escaped_value(node, text, report);
            }
        }
    }
}

fn escaped_text(value: &str, span: Span, text: &str, report: &mut Report<'_>) {
    let source = span.of(text);
    if value.is_ascii() || !source.contains('\\') {
        return;
    }
    let runs = carriers(value);
    if let Some(run) = runs.first().filter(|_| carriers(source).is_empty()) {
        report.note_with_help(&RULE, span, message(run.of(value)), "take the escape out");
    }
}

pub(super) fn message(run: &str) -> String {
    let count = run.chars().count();
    let tags: String = run.chars().filter_map(tag_letter).collect();
    let mut message = match count {
        1 => String::from("a hidden character stands here: "),
        count => format!("{count} hidden characters stand here: "),
    };
    let first = run.chars().next().unwrap_or_default();
    let _ = write!(message, "U+{:04X}, {}", u32::from(first), kind(first));
    if !tags.is_empty() {
        let _ = write!(message, "; they spell `{}`", crate::shown(&tags));
    }
    message
}

/// The letter a tag character stands for.
fn tag_letter(c: char) -> Option<char> {
    char::from_u32(u32::from(c).checked_sub(0xE0000)?).filter(|c| matches!(c, ' '..='~'))
}

fn kind(c: char) -> &'static str {
    match c {
        '\u{E0000}'..='\u{E007F}' => "a tag character",
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{61C}' => {
            "which turns the direction of the text"
        }
        '\u{AD}' => "a soft hyphen",
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => "a variation selector",
        '\u{2028}' | '\u{2029}' => "a line or paragraph separator",
        _ => "of no width",
    }
}

/// The runs of hidden characters, a leading byte order mark aside.
pub(super) fn hidden_runs(text: &str) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    let mut before = None;
    let mut flag_end = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if c == '\u{1F3F4}' {
            flag_end = end + flag_tags(&text[end..]);
        }
        let hidden = is_invisible(c)
            && at >= flag_end
            && !(at == 0 && c == '\u{FEFF}')
            && !belongs(c, before, &text[end..]);
        if hidden {
            match runs.last_mut() {
                Some(run) if run.end == at => run.end = end,
                _ => runs.push(Span::new(at, end)),
            }
        }
        before = Some(c);
    }
    runs
}

/// The length of the tags that make a black flag the flag of Wales: a few, and a cancel tag.
fn flag_tags(text: &str) -> usize {
    let region = |c: &char| matches!(c, '\u{E0020}'..='\u{E007E}');
    let count = text.chars().take_while(region).count();
    let closed = text.chars().nth(count) == Some('\u{E007F}');
    if closed && (1..=6).contains(&count) {
        (count + 1) * '\u{E007F}'.len_utf8()
    } else {
        0
    }
}

/// Whether an invisible character has business between its neighbours.
fn belongs(c: char, before: Option<char>, after: &str) -> bool {
    let Some(before) = before else {
        return false;
    };
    let after = after.chars().next();
    match c {
        // One selector after a sign that has more than one form, or a keycap's digit.
        '\u{FE00}'..='\u{FE0F}' => {
            !before.is_ascii() && !is_invisible(before)
                || matches!(before, '0'..='9' | '#' | '*') && after == Some('\u{20E3}')
                || before == '\u{200D}'
        }
        // Rare forms of Han characters, and Mongolian selectors, after their letter.
        '\u{E0100}'..='\u{E01EF}' => {
            matches!(before, '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
        }
        '\u{180B}'..='\u{180F}' => matches!(before, '\u{1800}'..='\u{18AF}'),
        // Joiners and non-joiners inside emoji, Persian, Hindi and their like.
        '\u{200C}' | '\u{200D}' => {
            !before.is_ascii()
                && before > '\u{2FF}'
                && after.is_none_or(|c| c > '\u{2FF}' || c == ' ')
        }
        // Direction marks next to letters that run from the right.
        '\u{200E}' | '\u{200F}' | '\u{61C}' => {
            let from_right = |c: char| matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
            from_right(before) || after.is_some_and(from_right)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_and_joined_scripts_are_left_alone() {
        for text in [
            "plain",
            "👩\u{200D}💻 and 🏳\u{FE0F}\u{200D}🌈",
            "❤\u{FE0F} 1\u{FE0F}\u{20E3}",
            "می\u{200C}خواهم",
            "क\u{94D}\u{200D}ष",
            "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
            "שלום\u{200F}!",
        ] {
            assert_eq!(hidden_runs(text), [], "{text}");
        }
    }

    #[test]
    fn what_carries_hidden_text_is_found() {
        for (text, start, end) in [
            ("a\u{200B}b", 1, 4),
            (".\u{200B}\u{200B}.", 1, 7),
            ("pay\u{202E}load", 3, 6),
            ("x\u{E0041}\u{E0042}y", 1, 9),
            ("a\u{200D}b", 1, 4),
            ("a\u{FE0F}\u{FE01}", 1, 7),
            ("🏴 \u{E0067}", 5, 9),
            ("🏴\u{E0067}\u{E0062}", 4, 12),
        ] {
            assert_eq!(carriers(text), [Span::new(start, end)], "{text:?}");
        }
    }

    #[test]
    fn tags_are_spelt_out() {
        assert_eq!(
            message("\u{E0068}\u{E0069}"),
            "2 hidden characters stand here: U+E0068, a tag character; they spell `hi`"
        );
    }
}
