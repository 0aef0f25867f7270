//! Why a skill got its score, and what would change it.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    index::{
        Entry, EntryReader, FULL, Field, GAP, IN_BODY, IN_DESCRIPTION, IN_NAME, IN_TAGS, Index,
        Reading,
    },
    query::{Query, TermQuery, Words, idf},
    rank::{
        Hit,
        lexical::{self, Document, Word, signals},
        overlap,
    },
    weights::{Signal, Signals},
};

/// What a word of the request added in one field.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FieldContribution {
    /// Where the word stands.
    pub field: Field,
    /// What it added there.
    pub added: f32,
}

/// What one word of the request added.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WordContribution {
    /// The word as the request has it.
    pub word: String,
    /// The term it was compared as: its stem, or the word it was taken for.
    pub term: String,
    /// What it added in all.
    pub added: f32,
    /// The same, by field.
    pub fields: Vec<FieldContribution>,
    /// How many skills hold it.
    pub skills: u32,
}

/// What one signal added, or took away.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SignalContribution {
    /// The signal.
    pub signal: Signal,
    /// What it added.
    pub added: f32,
}

/// A word the request has and the skill has not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Missing {
    /// The word as the request has it.
    pub word: String,
    /// How much of the request's weight it carries, 0 to 1.
    pub share: f32,
    /// How many skills hold it.
    pub skills: u32,
    /// Whether it stands in the skill's instructions, if not in its name, description or tags.
    pub in_body: bool,
}

/// Why a skill got its score. Everything added is `score`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The score.
    pub score: f32,
    /// What each word added, most first.
    pub words: Vec<WordContribution>,
    /// What was added because the request covers the name.
    pub name: f32,
    /// What was added because words stand together as in the request.
    pub pairs: f32,
    /// What every other signal added or took away, most first.
    pub signals: Vec<SignalContribution>,
    /// Words the name, description and tags do not have, the weightiest first.
    pub missing: Vec<Missing>,
}

impl Explanation {
    /// The words that made the score, each once and in lower case, under the field it added most
    /// in. Fields and words come in the order of what they added.
    pub fn by_field(&self) -> Vec<(Field, Vec<String>)> {
        let mut fields: Vec<(Field, Vec<String>)> = Vec::new();
        for added in &self.words {
            let Some(field) = added.main_field() else {
                continue;
            };
            let word = added.word.to_lowercase();
            if fields.iter().any(|(_, words)| words.contains(&word)) {
                continue;
            }
            match fields.iter_mut().find(|(known, _)| *known == field) {
                Some((_, words)) => words.push(word),
                None => fields.push((field, vec![word])),
            }
        }
        fields
    }
}

impl WordContribution {
    /// The field it added most in.
    pub fn main_field(&self) -> Option<Field> {
        let most = |a: &&FieldContribution, b: &&FieldContribution| a.added.total_cmp(&b.added);
        self.fields.iter().max_by(most).map(|most| most.field)
    }
}

/// Explains the scores of many entries for one request.
///
/// The request is read once, and a word that stands in several entries is worked out once.
pub struct Explainer<'a> {
    index: &'a Index,
    query: &'a Query,
    reader: EntryReader,
}

impl<'a> Explainer<'a> {
    /// Gets ready to explain what becomes of a query that was read for this index.
    pub fn new(index: &'a Index, query: &'a Query) -> Self {
        Self {
            index,
            query,
            reader: EntryReader::new(),
        }
    }

    /// Explains the score an entry gets, or would get: it need not be part of the index, so a
    /// changed description can be tried against the same rivals.
    pub fn explain(&mut self, entry: &Entry<'_>) -> Explanation {
        let reading = self.reader.read(entry, &self.index.weights);
        match &self.query.words {
            Words::Lexical(terms) => by_terms(self.index, terms, &reading),
            Words::Overlap(tokens) => overlap(tokens, &reading),
        }
    }
}

impl Index {
    /// Explains the score an entry gets for a request; see [`Explainer`].
    pub fn explain(&self, query: &Query, entry: &Entry<'_>) -> Explanation {
        Explainer::new(self, query).explain(entry)
    }
}

