//! Terms, postings and field statistics of many skills.
//!
//! The index knows documents by their position in the list it was built from. It is made of
//! *segments* that never change: a changed list of skills keeps the segments it can and adds one
//! for what is new, so a changed skill costs that skill. Once too much of it is dead or
//! scattered, the parts are read together again from what they hold, not from the text.

mod batch;
mod blob;
mod bytes;
mod derive;
mod fields;
mod forward;
mod grouped;
mod local;
mod near;
mod postings;
mod reading;
mod segment;
mod weights;

use std::{borrow::Cow, sync::Arc};

pub(crate) use blob::Blob;
pub use bytes::IndexError;
pub(crate) use fields::sections;
pub use fields::{Field, clauses};
pub(crate) use reading::{EntryReader, Reading};
pub(crate) use segment::{GAP, IN_BODY, IN_DESCRIPTION, IN_NAME, IN_TAGS, Segment};
pub(crate) use weights::FULL;
pub use weights::FieldWeights;

/// What the index reads of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry<'a> {
    /// The name.
    pub name: &'a str,
    /// The description, with whatever else says when to use the skill.
    pub description: Cow<'a, str>,
    /// The labels.
    pub tags: Vec<&'a str>,
    /// The instructions.
    pub body: &'a str,
}

/// One document of a changed list.
#[derive(Debug, Clone)]
pub enum Change<'a> {
    /// The document that stood at this position before, unchanged.
    Keep(u32),
    /// A new or changed document.
    Read(Entry<'a>),
}

/// Marks a slot whose document is gone.
const DEAD: u32 = u32::MAX;

/// A segment and where its documents stand today.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) segment: Arc<Segment>,
    /// Position of each slot, or `DEAD`.
    pub(crate) positions: Arc<[u32]>,
    /// How many living documents hold each term; `None` where every document lives.
    pub(crate) counts: Option<Arc<[u32]>>,
}

impl Part {
    /// How many living documents hold a term.
    pub(crate) fn count(&self, term: u32) -> u32 {
        match &self.counts {
            Some(counts) => counts[term as usize],
            None => self.segment.term_postings.count(term),
        }
    }

    /// Whether the document in a slot is still there.
    pub(crate) fn alive(&self, slot: usize) -> bool {
        self.counts.is_none() || self.positions[slot] != DEAD
    }
}

/// Terms, postings and field statistics of many skills.
#[derive(Debug, Clone)]
pub struct Index {
    pub(crate) parts: Vec<Part>,
    /// Part and slot of each position.
    pub(crate) places: Arc<[(u32, u32)]>,
    pub(crate) weights: Arc<FieldWeights>,
}

impl Default for Index {
    fn default() -> Self {
        Self::build(&[])
    }
}

impl Index {
    /// Reads skills; each is known by its position from then on.
    pub fn build(entries: &[Entry<'_>]) -> Self {
        Self::build_with(entries, FieldWeights::default(), threads())
    }

    /// Reads skills with other weights, on so many threads. The result does not depend on the
    /// number of threads.
    pub fn build_with(entries: &[Entry<'_>], weights: FieldWeights, threads: usize) -> Self {
        let segment = Segment::build(entries, &weights, threads);
        let count = segment.len() as u32;
        let part = Part {
            segment: Arc::new(segment),
            positions: (0..count).collect(),
            counts: None,
        };
        Self {
            parts: vec![part],
            places: (0..count).map(|slot| (0, slot)).collect(),
            weights: Arc::new(weights),
        }
    }

    /// How many documents it holds.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The numbers of a term, one per part; `None` where a part does not know it.
    pub(crate) fn numbers(&self, term: &str) -> Vec<Option<u32>> {
        let number = |part: &Part| part.segment.terms.get(term.as_bytes());
        self.parts.iter().map(number).collect()
    }

    /// How many documents hold the term with these numbers: its document frequency.
    pub(crate) fn document_count(&self, numbers: &[Option<u32>]) -> u32 {
        let parts = self.parts.iter().zip(numbers);
        let counts = parts.filter_map(|(part, number)| Some(part.count((*number)?)));
        counts.sum()
    }

    /// Every term with the number of documents that hold it, in no order that means anything.
    pub fn document_frequencies(&self) -> impl Iterator<Item = (&str, u32)> {
        self.parts.iter().enumerate().flat_map(move |(at, part)| {
            let terms = (0..part.segment.terms.len() as u32).map(|id| part.segment.terms.text(id));
            // A term of several parts is told by the first.
            let first = move |numbers: &[Option<u32>]| numbers[..at].iter().all(Option::is_none);
            terms.filter_map(move |term| {
                let numbers = self.numbers(term);
                let count = self.document_count(&numbers);
                (first(&numbers) && count > 0).then_some((term, count))
            })
        })
    }

    /// The bytes it keeps in memory.
    pub fn memory(&self) -> usize {
        let parts: usize = self
            .parts
            .iter()
            .map(|part| part.segment.memory() + part.positions.len() * 4)
            .sum();
        parts + self.places.len() * 8
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
