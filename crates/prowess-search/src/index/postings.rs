//! Postings: the documents of each term, delta-coded as varints.
//!
//! A list holds, in rising order, the gap to the next document as a LEB128 varint (seven bits a
//! byte, the top bit says that more follow), then one byte of payload: the quantized impact of
//! the term (255ths, as in impact-ordered indexes) or the places of a token. Gaps of frequent
//! terms take one byte, so the lists that cost time are the shortest to read. Any bytes decode to
//! something, without a panic: a varint ends after five bytes, sums wrap, and whoever adds up
//! looks whether the slot exists. Lists are written in two passes over the same documents: the
//! first measures, the second writes in place, so nothing is sorted or copied.

use super::Blob;

/// Lists of documents, one for each term number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Postings {
    pub(super) bytes: Blob,
    /// Where each list starts, and one more for the end.
    pub(super) starts: Vec<u32>,
    /// How many documents each list holds.
    pub(super) counts: Vec<u32>,
}

impl Postings {
    pub(crate) fn count(&self, term: u32) -> u32 {
        self.counts[term as usize]
    }

    /// The documents of a term, with their payload.
    pub(crate) fn list(&self, term: u32) -> List<'_> {
        let term = term as usize;
        let range = self.starts[term] as usize..self.starts[term + 1] as usize;
        List {
            bytes: &self.bytes[range],
            next: 0,
        }
    }

    /// Calls `found` for each document of a term, with its payload; quicker than the iterator.
    #[inline]
    pub(crate) fn each(&self, term: u32, mut found: impl FnMut(u32, u8)) {
        let mut list = self.list(term);
        loop {
            // Most gaps of the lists that cost time take one byte.
            while let [gap @ ..0x80, payload, rest @ ..] = list.bytes {
                let document = list.next.wrapping_add(u32::from(*gap));
                found(document, *payload);
                list.next = document.wrapping_add(1);
                list.bytes = rest;
            }
            let Some((document, payload)) = list.next() else {
                return;
            };
            found(document, payload);
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.bytes.len() + (self.starts.capacity() + self.counts.capacity()) * 4
    }
}

/// The documents of one term.
#[derive(Debug, Clone)]
pub(crate) struct List<'a> {
    bytes: &'a [u8],
    next: u32,
}

impl Iterator for List<'_> {
    /// Document and payload.
    type Item = (u32, u8);

    #[inline]
    fn next(&mut self) -> Option<(u32, u8)> {
        let (&first, mut rest) = self.bytes.split_first()?;
        let mut gap = u32::from(first);
        if first >= 0x80 {
            gap &= 0x7F;
            let mut shift = 7;
            while let Some((&byte, after)) = rest.split_first() {
                rest = after;
                gap |= u32::from(byte & 0x7F) << shift;
                shift += 7;
                if byte < 0x80 || shift > 28 {
                    break;
                }
            }
        }
        let (&payload, rest) = rest.split_first()?;
        self.bytes = rest;
        let document = self.next.wrapping_add(gap);
        self.next = document.wrapping_add(1);
        Some((document, payload))
    }
}

/// Words of documents, with their payload: the same turned round, as it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    pub(super) words: Vec<u32>,
    pub(super) payloads: Vec<u8>,
    /// Where each document ends.
    pub(super) ends: Vec<u32>,
}

impl Lists {
    /// Makes room for so many documents and words in all.
    pub(super) fn reserve(&mut self, documents: usize, words: usize) {
        self.ends.reserve(documents);
        self.words.reserve(words);
        self.payloads.reserve(words);
    }

    /// Adds a document with these words.
    #[inline]
    pub(super) fn add(&mut self, words: impl Iterator<Item = (u32, u8)> + Clone) {
        self.words.extend(words.clone().map(|item| item.0));
        self.payloads.extend(words.map(|item| item.1));
        self.ends.push(self.words.len() as u32);
    }

    /// Where a word stands in the lists, if the last document holds it.
    pub(super) fn find_in_last(&self, word: u32) -> Option<usize> {
        let start = match *self.ends {
            [.., start, _] => start as usize,
            _ => 0,
        };
        let at = self.words[start..].iter().position(|it| *it == word)?;
        Some(start + at)
    }

