//! A request as weighted terms the index knows.

use crate::{
    index::{Field, Index, sections},
    words::{self, Interner, Kind, Stemmers},
};

use super::lexical::Weights;

/// Longer requests are read at both ends only: what is wanted stands there, the middle is
/// pasted material.
const MAX_END_BYTES: usize = 16 * 1024;

/// Terms beyond this many, lightest first, are left out: a request of this length has said what
/// it wants.
const MAX_TERMS: usize = 160;

/// Marks a term a part does not know.
pub(crate) const ABSENT: u32 = u32::MAX;

/// A term the index knows: its text, how many documents hold it, and its numbers.
type Known = (String, u32, Vec<u32>);

/// One term of a request.
#[derive(Debug, Clone)]
pub(crate) struct QueryTerm {
    /// The term as the index knows it.
    pub(crate) text: String,
    /// The word it came from, as the user wrote it.
    pub(crate) word: String,
    pub(crate) kind: Kind,
    /// Weight from repetition, position and kind; 0..
    pub(crate) weight: f32,
    /// How telling the term is: large for rare terms.
    pub(crate) rarity: f32,
    /// What a document gets for holding the term at all.
    pub(crate) presence: f32,
    /// What a document gets for the term at its greatest effect.
    pub(crate) worth: f32,
    /// How many documents hold it.
    pub(crate) count: u32,
    /// Its number in each part of the index, or `ABSENT`.
    pub(crate) numbers: Vec<u32>,
}

/// A request as weighted terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    pub(crate) terms: Vec<QueryTerm>,
    /// Where each term stands in `terms`.
    places: Interner,
    /// Pairs of terms that stand next to each other, sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Weight of all terms together.
    pub(crate) total: f32,
    /// What sums are divided by, so that long and short requests compare.
    pub(crate) norm: f32,
}

impl Query {
    pub(crate) fn read(index: &Index, text: &str, weights: &Weights) -> Self {
        let stemmers = Stemmers::default();
        let mut query = Self::default();
        let ends = ends(text);
        // A fenced block is material to work on; what is wanted stands around it.
        let mut words: Vec<(&str, bool)> = Vec::new();
        for end in ends {
            sections(end, |field, part| {
                let text = &end[part];
                let fenced = field == Field::Code && is_closed(text);
                words::each(text, |word| words.push((word, fenced)));
            });
        }
        let total = words.len();
        let only_fenced = words.iter().all(|(_, fenced)| *fenced);
        let mut last = None;
        let mut last_word = "";
        for (position, (word, fenced)) in words.into_iter().enumerate() {
            let place = if fenced && !only_fenced {
                weights.fenced
            } else {
                weights.place(position, total)
            };
            let mut first = None;
            words::terms(word, &stemmers, |term, kind| {
                let number = query.add(term, word, kind, place);
                first.get_or_insert(number);
                if kind == Kind::Pair {
                    first = Some(number);
                }
            });
            if let (Some(last), Some(first)) = (last, first)
                && last != first
            {
                query.pairs.push((last, first));
            }
            if weights.join > 0.0 && first.is_some() && last.is_some() {
                let joined = format!("{last_word}{word}");
                if joined.is_ascii() && joined.len() <= 24 {
                    words::terms(&joined.to_ascii_lowercase(), &stemmers, |term, kind| {
                        let known = index.document_count(&index.numbers(term));
                        if kind == Kind::Whole && known > 0 {
                            query.add(term, word, Kind::Joined, place);
                        }
                    });
                }
            }
            if first.is_some() {
                last_word = word;
            }
            last = first.or(last);
        }
        let mut halves = Vec::new();
        for term in &mut query.terms {
            let kind = match term.kind {
                Kind::Whole | Kind::Pair => 1.0,
                Kind::Part => weights.part,
                Kind::Number => weights.number,
                Kind::Joined => weights.join,
            };
            term.weight = kind
                * if term.weight > 1.0 {
                    1.0 + term.weight.ln()
                } else {
                    term.weight
                };
            term.resolve(index);
            if term.count == 0 && weights.fuzzy > 0.0 {
                term.mend(index, &stemmers, weights);
            }
            if term.count == 0 && weights.split > 0.0 && term.kind == Kind::Whole {
                term.split(index, &stemmers, weights, &mut halves);
            }
        }
        for half in halves {
            if !query.terms.iter().any(|term| term.text == half.text) {
                query.terms.push(half);
            }
        }
        query.balance(weights);
        query
    }

