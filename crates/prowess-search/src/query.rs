//! A request, read once: what to look for, and how much each word weighs.

use crate::{
    form::form,
    index::{Field, Index, sections},
    ranker::Ranker,
    weights::{Signal, Weights},
    words::{self, Interner, Kind, Language, Stemmers, phrase},
};

/// Longer requests are read at both ends only: what is wanted stands there, the middle is
/// pasted material.
const MAX_END_BYTES: usize = 16 * 1024;

/// Terms beyond this many, lightest first, are left out: a request of this length has said what
/// it wants.
const MAX_TERMS: usize = 160;

/// Quoted phrases are looked for among so many words of a request.
const MAX_SAID: usize = 512;

/// Two words are tried as one, and one as two, up to this length; longer compounds are data.
const MAX_COMPOUND: usize = 24;

/// A word is taken apart from this length on, into halves of at least two letters.
const MIN_COMPOUND: usize = 6;

/// A request as one index understands it.
///
/// Reading looks up every word, so a query belongs to the index it was read for. Ranking and
/// explaining share it.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) words: Words,
    /// Whether there is anything to compare at all.
    pub(crate) has_words: bool,
}

/// The words of a request, as its ranker compares them.
#[derive(Debug, Clone)]
pub(crate) enum Words {
    Lexical(Box<TermQuery>),
    /// The different tokens, and how often each stands in the request.
    Overlap(Vec<(String, f32)>),
}

impl Query {
    /// Reads a request for this index and ranker.
    pub fn new(index: &Index, text: &str, ranker: Ranker) -> Self {
        let words = match ranker {
            Ranker::Lexical => return Self::weighted(index, text, Weights::default()),
            Ranker::Overlap => Words::Overlap(count_tokens(text)),
        };
        Self {
            words,
            has_words: text.chars().any(char::is_alphanumeric),
        }
    }

    /// Reads a request for the ranker `lexical` with other weights, as an ablation needs it.
    pub fn weighted(index: &Index, text: &str, weights: Weights) -> Self {
        Self {
            words: Words::Lexical(Box::new(TermQuery::read(index, text, weights))),
            has_words: text.chars().any(char::is_alphanumeric),
        }
    }

    /// What the request's form adds to every score.
    #[cfg(feature = "embeddings")]
    pub(crate) fn form(&self) -> f32 {
        match &self.words {
            Words::Lexical(terms) => terms.weights.signals[Signal::Form as usize] * terms.form,
            Words::Overlap(_) => 0.0,
        }
    }

    /// The ranker it was read for.
    pub fn ranker(&self) -> Ranker {
        match self.words {
            Words::Lexical(_) => Ranker::Lexical,
            Words::Overlap(_) => Ranker::Overlap,
        }
    }
}

/// One term of a request.
#[derive(Debug, Clone)]
pub(crate) struct QueryTerm {
    /// The term as the index knows it.
    pub(crate) text: String,
    /// The word it came from, as the user wrote it.
    pub(crate) word: String,
    kind: Kind,
    /// Weight from repetition, position and kind; 0..
    pub(crate) weight: f32,
    /// Inverse document frequency: large for rare terms.
    pub(crate) idf: f32,
    /// How rare it is among skills at large.
    pub(crate) background: f32,
    /// What a document gets for holding the term at all, and the share of the background in it.
    pub(crate) presence: f32,
    pub(crate) background_cover: f32,
    /// What a document gets for the term at its greatest effect.
    pub(crate) worth: f32,
    /// How many documents hold it: its document frequency.
    pub(crate) count: u32,
    /// Its number in each part of the index, where the part knows it.
    pub(crate) numbers: Vec<Option<u32>>,
}

