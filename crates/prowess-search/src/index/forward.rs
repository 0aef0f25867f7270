//! The forward index: the terms of each document, delta-coded as varints like the postings.

use super::postings::{Postings, size, write};

/// Term numbers of each document: rising, as gaps of a variable number of bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forward {
    bytes: Vec<u8>,
    /// Where each document starts, and one more for the end.
    starts: Vec<u32>,
}

impl Forward {
    /// The lists of so many documents, turned round. Terms come in their order, so nothing is
    /// sorted: one pass measures, the other writes in place.
    pub(super) fn of(postings: &Postings, terms: usize, documents: usize) -> Self {
        let gap = |next: &mut u32, term: u32| {
            let gap = term - *next;
            *next = term + 1;
            gap
        };
        let mut next = vec![0; documents];
        let mut starts = vec![0; documents + 1];
        for term in 0..terms as u32 {
            postings.each(term, |slot, _| {
                let slot = slot as usize;
                starts[slot + 1] += size(gap(&mut next[slot], term));
            });
        }
        for slot in 0..documents {
            starts[slot + 1] += starts[slot];
        }
        let mut bytes = vec![0; starts[documents] as usize];
        let mut places = starts.clone();
        next.fill(0);
        for term in 0..terms as u32 {
            postings.each(term, |slot, _| {
                let slot = slot as usize;
                let gap = gap(&mut next[slot], term);
                places[slot] = write(gap, &mut bytes, places[slot] as usize) as u32;
            });
        }
        Self { bytes, starts }
    }

    /// Calls `found` for each term of a document.
    pub(super) fn each(&self, slot: u32, mut found: impl FnMut(u32)) {
        let slot = slot as usize;
        let (mut term, mut shift, mut next) = (0_u32, 0, 0_u32);
        for byte in &self.bytes[self.starts[slot] as usize..self.starts[slot + 1] as usize] {
            term |= u32::from(byte & 0x7F) << shift;
            shift += 7;
            if *byte < 0x80 || shift > 28 {
                next = next.wrapping_add(term);
                found(next);
                next = next.wrapping_add(1);
                (term, shift) = (0, 0);
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.starts.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::postings::Lists;

    #[test]
    fn terms_come_back_sorted() {
        let lists = Lists {
            words: vec![70_000, 3, 200, 0],
            payloads: vec![0; 4],
            ends: vec![3, 3, 4],
        };
        let forward = Forward::of(&Postings::build(70_001, &[&lists]), 70_001, 3);
        let terms = |slot| {
            let mut terms = Vec::new();
            forward.each(slot, |term| terms.push(term));
            terms
        };
        assert_eq!(terms(0), [3, 200, 70_000]);
        assert!(terms(1).is_empty());
        assert_eq!(terms(2), [0]);
    }
}
