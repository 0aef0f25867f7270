//! `hidden-unicode`: what a person sees is what a model reads.
//!
//! Tag characters, zero-width characters, direction marks, variation selectors and private signs
//! carry text that no editor shows. A skill that holds any is not given to a model unless its user
//! allows that very file. What Unicode lists is left alone (`sequence`), so is what a script needs
//! to be written, and a few places where a line may break are told by `invisible-character`.

mod sequence;
mod tables;

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

/// Places where a line may break in one text; of 3,829 real skills two have one, none has more. The
/// places themselves can carry a text if there are many.
const MAX_BREAKS: usize = 16;

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
    if breaks(text, &runs).count() <= MAX_BREAKS {
        runs.retain(|run| !is_break(text, *run));
    }
    runs
}

/// The places where a line may break, and nothing else: none if there are so many that where they
/// stand can carry a text.
pub(super) fn line_breaks(text: &str) -> Vec<Span> {
    let runs = hidden_runs(text);
    let breaks: Vec<Span> = breaks(text, &runs).collect();
    if breaks.len() <= MAX_BREAKS {
        breaks
    } else {
        Vec::new()
    }
}

fn breaks<'a>(text: &'a str, runs: &'a [Span]) -> impl Iterator<Item = Span> + 'a {
    runs.iter().copied().filter(|run| is_break(text, *run))
}

