//! A batch of documents, read once and never changed.

use super::{
    Entry, FieldWeights, clauses,
    forward::Forward,
    near,
    postings::{Postings, Writer},
    sections,
};
use crate::{
    index::fields::Field,
    words::{self, Interner, Stemmers},
};

/// Bits of a token's payload: where it stands.
pub(crate) const IN_NAME: u8 = 1;
pub(crate) const IN_DESCRIPTION: u8 = 2;
pub(crate) const IN_TAGS: u8 = 4;
pub(crate) const IN_BODY: u8 = 8;

/// Separates name, description and tags in a document's metadata.
pub(crate) const GAP: u32 = u32::MAX;

/// Further terms of name, description and tags are not kept in order; a longer description
/// is cut in catalogs anyway, and one that lists everything should not win everything.
const MAX_METADATA: usize = 400;

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
    pub(crate) metadata: Vec<u32>,
    pub(crate) metadata_ends: Vec<u32>,
    /// The terms of each document, so that a document that goes can be uncounted.
    pub(crate) forward: Forward,
    pub(crate) near: near::Near,
}

impl Segment {
    pub(crate) fn len(&self) -> usize {
        self.unique.len()
    }

    /// The terms of a document's name, description and tags, with `GAP` between them.
    pub(crate) fn metadata(&self, slot: u32) -> &[u32] {
        let slot = slot as usize;
        let start = if slot == 0 {
            0
        } else {
            self.metadata_ends[slot - 1]
        };
        &self.metadata[start as usize..self.metadata_ends[slot] as usize]
    }

    pub(crate) fn memory(&self) -> usize {
        (self.unique.capacity() + self.roots.capacity()) * 4
            + (self.metadata.capacity() + self.metadata_ends.capacity()) * 4
            + self.tokens.memory()
            + self.terms.memory()
            + self.token_postings.memory()
            + self.term_postings.memory()
            + self.near.memory()
            + self.forward.memory()
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
            batch
                .token_lists
                .iter_mut()
                .for_each(|(token, _)| *token = tokens[*token as usize]);
            batch
                .term_lists
                .iter_mut()
                .for_each(|(term, _)| *term = terms[*term as usize]);
            for term in batch.metadata.iter_mut().filter(|term| **term != GAP) {
                *term = terms[*term as usize];
            }
            all.push(batch);
        }
        segment.token_postings = postings(segment.tokens.len(), &all, |b| {
            (&b.token_lists, &b.token_ends)
        });
        segment.term_postings =
            postings(segment.terms.len(), &all, |b| (&b.term_lists, &b.term_ends));
        for batch in &all {
            let base = segment.metadata.len() as u32;
            segment.unique.extend_from_slice(&batch.unique);
            segment.metadata.extend_from_slice(&batch.metadata);
            segment
                .metadata_ends
                .extend(batch.metadata_ends.iter().map(|end| base + end));
        }
        for batch in &mut all {
            segment
                .forward
                .extend(&mut batch.term_lists, &batch.term_ends);
        }
        segment.near = near::Near::build(&segment.tokens, &segment.token_postings);
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

type Lists<'a> = (&'a [(u32, u8)], &'a [u32]);

fn postings(
    count: usize,
    batches: &[Batch],
    lists: impl Fn(&Batch) -> (&Vec<(u32, u8)>, &Vec<u32>),
) -> Postings {
    let each = |visit: &mut dyn FnMut(u32, u32, u8)| {
        let mut document = 0;
        for batch in batches {
            let (items, ends): Lists<'_> = {
                let (items, ends) = lists(batch);
                (items, ends)
            };
            let mut start = 0;
            for &end in ends {
                for &(number, payload) in &items[start..end as usize] {
                    visit(number, document, payload);
                }
                start = end as usize;
                document += 1;
            }
        }
    };
    let mut writer = Writer::new(count);
    each(&mut |number, document, _| writer.measure(number, document));
    let mut filler = writer.measured();
    each(&mut |number, document, payload| filler.write(number, document, payload));
    filler.finish()
}

/// What a surface word stands for, worked out once per distinct word.
#[derive(Clone, Copy)]
struct Meaning {
    start: u32,
    tokens: u32,
    terms: u32,
}

/// Documents read by one thread, with numbers of its own.
#[derive(Default)]
pub(crate) struct Batch {
    tokens: Interner,
    terms: Interner,
    token_lists: Vec<(u32, u8)>,
    token_ends: Vec<u32>,
    term_lists: Vec<(u32, u8)>,
    term_ends: Vec<u32>,
    unique: Vec<u32>,
    metadata: Vec<u32>,
    metadata_ends: Vec<u32>,
    /// What each field adds for each term, kept for explanations only.
    parts: Option<Vec<(u32, [f32; Field::COUNT])>>,
}

/// One document, read with everything an explanation needs.
pub(crate) struct Reading {
    batch: Batch,
}

impl Reading {
    pub(crate) fn of(entry: &Entry<'_>, weights: &FieldWeights) -> Self {
        let mut batch = Batch {
            parts: Some(Vec::new()),
            ..Batch::default()
        };
        batch.add(entry, weights, &mut Reader::default());
        Self { batch }
    }