/// A request as weighted terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermQuery {
    pub(crate) terms: Vec<QueryTerm>,
    /// Where each term stands in `terms`.
    places: Interner,
    /// Pairs of terms that stand next to each other, sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// The same pairs as the instructions keep them, with what each is worth, sorted.
    pub(crate) pair_hashes: Vec<(u16, f32)>,
    /// Every word of the request as it stands, everyday words too: its hash, and its rarity as a
    /// share of the rarest a word can be.
    pub(crate) said: Vec<(u32, f32)>,
    /// The programming languages it names, one bit each.
    pub(crate) languages: u32,
    /// What its form adds to every score.
    pub(crate) form: f32,
    /// How many terms there are that a document can have.
    pub(crate) count: f32,
    /// The rarity of a word that no document has.
    pub(crate) rarest: f32,
    /// Weight of all terms together.
    pub(crate) total: f32,
    /// The same by how rare each term is among skills at large.
    pub(crate) at_large: f32,
    /// What sums are divided by, so that long and short requests compare.
    pub(crate) norm: f32,
    pub(crate) weights: Weights,
}

/// A term that stands in the index: its text, its document frequency and its numbers.
struct Known {
    text: String,
    count: u32,
    numbers: Vec<Option<u32>>,
}

impl Known {
    /// `None` where no document holds the term.
    fn find(index: &Index, term: &str) -> Option<Self> {
        let numbers = index.numbers(term);
        let count = index.document_count(&numbers);
        (count > 0).then(|| Self {
            text: term.to_owned(),
            count,
            numbers,
        })
    }
}

impl TermQuery {
    fn read(index: &Index, text: &str, weights: Weights) -> Self {
        let stemmers = Stemmers::default();
        let mut query = Self {
            weights,
            ..Self::default()
        };
        let language = Language::of_request(text);
        query.collect(index, &request_words(text), language, &stemmers);
        query.pairs.sort_unstable();
        query.pairs.dedup();
        query.weigh();
        query.resolve(index, language, &stemmers);
        query.drop_lightest();
        query.rarest = idf(index.len(), 0);
        query.normalize();
        query.hash_pairs();
        query.say(text, &stemmers);
        let languages = query.terms.iter().map(|term| words::language(&term.text));
        query.languages = languages.fold(0, |all, bit| all | bit);
        query.form = form(text);
        query
    }

