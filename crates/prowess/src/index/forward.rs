//! The terms of each document, in few bytes.

use super::{Blob, postings::Lists};

/// Term numbers of each document: rising, as gaps of a variable number of bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(super) bytes: Blob,
    pub(super) ends: Vec<u32>,
}

impl Forward {
    /// The documents of these lists, one list after the other.
    pub(super) fn build(all: &[&Lists]) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        let mut sorted: Vec<u32> = Vec::new();
        for lists in all {
            for list in lists.documents() {
                sorted.clear();
                sorted.extend_from_slice(list);
                sorted.sort_unstable();
                let mut next = 0;
                for &term in &sorted {
                    let mut gap = term - next;
                    next = term + 1;
                    while gap >= 0x80 {
                        bytes.push(gap as u8 | 0x80);
                        gap >>= 7;
                    }
                    bytes.push(gap as u8);
                }
                ends.push(bytes.len() as u32);
            }
        }
        ends.shrink_to_fit();
        Self {
            bytes: bytes.into(),
            ends,
        }
    }

    /// Calls `found` for each term of a document.
    pub(super) fn each(&self, slot: u32, mut found: impl FnMut(u32)) {
        let slot = slot as usize;
        let start = if slot == 0 {
            0
        } else {
            self.ends[slot - 1] as usize
        };
        let (mut term, mut shift, mut next) = (0_u32, 0, 0_u32);
        for byte in &self.bytes[start..self.ends[slot] as usize] {
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
        self.bytes.len() + self.ends.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_back_sorted() {
        let lists = Lists {
            words: vec![70_000, 3, 200, 0],
            payloads: vec![0; 4],
            ends: vec![3, 3, 4],
        };
        let forward = Forward::build(&[&lists]);
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