/// Whether a run is one character that only tells where a line may break: a soft hyphen, or a
/// space of no width beside something that is no letter.
fn is_break(text: &str, run: Span) -> bool {
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

/// Whether a character can hide something: invisible, blank, or with a meaning only its writer
/// knows.
pub(crate) fn can_hide(c: char) -> bool {
    is_invisible(c) || matches!(c, '\u{2800}' | '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..)
}

/// Whether a text can hold hidden characters, told by the first bytes of its characters. Quick,
/// because every load asks.
pub(super) fn may_hide(text: &str) -> bool {
    let leads = |byte: u8| matches!(byte, 0xC2 | 0xCD | 0xD8 | 0xE1..=0xE3 | 0xEE..=0xF4);
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let chunk = &bytes[at..bytes.len().min(at + 64)];
        if !chunk.is_ascii() {
            for (offset, _) in chunk.iter().enumerate().filter(|(_, byte)| leads(**byte)) {
                let c = text[at + offset..].chars().next();
                if c.is_some_and(can_hide) {
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
        '\u{2800}' => "a blank that is no space",
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'.. => "which means what its writer wants",
        _ => "of no width",
    }
}

/// The runs of hidden characters, a leading byte order mark aside.
fn hidden_runs(text: &str) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    let mut before = None;
    let mut listed_end = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        // What begins a sequence is seen, or it is a blank cell of Braille. Most characters have
        // ASCII after them and begin none.
        let next = text.as_bytes().get(end);
        if at >= listed_end && next.is_some_and(|byte| !byte.is_ascii()) && !can_hide(c) {
            listed_end = at + sequence::length(&text[at..]);
        } else if at >= listed_end && c == '\u{2800}' && before != Some(c) {
            listed_end = at + sequence::blank_cells(before, &text[at..]);
        }
        let hidden = can_hide(c)
            && at >= listed_end
            && !(at == 0 && c == '\u{FEFF}')
            && !sequence::is_spelling(c, before, text[end..].chars().next());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unicode_lists_and_what_scripts_need_is_left_alone() {
        for text in [
            "plain",
            "👩\u{200D}💻 and 🏳\u{FE0F}\u{200D}🌈, 🏳\u{200D}🌈",
            "🕵🏻\u{200D}♂\u{FE0F} 👩🏽\u{200D}🤝\u{200D}👨🏿 👁\u{FE0F}\u{200D}🗨\u{FE0F}",
            "👨\u{200D}👩\u{200D}👧\u{200D}👦👩\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨",
            "❤\u{FE0F} ❤\u{FE0E} ©\u{FE0F} 1\u{FE0F}\u{20E3} #\u{FE0F}\u{20E3}",
            "∩\u{FE00} 辻\u{E0100} 辻\u{E0101} 邉\u{E010E} 㐂\u{E0101} 𠮟\u{E0100}",
            "ᠠ\u{180B}ᠨ\u{180E}ᠠ",
            "می\u{200C}خواهم کاربر\u{200C}ها ه\u{200D}",
            "क\u{94D}\u{200D}ष র\u{200D}\u{9CD}য",
            "ភាសា\u{200B}ខ្មែរ",
            "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "🏴\u{200D}☠\u{FE0F}",
            "שלום\u{200F}!",
            "⠁\u{2800}\u{2800}⠃\n\u{2800}\u{2800}⣿",
            "\u{FEFF}at the start",
        ] {
            assert_eq!(hidden_runs(text), [], "{text} {}", text.escape_unicode());
        }
    }

    /// The ways through of the trial of 17 November 2026, and their neighbours.
    #[test]
    fn covert_channels_are_found() {
        let flag = "🏴\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}\u{E007F}";
        for (text, hidden) in [
            (flag.to_owned(), 7),
            (flag.repeat(3), 21),
            // The flag of Texas has the right form and is not recommended.
            (
                "🏴\u{E0075}\u{E0073}\u{E0074}\u{E0078}\u{E007F}".to_owned(),
                5,
            ),
            // One flag too many tags.
            (
                "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}\u{E0041}".to_owned(),
                1,
            ),
            (format!("—{}", "\u{200C}\u{200D}".repeat(256)), 512),
            (format!("ی{}", "\u{200C}\u{200D}".repeat(4)), 8),
            (format!("—{}", "\u{200D}\u{FE01}".repeat(128)), 256),
            ("─\u{FE00}─\u{FE05}─\u{FE0F}".to_owned(), 3),
            ("❤\u{FE00}".to_owned(), 1),
            ("❤\u{FE0F}\u{FE0F}".to_owned(), 1),
            ("0\u{FE0F} 0\u{FE00}".to_owned(), 2),
            // One form more than is listed, and a sign that has none.
            ("辻\u{E01EF} ─\u{E0100} あ\u{E0100}".to_owned(), 3),
            ("\u{1BCA0}\u{1BCA1}\u{1BCA2}\u{1BCA3}".to_owned(), 4),
            ("\u{13430}\u{1343F}".to_owned(), 2),
            ("a\u{2800}b \u{2800}".to_owned(), 2),
            ("\u{E000} \u{F8FF} \u{F0041} \u{10FFFD}".to_owned(), 4),
            ("\u{FDD0}\u{FFFE}\u{1FFFE}\u{10FFFF}".to_owned(), 4),
            (
                "a\u{2063}\u{2064}\u{3164}\u{115F}\u{FFA0}\u{34F}".to_owned(),
                6,
            ),
            // Signs that are joined as Unicode joins none.
            ("👩\u{200D}👩 🔥\u{200D}🔥\u{200D}🔥".to_owned(), 3),
            ("👩\u{200D}💻\u{200D}".to_owned(), 1),
            ("क\u{200D}\u{FE00}\u{200D}".to_owned(), 3),
            ("ב\u{200E}\u{200F}\u{200E}\u{200F}x".to_owned(), 3),
            ("so\u{AD}ft ".repeat(17), 17),
            (". \u{200B}".repeat(17), 17),
        ] {
            let count: usize = carriers(&text)
                .iter()
                .map(|run| run.of(&text).chars().count())
                .sum();
            assert_eq!(count, hidden, "{}", text.escape_unicode());
        }
        assert_eq!(carriers(&"so\u{AD}ft ".repeat(16)), []);
    }

    #[test]
    fn long_chains_take_time_in_proportion() {
        let started = std::time::Instant::now();
        for unit in [
            "👩\u{200D}",
            "\u{2800}",
            "👩\u{FE0F}",
            "\u{200D}",
            "辻\u{E0100}",
        ] {
            carriers(&unit.repeat(1024 * 1024 / unit.len()));
        }
        assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
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
