//! Words as small numbers, in the order they were first seen.

use std::hash::{BuildHasher, RandomState};

/// A set of byte strings, each with a number; numbers count up from 0.
///
/// The numbers depend only on the order of insertion. The hash is seeded per process, so a
/// hostile skill cannot choose words that collide.
#[derive(Debug, Clone)]
pub(crate) struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// A power of two of them, or none once frozen.
    slots: Vec<Slot>,
    /// Number plus one; 0 is free. A power of two of them once frozen, none before.
    numbers: Vec<u32>,
    seed: u64,
}

/// Where a word is found. All of it lies together, since each look-up is a miss.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    key: Key,
    /// Number plus one; 0 is free. The top bit marks words longer than their key.
    number: u32,
    /// Where a longer word starts.
    start: u32,
}

/// What tells words apart: everything for words of up to `KEY` bytes, a hash for longer ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    /// The first eight bytes, spread so that its upper half is a hash.
    head: u64,
    /// The last eight bytes, or the rest of fewer than eight.
    tail: u64,
}

/// A word of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    key: Key,
    start: u32,
    length: u32,
}

/// So many words are looked up together.
const GROUP: usize = 8;

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl Default for Interner {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            slots: vec![Slot::default(); 64],
            numbers: Vec::new(),
            seed: RandomState::new().hash_one(0_u8),
        }
    }
}

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, word: &[u8]) -> Option<u32> {
        let key = key(self.seed, word);
        if !self.slots.is_empty() {
            return self.find(word, key).ok();
        }
        let mask = self.numbers.len() - 1;
        let mut slot = key.hash() & mask;
        while self.numbers[slot] != 0 {
            let number = self.numbers[slot] - 1;
            if self.word(number) == word {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// The number of a word, and whether it is new.
    pub(crate) fn intern(&mut self, word: &[u8]) -> (u32, bool) {
        self.intern_key(word, key(self.seed, word))
    }

    /// Where a word stands in a text, with its key; what follows the word makes this quicker.
    #[inline]
    pub(crate) fn place(&self, text: &[u8], start: usize, length: usize) -> Place {
        let key = match text[start..].first_chunk::<8>() {
            Some(chunk) if length < 8 => short(self.seed, u64::from_le_bytes(*chunk) & LOW[length]),
            _ => key(self.seed, &text[start..start + length]),
        };
        Place {
            key,
            start: start as u32,
            length: length as u32,
        }
    }

    /// Calls `found` with each of these words of a text, its number, and whether it is new.
    #[inline]
    pub(crate) fn intern_all(
        &mut self,
        text: &[u8],
        places: &[Place],
        mut found: impl FnMut(&[u8], u32, bool),
    ) {
        for group in places.chunks(GROUP) {
            let mask = self.slots.len() - 1;
            let mut first = [Slot::default(); GROUP];
            for (slot, place) in first.iter_mut().zip(group) {
                *slot = self.slots[place.key.hash() & mask];
            }
            for (slot, place) in first.iter().zip(group) {
                let start = place.start as usize;
                let word = &text[start..start + place.length as usize];
                // A slot that was taken stays so, whatever was added since.
                if slot.key == place.key && slot.number.wrapping_sub(1) < LONG - 1 {
                    found(word, slot.number - 1, false);
                } else {
                    let (number, new) = self.intern_key(word, place.key);
                    found(word, number, new);
                }
            }
        }
    }

    #[inline]
    fn intern_key(&mut self, word: &[u8], key: Key) -> (u32, bool) {
        match self.find(word, key) {
            Ok(number) => (number, false),
            Err(slot) => (self.add(slot, word, key), true),
        }
    }

    fn add(&mut self, slot: usize, word: &[u8], key: Key) -> u32 {
        let number = self.ends.len() as u32;
        self.slots[slot] = Slot {
            key,
            number: (number + 1) | if word.len() > KEY { LONG } else { 0 },
            start: self.bytes.len() as u32,
        };
        self.bytes.extend_from_slice(word);
        self.ends.push(self.bytes.len() as u32);
        if self.ends.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        number
    }

    pub(crate) fn word(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1] as usize
        };
        &self.bytes[start..self.ends[number] as usize]
    }

    /// The word as text. Only whole words of UTF-8 text are interned, so nothing is lost.
    pub(crate) fn text(&self, number: u32) -> &str {
        std::str::from_utf8(self.word(number)).unwrap_or("")
    }

    /// All words, one after the other.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where each word ends.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The words of `bytes` and `ends` again, unless the two do not fit or a word is there twice.
    pub(crate) fn from_parts(bytes: &[u8], ends: Vec<u32>) -> Option<Self> {
        let mut interner = Self::default();
        let mut start = 0;
        for end in ends {
            let (number, new) = interner.intern(bytes.get(start..end as usize)?);
            if !new {
                return None;
            }
            debug_assert_eq!(number as usize + 1, interner.len());
            start = end as usize;
        }
        interner.freeze();
        (start == bytes.len()).then_some(interner)
    }

    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * 4
            + self.slots.capacity() * size_of::<Slot>()
            + self.numbers.capacity() * 4
    }

    /// Gives up the memory that only makes adding words quick. No word is added after this.
    pub(crate) fn freeze(&mut self) {
        if self.slots.is_empty() {
            return;
        }
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        let mask = (self.len() * 5 / 4 + 1).next_power_of_two() - 1;
        self.numbers = vec![0; mask + 1];
        for taken in std::mem::take(&mut self.slots) {
            if taken.number != 0 {
                let mut slot = taken.key.hash() & mask;
                while self.numbers[slot] != 0 {
                    slot = (slot + 1) & mask;
                }
                self.numbers[slot] = taken.number & !LONG;
            }
        }
    }

    #[inline]
    fn find(&self, word: &[u8], key: Key) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let long = word.len() > KEY;
        let mut at = key.hash() & mask;
        loop {
            let slot = self.slots[at];
            if slot.number == 0 {
                return Err(at);
            }
            if slot.key == key && (slot.number & LONG != 0) == long {
                let number = (slot.number & !LONG) - 1;
                if !long || self.is_at(slot.start, word, number) {
                    return Ok(number);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Whether the long word that starts here, whose key is the same, is this one.
    fn is_at(&self, start: u32, word: &[u8], number: u32) -> bool {
        let start = start as usize;
        self.bytes.get(start..start + word.len()) == Some(word)
            && self.word(number).len() == word.len()
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); mask + 1]);
        for slot in old.into_iter().filter(|slot| slot.number != 0) {
            let mut at = slot.key.hash() & mask;
            while self.slots[at].number != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }
}

