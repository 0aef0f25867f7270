//! Lists of documents per term, as compact bytes.
//!
//! A list holds, in rising order, the gap to the next document as a variable number of bytes,
//! then one byte of payload. Lists are written in two passes over the same
//! documents: the first measures, the second writes in place, so nothing is sorted or copied.

/// Lists of documents, one for each term number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Postings {
    pub(super) bytes: Vec<u8>,
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
        self.bytes.capacity() + (self.starts.capacity() + self.counts.capacity()) * 4
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

/// Measures lists, then writes them.
pub(crate) struct Writer {
    sizes: Vec<u32>,
    counts: Vec<u32>,
    next: Vec<u32>,
}

impl Writer {
    pub(crate) fn new(terms: usize) -> Self {
        Self {
            sizes: vec![0; terms],
            counts: vec![0; terms],
            next: vec![0; terms],
        }
    }

    pub(crate) fn measure(&mut self, term: u32, document: u32) {
        let term = term as usize;
        self.sizes[term] += size(document - self.next[term]) + 1;
        self.counts[term] += 1;
        self.next[term] = document + 1;
    }

    /// Ends the measuring. `write` must then see the same documents in the same order.
    pub(crate) fn measured(self) -> Filler {
        let Self {
            sizes,
            counts,
            mut next,
        } = self;
        let mut starts = Vec::with_capacity(sizes.len() + 1);
        let mut end = 0;
        for size in &sizes {
            starts.push(end);
            end += size;
        }
        starts.push(end);
        next.fill(0);
        let cursors = starts.clone();
        Filler {
            postings: Postings {
                bytes: vec![0; end as usize],
                starts,
                counts,
            },
            cursors,
            next,
        }
    }
}

/// Writes lists whose sizes are known.
pub(crate) struct Filler {
    postings: Postings,
    cursors: Vec<u32>,
    next: Vec<u32>,
}

impl Filler {
    pub(crate) fn write(&mut self, term: u32, document: u32, payload: u8) {
        let term = term as usize;
        let mut gap = document - self.next[term];
        self.next[term] = document + 1;
        let mut at = self.cursors[term] as usize;
        while gap >= 0x80 {
            self.postings.bytes[at] = gap as u8 | 0x80;
            gap >>= 7;
            at += 1;
        }
        self.postings.bytes[at] = gap as u8;
        self.postings.bytes[at + 1] = payload;
        self.cursors[term] = at as u32 + 2;
    }

    pub(crate) fn finish(self) -> Postings {
        self.postings
    }
}

const fn size(gap: u32) -> u32 {
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
            lists in prop::collection::vec(
                prop::collection::btree_map(0_u32..400_000_000, any::<u8>(), 0..20),
                1..5,
            )
        ) {
            let mut writer = Writer::new(lists.len());
            for (term, list) in lists.iter().enumerate() {
                for &document in list.keys() {
                    writer.measure(term as u32, document);
                }
            }
            let mut filler = writer.measured();
            for (term, list) in lists.iter().enumerate() {
                for (&document, &payload) in list {
                    filler.write(term as u32, document, payload);
                }
            }
            let postings = filler.finish();
            for (term, list) in lists.iter().enumerate() {
                let read: Vec<_> = postings.list(term as u32).collect();
                let written: Vec<_> = list.iter().map(|(&d, &p)| (d, p)).collect();
                prop_assert_eq!(read, written);
                prop_assert_eq!(postings.count(term as u32) as usize, list.len());
            }
        }
    }
}