    /// The effect of a term in 255ths, and what each field has in it.
    pub(crate) fn term(&self, term: &str) -> Option<(u8, [f32; Field::COUNT])> {
        let number = self.batch.terms.get(term.as_bytes())?;
        let at = self
            .batch
            .term_lists
            .iter()
            .position(|(term, _)| *term == number)?;
        Some((
            self.batch.term_lists[at].1,
            self.batch.parts.as_ref()?.get(at)?.1,
        ))
    }

    /// Where a token stands.
    pub(crate) fn token(&self, token: &str) -> u8 {
        let number = self.batch.tokens.get(token.as_bytes());
        let found = self
            .batch
            .token_lists
            .iter()
            .find(|(token, _)| Some(*token) == number);
        found.map_or(0, |(_, places)| *places)
    }

    /// How many different tokens the body has.
    pub(crate) fn unique(&self) -> u32 {
        self.batch.unique[0]
    }

    /// The terms of name, description and tags in order; `None` between them.
    pub(crate) fn metadata(&self) -> impl Iterator<Item = Option<&str>> {
        let text = |&term: &u32| (term != GAP).then(|| self.batch.terms.text(term));
        self.batch.metadata.iter().map(text)
    }
}

/// How often a word stands in each field of the document at hand.
type Counts = [u16; Field::COUNT];

/// Working memory of a thread that reads documents.
#[derive(Default)]
struct Reader {
    stemmers: Stemmers,
    words: Interner,
    meanings: Vec<Meaning>,
    flat: Vec<u32>,
    seen_words: Sparse<Counts>,
    seen_terms: Sparse<Counts>,
    seen_tokens: Sparse<u8>,
    lengths: [u32; Field::COUNT],
}

/// Values by number, emptied in the time it took to fill.
#[derive(Default)]
struct Sparse<T> {
    /// Position in `items` plus one; 0 is absent.
    places: Vec<u32>,
    items: Vec<(u32, T)>,
}

impl<T: Default> Sparse<T> {
    #[inline]
    fn at(&mut self, number: u32) -> (&mut T, bool) {
        let number_index = number as usize;
        if number_index >= self.places.len() {
            self.places
                .resize((number_index + 1).next_power_of_two(), 0);
        }
        let place = self.places[number_index] as usize;
        if place == 0 {
            self.items.push((number, T::default()));
            self.places[number_index] = self.items.len() as u32;
            let last = self.items.len() - 1;
            return (&mut self.items[last].1, true);
        }
        (&mut self.items[place - 1].1, false)
    }

    fn clear(&mut self) {
        for (number, _) in &self.items {
            self.places[*number as usize] = 0;
        }
        self.items.clear();
    }
}

impl Batch {
    /// The living documents of a segment, as if they had been read again.
    pub(super) fn of(segment: &Segment, alive: impl Fn(u32) -> bool) -> Self {
        let mut batch = Self::default();
        let live: Vec<u32> = (0..segment.len() as u32)
            .filter(|slot| alive(*slot))
            .collect();
        let mut order = vec![u32::MAX; segment.len()];
        for (new, &slot) in live.iter().enumerate() {
            order[slot as usize] = new as u32;
        }
        let numbers;
        (batch.terms, batch.term_lists, batch.term_ends, numbers) =
            regain(&segment.terms, &segment.term_postings, &order, live.len());
        (batch.tokens, batch.token_lists, batch.token_ends, _) =
            regain(&segment.tokens, &segment.token_postings, &order, live.len());
        for &slot in &live {
            let known = |&id: &u32| if id == GAP { GAP } else { numbers[id as usize] };
            batch
                .metadata
                .extend(segment.metadata(slot).iter().map(known));
            batch.metadata_ends.push(batch.metadata.len() as u32);
            batch.unique.push(segment.unique[slot as usize]);
        }
        batch
    }