fn by_terms(index: &Index, query: &TermQuery, reading: &Reading<'_>) -> Explanation {
    let weights = &query.weights;
    let mut score = 0.0;
    let mut background_cover = 0.0;
    let mut words = Vec::new();
    let mut missing = Vec::new();
    for term in &query.terms {
        let found = reading.term(&term.text);
        let mut fields = Vec::new();
        if let Some((impact, parts)) = found {
            // The same arithmetic as in the ranker, so that the score is the same to the bit.
            let added = term.presence + term.worth / FULL * f32::from(impact);
            score += added;
            // The same for every place, so it is told as a signal.
            background_cover += term.background_cover;
            let added = added - term.background_cover;
            let whole: f32 = parts.iter().sum();
            for (field, part) in Field::ALL
                .into_iter()
                .zip(parts)
                .filter(|(_, part)| *part > 0.0)
            {
                fields.push(FieldContribution {
                    field,
                    added: added * part / whole,
                });
            }
            words.push(WordContribution {
                word: term.word.clone(),
                term: term.text.clone(),
                added,
                fields: fields.clone(),
                skills: term.count,
            });
        }
        let said = fields
            .iter()
            .any(|added| matches!(added.field, Field::Name | Field::Description | Field::Tags));
        if !said && term.weight > 0.0 {
            missing.push(Missing {
                word: term.word.clone(),
                share: term.weight * term.idf / query.total,
                skills: term.count,
                in_body: found.is_some(),
            });
        }
    }
    let (found, _) = signals_of(index, query, reading);
    score += lexical::sum(query, &found);
    let mut signals: Vec<SignalContribution> = Signal::ALL
        .into_iter()
        .filter(|signal| !matches!(signal, Signal::Name | Signal::Pairs))
        .map(|signal| SignalContribution {
            signal,
            added: match signal {
                Signal::BackgroundCover => background_cover,
                _ => weights.added(signal, &found),
            },
        })
        .filter(|it| it.added != 0.0)
        .collect();
    signals.sort_by(|l, r| r.added.abs().total_cmp(&l.added.abs()));
    words.sort_by(|l, r| r.added.total_cmp(&l.added));
    missing.sort_by(|l, r| r.share.total_cmp(&l.share));
    Explanation {
        score,
        words,
        name: weights.added(Signal::Name, &found),
        pairs: weights.added(Signal::Pairs, &found),
        signals,
        missing,
    }
}

fn signals_of(index: &Index, query: &TermQuery, reading: &Reading<'_>) -> (Signals, f32) {
    let words = reading.metadata().iter().map(|&id| match id {
        GAP => Word::Gap,
        _ => {
            let text = reading.text(id);
            let place = query.terms.iter().position(|asked| asked.text == text);
            place.map_or(Word::Other(id), |place| Word::Asked(place as u32))
        }
    });
    let document = Document {
        words,
        body_pairs: reading.body_pairs(),
        phrases: reading.phrases(),
        idf_of: |id: u32| {
            let count = index.document_count(&index.numbers(reading.text(id)));
            idf(index.len(), count)
        },
        text_of: |id: u32| reading.text(id),
    };
    signals(query, document, &mut Vec::new())
}

fn overlap(tokens: &[(String, f32)], reading: &Reading<'_>) -> Explanation {
    let root = (reading.unique().max(1) as f32).sqrt();
    let mut sum = 0.0;
    let mut words = Vec::new();
    let mut missing = Vec::new();
    let total: f32 = tokens.iter().map(|(_, count)| count).sum();
    for (token, count) in tokens {
        let places = reading.token(token);
        let each = [
            (Field::Name, IN_NAME),
            (Field::Description, IN_DESCRIPTION),
            (Field::Tags, IN_TAGS),
            (Field::Prose, IN_BODY),
        ];
        let fields: Vec<FieldContribution> = each
            .into_iter()
            .filter(|(_, place)| places & place != 0)
            .map(|(field, place)| FieldContribution {
                field,
                added: overlap::worth_of(place) * count / root,
            })
            .collect();
        sum += overlap::worth_of(places) * count;
        if places & !IN_BODY == 0 {
            let share = count / total;
            missing.push(Missing {
                word: token.clone(),
                share,
                skills: 0,
                in_body: places != 0,
            });
        }
        if places != 0 {
            let added = overlap::worth_of(places) * count / root;
            words.push(WordContribution {
                word: token.clone(),
                term: token.clone(),
                added,
                fields,
                skills: 0,
            });
        }
    }
    words.sort_by(|l, r| r.added.total_cmp(&l.added));
    Explanation {
        score: sum / root,
        words,
        name: 0.0,
        pairs: 0.0,
        signals: Vec::new(),
        missing,
    }
}

