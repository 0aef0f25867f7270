//! Rare words, where they stand, and how they stand together.

use std::cell::RefCell;

use super::{Best, Scored, keep_best, with_scratch};
use crate::{
    index::{FULL, GAP, Index},
    query::{TermQuery, idf},
    ranker::Weights,
};

/// Documents that pass from the first sum to the finer signals.
const MIN_CANDIDATES: usize = 64;

/// Ranks the documents that share anything with the request, best first.
pub(crate) fn rank(
    index: &Index,
    query: &TermQuery,
    limit: usize,
    allow: impl Fn(u32) -> bool,
) -> Vec<Scored> {
    if limit == 0 {
        return Vec::new();
    }
    let candidates = limit.saturating_mul(2).max(MIN_CANDIDATES);
    let mut scored = best_sums(index, query, candidates, allow);
    let finer = Finer::new(index, query);
    for candidate in &mut scored {
        candidate.score += finer.signals(candidate.document).sum(&query.weights);
    }
    keep_best(&mut scored, limit);
    scored
}

/// The documents whose words add up to most.
fn best_sums(
    index: &Index,
    query: &TermQuery,
    limit: usize,
    allow: impl Fn(u32) -> bool,
) -> Vec<Scored> {
    let mut best = Best::new(limit, f32::MIN_POSITIVE);
    with_scratch(|scratch| {
        for (number, part) in index.parts.iter().enumerate() {
            let sums = scratch.zeros(part.segment.len());
            for term in query.terms.iter().filter(|term| term.weight > 0.0) {
                let Some(id) = term.numbers[number] else {
                    continue;
                };
                let (presence, worth) = (term.presence, term.worth / FULL);
                let postings = &part.segment.term_postings;
                postings.each(id, |slot, impact| {
                    if let Some(sum) = sums.get_mut(slot as usize) {
                        *sum += presence + worth * f32::from(impact);
                    }
                });
            }
            best.offer(sums, |slot, score| {
                let document = part.positions[slot];
                let counts = part.alive(slot) && allow(document);
                counts.then_some(Scored { document, score })
            });
        }
    });
    best.finish()
}

/// What is known of a candidate beyond the sum of its words.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Signals {
    /// Share of the name's weight that the request covers.
    pub(crate) name: f32,
    /// Weight of the request's pairs that stand together in the metadata.
    pub(crate) pairs: f32,
    /// Share of the request's weight that the metadata covers.
    pub(crate) metadata: f32,
}

impl Signals {
    pub(crate) fn sum(&self, weights: &Weights) -> f32 {
        weights.name_cover * self.name + weights.pair * self.pairs
    }
}

/// Looks at the words of candidates in their order.
pub(crate) struct Finer<'a> {
    index: &'a Index,
    query: &'a TermQuery,
    /// For each part, term numbers with their place in the request, sorted.
    known: Vec<Vec<(u32, u32)>>,
    hit: RefCell<Vec<bool>>,
}

impl<'a> Finer<'a> {
    pub(crate) fn new(index: &'a Index, query: &'a TermQuery) -> Self {
        let known = (0..index.parts.len())
            .map(|part| {
                let mut known: Vec<(u32, u32)> = query
                    .terms
                    .iter()
                    .zip(0..)
                    .filter_map(|(term, place)| Some((term.numbers[part]?, place)))
                    .collect();
                known.sort_unstable();
                known
            })
            .collect();
        Self {
            index,
            query,
            known,
            hit: RefCell::default(),
        }
    }

    pub(crate) fn signals(&self, document: u32) -> Signals {
        let (number, slot) = self.index.places[document as usize];
        let part = &self.index.parts[number as usize];
        let known = &self.known[number as usize];
        let words = part.segment.metadata(slot).iter().map(|&id| {
            if id == GAP {
                return Word::Gap;
            }
            match known.binary_search_by_key(&id, |(id, _)| *id) {
                Ok(at) => Word::Asked(known[at].1),
                Err(_) => Word::Other(id),
            }
        });
        let idf_of = |id: u32| {
            let count = match &*self.index.parts {
                [only] => only.count(id),
                _ => self
                    .index
                    .document_count(&self.index.numbers(part.segment.terms.text(id))),
            };
            idf(self.index.len(), count)
        };
        signals(self.query, words, idf_of, &mut self.hit.borrow_mut())
    }
}

/// A term of the metadata, as the request sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Word {
    /// The end of the name, or of the description.
    Gap,
    /// A term the request asks for, by its place there.
    Asked(u32),
    /// Another term, by its number.
    Other(u32),
}

/// Compares a request with the terms of a name, a description and tags, in their order.
pub(crate) fn signals(
    query: &TermQuery,
    words: impl Iterator<Item = Word>,
    idf_of: impl Fn(u32) -> f32,
    hit: &mut Vec<bool>,
) -> Signals {
    hit.clear();
    hit.resize(query.terms.len() + query.pairs.len(), false);
    let (hit, paired) = hit.split_at_mut(query.terms.len());
    let (mut name, mut name_total, mut pairs, mut covered) = (0.0, 0.0, 0.0, 0.0);
    let mut in_name = true;
    let mut last: Option<u32> = None;
    for word in words {
        match word {
            Word::Gap => {
                in_name = false;
                last = None;
            }
            Word::Other(id) => {
                if in_name {
                    name_total += idf_of(id);
                }
                last = None;
            }
            Word::Asked(place) => {
                let term = &query.terms[place as usize];
                if in_name {
                    name += term.idf;
                    name_total += term.idf;
                }
                if !std::mem::replace(&mut hit[place as usize], true) {
                    covered += term.weight * term.idf;
                }
                if let Some(last) = last
                    && let Ok(pair) = query.pairs.binary_search(&(last, place))
                    && !std::mem::replace(&mut paired[pair], true)
                {
                    let other = &query.terms[last as usize];
                    pairs += (term.weight * term.idf).min(other.weight * other.idf);
                }
                last = Some(place);
            }
        }
    }
    let share = |part: f32, whole: f32| if whole > 0.0 { part / whole } else { 0.0 };
    Signals {
        name: share(name, name_total),
        pairs: pairs / query.norm,
        metadata: share(covered, query.total),
    }
}
