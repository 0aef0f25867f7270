//! Why a skill got its score, and what would change it.

mod why;

use serde::Serialize;

pub use why::{Advice, Lead, Rival, Why};

use crate::{
    index::{Entry, FULL, Field, IN_BODY, IN_DESCRIPTION, IN_NAME, IN_TAGS, Index, Reading},
    rank::{
        Ranker, Weights,
        lexical::{Signals, Word, signals},
        overlap::{self, count_tokens},
        query::{Query, rarity},
    },
};

/// What a word of the request added in one field.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Added {
    /// Where the word stands.
    pub field: Field,
    /// What it added there.
    pub added: f32,
}

/// What one word of the request added.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordAdded {
    /// The word as the request has it.
    pub word: String,
    /// The term it was compared as: its stem, or the word it was taken for.
    pub term: String,
    /// What it added in all.
    pub added: f32,
    /// The same, by field.
    pub fields: Vec<Added>,
    /// How many skills hold it.
    pub skills: u32,
}

/// A word the request has and the skill has not.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
pub struct Explanation {
    /// The score.
    pub score: f32,
    /// What each word added, most first.
    pub words: Vec<WordAdded>,
    /// What was added because the request covers the name.
    pub name: f32,
    /// What was added because words stand together as in the request.
    pub pairs: f32,
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

impl WordAdded {
    /// The field it added most in.
    pub fn main_field(&self) -> Option<Field> {
        let most = |a: &&Added, b: &&Added| a.added.total_cmp(&b.added);
        self.fields.iter().max_by(most).map(|most| most.field)
    }
}

impl Index {
    /// Explains the score a skill gets for a request, or would get: the skill need not be part
    /// of the index, so a changed description can be tried against the same rivals.
    pub fn explain(&self, query: &str, entry: &Entry<'_>, ranker: Ranker) -> Explanation {
        let reading = Reading::of(entry, &self.weights);
        match ranker {
            Ranker::Lexical => lexical(self, query, &reading),
            Ranker::Overlap => overlap(query, &reading),
        }
    }

    /// The score a skill gets for a request, or would get.
    pub fn score(&self, query: &str, entry: &Entry<'_>, ranker: Ranker) -> f32 {
        self.explain(query, entry, ranker).score
    }
}

fn lexical(index: &Index, text: &str, reading: &Reading) -> Explanation {
    let weights = Weights::default();
    let query = Query::read(index, text, &weights);
    let mut score = 0.0;
    let mut words = Vec::new();
    let mut missing = Vec::new();
    for term in &query.terms {
        let found = reading.term(&term.text);
        let mut fields = Vec::new();
        if let Some((impact, parts)) = found {
            // The same arithmetic as in the ranker, so that the score is the same to the bit.
            let added = term.presence + term.worth / FULL * f32::from(impact);
            score += added;
            let whole: f32 = parts.iter().sum();
            for (field, part) in Field::ALL
                .into_iter()
                .zip(parts)
                .filter(|(_, part)| *part > 0.0)
            {
                fields.push(Added {
                    field,
                    added: added * part / whole,
                });
            }
            words.push(WordAdded {
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
                share: term.weight * term.rarity / query.total,
                skills: term.count,
                in_body: found.is_some(),
            });
        }
    }
    let found = signals_of(index, &query, reading);
    score += found.sum(&weights);
    words.sort_by(|l, r| r.added.total_cmp(&l.added));
    missing.sort_by(|l, r| r.share.total_cmp(&l.share));
    Explanation {
        score,
        words,
        name: weights.name_cover * found.name,
        pairs: weights.pair * found.pairs,
        missing,
    }
}

fn signals_of(index: &Index, query: &Query, reading: &Reading) -> Signals {
    let mut others: Vec<f32> = Vec::new();
    let words: Vec<Word> = reading
        .metadata()
        .map(|term| {
            let Some(term) = term else { return Word::Gap };
            if let Some(place) = query.terms.iter().position(|asked| asked.text == term) {
                return Word::Asked(place as u32);
            }
            let count = index.document_count(&index.numbers(term));
            others.push(rarity(index.len(), count));
            Word::Other(others.len() as u32 - 1)
        })
        .collect();
    signals(
        query,
        words.into_iter(),
        |other| others[other as usize],
        &mut Vec::new(),
    )
}

fn overlap(text: &str, reading: &Reading) -> Explanation {
    let root = (reading.unique().max(1) as f32).sqrt();
    let mut sum = 0.0;
    let mut words = Vec::new();
    let mut missing = Vec::new();
    let tokens = count_tokens(text);
    let total: f32 = tokens.iter().map(|(_, count)| count).sum();
    for (token, count) in tokens {
        let places = reading.token(&token);
        let each = [
            (Field::Name, IN_NAME),
            (Field::Description, IN_DESCRIPTION),
            (Field::Tags, IN_TAGS),
            (Field::Prose, IN_BODY),
        ];
        let fields: Vec<Added> = each
            .into_iter()
            .filter(|(_, place)| places & place != 0)
            .map(|(field, place)| Added {
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
            words.push(WordAdded {
                word: token.clone(),
                term: token,
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
        missing,
    }
}
