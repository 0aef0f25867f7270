//! Words as small numbers, in the order they were first seen: a string interner.
//!
//! A hash table with open addressing and linear probing: one array of slots, a clash goes to the
//! next slot, and at most three quarters are taken, so that a free one ends every search. A word
//! of up to 15 bytes is its own key, two integers, and is compared without looking at its text.

use std::hash::{BuildHasher, RandomState};

use sha2::{Digest as _, Sha256};

use super::scan::Span;

/// A set of byte strings, each with a number and a value; numbers count up from 0.
///
/// The numbers depend only on the order of insertion. The hash is seeded per process while words
/// are added, so a hostile skill cannot choose words that collide.
#[derive(Debug, Clone)]
pub(crate) struct Interner<V = ()> {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// A power of two of them, or none once frozen.
    slots: Vec<Slot>,
    /// One for each word, or none once frozen.
    records: Vec<Record<V>>,
    /// Number plus one; 0 is free. A power of two of them once frozen, none before.
    numbers: Vec<u32>,
    seed: u64,
}

/// Where a word may be found. Few bytes, since in a large catalog each look-up is a miss.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The half of the hash that does not choose the slot.
    tag: u32,
    /// Number plus one; 0 is free.
    number: u32,
}

/// What is known of a word. Common words are seen early, so theirs lie together.
#[derive(Debug, Clone, Copy)]
struct Record<V> {
    key: Key,
    value: V,
}

/// What tells words apart: everything for words of up to `KEY` bytes, a hash for longer ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    /// The first eight bytes, spread so that its upper half is a hash.
    head: u64,
    /// The rest of up to seven bytes, marked where there are eight before it.
    tail: u64,
}

/// So many words are looked up together.
const GROUP: usize = 16;

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl<V> Default for Interner<V> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            slots: vec![Slot::default(); 64],
            records: Vec::new(),
            numbers: Vec::new(),
            seed: RandomState::new().hash_one(0_u8),
        }
    }
}

impl<V: Copy + Default> Interner<V> {
    /// Makes room for so many words, so that they are not moved about while they come.
    pub(crate) fn reserve(&mut self, words: usize) {
        self.records.reserve(words);
        self.ends.reserve(words);
        while self.slots.len() * 3 < words * 4 {
            self.grow();
        }
    }

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

    /// The key of a word of a text; what follows the word makes this quicker.
    #[inline]
    fn key_at(&self, text: &[u8], word: Span) -> Key {
        let (start, length) = (word.start as usize, word.len());
        match text[start..].first_chunk::<16>() {
            Some(chunk) if length <= KEY => {
                let [head, tail] = halves(*chunk);
                short(self.seed, head & LOW[length], tail & HIGH[length], length)
            }
            _ => key(self.seed, &text[start..start + length]),
        }
    }

    /// Calls `found` with each of these words of a text, its number, whether it is new, and its
    /// value.
    #[inline]
    pub(crate) fn intern_all(
        &mut self,
        text: &[u8],
        words: &[Span],
        mut found: impl FnMut(Span, u32, bool, &mut V),
    ) {
        for group in words.chunks(GROUP) {
            // Each word's slot is asked for before the first one is needed: in a large catalog
            // most lie in no near cache, and so they are waited for together.
            let mask = self.slots.len() - 1;
            let mut near = [(Key::default(), 0); GROUP];
            for (near, &word) in near.iter_mut().zip(group) {
                let key = self.key_at(text, word);
                *near = (key, self.slots[key.hash() & mask].number);
            }
            for (&word, &(key, near)) in group.iter().zip(&near) {
                // A slot that was taken stays so, whatever was added since.
                let near = near.wrapping_sub(1);
                let (number, new) = match self.records.get(near as usize) {
                    Some(record) if record.key == key && word.len() <= KEY => (near, false),
                    _ => self.intern_key(&text[word.range()], key),
                };
                found(word, number, new, &mut self.records[number as usize].value);
            }
        }
    }

    fn intern_key(&mut self, word: &[u8], key: Key) -> (u32, bool) {
        match self.find(word, key) {
            Ok(number) => (number, false),
            Err(at) => (self.add(at, word, key), true),
        }
    }