    /// Settles what each term is worth in comparison with the others.
    fn balance(&mut self, weights: &Weights) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        if self.terms.len() > MAX_TERMS {
            let weight = |term: &QueryTerm| term.weight * term.rarity;
            let mut all: Vec<f32> = self.terms.iter().map(weight).collect();
            all.sort_unstable_by(|l, r| r.total_cmp(l));
            let least = all[MAX_TERMS];
            for term in &mut self.terms {
                if weight(term) <= least {
                    term.weight = 0.0;
                }
            }
        }
        self.norm = self
            .terms
            .iter()
            .map(|term| term.weight)
            .sum::<f32>()
            .max(1.0)
            .powf(weights.root);
        self.total = self
            .terms
            .iter()
            .map(|term| term.weight * term.rarity)
            .sum();
        for term in &mut self.terms {
            let weight = term.weight * term.rarity;
            term.worth = weight / self.norm;
            term.presence = if self.total > 0.0 {
                weights.cover * weight / self.total
            } else {
                0.0
            };
        }
    }

    fn add(&mut self, term: &str, word: &str, kind: Kind, place: f32) -> u32 {
        let (known, new) = self.places.intern(term.as_bytes());
        if !new {
            let other = &mut self.terms[known as usize];
            other.weight += place;
            if kind == Kind::Whole {
                other.kind = kind;
            }
            return known;
        }
        self.terms.push(QueryTerm {
            text: term.to_owned(),
            word: word.to_owned(),
            kind,
            weight: place,
            rarity: 0.0,
            presence: 0.0,
            worth: 0.0,
            count: 0,
            numbers: Vec::new(),
        });
        known
    }
}

impl QueryTerm {
    /// Takes a word nobody uses apart into two that are used.
    fn split(
        &mut self,
        index: &Index,
        stemmers: &Stemmers,
        weights: &Weights,
        halves: &mut Vec<Self>,
    ) {
        let word = self.word.to_ascii_lowercase();
        if !word.is_ascii() || !(6..=24).contains(&word.len()) {
            return;
        }
        let term_of = |text: &str| {
            let mut out = None;
            words::terms(text, stemmers, |term, kind| {
                if kind == Kind::Whole {
                    let numbers = index.numbers(term);
                    let count = index.document_count(&numbers);
                    if count > 0 {
                        out = Some((term.to_owned(), count, numbers));
                    }
                }
            });
            out
        };
        let mut best: Option<(u32, [Known; 2])> = None;
        for at in 2..=word.len() - 2 {
            if let (Some(head), Some(tail)) = (term_of(&word[..at]), term_of(&word[at..])) {
                let least = head.1.min(tail.1);
                if best.as_ref().is_none_or(|best| least > best.0) {
                    best = Some((least, [head, tail]));
                }
            }
        }
        if let Some((_, found)) = best {
            for (text, count, numbers) in found {
                halves.push(Self {
                    text,
                    word: self.word.clone(),
                    kind: Kind::Part,
                    weight: self.weight * weights.split,
                    rarity: rarity(index.len(), count),
                    presence: 0.0,
                    worth: 0.0,
                    count,
                    numbers,
                });
            }
            self.weight = 0.0;
        }
    }

    /// Takes a word nobody uses for the most common one that is a slip away.
    fn mend(&mut self, index: &Index, stemmers: &Stemmers, weights: &Weights) {
        let word = self.word.to_ascii_lowercase();
        let mut best: Option<(u32, String, Vec<u32>)> = None;
        for part in &index.parts {
            let tokens = &part.segment.tokens;
            part.segment.near.find(word.as_bytes(), tokens, |token| {
                words::terms(tokens.text(token), stemmers, |term, _| {
                    let numbers = index.numbers(term);
                    let count = index.document_count(&numbers);
                    if count > 0 && best.as_ref().is_none_or(|best| count > best.0) {
                        best = Some((count, term.to_owned(), numbers));
                    }
                });
            });
        }
        if let Some((count, text, numbers)) = best {
            self.text = text;
            self.count = count;
            self.numbers = numbers;
            self.rarity = rarity(index.len(), count);
            self.weight *= weights.fuzzy;
        }
    }

    fn resolve(&mut self, index: &Index) {
        self.numbers = index
            .parts
            .iter()
            .map(|part| {
                part.segment
                    .terms
                    .get(self.text.as_bytes())
                    .unwrap_or(ABSENT)
            })
            .collect();
        self.count = index.document_count(&self.numbers);
        self.rarity = rarity(index.len(), self.count);
    }
}

/// How telling a term is that so many of all documents hold.
pub(crate) fn rarity(documents: usize, count: u32) -> f32 {
    let (documents, count) = (documents as f32, count as f32);
    (1.0 + (documents - count + 0.5) / (count + 0.5)).ln()
}

/// Whether the last line of a fenced block closes it. One that stays open may have been opened
/// in a part that was cut away, and then what looks like its text is what is asked.
fn is_closed(block: &str) -> bool {
    let mut lines = block.lines().rev().map(str::trim);
    let last = lines.find(|line| !line.is_empty());
    last.is_some_and(|last| last.starts_with("```") || last.starts_with("~~~"))
        && lines.next().is_some()
}

/// The text, or its two ends if it is very long.
fn ends(text: &str) -> Vec<&str> {
    if text.len() <= 2 * MAX_END_BYTES {
        return vec![text];
    }
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=MAX_END_BYTES).rev().find(boundary).unwrap_or(0);
    let tail = (text.len() - MAX_END_BYTES..=text.len())
        .find(boundary)
        .unwrap_or(text.len());
    vec![&text[..head], &text[tail..]]
}
