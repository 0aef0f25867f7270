//! Vectors of the host next to the words of the skills.
//!
//! A request may share no word with the skill it needs. A model that turns text into numbers can
//! see that the two mean the same. The host brings the model: nothing is downloaded here, and
//! nothing else in this crate needs it.

mod model;

use std::{collections::HashMap, sync::Arc};

pub use model::{MAX_DIMENSIONS, MAX_WORDS, ModelError, StaticModel};
use sha2::{Digest as _, Sha256};

use crate::{
    confidence,
    index::{Entry, Field, Index, sections},
    query::Query,
    rank::{Hit, best_first, keep_best},
    ranker::Ranker,
    select::{Decision, MENU, Match, Policy, Selection},
};

/// Turns text into numbers that lie near each other for texts that mean nearly the same.
pub trait Embedder: Send + Sync {
    /// The vector of a text; `None` where there is none to give. All vectors must have the same
    /// number of dimensions; their length does not matter.
    fn embed(&self, text: &str) -> Option<Vec<f32>>;

    /// The vectors of several texts, in their order; a model that is faster on many at a time
    /// says so here.
    fn embed_all(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        texts.iter().map(|text| self.embed(text)).collect()
    }
}

/// So many texts are given to a model at a time.
const BATCH: usize = 64;

/// So many bytes of the instructions' prose are a passage; models read about as much.
const MAX_OPENING: usize = 1_000;

/// The texts of a document that are compared with a request: its name and description, its name
/// and headings, and the opening prose of its instructions. What is empty is left out.
///
/// The nearest of the three counts: one vector for everything a skill says lies near nothing.
pub fn passages(entry: &Entry<'_>) -> Vec<String> {
    let (mut headings, mut prose) = (String::new(), String::new());
    sections(entry.body, |field, range| {
        let text = &entry.body[range];
        match field {
            Field::Headings => headings.push_str(text),
            Field::Prose if prose.len() < MAX_OPENING => {
                let room = MAX_OPENING - prose.len();
                let letters = text.char_indices();
                prose.extend(letters.take_while(|(at, _)| *at < room).map(|(_, it)| it));
            }
            _ => {}
        }
    });
    let mut passages = vec![format!("{}\n{}", entry.name, entry.description)];
    if !headings.trim().is_empty() {
        passages.push(format!("{}\n{}", entry.name, headings.replace('#', "")));
    }
    if !prose.trim().is_empty() {
        passages.push(prose);
    }
    passages
}

type Vector = Arc<[f32]>;

/// Vectors by the content hash of the text they stand for.
///
/// A changed list of documents keeps the vectors of every text that is still there, so only what
/// changed is given to the model, and no vector can be taken for that of another text. A store
/// belongs to one model.
#[derive(Debug, Clone, Default)]
pub struct VectorStore {
    /// Set by the first usable vector.
    dimensions: usize,
    vectors: HashMap<[u8; 32], Option<Vector>>,
}