    /// Adds a word in a free slot.
    fn add(&mut self, at: usize, word: &[u8], key: Key) -> u32 {
        let number = self.ends.len() as u32;
        self.slots[at] = Slot {
            tag: key.tag(),
            number: number + 1,
        };
        self.records.push(Record {
            key,
            value: V::default(),
        });
        self.bytes.extend_from_slice(word);
        self.ends.push(self.bytes.len() as u32);
        if self.ends.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        number
    }

    /// The value of a word.
    pub(crate) fn value(&self, number: u32) -> &V {
        &self.records[number as usize].value
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

    /// The table of a frozen interner, and the seed that orders it.
    pub(crate) fn table(&self) -> (&[u32], u64) {
        (&self.numbers, self.seed)
    }

    /// A frozen interner again, unless its parts do not fit together. A table in the wrong order
    /// loses words, and does no more harm.
    pub(crate) fn from_parts(
        bytes: Vec<u8>,
        ends: Vec<u32>,
        numbers: Vec<u32>,
        seed: u64,
    ) -> Option<Self> {
        let used = numbers.iter().filter(|number| **number != 0).count();
        let fits = ends.is_sorted()
            && ends.last().map_or(0, |end| *end as usize) == bytes.len()
            && numbers.len().is_power_of_two()
            // A search ends at a free place, so there must be one.
            && used == ends.len()
            && used < numbers.len()
            && numbers.iter().all(|number| *number as usize <= used);
        fits.then(|| Self {
            bytes,
            ends,
            slots: Vec::new(),
            records: Vec::new(),
            numbers,
            seed,
        })
    }

    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * 4
            + self.slots.capacity() * size_of::<Slot>()
            + self.records.capacity() * size_of::<Record<V>>()
            + self.numbers.capacity() * 4
    }

