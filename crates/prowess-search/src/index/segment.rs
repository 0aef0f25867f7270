//! A batch of documents, read once and never changed.

use std::sync::OnceLock;

use super::{
    Entry, FieldWeights, batch::Batch, forward::Forward, grouped::Grouped, near::Near,
    postings::Postings,
};
use crate::words::Interner;

/// Bits of a token's payload: where it stands.
pub(crate) const IN_NAME: u8 = 1;
pub(crate) const IN_DESCRIPTION: u8 = 2;
pub(crate) const IN_TAGS: u8 = 4;
pub(crate) const IN_BODY: u8 = 8;

/// Separates name, description and tags in a document's metadata.
pub(crate) const GAP: u32 = u32::MAX;

/// Documents per thread below which another thread costs more than it saves.
const MIN_SHARE: usize = 64;

/// A batch of documents: their terms, their tokens, and who contains them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Segment {
    /// Unique body tokens per document, for the ranker `overlap`.
    pub(crate) unique: Vec<u32>,
    /// What `overlap` divides the sum of each document by: the square root of that.
    pub(crate) roots: Vec<f32>,
    pub(crate) tokens: Interner,
    pub(crate) token_postings: Postings,
    pub(crate) terms: Interner,
    pub(crate) term_postings: Postings,
    /// Terms of name, description and tags in order, with `GAP` between them.
    pub(crate) metadata: Grouped<u32>,
    /// Hashes of the terms that stand together where the instructions begin, sorted.
    pub(crate) body_pairs: Grouped<u16>,
    /// The quoted phrases of the description: how many words each has, and their hashes.
    pub(crate) phrases: Grouped<u32>,
    /// The terms of each document, so that a document that goes can be uncounted. Made when the
    /// first one goes: most indexes never see that.
    pub(super) forward: OnceLock<Forward>,
    pub(crate) near: Near,
}

impl Segment {
    pub(crate) fn len(&self) -> usize {
        self.unique.len()
    }

    /// The terms of each document.
    pub(super) fn forward(&self) -> &Forward {
        self.forward
            .get_or_init(|| Forward::of(&self.term_postings, self.terms.len(), self.len()))
    }

    pub(crate) fn memory(&self) -> usize {
        (self.unique.capacity() + self.roots.capacity()) * 4
            + self.metadata.memory()
            + self.body_pairs.memory()
            + self.phrases.memory()
            + self.tokens.memory()
            + self.terms.memory()
            + self.token_postings.memory()
            + self.term_postings.memory()
            + self.near.memory()
            + self.forward.get().map_or(0, Forward::memory)
    }

    /// Reads documents, on as many threads as help. The result does not depend on how many.
    pub(crate) fn build(entries: &[Entry<'_>], weights: &FieldWeights, threads: usize) -> Self {
        let share = entries.len().div_ceil(threads.max(1)).max(MIN_SHARE);
        let batches: Vec<Batch> = if entries.len() <= share {
            vec![Batch::read(entries, weights)]
        } else {
            std::thread::scope(|scope| {
                let running: Vec<_> = entries
                    .chunks(share)
                    .map(|chunk| scope.spawn(|| Batch::read(chunk, weights)))
                    .collect();
                running.into_iter().map(join).collect()
            })
        };
        Self::join(batches)
    }

    /// Joins batches in the order of their documents.
    pub(crate) fn join(batches: Vec<Batch>) -> Self {
        let mut segment = Self::default();
        let mut batches = batches.into_iter();
        let Some(mut first) = batches.next() else {
            return segment;
        };
        segment.tokens = std::mem::take(&mut first.tokens);
        segment.terms = std::mem::take(&mut first.terms);
        let mut all = vec![first];
        // Numbers count up in the order of first sight, so adding the words of later batches in
        // their own order gives the numbers a single thread would have given.
        for mut batch in batches {
            let tokens = renumber(&mut segment.tokens, &batch.tokens);
            let terms = renumber(&mut segment.terms, &batch.terms);
            batch.token_lists.renumber(&tokens);
            batch.term_lists.renumber(&terms);
            let words = batch.metadata.items.iter_mut();
            for term in words.filter(|term| **term != GAP) {
                *term = terms[*term as usize];
            }
            all.push(batch);
        }
        let token_lists: Vec<_> = all.iter().map(|batch| &batch.token_lists).collect();
        let term_lists: Vec<_> = all.iter().map(|batch| &batch.term_lists).collect();
        let (tokens, terms) = (&segment.tokens, &segment.terms);
        let by_token = || {
            let postings = Postings::build(tokens.len(), &token_lists);
            let near = Near::build(tokens, &postings);
            (postings, near)
        };
        let by_term = || Postings::build(terms.len(), &term_lists);
        let (from_tokens, from_terms) = if all.len() == 1 {
            (by_token(), by_term())
        } else {
            std::thread::scope(|scope| {
                let other = scope.spawn(by_token);
                let own = by_term();
                (join(other), own)
            })
        };
        (segment.token_postings, segment.near) = from_tokens;
        segment.term_postings = from_terms;
        for batch in &all {
            segment.unique.extend_from_slice(&batch.unique);
            segment.metadata.append(&batch.metadata);
            segment.body_pairs.append(&batch.body_pairs);
            segment.phrases.append(&batch.phrases);
        }
        segment.roots = roots(&segment.unique);
        segment.tokens.freeze();
        segment.terms.freeze();
        segment
    }
}

/// The square roots of numbers, none below 1.
pub(super) fn roots(unique: &[u32]) -> Vec<f32> {
    let root = |count: &u32| ((*count).max(1) as f32).sqrt();
    unique.iter().map(root).collect()
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn renumber(all: &mut Interner, own: &Interner) -> Vec<u32> {
    (0..own.len() as u32)
        .map(|number| all.intern(own.word(number)).0)
        .collect()
}
