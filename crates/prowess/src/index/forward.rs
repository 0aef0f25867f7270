//! The terms of each document, in few bytes.

/// Term numbers of each document: rising, as gaps of a variable number of bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<u32>,
}

impl Forward {
    /// Adds documents whose terms stand in `lists`, each up to its end. Sorts the lists.
    pub(super) fn extend(&mut self, lists: &mut [(u32, u8)], ends: &[u32]) {
        let mut start = 0;
        for &end in ends {
            let list = &mut lists[start..end as usize];
            list.sort_unstable();
            let mut next = 0;
            for &(term, _) in &*list {
                let mut gap = term - next;
                next = term + 1;
                while gap >= 0x80 {
                    self.bytes.push(gap as u8 | 0x80);
                    gap >>= 7;
                }
                self.bytes.push(gap as u8);
            }
            self.ends.push(self.bytes.len() as u32);
            start = end as usize;
        }
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
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
        self.bytes.capacity() + self.ends.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_back_sorted() {
        let mut forward = Forward::default();
        let mut lists = [(70_000, 1), (3, 1), (200, 9), (0, 0)];
        forward.extend(&mut lists, &[3, 3, 4]);
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