    /// Gives every word its new number.
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        for word in &mut self.words {
            *word = numbers[*word as usize];
        }
    }

    /// The words of each document.
    pub(super) fn documents(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let words = &self.words[start..end as usize];
            start = end as usize;
            words
        })
    }
}

/// What is known of a list while it is measured and written. Kept together, because words come
/// in no order and each look-up is a miss.
#[derive(Debug, Clone, Copy, Default)]
struct Growing {
    /// The least document that can come next.
    next: u32,
    /// Its bytes so far; then, where the next one goes.
    at: u32,
    count: u32,
}

impl Postings {
    /// The lists of so many words over all documents, one batch after the other.
    pub(crate) fn build(words: usize, all: &[&Lists]) -> Self {
        let mut growing = vec![Growing::default(); words];
        let mut document = 0;
        for lists in all {
            for list in lists.documents() {
                for &word in list {
                    let word = &mut growing[word as usize];
                    word.at += size(document - word.next) + 1;
                    word.count += 1;
                    word.next = document + 1;
                }
                document += 1;
            }
        }
        let mut starts = Vec::with_capacity(words + 1);
        let mut counts = Vec::with_capacity(words);
        let mut end = 0;
        for word in &mut growing {
            starts.push(end);
            counts.push(word.count);
            end += word.at;
            (word.at, word.next) = (end - word.at, 0);
        }
        starts.push(end);
        let mut bytes = vec![0; end as usize];
        let mut document = 0;
        for lists in all {
            let mut payloads = lists.payloads.iter();
            for list in lists.documents() {
                for (&word, &payload) in list.iter().zip(&mut payloads) {
                    let word = &mut growing[word as usize];
                    let at = write(document - word.next, &mut bytes, word.at as usize);
                    bytes[at] = payload;
                    word.next = document + 1;
                    word.at = at as u32 + 1;
                }
                document += 1;
            }
        }
        Self {
            bytes: bytes.into(),
            starts,
            counts,
        }
    }
}

/// Writes a gap, and tells where what follows it goes.
#[inline]
pub(super) fn write(mut gap: u32, bytes: &mut [u8], mut at: usize) -> usize {
    while gap >= 0x80 {
        bytes[at] = gap as u8 | 0x80;
        gap >>= 7;
        at += 1;
    }
    bytes[at] = gap as u8;
    at + 1
}

/// The bytes a gap takes.
pub(super) const fn size(gap: u32) -> u32 {
    match gap {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_come_back_as_written(
            documents in prop::collection::vec(
                prop::collection::btree_map(0_u32..20, any::<u8>(), 0..6),
                0..900,
            ),
            cut in 0_usize..900,
        ) {
            let (head, tail) = documents.split_at(cut.min(documents.len()));
            let lists = |documents: &[std::collections::BTreeMap<u32, u8>]| {
                let mut lists = Lists::default();
                for document in documents {
                    lists.add(document.iter().map(|(word, payload)| (*word, *payload)));
                }
                lists
            };
            let postings = Postings::build(20, &[&lists(head), &lists(tail)]);
            for word in 0..20 {
                let written: Vec<(u32, u8)> = documents
                    .iter()
                    .enumerate()
                    .filter_map(|(number, held)| Some((number as u32, *held.get(&word)?)))
                    .collect();
                let read: Vec<_> = postings.list(word).collect();
                prop_assert_eq!(&read, &written);
                let mut each = Vec::new();
                postings.each(word, |document, payload| each.push((document, payload)));
                prop_assert_eq!(&each, &written);
                prop_assert_eq!(postings.count(word) as usize, written.len());
            }
        }
    }

    #[test]
    fn wide_gaps_take_more_bytes() {
        for gap in [
            0_u32,
            127,
            128,
            16_383,
            16_384,
            2_097_151,
            2_097_152,
            u32::MAX >> 1,
        ] {
            let mut bytes = Vec::new();
            let mut rest = gap;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.extend([rest as u8, 7]);
            assert_eq!(bytes.len() as u32, size(gap) + 1);
            let postings = Postings {
                starts: vec![0, bytes.len() as u32],
                counts: vec![1],
                bytes: bytes.into(),
            };
            assert_eq!(postings.list(0).collect::<Vec<_>>(), [(gap, 7)]);
        }
    }
}