impl VectorStore {
    /// How many texts it knows.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// The vectors of these documents, in the order of their index. The model is asked, in
    /// batches, for the texts that are new. Texts that none of the documents has are forgotten
    /// once they are more than the others.
    ///
    /// A vector that is empty, of other dimensions than the first, all zero or not finite counts
    /// as none.
    pub fn follow(&mut self, entries: &[Entry<'_>], embedder: &dyn Embedder) -> Vectors {
        let texts: Vec<Vec<String>> = entries.iter().map(passages).collect();
        let keys: Vec<Vec<[u8; 32]>> = texts
            .iter()
            .map(|texts| {
                texts
                    .iter()
                    .map(|text| Sha256::digest(text).into())
                    .collect()
            })
            .collect();
        let mut new: HashMap<[u8; 32], &str> = HashMap::new();
        let mut order = Vec::new();
        let pairs = || keys.iter().flatten().zip(texts.iter().flatten());
        for (key, text) in pairs() {
            if !self.vectors.contains_key(key) && new.insert(*key, text).is_none() {
                order.push(*key);
            }
        }
        for batch in order.chunks(BATCH) {
            let texts: Vec<&str> = batch.iter().map(|key| new[key]).collect();
            let mut given = embedder.embed_all(&texts).into_iter();
            for key in batch {
                let vector = given.next().flatten().and_then(unit);
                if let Some(vector) = &vector
                    && self.dimensions == 0
                {
                    self.dimensions = vector.len();
                }
                let vector = vector.filter(|vector| vector.len() == self.dimensions);
                self.vectors.insert(*key, vector.map(Vector::from));
            }
        }
        let used: std::collections::HashSet<&[u8; 32]> = keys.iter().flatten().collect();
        if self.vectors.len() > used.len() * 2 {
            self.vectors.retain(|key, _| used.contains(key));
        }
        let of = |keys: &Vec<[u8; 32]>| {
            let vectors = keys.iter().filter_map(|key| self.vectors[key].clone());
            vectors.collect()
        };
        Vectors {
            weight: WEIGHT,
            floor: FLOOR,
            dimensions: self.dimensions,
            documents: keys.iter().map(of).collect(),
        }
    }
}

/// What a cosine of 1 adds to a score, but for the floor.
///
/// Chosen by the scale and not by measurement: with the floor at 0.35 the best vector adds 3.9,
/// about what one rare word of a request adds. That brings up what the words do not see, and does
/// not overrule a request that names several words of its skill.
pub const WEIGHT: f32 = 6.0;

/// A cosine up to this says nothing.
///
/// Any two texts in one language are a little alike. A cosine of a little over 0.43 is needed to
/// reach the least score of a match, 0.5, without any word. A model whose unrelated texts lie
/// closer together needs a higher floor.
pub const FLOOR: f32 = 0.35;

/// The confidence of a match that only its vector speaks for.
///
/// Confidence was fitted on words, and no model ships here to fit it on vectors. Of the models
/// tried in an earlier study, the weakest had a third of its first answers right; this stays
/// below that. It lies over [`confidence::RELEVANT`], so such a match comes on the menu, and under
/// [`confidence::CONFIDENT`], so it is never taken without asking.
pub const CONFIDENCE: f32 = 0.3;

/// So many of the best by words, and as many of the nearest, are looked at. The ranker takes a
/// finer look at twice as many anyway, so this does not change what the words say.
const CANDIDATES: usize = 32;

/// The vectors of each document of an index; see [`passages`].
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// What a cosine of 1 adds to a score, but for the floor; [`WEIGHT`] unless changed.
    pub weight: f32,
    /// A cosine up to this says nothing; [`FLOOR`] unless changed.
    pub floor: f32,
    dimensions: usize,
    /// Each of length 1.
    documents: Vec<Vec<Vector>>,
}

