//! Values for the words of the document at hand.

use std::hash::{BuildHasher, RandomState};

/// Values by number, for as many numbers as one document has.
///
/// Numbers come from the whole catalog, so an array by number would be far larger than the
/// nearest cache; this stays as small as its document.
pub(super) struct Local<T> {
    /// Position in `items` plus one; 0 is free. The length is a power of two.
    slots: Vec<u32>,
    /// Seeded per process, so that a hostile catalog cannot choose numbers that collide.
    factor: u32,
    shift: u32,
    pub(super) items: Vec<(u32, T)>,
}

/// Room for most documents; a larger one grows it.
const SLOTS: usize = 1024;

impl<T: Default> Default for Local<T> {
    fn default() -> Self {
        Self {
            slots: vec![0; SLOTS],
            factor: RandomState::new().hash_one(0_u8) as u32 | 1,
            shift: SLOTS.leading_zeros() - (usize::BITS - 32) + 1,
            items: Vec::new(),
        }
    }
}

impl<T: Default> Local<T> {
    /// The value of a number.
    #[inline]
    pub(super) fn at(&mut self, number: u32) -> &mut T {
        let mask = self.slots.len() - 1;
        let mut slot = self.slot(number);
        loop {
            let place = self.slots[slot] as usize;
            if place == 0 {
                return self.add(slot, number);
            }
            if self.items[place - 1].0 == number {
                return &mut self.items[place - 1].1;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    fn slot(&self, number: u32) -> usize {
        (number.wrapping_mul(self.factor) >> self.shift) as usize
    }

    fn add(&mut self, slot: usize, number: u32) -> &mut T {
        self.items.push((number, T::default()));
        let last = self.items.len();
        self.slots[slot] = last as u32;
        if last * 2 > self.slots.len() {
            self.resize(self.slots.len() * 2);
        }
        &mut self.items[last - 1].1
    }

    fn resize(&mut self, slots: usize) {
        self.slots.clear();
        self.slots.resize(slots, 0);
        self.shift = slots.leading_zeros() - (usize::BITS - 32) + 1;
        for at in 0..self.items.len() {
            let mut slot = self.slot(self.items[at].0);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = at as u32 + 1;
        }
    }

    /// Forgets everything, and the room that a very large document took.
    pub(super) fn clear(&mut self) {
        self.items.clear();
        if self.slots.len() > SLOTS {
            self.resize(SLOTS);
        } else {
            self.slots.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_apart_however_many_there_are() {
        let mut local = Local::<u32>::default();
        for round in 1..=3 {
            for repeat in 1..=2 {
                for number in 0..3_000 * round {
                    *local.at(number * 7) += number;
                    assert_eq!(*local.at(number * 7), number * repeat);
                }
            }
            let order: Vec<u32> = local.items.iter().map(|item| item.0).collect();
            assert!(order.is_sorted() && order.len() == 3_000 * round as usize);
            local.clear();
        }
    }
}
