//! Words that differ by one slip of the finger: symmetric deletes, as in `SymSpell`.
//!
//! Every metadata token is filed under itself and under each of its *deletes*, the ways to leave
//! out one letter. Two words one insertion, deletion, substitution or swap apart share a delete
//! (Wolf Garbe's `SymSpell`; distance 1 of Damerau and Levenshtein), so a misspelt word is found
//! with as many look-ups as it has letters. A delete is kept as a hash: what is found is compared
//! letter by letter, so a clash costs a comparison and never a wrong word.

use super::{
    postings::Postings,
    segment::{IN_DESCRIPTION, IN_NAME, IN_TAGS},
};
use crate::words::Interner;

/// Shorter words have too many neighbours to guess from.
pub(crate) const MIN_LETTERS: usize = 4;
const MAX_LETTERS: usize = 24;

/// Tokens by the forms they are filed under.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Near {
    /// Hash of the form in the upper half, token number in the lower, sorted.
    pub(super) forms: Vec<u64>,
}

impl Near {
    pub(crate) fn build(tokens: &Interner, postings: &Postings) -> Self {
        let mut forms = Vec::new();
        for token in 0..tokens.len() as u32 {
            let word = tokens.word(token);
            let metadata = || {
                postings
                    .list(token)
                    .any(|(_, places)| places & (IN_NAME | IN_DESCRIPTION | IN_TAGS) != 0)
            };
            if is_wordlike(word) && metadata() {
                each_form(word, |form| {
                    forms.push(u64::from(form) << 32 | u64::from(token));
                });
            }
        }
        forms.sort_unstable();
        forms.dedup();
        Self { forms }
    }

    /// Calls `found` for each token at most one slip away from a word.
    pub(crate) fn find(&self, word: &[u8], tokens: &Interner, mut found: impl FnMut(u32)) {
        if !is_wordlike(word) {
            return;
        }
        let mut seen = Vec::new();
        each_form(word, |form| {
            let first = u64::from(form) << 32;
            let start = self.forms.partition_point(|other| *other < first);
            let same = |other: &&u64| *other >> 32 == u64::from(form);
            for &filed in self.forms[start..].iter().take_while(same) {
                let token = filed as u32;
                if !seen.contains(&token) && one_slip(word, tokens.word(token)) {
                    seen.push(token);
                }
            }
        });
        seen.sort_unstable();
        seen.into_iter().for_each(&mut found);
    }

    pub(crate) fn memory(&self) -> usize {
        self.forms.capacity() * 8
    }
}

fn is_wordlike(word: &[u8]) -> bool {
    (MIN_LETTERS..=MAX_LETTERS).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase)
}

fn each_form(word: &[u8], mut found: impl FnMut(u32)) {
    found(hash(word, &[]));
    for skip in 0..word.len() {
        found(hash(&word[..skip], &word[skip + 1..]));
    }
}

/// FNV-1a; a clash costs one comparison, since found words are checked.
fn hash(head: &[u8], tail: &[u8]) -> u32 {
    head.iter().chain(tail).fold(0x811C_9DC5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// Whether two words are one insertion, deletion, substitution or swap apart.
pub(crate) fn one_slip(left: &[u8], right: &[u8]) -> bool {
    let head = left.iter().zip(right).take_while(|(l, r)| l == r).count();
    let (left, right) = (&left[head..], &right[head..]);
    let tail = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take_while(|(l, r)| l == r)
        .count();
    let (left, right) = (&left[..left.len() - tail], &right[..right.len() - tail]);
    match (left, right) {
        ([] | [_], [] | [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_an_edit_or_a_swap() {
        for (left, right) in [
            ("skills", "skils"),
            ("skils", "skills"),
            ("fork", "fprk"),
            ("right", "rihgt"),
        ] {
            assert!(
                one_slip(left.as_bytes(), right.as_bytes()),
                "{left} {right}"
            );
        }
        for (left, right) in [("skill", "sikls"), ("abcd", "badc"), ("form", "for me")] {
            assert!(
                !one_slip(left.as_bytes(), right.as_bytes()),
                "{left} {right}"
            );
        }
    }
}