    /// Collects the terms of the words and the pairs of neighbours, with how much each place in
    /// the request counts.
    fn collect(
        &mut self,
        index: &Index,
        words: &[RequestWord<'_>],
        language: Language,
        stemmers: &Stemmers,
    ) {
        let only_fenced = words.iter().all(|word| word.fenced);
        let mut before: Option<(u32, &str)> = None;
        let mut after_number = false;
        for (position, word) in words.iter().enumerate() {
            let place = if word.fenced && !only_fenced {
                self.weights.fenced
            } else {
                self.weights.place(position, words.len())
            };
            // The term a neighbour is paired with: the whole word, or the last two letters of a
            // run without spaces.
            let mut own = None;
            let measure = after_number && words::is_unit(word.text);
            after_number = words::is_number(word.text);
            words::terms(word.text, language, stemmers, |term, kind| {
                let amount = measure || after_number;
                let kind = if amount { Kind::Number } else { kind };
                let number = self.add(term, word.text, kind, place);
                if own.is_none() || kind == Kind::Pair {
                    own = Some(number);
                }
            });
            self.translate(index, word.text, place, language, stemmers);
            let Some(own) = own else {
                continue;
            };
            if let Some((before, text)) = before {
                if before != own {
                    self.pairs.push((before, own));
                }
                self.join(index, text, word.text, place, stemmers);
            }
            before = Some((own, word.text));
        }
    }

    /// Adds what a word means in English. In a text whose language is not known, a word that the
    /// index does not know may be of any.
    fn translate(
        &mut self,
        index: &Index,
        word: &str,
        place: f32,
        mut language: Language,
        stemmers: &Stemmers,
    ) {
        if self.weights.translation <= 0.0 {
            return;
        }
        if language == Language::English
            && let Some(other) = words::language_of(word, stemmers)
        {
            let mut known = false;
            words::terms(word, language, stemmers, |term, _| {
                known |= Known::find(index, term).is_some();
            });
            language = if known { language } else { other };
        }
        words::translations(word, language, stemmers, |term| {
            self.add(term, word, Kind::Translation, place);
        });
    }

    /// Adds two neighbours as one word, where the index knows it: `data base` for `database`.
    fn join(&mut self, index: &Index, left: &str, right: &str, place: f32, stemmers: &Stemmers) {
        let joined = format!("{left}{right}");
        if self.weights.join <= 0.0 || !joined.is_ascii() || joined.len() > MAX_COMPOUND {
            return;
        }
        let joined = joined.to_ascii_lowercase();
        words::terms(&joined, Language::English, stemmers, |term, kind| {
            if kind == Kind::Whole && Known::find(index, term).is_some() {
                self.add(term, right, Kind::Joined, place);
            }
        });
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
            idf: 0.0,
            background: 0.0,
            presence: 0.0,
            background_cover: 0.0,
            worth: 0.0,
            count: 0,
            numbers: Vec::new(),
        });
        known
    }

    /// Turns how often a term was said into its weight: repeating a word says it a little louder,
    /// and a part of a compound or a number says less than a whole word.
    fn weigh(&mut self) {
        for term in &mut self.terms {
            let kind = match term.kind {
                Kind::Whole | Kind::Pair | Kind::Reading => 1.0,
                Kind::Part => self.weights.part,
                Kind::Number => self.weights.number,
                Kind::Joined => self.weights.join,
                Kind::Translation => self.weights.translation,
            };
            let said = if term.weight > 1.0 {
                1.0 + term.weight.ln()
            } else {
                term.weight
            };
            term.weight = kind * said;
        }
    }

    /// Looks every term up. One that no document holds is read otherwise, corrected, or else taken
    /// apart.
    fn resolve(&mut self, index: &Index, language: Language, stemmers: &Stemmers) {
        let mut halves = Vec::new();
        for term in &mut self.terms {
            term.numbers = index.numbers(&term.text);
            term.count = index.document_count(&term.numbers);
            term.idf = idf(index.len(), term.count);
        }
        self.choose_readings();
        for term in self.terms.iter_mut().filter(|term| term.weight > 0.0) {
            if term.count == 0 && term.kind == Kind::Whole {
                term.read_otherwise(index, stemmers);
            }
            let own = !matches!(term.kind, Kind::Reading | Kind::Translation);
            if term.count == 0 && own && self.weights.fuzzy > 0.0 {
                term.correct(index, stemmers, self.weights.fuzzy);
            }
            if term.count == 0 && self.weights.split > 0.0 && term.kind == Kind::Whole {
                halves.extend(term.split(index, stemmers, self.weights.split));
            }
            // That nobody uses it says that the skills are in another language, not that they
            // are about something else.
            if term.count == 0 && (language != Language::English || !term.text.is_ascii()) {
                term.weight *= self.weights.foreign;
            }
        }
        for half in halves {
            if !self.terms.iter().any(|term| term.text == half.text) {
                self.terms.push(half);
            }
        }
    }

    /// Of the two readings of a word in another language than English, leaves out one that no
    /// document holds; where both are held, they share the weight of one and a half.
    fn choose_readings(&mut self) {
        let readings: Vec<usize> = (0..self.terms.len())
            .filter(|at| self.terms[*at].kind == Kind::Reading)
            .collect();
        for at in readings {
            let reading = &self.terms[at];
            if reading.count == 0 {
                self.terms[at].weight = 0.0;
                continue;
            }
            let word = reading.word.clone();
            let whole = |term: &&mut QueryTerm| term.kind == Kind::Whole && term.word == word;
            match self.terms.iter_mut().find(whole) {
                Some(whole) if whole.count == 0 => whole.weight = 0.0,
                Some(_) => self.terms[at].weight *= 0.5,
                None => {}
            }
        }
    }

    /// Takes the weight from all but the heaviest terms.
    fn drop_lightest(&mut self) {
        if self.terms.len() <= MAX_TERMS {
            return;
        }
        let weight = |term: &QueryTerm| term.weight * term.idf;
        let mut all: Vec<f32> = self.terms.iter().map(weight).collect();
        all.sort_unstable_by(|l, r| r.total_cmp(l));
        let least = all[MAX_TERMS];
        for term in &mut self.terms {
            if weight(term) <= least {
                term.weight = 0.0;
            }
        }
    }

    /// Settles what each term is worth in comparison with the others.
    fn normalize(&mut self) {
        let said: f32 = self.terms.iter().map(|term| term.weight).sum();
        self.norm = said.max(1.0).powf(self.weights.root);
        let weight = |term: &QueryTerm| term.weight * term.idf;
        self.total = self.terms.iter().map(weight).sum();
        self.count = self.terms.iter().filter(|it| it.weight > 0.0).count() as f32;
        for term in &mut self.terms {
            term.background = words::background(&term.text);
        }
        let at_large = |term: &QueryTerm| term.weight * term.background;
        let all: f32 = self.terms.iter().map(at_large).sum();
        self.at_large = all;
        let cover = self.weights.signals[Signal::BackgroundCover as usize];
        let share = |part: f32, whole: f32| if whole > 0.0 { part / whole } else { 0.0 };
        for term in &mut self.terms {
            let weight = weight(term);
            term.worth = weight / self.norm;
            term.background_cover = cover * share(at_large(term), all);
            term.presence = self.weights.cover * share(weight, self.total) + term.background_cover;
        }
    }

    /// Works out what the pairs are kept as in instructions, and what each is worth.
    fn hash_pairs(&mut self) {
        let pair = |&(left, right): &(u32, u32)| {
            let (left, right) = (&self.terms[left as usize], &self.terms[right as usize]);
            let hash = |term: &QueryTerm| phrase::hash(term.text.as_bytes());
            let worth = (left.weight * left.idf).min(right.weight * right.idf);
            (phrase::pair(hash(left), hash(right)), worth)
        };
        self.pair_hashes = self.pairs.iter().map(pair).collect();
        self.pair_hashes
            .sort_unstable_by(|left, right| left.0.cmp(&right.0).then(right.1.total_cmp(&left.1)));
        self.pair_hashes.dedup_by_key(|pair| pair.0);
    }

    /// Notes the words as they stand, so that quoted phrases can be found among them.
    fn say(&mut self, text: &str, stemmers: &Stemmers) {
        for end in ends(text) {
            phrase::said(end, |hash, word| {
                if self.said.len() >= MAX_SAID {
                    return;
                }
                let mut rarity: f32 = 0.0;
                words::terms(word, Language::English, stemmers, |term, _| {
                    if let Some(at) = self.places.get(term.as_bytes()) {
                        rarity = rarity.max(self.terms[at as usize].idf);
                    }
                });
                self.said.push((hash, rarity / self.rarest));
            });
        }
    }
}

