//! Documents read by one thread, with numbers of its own.

use super::{
    Entry, FieldWeights, Segment, clauses,
    fields::Field,
    grouped::Grouped,
    local::{Local, value},
    postings::{Lists, Postings},
    sections,
    segment::{GAP, IN_BODY, IN_DESCRIPTION, IN_NAME, IN_TAGS},
    weights::{Counts, TRANSLATED},
};
use crate::words::{self, Interner, Language, Span, Stemmers, phrase};

/// Further terms of name, description and tags are not kept in order; a longer description
/// is cut in catalogs anyway, and one that lists everything should not win everything.
const MAX_METADATA: usize = 400;

/// So many words at the beginning of the instructions are kept as pairs: there they say what the
/// skill is for.
const MAX_BODY_PAIRS: usize = 300;

/// A description that quotes more phrases lists everything.
const MAX_PHRASES: usize = 32;

/// A longer quotation is an example, not a phrase that people say.
const MAX_PHRASE_LETTERS: usize = 80;

/// A document has about one different word for so many bytes of text. Room that is asked for and
/// not used costs nothing; room that grows is copied.
const BYTES_A_WORD: usize = 12;

/// And a catalog has one that no document before had, for so many.
const BYTES_A_NEW_WORD: usize = 500;

/// Documents read by one thread, with numbers of its own.
#[derive(Default)]
pub(crate) struct Batch {
    pub(super) tokens: Interner,
    pub(super) terms: Interner,
    pub(super) token_lists: Lists,
    pub(super) term_lists: Lists,
    pub(super) unique: Vec<u32>,
    pub(super) metadata: Grouped<u32>,
    pub(super) body_pairs: Grouped<u16>,
    pub(super) phrases: Grouped<u32>,
    /// The hash of each term, for the pairs.
    pub(super) hashes: Vec<u32>,
    /// What each field adds for each item of `term_lists`, kept for explanations only.
    pub(super) parts: Option<Vec<[f32; Field::COUNT]>>,
}

/// What a surface word stands for, worked out once per distinct word. Most words are one token
/// and one term, so these are at hand without a further look-up.
#[derive(Clone, Copy, Default)]
struct Meaning {
    token: u32,
    term: u32,
    /// Where `Lexicon::further` holds the rest; 0 if there is none.
    further: u32,
    /// Where the word may be among those of the document at hand.
    seen: u32,
}

/// Counts below this are looked up where a term stands in prose only.
const PROSE: usize = 6;

/// Marks a word without a token, or without a term.
const NONE: u32 = u32::MAX;

/// What every word that was seen stands for.
struct Lexicon {
    stemmers: Stemmers,
    /// For words of several tokens or terms: how many further tokens, how many further terms,
    /// then both. The first place is not used.
    further: Vec<u32>,
}

/// Working memory of a thread that reads documents.
pub(super) struct Reader {
    lexicon: Lexicon,
    /// By the language of the documents they stand in, since that decides about endings.
    words: [Interner<Meaning>; Language::COUNT],
    /// The language of the document at hand.
    language: Language,
    /// Kind and end of each part of the text at hand.
    parts: Vec<(Field, usize)>,
    found: Vec<Span>,
    /// The words of the document at hand, and what they stand for.
    seen_words: Vec<(u32, Counts)>,
    meant: Vec<Meaning>,
    seen_terms: Local<Counts>,
    seen_tokens: Local<u8>,
    /// The translations in the metadata at hand.
    translated: Vec<u32>,
    opening: Opening,
}

/// The beginning of the instructions, as far as it is kept as pairs.
#[derive(Default)]
struct Opening {
    /// So many words have been seen.
    words: usize,
    /// The hash of the last one, unless code came after it.
    before: Option<u32>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            lexicon: Lexicon {
                stemmers: Stemmers::default(),
                further: vec![0],
            },
            words: Default::default(),
            language: Language::English,
            parts: Vec::new(),
            found: Vec::new(),
            seen_words: Vec::new(),
            meant: Vec::new(),
            seen_terms: Local::default(),
            seen_tokens: Local::default(),
            translated: Vec::new(),
            opening: Opening::default(),
        }
    }
}

