//! The sequences with an invisible part that Unicode lists, or that a script needs to be written.

use super::tables::{JOINED, SELECTORS};
use crate::shown::is_invisible;

/// How many forms each ideograph has, 64 in a line: the Ideographic Variation Database as of
/// 2014-05-16. Forms are only ever added to it, in order.
static IDEOGRAPHIC: &str = include_str!("ideographic.txt");
const LINE: usize = 64;

const JOINER: char = '\u{200D}';

/// Bytes of a joined emoji, without selectors and skin tones. The longest has 25; a chain without
/// end is not looked at from each of its links.
const LONGEST: usize = 32;

/// The flags of England, Scotland and Wales, after the black flag: the only ones of their kind
/// that Unicode recommends.
const SUBDIVISIONS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// The length of the sequence that a text begins with; 0 where its first character stands alone.
pub(super) fn length(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(base) = chars.next() else {
        return 0;
    };
    let rest = chars.as_str();
    let Some(next) = rest.chars().next() else {
        return 0;
    };
    let taken = match next {
        '\u{FE00}'..='\u{FE0E}' | '\u{180B}'..='\u{180D}' | '\u{180F}' if takes(base, next) => {
            next.len_utf8()
        }
        '\u{E0100}'..='\u{E01EF}' if forms(base) > u32::from(next) - 0xE0100 => next.len_utf8(),
        '\u{E0020}'..='\u{E007F}' if base == '\u{1F3F4}' => {
            let flag = SUBDIVISIONS.iter().find(|tags| rest.starts_with(**tags));
            flag.map_or(0, |tags| tags.len())
        }
        '\u{FE0F}' if matches!(base, '0'..='9' | '#' | '*') => {
            let keycap = "\u{FE0F}\u{20E3}";
            if rest.starts_with(keycap) {
                keycap.len()
            } else {
                0
            }
        }
        '\u{FE0F}' | JOINER | '\u{1F3FB}'..='\u{1F3FF}' => return emoji(text),
        _ => 0,
    };
    if taken == 0 {
        0
    } else {
        base.len_utf8() + taken
    }
}

/// The length of the longest emoji that a text begins with and Unicode lists: one sign with its
/// selector, or several that are joined. Skin tones are plain to see and so count for nothing.
fn emoji(text: &str) -> usize {
    let mut plain = String::new();
    let mut end = 0;
    let mut listed = 0;
    loop {
        let mut chars = text[end..].chars();
        let Some(base) = chars.next() else {
            return listed;
        };
        plain.push(base);
        end += base.len_utf8();
        match chars.next() {
            Some(next @ '\u{FE0F}') if takes(base, next) => end += next.len_utf8(),
            Some(tone @ '\u{1F3FB}'..='\u{1F3FF}') => end += tone.len_utf8(),
            _ => {}
        }
        if listed == 0 || JOINED.binary_search(&plain.as_str()).is_ok() {
            listed = end;
        }
        if plain.len() > LONGEST || !text[end..].starts_with(JOINER) {
            return listed;
        }
        plain.push(JOINER);
        end += JOINER.len_utf8();
    }
}

/// Whether Unicode lists a sign with a selector.
fn takes(base: char, selector: char) -> bool {
    let bit = match u32::from(selector) {
        it @ 0xFE00..=0xFE0F => it - 0xFE00,
        0x180F => 19,
        it => it - 0x180B + 16,
    };
    let base = u32::from(base);
    let at = SELECTORS.partition_point(|(_, last, _)| *last < base);
    SELECTORS
        .get(at)
        .is_some_and(|(first, _, mask)| *first <= base && mask & (1 << bit) != 0)
}

/// How many forms of an ideograph Unicode lists.
fn forms(base: char) -> u32 {
    // `03400 ` before the digits, and the end of the line.
    let lines = IDEOGRAPHIC.as_bytes().as_chunks::<{ LINE + 7 }>().0;
    let base = base as usize;
    let first = format!("{:05x}", base / LINE * LINE);
    let found = lines.binary_search_by(|line| line[..5].cmp(first.as_bytes()));
    found.map_or(0, |at| {
        let digit = char::from(lines[at][6 + base % LINE]);
        digit.to_digit(36).unwrap_or(0)
    })
}

/// The length of the blank cells that a text begins with, if they belong to a picture in Braille:
/// a cell with dots stands before or after them.
pub(super) fn blank_cells(before: Option<char>, text: &str) -> usize {
    let rest = text.trim_start_matches('\u{2800}');
    let dots = |c: char| matches!(c, '\u{2801}'..='\u{28FF}');
    if before.is_some_and(dots) || rest.starts_with(dots) {
        text.len() - rest.len()
    } else {
        0
    }
}

/// Whether a single invisible character is part of how a script is written, told by what stands
/// before and after it.
pub(super) fn is_spelling(c: char, before: Option<char>, after: Option<char>) -> bool {
    let Some(before) = before else {
        return false;
    };
    let after_is = |of: fn(char) -> bool| after.is_some_and(of);
    match c {
        // Whether letters join: Persian, Hindi and their like. A word may end with it.
        '\u{200C}' | JOINER => {
            joins(before) && after.is_none_or(|c| joins(c) || !is_invisible(c) && !letter(c))
        }
        // Where words part, in scripts that write none of their spaces.
        '\u{200B}' => runs_on(before) && after_is(runs_on),
        '\u{180E}' => mongolian(before) && after_is(mongolian),
        // Marks of direction next to letters that run from the right.
        '\u{200E}' | '\u{200F}' | '\u{61C}' => from_right(before) || after_is(from_right),
        _ => false,
    }
}

fn letter(c: char) -> bool {
    c.is_alphanumeric()
}

/// Letters that change their form with their neighbours.
fn joins(c: char) -> bool {
    let range = matches!(c,
        '\u{600}'..='\u{74F}' | '\u{750}'..='\u{77F}' | '\u{7C0}'..='\u{7FF}'
        | '\u{840}'..='\u{DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{1800}'..='\u{18AF}' | '\u{1B00}'..='\u{1BBF}' | '\u{A800}'..='\u{A82F}'
        | '\u{A840}'..='\u{A8FF}' | '\u{A980}'..='\u{A9DF}' | '\u{AA60}'..='\u{AA7F}'
        | '\u{FB50}'..='\u{FDCF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10D00}'..='\u{10D3F}'
        | '\u{11000}'..='\u{1145F}' | '\u{1E900}'..='\u{1E95F}');
    range && !is_invisible(c)
}

fn mongolian(c: char) -> bool {
    matches!(c, '\u{1810}'..='\u{18AA}')
}

/// Thai, Lao, Burmese, Khmer.
fn runs_on(c: char) -> bool {
    let range = matches!(c,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}');
    range && !is_invisible(c)
}

fn from_right(c: char) -> bool {
    let range =
        matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDCF}' | '\u{FE70}'..='\u{FEFC}');
    range && !is_invisible(c)
}
