//! Words as small numbers, in the order they were first seen.

use std::hash::{BuildHasher, RandomState};

/// A set of byte strings, each with a number; numbers count up from 0.
///
/// The numbers depend only on the order of insertion. The hash is seeded per process, so a
/// hostile skill can not choose words that collide.
#[derive(Debug, Clone)]
pub(crate) struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// What is compared first: see `key`. As long as `numbers`, or empty once frozen.
    keys: Vec<u64>,
    /// Number plus one; 0 is free. The top bit marks words longer than their key. The length is
    /// a power of two.
    numbers: Vec<u32>,
    seed: u64,
}

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl Default for Interner {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            keys: vec![0; 64],
            numbers: vec![0; 64],
            seed: RandomState::new().hash_one(0_u8),
        }
    }
}

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, word: &[u8]) -> Option<u32> {
        self.find(word, key(self.seed, word)).ok()
    }

    /// The number of a word, and whether it is new.
    #[inline]
    pub(crate) fn intern(&mut self, word: &[u8]) -> (u32, bool) {
        let key = key(self.seed, word);
        match self.find(word, key) {
            Ok(number) => (number, false),
            Err(slot) => {
                let number = self.ends.len() as u32;
                self.bytes.extend_from_slice(word);
                self.ends.push(self.bytes.len() as u32);
                self.keys[slot] = key;
                self.numbers[slot] = (number + 1) | if word.len() > KEY { LONG } else { 0 };
                if self.ends.len() * 4 > self.keys.len() * 3 {
                    self.grow();
                }
                (number, true)
            }
        }
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
            + self.keys.capacity() * 8
            + self.numbers.capacity() * 4
    }

    /// Gives up the memory that only makes adding words quick. No word is added after this.
    pub(crate) fn freeze(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.keys = Vec::new();
        let mask = (self.len() * 5 / 4 + 1).next_power_of_two() - 1;
        self.numbers = vec![0; mask + 1];
        for number in 0..self.len() as u32 {
            let word = self.word(number);
            let long = if word.len() > KEY { LONG } else { 0 };
            let mut slot = (key(self.seed, word) >> 32) as usize & mask;
            while self.numbers[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.numbers[slot] = (number + 1) | long;
        }
    }

    #[inline]
    fn find(&self, word: &[u8], key: u64) -> Result<u32, usize> {
        let mask = self.numbers.len() - 1;
        let frozen = self.keys.is_empty();
        let long = word.len() > KEY;
        let mut slot = (key >> 32) as usize & mask;
        loop {
            let number = self.numbers[slot];
            if number == 0 {
                return Err(slot);
            }
            if (number & LONG != 0) == long && (frozen || self.keys[slot] == key) {
                let number = (number & !LONG) - 1;
                if (!long && !frozen) || self.word(number) == word {
                    return Ok(number);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mask = self.keys.len() * 2 - 1;
        let (mut keys, mut numbers) = (vec![0; mask + 1], vec![0; mask + 1]);
        for (&key, &number) in self
            .keys
            .iter()
            .zip(&self.numbers)
            .filter(|(_, number)| **number != 0)
        {
            let mut slot = (key >> 32) as usize & mask;
            while numbers[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            (keys[slot], numbers[slot]) = (key, number);
        }
        (self.keys, self.numbers) = (keys, numbers);
    }
}

/// Words of up to so many bytes are told apart by their key alone.
const KEY: usize = 8;
const LONG: u32 = 1 << 31;

/// A number that is different for each word of up to `KEY` bytes, and a hash for longer ones.
#[inline]
fn key(seed: u64, word: &[u8]) -> u64 {
    let mut state = seed;
    let (chunks, rest) = word.as_chunks::<8>();
    if word.len() > KEY {
        for chunk in chunks {
            state = mix(state, u64::from_le_bytes(*chunk)).wrapping_add(seed);
        }
        return mix(mix(state, pack(rest)), word.len() as u64);
    }
    // Both steps can be undone, so different words have different keys; a word holds no NUL, so
    // padding does not make two words equal.
    let packed = chunks
        .first()
        .map_or_else(|| pack(rest), |chunk| u64::from_le_bytes(*chunk));
    let spread = (packed ^ seed).wrapping_mul(MULTIPLIER);
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
    fn short_words_pack_to_different_numbers() {
        assert_eq!(pack(b"ab"), 0x6261);
        assert_eq!(pack(b"abcde"), 0x65_6463_6261);
        assert_ne!(pack(b"aaaa"), pack(b"aaaaa"));
    }
}