impl Meaning {
    /// The tokens and terms of a word after its first ones.
    fn further(self, further: &[u32]) -> (&[u32], &[u32]) {
        let at = self.further as usize;
        if at == 0 {
            return (&[], &[]);
        }
        let (tokens, terms) = (further[at] as usize, further[at + 1] as usize);
        further[at + 2..at + 2 + tokens + terms].split_at(tokens)
    }
}

impl Batch {
    pub(crate) fn read(entries: &[Entry<'_>], weights: &FieldWeights) -> Self {
        let mut batch = Self::default();
        let bytes: usize = entries.iter().map(|entry| entry.body.len()).sum();
        batch
            .token_lists
            .reserve(entries.len(), bytes / BYTES_A_WORD);
        batch
            .term_lists
            .reserve(entries.len(), bytes / BYTES_A_WORD);
        let mut reader = Reader::default();
        for room in [&mut batch.tokens, &mut batch.terms] {
            room.reserve(bytes / BYTES_A_NEW_WORD);
        }
        reader.words[Language::English as usize].reserve(bytes / BYTES_A_NEW_WORD);
        for entry in entries {
            batch.add(entry, weights, &mut reader);
        }
        batch
    }

    pub(super) fn add(&mut self, entry: &Entry<'_>, weights: &FieldWeights, reader: &mut Reader) {
        reader.language = Language::of(&entry.description, entry.body);
        let start = self.metadata.start();
        self.scan(Field::Name, entry.name, reader);
        self.metadata.items.push(GAP);
        clauses(&entry.description, |field, text| {
            self.scan(field, text, reader);
        });
        self.metadata.items.push(GAP);
        for tag in &entry.tags {
            self.scan(Field::Tags, tag, reader);
        }
        self.metadata.items.truncate(start + MAX_METADATA);
        self.translate(entry, weights, reader);
        self.metadata.end();
        self.quote(&entry.description);
        reader.opening = Opening::default();
        reader.parts.clear();
        sections(entry.body, |field, part| {
            reader.parts.push((field, part.end));
        });
        self.count(entry.body, reader);
        self.finish(weights, reader);
    }

    /// Notes what the words of the metadata mean in English, behind them.
    fn translate(&mut self, entry: &Entry<'_>, weights: &FieldWeights, reader: &mut Reader) {
        if weights.translation <= 0.0 {
            return;
        }
        let (language, translated) = (reader.language, &mut reader.translated);
        let stemmers = &reader.lexicon.stemmers;
        for text in std::iter::once(&*entry.description).chain(entry.tags.iter().copied()) {
            // English text is not looked at again.
            if language != Language::English || !text.is_ascii() {
                words::each(text, |word| {
                    words::translations(word, language, stemmers, |term| {
                        translated.push(self.term(term));
                    });
                });
            }
        }
        if translated.is_empty() {
            return;
        }
        translated.sort_unstable();
        translated.dedup();
        translated.truncate(MAX_METADATA);
        self.metadata.items.push(GAP);
        // Each alone, so that no two are neighbours.
        for &term in &*translated {
            self.metadata.items.extend([term, GAP]);
        }
    }

    /// The number of a term.
    fn term(&mut self, text: &str) -> u32 {
        let (number, new) = self.terms.intern(text.as_bytes());
        if new {
            self.hashes.push(phrase::hash(text.as_bytes()));
        }
        number
    }

    /// Keeps the phrases that a description quotes.
    fn quote(&mut self, description: &str) {
        let phrases = &mut self.phrases.items;
        let mut left = MAX_PHRASES;
        phrase::quoted(description, |text| {
            let start = phrases.len();
            phrases.push(0);
            // A script without spaces needs a letter more to say as much as two words.
            let mut least: u32 = 2;
            phrase::said(text, |hash, word| {
                phrases.push(hash);
                if !word.is_ascii() {
                    least = 3;
                }
            });
            let count = (phrases.len() - start - 1) as u32;
            phrases[start] = count;
            // One that is left out counts too, so that nobody gains by making it longer.
            if left == 0 || count < least || text.chars().count() > MAX_PHRASE_LETTERS {
                phrases.truncate(start);
            }
            left = left.saturating_sub(1);
        });
        self.phrases.end();
    }

    /// Counts the words of a text that is one part.
    fn scan(&mut self, field: Field, text: &str, reader: &mut Reader) {
        reader.parts.clear();
        reader.parts.push((field, text.len()));
        self.count(text, reader);
    }

    /// Counts the words of a text in the parts at hand.
    fn count(&mut self, text: &str, reader: &mut Reader) {
        let Reader {
            lexicon,
            words,
            parts,
            found,
            seen_words,
            language,
            opening,
            ..
        } = reader;
        let (language, words) = (*language, &mut words[*language as usize]);
        // First where all words stand, then their numbers: looked up in a row, the words that
        // are not in the nearest cache are waited for together.
        found.clear();
        words::scan(text, |word| found.push(word));
        let mut parts = parts.iter().copied();
        let (mut field, mut end) = (Field::Prose, 0);
        let mut last = NONE;
        words.intern_all(text.as_bytes(), found, |word, number, new, meaning| {
            let word = word.range();
            while word.start >= end {
                (field, end) = parts.next().unwrap_or((field, usize::MAX));
            }
            if new {
                *meaning = self.learn(&text[word.clone()], language, lexicon);
            }
            let count = &mut value(seen_words, &mut meaning.seen, number)[field as usize];
            *count = count.saturating_add(1);
            let ordered = matches!(field, Field::Name | Field::Description | Field::Tags);
            // A word repeated on the spot is no neighbour of itself, nor are its parts.
            let repeated = std::mem::replace(&mut last, number) == number;
            if ordered && !repeated && meaning.term != NONE {
                self.metadata.items.push(meaning.term);
                let further = meaning.further(&lexicon.further).1;
                self.metadata.items.extend_from_slice(further);
            } else if opening.words < MAX_BODY_PAIRS && !ordered && meaning.term != NONE {
                if !matches!(field, Field::Headings | Field::Prose) {
                    opening.before = None;
                    return;
                }
                opening.words += 1;
                let first = self.hashes[meaning.term as usize];
                if let Some(before) = opening.before {
                    self.body_pairs.items.push(phrase::pair(before, first));
                }
                // A run without spaces is left by its last two letters, another word whole.
                let last = match meaning.further(&lexicon.further).1.last() {
                    Some(last) if !text.as_bytes()[word.start].is_ascii() => {
                        self.hashes[*last as usize]
                    }
                    _ => first,
                };
                opening.before = Some(last);
            }
        });
    }

    /// Works out the tokens and terms of a word seen for the first time.
    fn learn(&mut self, word: &str, language: Language, lexicon: &mut Lexicon) -> Meaning {
        let further = &mut lexicon.further;
        let start = further.len();
        further.extend([0, 0]);
        let (mut token, mut term) = (NONE, NONE);
        words::tokens(word, |text| {
            let number = self.tokens.intern(words::lowered(text).as_bytes()).0;
            if token == NONE {
                token = number;
            } else {
                further.push(number);
            }
        });
        let middle = further.len();
        // A long run of a dense script repeats pairs; those count as often as they stand.
        words::terms(word, language, &lexicon.stemmers, |text, _| {
            let number = self.term(text);
            if term == NONE {
                term = number;
            } else {
                further.push(number);
            }
        });
        let end = further.len();
        let further = if end == start + 2 {
            further.truncate(start);
            0
        } else {
            further[start] = (middle - start - 2) as u32;
            further[start + 1] = (end - middle) as u32;
            start as u32
        };
        Meaning {
            token,
            term,
            further,
            seen: 0,
        }
    }

    /// Turns counted words into the lists of one document.
    fn finish(&mut self, weights: &FieldWeights, reader: &mut Reader) {
        let Reader {
            lexicon,
            words,
            seen_words,
            meant,
            seen_terms,
            seen_tokens,
            language,
            translated,
            ..
        } = reader;
        let words = &words[*language as usize];
        let pairs = &mut self.body_pairs.items;
        let start = self.body_pairs.ends.last().map_or(0, |end| *end as usize);
        pairs[start..].sort_unstable();
        dedup_from(pairs, start);
        self.body_pairs.end();
        meant.clear();
        let meaning = |word: &(u32, Counts)| *words.value(word.0);
        meant.extend(seen_words.iter().map(meaning));
        for ((_, counts), meaning) in seen_words.iter().zip(&*meant) {
            let places = places(counts);
            if meaning.token != NONE {
                *seen_tokens.at(meaning.token) |= places;
            }
            if meaning.term != NONE {
                add(seen_terms.at(meaning.term), counts);
            }
            if meaning.further != 0 {
                let (tokens, terms) = meaning.further(&lexicon.further);
                for &token in tokens {
                    *seen_tokens.at(token) |= places;
                }
                for &term in terms {
                    add(seen_terms.at(term), counts);
                }
            }
        }
        for term in translated.drain(..) {
            seen_terms.at(term)[TRANSLATED] = 1;
        }
        let mut lengths = [0; Field::COUNT];
        for (_, counts) in &mut seen_terms.items {
            FieldWeights::cap(counts);
            for (length, count) in lengths.iter_mut().zip(counts) {
                *length += u32::from(*count);
            }
        }
        let norms = weights.norms(&lengths);
        // Most terms stand in prose only, a few times: their effect is worked out once.
        let in_prose: [u8; PROSE] = std::array::from_fn(|count| {
            let mut counts = Counts::default();
            counts[Field::Prose as usize] = count as u16;
            weights.impact(&counts, &norms)
        });
        let impact = |(_, counts): &(u32, Counts)| {
            let [
                name,
                description,
                not_for,
                tags,
                headings,
                prose,
                code,
                translated,
            ] = *counts;
            let other = name | description | not_for | tags | headings | code | translated;
            match in_prose.get(usize::from(prose)) {
                Some(impact) if other == 0 => *impact,
                _ => weights.impact(counts, &norms),
            }
        };
        if let Some(parts) = &mut self.parts {
            let items = seen_terms.items.iter();
            parts.extend(items.map(|(_, counts)| weights.parts(counts, &norms)));
        }
        let terms = seen_terms.items.iter();
        self.term_lists
            .add(terms.map(|item| (item.0, impact(item))));
        let tokens = seen_tokens.items.iter();
        let in_body = tokens.clone().filter(|token| token.1 & IN_BODY != 0);
        self.unique.push(in_body.count() as u32);
        self.token_lists.add(tokens.copied());
        seen_words.clear();
        seen_terms.clear();
        seen_tokens.clear();
    }

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
        (batch.terms, batch.term_lists, numbers) =
            regain(&segment.terms, &segment.term_postings, &order, live.len());
        (batch.tokens, batch.token_lists, _) =
            regain(&segment.tokens, &segment.token_postings, &order, live.len());
        for &slot in &live {
            let known = |&id: &u32| if id == GAP { GAP } else { numbers[id as usize] };
            let metadata = segment.metadata.of(slot).iter().map(known);
            batch.metadata.items.extend(metadata);
            batch.metadata.end();
            let pairs = segment.body_pairs.of(slot);
            batch.body_pairs.items.extend_from_slice(pairs);
            batch.body_pairs.end();
            let phrases = segment.phrases.of(slot);
            batch.phrases.items.extend_from_slice(phrases);
            batch.phrases.end();
            batch.unique.push(segment.unique[slot as usize]);
        }
        batch
    }
}