/// Words of up to so many bytes are told apart by their key alone.
const KEY: usize = 15;
const LONG: u32 = 1 << 31;

/// Keeps so many bytes of eight.
const LOW: [u64; 8] = {
    let mut masks = [0; 8];
    let mut length = 0;
    while length < 8 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

impl Key {
    #[inline]
    fn hash(self) -> usize {
        (self.head >> 32) as usize
    }
}

/// The key of a word of less than eight bytes, given as a number.
#[inline]
fn short(seed: u64, packed: u64) -> Key {
    Key {
        head: spread(packed ^ seed),
        tail: 0,
    }
}

#[inline]
fn key(seed: u64, word: &[u8]) -> Key {
    let (chunks, rest) = word.as_chunks::<8>();
    let Some((first, chunks)) = chunks.split_first() else {
        return short(seed, pack(rest));
    };
    let first = u64::from_le_bytes(*first) ^ seed;
    let (Some(last), false) = (word.last_chunk::<8>(), word.len() <= KEY) else {
        // The top byte of the rest is free, and tells a word of eight bytes from a shorter one.
        let tail = pack(rest) | 1 << 63;
        // The rest moves the hash only, in a way that can be undone once it is known.
        let head = spread(first ^ mix(seed, tail));
        return Key { head, tail };
    };
    let mut state = first;
    for chunk in chunks {
        state = mix(state, u64::from_le_bytes(*chunk)).wrapping_add(seed);
    }
    // The last eight bytes overlap the chunk before them; reading them so needs no branch.
    let tail = mix(state, u64::from_le_bytes(*last));
    Key {
        head: spread(first ^ tail ^ word.len() as u64),
        tail,
    }
}

/// Spreads a number over all bits. Both steps can be undone, so different numbers stay
/// different; a word holds no NUL, so padding does not make two words equal.
#[inline]
fn spread(number: u64) -> u64 {
    let spread = number.wrapping_mul(MULTIPLIER);
    (spread ^ spread >> 32).wrapping_mul(MULTIPLIER)
}

/// Up to eight bytes as a number, as if padded with zeros; read four at a time.
#[inline]
fn pack(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if let (Some(head), Some(tail)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (head, tail) = (u32::from_le_bytes(*head), u32::from_le_bytes(*tail));
        let rest = u64::from(tail) >> (8 * (8 - length));
        return u64::from(head) | rest << 32;
    }
    bytes
        .iter()
        .rev()
        .fold(0, |packed, byte| packed << 8 | u64::from(*byte))
}

#[inline]
fn mix(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value) * u128::from(MULTIPLIER);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_order_of_first_sight() {
        let mut interner = Interner::default();
        for round in 0..2 {
            for number in 0..5_000_u32 {
                let word = format!("word{number}");
                assert_eq!(interner.intern(word.as_bytes()), (number, round == 0));
            }
        }
        for _ in 0..2 {
            assert_eq!(interner.text(4_321), "word4321");
            assert_eq!(interner.get(b"word17"), Some(17));
            assert_eq!(interner.get(b"absent"), None);
            interner.freeze();
        }
    }

    #[test]
    fn long_words_are_told_apart() {
        let mut interner = Interner::default();
        let words: Vec<String> = (0..400)
            .map(|length| "ab".repeat(length))
            .chain((0..400).map(|length| format!("{}c", "ba".repeat(length))))
            .collect();
        let text = words.join(" ");
        for round in 0..2 {
            let mut places = Vec::new();
            let mut start = 0;
            for word in &words {
                places.push(interner.place(text.as_bytes(), start, word.len()));
                start += word.len() + 1;
            }
            let mut next = 0;
            interner.intern_all(text.as_bytes(), &places, |word, number, new| {
                assert_eq!((number, new), (next, round == 0));
                assert_eq!(word, words[number as usize].as_bytes());
                next += 1;
            });
            for (number, word) in words.iter().enumerate() {
                assert_eq!(interner.intern(word.as_bytes()), (number as u32, false));
            }
        }
        interner.freeze();
        assert_eq!(interner.get(words[777].as_bytes()), Some(777));
    }

    #[test]
    fn short_words_pack_to_different_numbers() {
        assert_eq!(pack(b"ab"), 0x6261);
        assert_eq!(pack(b"abcde"), 0x65_6463_6261);
        assert_ne!(pack(b"aaaa"), pack(b"aaaaa"));
    }
}