impl QueryTerm {
    /// Takes a word nobody uses for its stem in another language, where that is used.
    fn read_otherwise(&mut self, index: &Index, stemmers: &Stemmers) {
        let word = words::folded(&self.word);
        let stems = Language::OTHERS.map(|language| stemmers.stem_as(language, &word));
        let known = stems.iter().find_map(|stem| Known::find(index, stem));
        if let Some(known) = known {
            self.idf = idf(index.len(), known.count);
            self.text = known.text;
            self.count = known.count;
            self.numbers = known.numbers;
        }
    }

    /// Takes a word nobody uses for the most common one that is one typing slip away.
    fn correct(&mut self, index: &Index, stemmers: &Stemmers, weight: f32) {
        let word = self.word.to_ascii_lowercase();
        let mut best: Option<Known> = None;
        for part in &index.parts {
            let tokens = &part.segment.tokens;
            part.segment.near.find(word.as_bytes(), tokens, |token| {
                words::terms(
                    tokens.text(token),
                    Language::English,
                    stemmers,
                    |term, _| {
                        if let Some(known) = Known::find(index, term)
                            && best.as_ref().is_none_or(|best| known.count > best.count)
                        {
                            best = Some(known);
                        }
                    },
                );
            });
        }
        if let Some(known) = best {
            self.text = known.text;
            self.count = known.count;
            self.numbers = known.numbers;
            self.idf = idf(index.len(), self.count);
            self.weight *= weight;
        }
    }