/// Removes repeats from what follows a place, sorted.
fn dedup_from(items: &mut Vec<u16>, start: usize) {
    let mut kept = start;
    for at in start..items.len() {
        if kept == start || items[kept - 1] != items[at] {
            items[kept] = items[at];
            kept += 1;
        }
    }
    items.truncate(kept);
}

/// Adds up how often words of one term stand in each field.
fn add(sums: &mut Counts, counts: &Counts) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
}

/// Words still in use, lists per document, and the new number of each word.
type Regained = (Interner, Lists, Vec<u32>);

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
    let mut lists = Lists {
        words: vec![0; sum as usize],
        payloads: vec![0; sum as usize],
        ends,
    };
    for word in 0..words.len() as u32 {
        for (document, payload) in live(word) {
            let cursor = &mut cursors[document as usize];
            lists.words[*cursor] = numbers[word as usize];
            lists.payloads[*cursor] = payload;
            *cursor += 1;
        }
    }
    (used, lists, numbers)
}

/// Where the tokens of a word stand, as the ranker `overlap` sees it.
#[inline]
fn places(counts: &Counts) -> u8 {
    let [name, description, not_for, tags, headings, prose, code, _] = *counts;
    let place = |count: u16, place: u8| u8::from(count > 0) * place;
    place(name, IN_NAME)
        | place(description | not_for, IN_DESCRIPTION)
        | place(tags, IN_TAGS)
        | place(headings | prose | code, IN_BODY)
}