impl Vectors {
    /// Asks for the vectors of each document, in the order of the index; a [`VectorStore`] keeps
    /// them for the next list.
    pub fn build(entries: &[Entry<'_>], embedder: &dyn Embedder) -> Self {
        VectorStore::default().follow(entries, embedder)
    }

    /// Ranks by words and vectors together: `words + weight × max(0, cosine − floor)`.
    ///
    /// `index` is that of the same entries. The answer is that of [`Index::select`] when the
    /// request has no usable vector, when the index has another number of documents, and for the
    /// ranker `overlap`, whose scores are promised to the digit.
    pub fn select(
        &self,
        index: &Index,
        query: &str,
        policy: &Policy,
        embedder: &dyn Embedder,
        allow: impl Fn(u32) -> bool,
    ) -> Selection {
        let usable = policy.ranker == Ranker::Lexical
            && self.dimensions > 0
            && self.documents.len() == index.len();
        let vector = usable
            .then(|| embedder.embed(query).and_then(unit))
            .flatten()
            .filter(|vector| vector.len() == self.dimensions);
        match vector {
            Some(vector) => self.fuse(index, query, policy, &vector, allow),
            None => index.select(&Query::new(index, query, policy.ranker), policy, allow),
        }
    }

    fn fuse(
        &self,
        index: &Index,
        query: &str,
        policy: &Policy,
        vector: &[f32],
        allow: impl Fn(u32) -> bool,
    ) -> Selection {
        let query = &Query::new(index, query, policy.ranker);
        let limit = policy.top_k.max(CANDIDATES);
        let wide = Policy {
            top_k: limit,
            ..policy.clone()
        };
        let mut matches = index.select(query, &wide, &allow).matches;
        matches.sort_unstable_by_key(|found| found.document);

        let mut near = self.nearest(vector, limit, allow);
        near.retain(|found| {
            matches
                .binary_search_by_key(&found.document, |known| known.document)
                .is_err()
        });

        let threshold = policy.threshold();
        // A policy that takes any score does not make a weak vector surer.
        let enough = threshold.max(policy.ranker.default_min_score());
        // However low the host sets its bar, a vector alone does not pass it.
        let alone = CONFIDENCE.min(policy.confident.next_down()).max(0.0);
        for found in &mut matches {
            let added = self.adds(found.document, vector);
            found.score += added;
            // What words and vector both speak for is not less sure than the vector alone.
            if added >= enough {
                found.confidence = found.confidence.max(alone);
            }
        }
        let words = by_words(index, query, &wide, &mut near);
        matches.extend(near.iter().zip(words).map(|(near, words)| {
            let score = words + near.score;
            Match {
                document: near.document,
                score,
                confidence: if score >= enough { alone } else { 0.0 },
            }
        }));
        matches.retain(|found| found.score >= threshold);
        matches.sort_unstable_by(|left, right| best_first(&scored(left), &scored(right)));
        let decision = decide(&matches, policy);
        matches.truncate(policy.top_k);
        Selection { matches, decision }
    }

    /// The allowed documents whose vector says anything, nearest first.
    fn nearest(&self, vector: &[f32], limit: usize, allow: impl Fn(u32) -> bool) -> Vec<Hit> {
        let mut near: Vec<Hit> = (0..self.documents.len() as u32)
            .map(|document| Hit::new(document, self.adds(document, vector)))
            .filter(|found| found.score > 0.0 && allow(found.document))
            .collect();
        keep_best(&mut near, limit);
        near
    }

    /// What the nearest vector of a document adds to its score.
    fn adds(&self, document: u32, vector: &[f32]) -> f32 {
        let own = self.documents[document as usize].iter();
        let cosines = own.map(|own| dot(own, vector).clamp(-1.0, 1.0));
        let added = self.weight * (cosines.fold(-1.0, f32::max) - self.floor).max(0.0);
        // A weight or a floor that is no number says nothing.
        if added.is_finite() {
            added.max(0.0)
        } else {
            0.0
        }
    }
}

/// The scores by words of documents that the words alone left out; sorts them by position.
fn by_words(index: &Index, query: &Query, wide: &Policy, near: &mut [Hit]) -> Vec<f32> {
    near.sort_unstable_by_key(|found| found.document);
    let place = |document: u32| near.binary_search_by_key(&document, |found| found.document);
    let policy = Policy {
        min_score: Some(wide.ranker.lowest_score()),
        ..wide.clone()
    };
    let said = index.select(query, &policy, |document| place(document).is_ok());
    // One that shares no word with the request has what the request's form adds to all.
    let mut words = vec![query.form(); near.len()];
    for found in said.matches {
        if let Ok(place) = place(found.document) {
            words[place] = found.score;
        }
    }
    words
}

fn scored(found: &Match) -> Hit {
    Hit::new(found.document, found.score)
}

/// Like the decision by words, but the surest of the menu need not be its first: the vectors may
/// put another before it, and then both are shown.
fn decide(matches: &[Match], policy: &Policy) -> Decision {
    let menu = &matches[..matches.len().min(MENU)];
    let surest = menu
        .iter()
        .fold(0.0, |best: f32, found| best.max(found.confidence));
    match menu.first() {
        Some(first) if first.confidence >= policy.confident => Decision::Confident(*first),
        Some(_) if surest >= policy.relevant => {
            let close = surest * confidence::CLOSE;
            let close = menu.iter().filter(|found| found.confidence >= close);
            Decision::Ambiguous(close.copied().collect())
        }
        _ => Decision::None,
    }
}

/// The vector with the length 1; `None` when it has no direction or is not finite.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    // Squares of large numbers leave `f32`.
    let square: f64 = vector.iter().map(|&value| f64::from(value).powi(2)).sum();
    let length = square.sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    for value in &mut vector {
        *value = (f64::from(*value) / length) as f32;
    }
    Some(vector)
}

/// The cosine of two vectors of length 1, in eight sums so that the machine can add them at once;
/// the order is fixed, so the result is too.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left, left_rest) = left.as_chunks::<8>();
    let (right, right_rest) = right.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (left, right) in left.iter().zip(right) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    let rest = left_rest
        .iter()
        .zip(right_rest)
        .map(|(left, right)| left * right);
    sums.into_iter().chain(rest).sum()
}

#[cfg(test)]
mod tests;