    /// Gives up the memory that only makes adding words quick. No word is added after this.
    ///
    /// From here on the words themselves give the seed, so that equal words make equal tables in
    /// every process. By a digest: nobody can choose words that collide under their own.
    pub(crate) fn freeze(&mut self) {
        if self.slots.is_empty() {
            return;
        }
        self.slots = Vec::new();
        self.records = Vec::new();
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        let digest = Sha256::digest(&self.bytes);
        self.seed = digest.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
        let mask = (self.len() * 5 / 4 + 1).next_power_of_two() - 1;
        self.numbers = vec![0; mask + 1];
        for number in 0..self.len() as u32 {
            let mut slot = key(self.seed, self.word(number)).hash() & mask;
            while self.numbers[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.numbers[slot] = number + 1;
        }
    }

    /// The number of a word, or the slot it belongs in.
    #[inline]
    fn find(&self, word: &[u8], key: Key) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = key.hash() & mask;
        loop {
            let slot = self.slots[at];
            if slot.number == 0 {
                return Err(at);
            }
            let number = slot.number - 1;
            if slot.tag == key.tag()
                && self.records[number as usize].key == key
                // The keys of long words mark themselves, but do not tell them apart.
                && (word.len() <= KEY || self.word(number) == word)
            {
                return Ok(number);
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![Slot::default(); mask + 1];
        for (number, record) in (1..).zip(&self.records) {
            let mut at = record.key.hash() & mask;
            while self.slots[at].number != 0 {
                at = (at + 1) & mask;
            }
            let tag = record.key.tag();
            self.slots[at] = Slot { tag, number };
        }
    }
}

/// Words of up to so many bytes are told apart by their key alone.
const KEY: usize = 15;

/// Marks the tail of a longer word's key.
const LONG: u64 = 1 << 63;

/// Keep the bytes of a word of this length, of its first eight and of those after them.
const LOW: [u64; KEY + 1] = kept(0);
const HIGH: [u64; KEY + 1] = kept(8);

const fn kept(from: usize) -> [u64; KEY + 1] {
    let mut masks = [0; KEY + 1];
    let mut length = from;
    while length <= KEY {
        masks[length] = if length - from < 8 {
            (1 << (8 * (length - from))) - 1
        } else {
            u64::MAX
        };
        length += 1;
    }
    masks
}

impl Key {
    #[inline]
    fn hash(self) -> usize {
        (self.head >> 32) as usize
    }

    #[inline]
    fn tag(self) -> u32 {
        self.head as u32
    }
}

/// The key of a word of up to `KEY` bytes, given as two numbers.
#[inline]
fn short(seed: u64, head: u64, rest: u64, length: usize) -> Key {
    // The top byte of the rest is free, and tells a word of eight bytes from a shorter one.
    let tail = rest | u64::from(length >= 8) << 62;
    // The rest moves the hash only, in a way that can be undone once it is known.
    let moved = tail.wrapping_mul(MULTIPLIER).rotate_left(32);
    Key {
        head: spread(head ^ seed ^ moved),
        tail,
    }
}

fn key(seed: u64, word: &[u8]) -> Key {
    if word.len() <= KEY {
        let mut padded = [0; 16];
        padded[..word.len()].copy_from_slice(word);
        let [head, rest] = halves(padded);
        return short(seed, head, rest, word.len());
    }
    let (chunks, _) = word.as_chunks::<8>();
    let mut state = seed ^ word.len() as u64;
    for chunk in chunks {
        state = mix(state, u64::from_le_bytes(*chunk)).wrapping_add(seed);
    }
    // The last eight bytes overlap the chunk before them; reading them so needs no branch.
    let last = word
        .last_chunk()
        .map_or(0, |last| u64::from_le_bytes(*last));
    let tail = mix(state, last) | LONG;
    Key {
        head: spread(state ^ tail),
        tail,
    }
}

#[inline]
fn halves(bytes: [u8; 16]) -> [u64; 2] {
    let number = u128::from_le_bytes(bytes);
    [number as u64, (number >> 64) as u64]
}

/// Spreads a number over all bits. Both steps can be undone, so different numbers stay
/// different; a word holds no NUL, so padding does not make two words equal.
#[inline]
fn spread(number: u64) -> u64 {
    let spread = number.wrapping_mul(MULTIPLIER);
    (spread ^ spread >> 32).wrapping_mul(MULTIPLIER)
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
        let mut interner = Interner::<()>::default();
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
        let mut interner = Interner::<()>::default();
        let words: Vec<String> = (0..400)
            .map(|length| "ab".repeat(length))
            .chain((0..400).map(|length| format!("{}c", "ba".repeat(length))))
            .collect();
        let text = words.join(" ");
        for round in 0..2 {
            let mut spans = Vec::new();
            let mut start = 0;
            for word in &words {
                spans.push(Span::new(start, start + word.len()));
                start += word.len() + 1;
            }
            let mut next = 0;
            interner.intern_all(text.as_bytes(), &spans, |word, number, new, ()| {
                assert_eq!((number, new), (next, round == 0));
                assert_eq!(&text[word.range()], words[number as usize]);
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
    fn a_word_has_one_key_wherever_it_stands() {
        let interner = Interner::<()>::default();
        let text = "abcdefghijklmnopqrstuvwxyz".repeat(2);
        let mut keys = std::collections::HashSet::new();
        for length in 0..26 {
            let word = &text.as_bytes()[..length];
            let key = key(interner.seed, word);
            assert_eq!(interner.key_at(word, Span::new(0, length)), key);
            assert_eq!(interner.key_at(text.as_bytes(), Span::new(0, length)), key);
            assert!(keys.insert((key.head, key.tail)));
        }
    }

    #[test]
    fn values_stay_with_their_words() {
        let mut interner = Interner::<u32>::default();
        let text = (0..2_000_u32).map(|number| number.to_string());
        let text = text.collect::<Vec<_>>().join(" ");
        let mut words = Vec::new();
        crate::words::scan(&text, |word| words.push(word));
        for round in 0..3 {
            interner.intern_all(text.as_bytes(), &words, |_, number, _, value| {
                assert_eq!(*value, number * round);
                *value += number;
            });
        }
    }
}
