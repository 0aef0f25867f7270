//! Rare words, where they stand, and how they stand together.

use std::cell::RefCell;

use super::{Best, Hit, keep_best, with_scratch};
use crate::{
    index::{FULL, GAP, Index},
    query::{TermQuery, idf},
    weights::{Signal, Signals},
    words,
};

/// Documents that pass from the first sum to the finer signals.
const MIN_CANDIDATES: usize = 64;

/// Ranks the documents that share anything with the request, best first.
pub(crate) fn rank(
    index: &Index,
    query: &TermQuery,
    limit: usize,
    allow: impl Fn(u32) -> bool,
) -> Vec<Hit> {
    if limit == 0 {
        return Vec::new();
    }
    let candidates = limit.saturating_mul(2).max(MIN_CANDIDATES);
    let mut scored = best_sums(index, query, candidates, allow);
    let finer = Finer::new(index, query);
    for candidate in &mut scored {
        let (signals, metadata) = finer.signals(candidate.document);
        candidate.score += sum(query, &signals);
        candidate.metadata = metadata;
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
) -> Vec<Hit> {
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
                counts.then_some(Hit::new(document, score))
            });
        }
    });
    best.finish()
}

/// What the signals add to the sum of the words, which has the background in it already.
pub(crate) fn sum(query: &TermQuery, signals: &Signals) -> f32 {
    let adds = |signal: &Signal| *signal != Signal::BackgroundCover;
    let signals = Signal::ALL
        .into_iter()
        .filter(adds)
        .map(|signal| query.weights.added(signal, signals));
    signals.sum()
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

    pub(crate) fn signals(&self, document: u32) -> (Signals, f32) {
        let (number, slot) = self.index.places[document as usize];
        let part = &self.index.parts[number as usize];
        let known = &self.known[number as usize];
        let segment = &part.segment;
        let words = segment.metadata.of(slot).iter().map(|&id| match id {
            GAP => Word::Gap,
            _ => match known.binary_search_by_key(&id, |(id, _)| *id) {
                Ok(at) => Word::Asked(known[at].1),
                Err(_) => Word::Other(id),
            },
        });
        let idf_of = |id: u32| {
            let count = match &*self.index.parts {
                [only] => only.count(id),
                _ => self
                    .index
                    .document_count(&self.index.numbers(segment.terms.text(id))),
            };
            idf(self.index.len(), count)
        };
        let document = Document {
            words,
            body_pairs: segment.body_pairs.of(slot),
            phrases: segment.phrases.of(slot),
            idf_of,
            text_of: |id: u32| segment.terms.text(id),
        };
        signals(self.query, document, &mut self.hit.borrow_mut())
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

/// What the signals look at in one document.
pub(crate) struct Document<'a, W, I, T> {
    /// The terms of name, description and tags, in their order.
    pub(crate) words: W,
    pub(crate) body_pairs: &'a [u16],
    pub(crate) phrases: &'a [u32],
    /// How rare another term is in this index.
    pub(crate) idf_of: I,
    /// Another term as text.
    pub(crate) text_of: T,
}

/// Compares a request with one document: the signals, and how much of what is asked stands in its
/// metadata.
pub(crate) fn signals<'a, W, I, T>(
    query: &TermQuery,
    document: Document<'a, W, I, T>,
    hit: &mut Vec<bool>,
) -> (Signals, f32)
where
    W: Iterator<Item = Word>,
    I: Fn(u32) -> f32,
    T: Fn(u32) -> &'a str,
{
    hit.clear();
    hit.resize(query.terms.len() + query.pairs.len(), false);
    let (hit, paired) = hit.split_at_mut(query.terms.len());
    let mut name = Name::default();
    let (mut pairs, mut hits, mut covered) = (0.0, 0.0, 0.0);
    let mut in_name = true;
    let mut last: Option<u32> = None;
    for word in document.words {
        match word {
            Word::Gap => {
                in_name = false;
                last = None;
            }
            Word::Other(id) => {
                if in_name {
                    name.miss((document.text_of)(id), (document.idf_of)(id));
                }
                last = None;
            }
            Word::Asked(place) => {
                let term = &query.terms[place as usize];
                if in_name {
                    name.hit(&term.text, term.idf);
                }
                if !std::mem::replace(&mut hit[place as usize], true) && term.weight > 0.0 {
                    hits += 1.0;
                    covered += term.weight * term.background;
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
    let mut signals = Signals::default();
    let mut set = |signal: Signal, value: f32| signals[signal as usize] = value;
    set(Signal::Name, share(name.covered, name.total));
    set(Signal::Pairs, pairs / query.norm);
    set(
        Signal::BodyPairs,
        together(query, document.body_pairs) / query.norm,
    );
    set(Signal::WordsHit, share(hits, query.count));
    set(Signal::QuotedTrigger, quoted(query, document.phrases));
    set(Signal::WholeName, name.whole(query.rarest));
    set(Signal::ForeignName, name.foreign / 10.0);
    let (language, other) = name.language(query.languages);
    set(Signal::Language, language);
    set(Signal::OtherLanguage, other);
    set(Signal::Form, query.form);
    (signals, share(covered, query.at_large))
}

fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// What a name has in common with a request.
#[derive(Default)]
struct Name {
    total: f32,
    covered: f32,
    /// The rarity among skills at large of the rarest term the request does not have.
    foreign: f32,
    missed: bool,
    languages: u32,
}

impl Name {
    fn hit(&mut self, term: &str, idf: f32) {
        self.total += idf;
        self.covered += idf;
        self.languages |= words::language(term);
    }

    fn miss(&mut self, term: &str, idf: f32) {
        self.total += idf;
        self.missed = true;
        self.foreign = self.foreign.max(words::background(term));
        self.languages |= words::language(term);
    }

    /// Up to 1 for a name that the request has whole, by how much that says.
    fn whole(&self, rarest: f32) -> f32 {
        if self.missed {
            return 0.0;
        }
        share(self.covered, rarest).min(1.0)
    }

    /// Whether it names a language of the request, and whether only another one.
    fn language(&self, asked: u32) -> (f32, f32) {
        let named = self.languages != 0 && asked != 0;
        let same = self.languages & asked != 0;
        (f32::from(named && same), f32::from(named && !same))
    }
}

/// What the request's neighbours are worth that stand together in the instructions.
fn together(query: &TermQuery, body_pairs: &[u16]) -> f32 {
    let pairs = query.pair_hashes.iter();
    pairs
        .filter(|(pair, _)| body_pairs.binary_search(pair).is_ok())
        .map(|(_, worth)| worth)
        .sum()
}

/// No phrase is worth more than this.
const MAX_PHRASE: f32 = 2.0;

/// What a word of a phrase is worth for being said, however common.
const SAID: f32 = 0.3;

/// The worth of the best quoted phrase that the request says word for word.
fn quoted(query: &TermQuery, mut phrases: &[u32]) -> f32 {
    let mut best: f32 = 0.0;
    while let Some((&count, rest)) = phrases.split_first() {
        let Some((phrase, after)) = rest.split_at_checked(count as usize) else {
            break;
        };
        phrases = after;
        if phrase.is_empty() {
            continue;
        }
        let said = query.said.windows(phrase.len());
        let same =
            |said: &&[(u32, f32)]| said.iter().zip(phrase).all(|(said, word)| said.0 == *word);
        for said in said.filter(same) {
            let worth: f32 = said.iter().map(|(_, rarity)| SAID + rarity).sum();
            best = best.max(worth);
        }
    }
    best.min(MAX_PHRASE)
}
