//! Where the words of a text start and end.
//!
//! Sixty-four bytes are told apart at a time (SWAR, SIMD within a register: eight bytes of a
//! `u64` in one operation, as in simdjson's classification): a bit for each byte that may be part
//! of a word. Starts and ends are then where bits change, so nothing is asked of single bytes.
//! No bit of one byte reaches another, since each is masked before it is added to; a test
//! compares the result with a plain loop.

use std::ops::Range;

use super::fold;

/// Where a word stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(super) start: u32,
    end: u32,
}

impl Span {
    #[inline]
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    /// How many bytes it has.
    #[inline]
    pub(super) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Its bytes.
    #[inline]
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Calls `found` for each word of a text.
///
/// `C++`, `C#`, `F#` and `.NET` are words with their marks.
#[inline]
pub(crate) fn scan(text: &str, mut found: impl FnMut(Span)) {
    let bytes = text.as_bytes();
    // Whether the last byte was part of a word, where that word starts, and whether it may hold
    // more than ASCII.
    let (mut inside, mut start, mut wide) = (0, 0, false);
    let mut last = [0; BLOCK];
    for base in (0..=bytes.len()).step_by(BLOCK) {
        let rest = &bytes[base..];
        let block = rest.first_chunk().unwrap_or_else(|| {
            last[..rest.len()].copy_from_slice(rest);
            &last
        });
        let (mask, high) = word_bytes(block);
        wide |= high;
        let before = mask << 1 | inside;
        let (mut starts, mut ends) = (mask & !before, !mask & before);
        let mut next = || {
            let start = base + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
            start
        };
        if inside == 0 {
            start = next();
        }
        while ends != 0 {
            let end = base + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            if wide && !bytes[start..end].is_ascii() {
                scan_wide(text, start, end, &mut found);
            } else {
                found(with_marks(bytes, start, end));
            }
            start = next();
        }
        inside = mask >> (BLOCK - 1);
        wide &= inside != 0;
    }
}

/// Calls `found` for each word of a text, as it stands.
pub(crate) fn each<'t>(text: &'t str, mut found: impl FnMut(&'t str)) {
    scan(text, |word| found(&text[word.range()]));
}

/// So many bytes are told apart together: one bit each.
const BLOCK: usize = u64::BITS as usize;

/// Eight times the same byte.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Which bytes are ASCII letters, digits or no ASCII at all, and whether there are any of those.
#[inline]
fn word_bytes(block: &[u8; BLOCK]) -> (u64, bool) {
    let (mut mask, mut high) = (0, 0);
    for (at, bytes) in block.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*bytes);
        let low = bytes & eight(0x7F);
        let folded = low | eight(0x20);
        // Adding carries into the top bit of each byte that is at least so much.
        let digit = (low + eight(0x80 - b'0')) & !(low + eight(0x7F - b'9'));
        let letter = (folded + eight(0x80 - b'a')) & !(folded + eight(0x7F - b'z'));
        let found = (digit | letter | bytes) & eight(0x80);
        // The product gathers the eight top bits in its top byte.
        let gathered = (found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= gathered << (8 * at);
        high |= bytes & eight(0x80);
    }
    (mask, high != 0)
}

/// The words of a run that holds more than ASCII, letter by letter.
fn scan_wide(text: &str, mut at: usize, end: usize, found: &mut impl FnMut(Span)) {
    let letter = |at: usize| text[at..end].chars().next();
    while let Some(first) = letter(at) {
        let start = at;
        while let Some(letter) = letter(at).filter(|letter| is_letter(*letter)) {
            at += letter.len_utf8();
        }
        if start == at {
            at += first.len_utf8();
            continue;
        }
        found(with_marks(text.as_bytes(), start, at));
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || fold::is_dense(letter)
        || letter.is_alphanumeric()
        || matches!(letter, '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{2060}')
}

/// Widens `C` to `C++` or `C#`, `NET` to `.NET`, and `A` to `A/B`.
#[inline]
fn with_marks(bytes: &[u8], start: usize, end: usize) -> Span {
    let dotted = start > 0 && bytes[start - 1] == b'.';
    // Hardly any word has such a neighbour; many are as short.
    if (dotted || matches!(bytes.get(end), Some(b'#' | b'+' | b'/'))) && end - start <= 3 {
        return widened(bytes, start, end, dotted);
    }
    Span::new(start, end)
}

#[cold]
fn widened(bytes: &[u8], start: usize, end: usize, dotted: bool) -> Span {
    let after = bytes.get(end);
    match &bytes[start..end] {
        [b'c' | b'C' | b'f' | b'F'] if after == Some(&b'#') => Span::new(start, end + 1),
        [b'c' | b'C'] if bytes[end..].starts_with(b"++") => Span::new(start, end + 2),
        [b'a' | b'A'] if is_a_b(&bytes[end..]) => Span::new(start, end + 2),
        [b'N' | b'n', b'E' | b'e', b'T' | b't']
            if dotted && (start == 1 || !bytes[start - 2].is_ascii_alphanumeric()) =>
        {
            Span::new(start - 1, end)
        }
        _ => Span::new(start, end),
    }
}

/// Whether what follows an `A` makes it `A/B`, as in `A/B test`, and not a path.
fn is_a_b(after: &[u8]) -> bool {
    matches!(after, [b'/', b'b' | b'B', rest @ ..]
        if rest.first().is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<(usize, &str)> {
        let mut words = Vec::new();
        scan(text, |word| {
            words.push((word.range().start, &text[word.range()]));
        });
        words
    }

    #[test]
    fn words_are_found_with_their_places() {
        expect![[
            r#"[(1, "Fill"), (6, "größe"), (14, "C++"), (18, "x"), (20, ".NET"), (26, "é")]"#
        ]]
        .assert_eq(&format!("{:?}", words(" Fill größe C++ x .NET, é…")));
    }

    #[test]
    fn every_byte_is_told_from_its_neighbours() {
        for byte in 0..=u8::MAX {
            for at in 0..BLOCK {
                let mut block = [b'z'; BLOCK];
                block[at] = byte;
                let is_word = byte.is_ascii_alphanumeric() || byte >= 0x80;
                let expected = if is_word { u64::MAX } else { !(1 << at) };
                assert_eq!(
                    word_bytes(&block),
                    (expected, byte >= 0x80),
                    "{byte:#x} at {at}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn blocks_end_no_word(text in "([a-zABC0-9.+#/ \n]|é|—|发|\u{301}){0,300}") {
            let mut expected = Vec::new();
            scan_wide(&text, 0, text.len(), &mut |word| {
                expected.push((word.range().start, &text[word.range()]));
            });
            prop_assert_eq!(words(&text), expected);
        }
    }
}