/// What a word made of the difference to a rival.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lead {
    /// The word of the request.
    pub word: String,
    /// How much more it added for the rival.
    pub by: f32,
}

/// A skill that came before.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rival {
    /// Position of the rival in the index.
    pub document: u32,
    /// Its score.
    pub score: f32,
    /// The words that made the difference, most first.
    pub leads: Vec<Lead>,
}

/// What a word in the description would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The word to add.
    pub word: String,
    /// The score with it.
    pub score: f32,
    /// The rank with it.
    pub rank: usize,
}

/// Why a skill stands where it stands for a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Why {
    /// Its rank, from 1; `None` where it shares nothing with the request.
    pub rank: Option<usize>,
    /// How many skills share anything with the request.
    pub ranked: usize,
    /// Its score, explained.
    pub explanation: Explanation,
    /// Who came before it, best first.
    pub rivals: Vec<Rival>,
    /// Words that would help, each tried alone, the most helpful first.
    pub advice: Vec<Advice>,
}

/// So many rivals are compared, and so many words tried.
const MOST: usize = 5;

impl Index {
    /// Says why a document stands where it stands for a request.
    ///
    /// `entry` gives the text of a document, and `allow` hides the same skills as in a selection.
    pub fn why<'a>(
        &self,
        query: &Query,
        document: u32,
        entry: impl Fn(u32) -> Entry<'a>,
        allow: impl Fn(u32) -> bool,
    ) -> Why {
        let least = query.ranker().lowest_score();
        let found = self.rank(query, least, self.len(), allow);
        let mut explainer = Explainer::new(self, query);
        let own = entry(document);
        let explanation = explainer.explain(&own);
        let place = found.iter().position(|scored| scored.document == document);
        let before = &found[..place.unwrap_or(found.len())];
        let rivals = before
            .iter()
            .take(MOST)
            .map(|rival| Rival {
                document: rival.document,
                score: rival.score,
                leads: leads(&explainer.explain(&entry(rival.document)), &explanation),
            })
            .collect();
        let mut advice: Vec<Advice> = explanation
            .missing
            .iter()
            .take(MOST)
            .map(|missing| {
                let description = format!("{} {}", own.description, missing.word);
                let changed = Entry {
                    description: Cow::Owned(description),
                    ..own.clone()
                };
                let score = explainer.explain(&changed).score;
                let better = |other: &&Hit| other.document != document && other.score > score;
                let rank = found.iter().filter(better).count() + 1;
                Advice {
                    word: missing.word.clone(),
                    score,
                    rank,
                }
            })
            .filter(|advice| advice.score > explanation.score)
            .collect();
        advice.sort_by(|l, r| r.score.total_cmp(&l.score));
        Why {
            rank: place.map(|place| place + 1),
            ranked: found.len(),
            explanation,
            rivals,
            advice,
        }
    }
}

/// The words that added more for the rival.
fn leads(rival: &Explanation, own: &Explanation) -> Vec<Lead> {
    let mut leads: Vec<Lead> = rival
        .words
        .iter()
        .map(|word| {
            let mine = own.words.iter().find(|other| other.term == word.term);
            Lead {
                word: word.word.clone(),
                by: word.added - mine.map_or(0.0, |mine| mine.added),
            }
        })
        .filter(|lead| lead.by > 0.0)
        .collect();
    leads.sort_by(|l, r| r.by.total_cmp(&l.by));
    leads
}