    pub(crate) fn read(entries: &[Entry<'_>], weights: &FieldWeights) -> Self {
        let mut batch = Self::default();
        let mut reader = Reader::default();
        for entry in entries {
            batch.add(entry, weights, &mut reader);
        }
        batch
    }

    fn add(&mut self, entry: &Entry<'_>, weights: &FieldWeights, reader: &mut Reader) {
        let start = self.metadata.len();
        reader.lengths = [0; Field::COUNT];
        self.scan(Field::Name, entry.name, reader);
        self.metadata.push(GAP);
        clauses(entry.description, |field, text| {
            self.scan(field, text, reader);
        });
        self.metadata.push(GAP);
        for tag in &entry.tags {
            self.scan(Field::Tags, tag, reader);
        }
        self.metadata.truncate(start + MAX_METADATA);
        self.metadata_ends.push(self.metadata.len() as u32);
        sections(entry.body, |field, text| self.scan(field, text, reader));
        self.finish(weights, reader);
    }

    /// Counts the words of a text.
    fn scan(&mut self, field: Field, text: &str, reader: &mut Reader) {
        let ordered = matches!(field, Field::Name | Field::Description | Field::Tags);
        words::scan(text, |word, _| {
            let (number, new) = reader.words.intern(word.as_bytes());
            if new {
                self.learn(word, reader);
            }
            let (counts, _) = reader.seen_words.at(number);
            let count = &mut counts[field as usize];
            *count = count.saturating_add(1);
            if ordered {
                let Meaning {
                    start,
                    tokens,
                    terms,
                } = reader.meanings[number as usize];
                let start = (start + tokens) as usize;
                self.metadata
                    .extend_from_slice(&reader.flat[start..start + terms as usize]);
            }
        });
    }

    /// Works out the tokens and terms of a word seen for the first time.
    fn learn(&mut self, word: &str, reader: &mut Reader) {
        let start = reader.flat.len();
        let flat = &mut reader.flat;
        words::tokens(word, |token| {
            flat.push(self.tokens.intern(token.to_ascii_lowercase().as_bytes()).0);
        });
        let middle = flat.len();
        words::terms(word, &reader.stemmers, |term, _| {
            let number = self.terms.intern(term.as_bytes()).0;
            // A long run of a dense script repeats pairs; those count as often as they stand.
            flat.push(number);
        });
        reader.meanings.push(Meaning {
            start: start as u32,
            tokens: (middle - start) as u32,
            terms: (flat.len() - middle) as u32,
        });
    }

    /// Turns counted words into the lists of one document.
    fn finish(&mut self, weights: &FieldWeights, reader: &mut Reader) {
        let mut unique = 0;
        for (word, counts) in &reader.seen_words.items {
            let Meaning {
                start,
                tokens,
                terms,
            } = reader.meanings[*word as usize];
            let start = start as usize;
            let middle = start + tokens as usize;
            let places = places(counts);
            for &token in &reader.flat[start..middle] {
                *reader.seen_tokens.at(token).0 |= places;
            }
            for &term in &reader.flat[middle..middle + terms as usize] {
                let (sums, _) = reader.seen_terms.at(term);
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum = sum.saturating_add(*count);
                }
            }
        }
        for (_, counts) in &reader.seen_terms.items {
            for (field, count) in counts.iter().enumerate() {
                // In the metadata a word counts once, however often it is repeated.
                reader.lengths[field] += u32::from(if field <= Field::Tags as usize {
                    (*count).min(1)
                } else {
                    *count
                });
            }
        }
        let norms = weights.norms(&reader.lengths);
        for (term, counts) in &reader.seen_terms.items {
            self.term_lists
                .push((*term, weights.impact(counts, &norms)));
            if let Some(parts) = &mut self.parts {
                parts.push((*term, FieldWeights::parts(counts, &norms)));
            }
        }
        for (token, places) in &reader.seen_tokens.items {
            unique += u32::from(places & IN_BODY != 0);
            self.token_lists.push((*token, *places));
        }
        self.term_ends.push(self.term_lists.len() as u32);
        self.token_ends.push(self.token_lists.len() as u32);
        self.unique.push(unique);
        reader.seen_words.clear();
        reader.seen_terms.clear();
        reader.seen_tokens.clear();
    }
}

/// Words still in use, lists per document and their ends, and the new number of each word.
type Regained = (Interner, Vec<(u32, u8)>, Vec<u32>, Vec<u32>);

/// Turns lists of documents per word into lists of words per document.
fn regain(words: &Interner, postings: &Postings, order: &[u32], count: usize) -> Regained {
    let mut used = Interner::default();
    let mut numbers = vec![u32::MAX; words.len()];
    let live = |word: u32| {
        let list = postings.list(word);
        list.map(|(slot, payload)| (order[slot as usize], payload))
            .filter(|item| item.0 != u32::MAX)
    };
    let mut ends = vec![0; count];
    for word in 0..words.len() as u32 {
        for (document, _) in live(word) {
            ends[document as usize] += 1;
            if numbers[word as usize] == u32::MAX {
                numbers[word as usize] = used.intern(words.word(word)).0;
            }
        }
    }
    let mut sum = 0;
    let mut cursors = Vec::with_capacity(count);
    for end in &mut ends {
        cursors.push(sum as usize);
        sum += *end;
        *end = sum;
    }
    let mut lists = vec![(0, 0); sum as usize];
    for word in 0..words.len() as u32 {
        for (document, payload) in live(word) {
            let cursor = &mut cursors[document as usize];
            lists[*cursor] = (numbers[word as usize], payload);
            *cursor += 1;
        }
    }
    (used, lists, ends, numbers)
}

/// Where the tokens of a word stand, as the ranker `overlap` sees it.
fn places(counts: &Counts) -> u8 {
    let mut places = 0;
    for (field, _) in Field::ALL
        .iter()
        .zip(counts)
        .filter(|(_, count)| **count > 0)
    {
        places |= match field {
            Field::Name => IN_NAME,
            Field::Description | Field::NotFor => IN_DESCRIPTION,
            Field::Tags => IN_TAGS,
            Field::Headings | Field::Prose | Field::Code => IN_BODY,
        };
    }
    places
}
