//! Words as they stand, for phrases that must be said word for word.

use super::{each, fold};

/// Hashes of neighbouring words tell pairs apart; see [`pair`].
pub(crate) fn hash(word: &[u8]) -> u32 {
    // FNV-1a: short inputs, no key to hold, and the same number on every machine and in every
    // saved index.
    word.iter().fold(0x811C_9DC5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// Sixteen bits for two words that stand next to each other, from their hashes.
///
/// A document keeps at most a few hundred of 65,536, so a pair that does not stand there is taken
/// for one that does in less than one of two hundred cases.
pub(crate) fn pair(left: u32, right: u32) -> u16 {
    (left.rotate_left(5) ^ right).wrapping_mul(0x9E37_79B1) as u16
        ^ ((left.rotate_left(5) ^ right).wrapping_mul(0x9E37_79B1) >> 16) as u16
}

/// Calls `found` with the hash of each word and its bytes, everyday words too: folded, and letter
/// by letter where a script has no spaces. A word that is repeated on the spot is said once.
pub(crate) fn said(text: &str, mut found: impl FnMut(u32, &str)) {
    let mut last = None;
    let mut found = |hash, word: &str| {
        if last.replace(hash) != Some(hash) {
            found(hash, word);
        }
    };
    let mut folded = String::new();
    each(text, |word| {
        folded.clear();
        if word.is_ascii() {
            folded.push_str(word);
            folded.make_ascii_lowercase();
            return found(hash(folded.as_bytes()), word);
        }
        let mut start = 0;
        for (at, letter) in word.char_indices() {
            if fold::is_dense(letter) {
                if !folded.is_empty() {
                    found(hash(folded.as_bytes()), &word[start..at]);
                    folded.clear();
                }
                let end = at + letter.len_utf8();
                found(hash(&word.as_bytes()[at..end]), &word[at..end]);
                start = end;
            } else {
                fold::fold(letter, &mut folded);
            }
        }
        if !folded.is_empty() {
            found(hash(folded.as_bytes()), &word[start..]);
        }
    });
}

/// Opening and closing marks of quotations.
const MARKS: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('\'', '\''),
    ('‘', '’'),
    ('`', '`'),
];

/// Calls `found` for each quoted phrase of a description; none goes on into the next line.
pub(crate) fn quoted<'t>(text: &'t str, mut found: impl FnMut(&'t str)) {
    for line in text.split('\n') {
        quoted_in_line(line, &mut found);
    }
}

fn quoted_in_line<'t>(line: &'t str, found: &mut impl FnMut(&'t str)) {
    let mut before = ' ';
    let mut skip = 0;
    // What is not closed from here on is not closed from a later place: each mark is looked for
    // in vain once, so that a line of many marks takes no longer.
    let mut never_closed = [false; MARKS.len()];
    for (at, open) in line.char_indices() {
        let previous = std::mem::replace(&mut before, open);
        if at < skip {
            continue;
        }
        let Some(mark) = MARKS.iter().position(|(mark, _)| *mark == open) else {
            continue;
        };
        // `don't` and `users' files` quote nothing.
        let inside = matches!(open, '\'' | '"' | '`') && previous.is_alphanumeric();
        if inside || never_closed[mark] {
            continue;
        }
        let close = MARKS[mark].1;
        let start = at + open.len_utf8();
        let rest = &line[start..];
        let closes = |end: &usize| {
            let after = rest[end + close.len_utf8()..].chars().next();
            close != '\'' || after.is_none_or(|after| !after.is_alphanumeric())
        };
        match rest.match_indices(close).map(|(end, _)| end).find(closes) {
            Some(end) => {
                skip = start + end + close.len_utf8();
                found(&rest[..end]);
            }
            None => never_closed[mark] = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found_and_apostrophes_are_not() {
        let mut phrases = Vec::new();
        let text = "Use when users say 'fill my form', \"don't merge\", “sign it” or the users' \
            own words. Don't use for 'x's. 当用户说「生成报告」时";
        quoted(text, |phrase| phrases.push(phrase));
        assert_eq!(
            phrases,
            ["fill my form", "don't merge", "sign it", "生成报告"]
        );
    }

    #[test]
    fn a_line_of_many_marks_takes_no_longer() {
        let mut count = 0;
        quoted(&"“ ‘ ".repeat(100_000), |_| count += 1);
        quoted(&"'a 'b\n".repeat(100_000), |_| count += 1);
        assert_eq!(count, 0);
    }

    #[test]
    fn words_are_said_with_case_and_accents_folded() {
        let hashes = |text: &str| {
            let mut hashes = Vec::new();
            said(text, |hash, _| hashes.push(hash));
            hashes
        };
        assert_eq!(hashes("Fill the Größe"), hashes("fill THE grösse"));
        assert_eq!(hashes("生成x").len(), 3);
        assert_ne!(pair(1, 2), pair(2, 1));
    }
}