    /// Takes a word nobody uses apart into two that are used; of all cuts the one whose rarer
    /// half is the most common.
    fn split(&mut self, index: &Index, stemmers: &Stemmers, weight: f32) -> Vec<Self> {
        let word = words::folded(&self.word);
        if !word.is_ascii() || !(MIN_COMPOUND..=MAX_COMPOUND).contains(&word.len()) {
            return Vec::new();
        }
        let known = |text: &str| {
            let mut known = None;
            words::terms(text, Language::English, stemmers, |term, kind| {
                if kind == Kind::Whole {
                    known = Known::find(index, term).or(known.take());
                }
            });
            known
        };
        let mut best: Option<(u32, [Known; 2])> = None;
        for at in 2..=word.len() - 2 {
            if let (Some(head), Some(tail)) = (known(&word[..at]), known(&word[at..])) {
                let least = head.count.min(tail.count);
                if best.as_ref().is_none_or(|best| least > best.0) {
                    best = Some((least, [head, tail]));
                }
            }
        }
        let Some((_, halves)) = best else {
            return Vec::new();
        };
        let weight = std::mem::take(&mut self.weight) * weight;
        let half = |known: Known| Self {
            text: known.text,
            word: self.word.clone(),
            kind: Kind::Part,
            weight,
            idf: idf(index.len(), known.count),
            background: 0.0,
            presence: 0.0,
            background_cover: 0.0,
            worth: 0.0,
            count: known.count,
            numbers: known.numbers,
        };
        halves.into_iter().map(half).collect()
    }
}

/// Inverse document frequency, as in BM25: how telling a term is that so many of all documents
/// hold. The 1 inside keeps it positive for terms that nearly all of them hold, as Lucene does.
pub(crate) fn idf(documents: usize, count: u32) -> f32 {
    let (documents, count) = (documents as f32, count as f32);
    (1.0 + (documents - count + 0.5) / (count + 0.5)).ln()
}

/// The different tokens of a request, and how often each stands in it.
///
/// All sums are halves, which `f32` holds exactly, so the order of adding does not matter.
fn count_tokens(query: &str) -> Vec<(String, f32)> {
    let mut numbers = Interner::<()>::default();
    let mut counts: Vec<f32> = Vec::new();
    words::tokens(query, |token| {
        let lower = token.to_ascii_lowercase();
        let (number, new) = numbers.intern(lower.as_bytes());
        if new {
            counts.push(0.0);
        }
        counts[number as usize] += 1.0;
    });
    counts
        .into_iter()
        .enumerate()
        .map(|(number, count)| (numbers.text(number as u32).to_owned(), count))
        .collect()
}

/// A word of a request, and whether it stands in a fenced block.
struct RequestWord<'t> {
    text: &'t str,
    fenced: bool,
}

/// The words of a request. A fenced block is material to work on; what is wanted stands around
/// it.
fn request_words(text: &str) -> Vec<RequestWord<'_>> {
    let mut words = Vec::new();
    for end in ends(text) {
        sections(end, |field, part| {
            let block = &end[part];
            let fenced = field == Field::Code && is_closed(block);
            words::each(block, |text| words.push(RequestWord { text, fenced }));
        });
    }
    words
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
