//! What each signal of the ranker `lexical` weighs.

use serde::Serialize;

/// Something that is known of a candidate beyond the sum of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Signal {
    /// Share of the name's weight that the request covers.
    Name,
    /// Weight of the request's neighbours that stand together in name, description or tags.
    Pairs,
    /// The same for the beginning of the instructions.
    BodyPairs,
    /// Share of the request's terms that stand anywhere in the skill, by how rare each is among
    /// skills at large.
    BackgroundCover,
    /// Share of the request's terms that stand in name, description or tags.
    WordsHit,
    /// A phrase that the description quotes and the request says word for word.
    QuotedTrigger,
    /// All terms of the name stand in the request.
    WholeName,
    /// The rarest term of the name that the request does not have.
    ForeignName,
    /// The name has a programming language that the request names.
    Language,
    /// The name has a programming language, and the request names another.
    OtherLanguage,
    /// The form of the request: a question, or one that names things.
    Form,
}

impl Signal {
    /// Every signal, in the order of their numbers.
    pub const ALL: [Self; Signal::COUNT] = [
        Self::Name,
        Self::Pairs,
        Self::BodyPairs,
        Self::BackgroundCover,
        Self::WordsHit,
        Self::QuotedTrigger,
        Self::WholeName,
        Self::ForeignName,
        Self::Language,
        Self::OtherLanguage,
        Self::Form,
    ];

    pub(crate) const COUNT: usize = 11;

    /// The signal's word, as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Pairs => "pairs",
            Self::BodyPairs => "body-pairs",
            Self::BackgroundCover => "background-cover",
            Self::WordsHit => "words-hit",
            Self::QuotedTrigger => "quoted-trigger",
            Self::WholeName => "whole-name",
            Self::ForeignName => "foreign-name",
            Self::Language => "language",
            Self::OtherLanguage => "other-language",
            Self::Form => "form",
        }
    }
}

impl Signal {
    /// What it says of a match, as a person reads it beside what it added.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Name => "the request covers the name",
            Self::Pairs => "words stand together as in the request",
            Self::BodyPairs => "pairs in the instructions",
            Self::BackgroundCover => "covers what is rare",
            Self::WordsHit => "words the metadata has",
            Self::QuotedTrigger => "its quoted words are said",
            Self::WholeName => "all of it is asked for",
            Self::ForeignName => "a word nobody asked for",
            Self::Language => "the one that is asked for",
            Self::OtherLanguage => "not the one asked for",
            Self::Form => "of the request, for all",
        }
    }
}

/// The value of each signal, by its number.
pub(crate) type Signals = [f32; Signal::COUNT];

/// What each signal adds. Public so that an ablation can turn one off.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// What each signal is multiplied with, by its number.
    pub signals: [f32; Signal::COUNT],
    /// A document that holds every word, for holding them at all.
    pub cover: f32,
    /// A part of a compound, against a whole word.
    pub part: f32,
    /// A number, against a word.
    pub number: f32,
    /// A word taken for another one slip away.
    pub fuzzy: f32,
    /// Each half of a word that was taken apart.
    pub split: f32,
    /// Two words of the request that are one word elsewhere.
    pub join: f32,
    /// What a word of another language means in English.
    pub translation: f32,
    /// A word of another language than English that no document has.
    pub foreign: f32,
    /// Words at each end of a long request that count in full.
    pub long_words: f32,
    /// Words between those ends.
    pub long_middle: f32,
    /// Words of a fenced block, where the request says something beside it.
    pub fenced: f32,
    /// The power of the number of words that sums are divided by.
    pub root: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            signals: [1.4, 1.0, 1.0, 3.0, 4.0, 1.2, 1.8, -0.5, 1.5, -2.0, 1.0],
            cover: 2.0,
            part: 0.70,
            number: 0.35,
            fuzzy: 0.80,
            split: 0.50,
            join: 0.50,
            translation: 0.50,
            foreign: 0.30,
            long_words: 30.00,
            long_middle: 0.05,
            fenced: 0.10,
            root: 0.40,
        }
    }
}

impl Weights {
    /// A weight by its name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut f32> {
        if let Some(signal) = Signal::ALL.into_iter().find(|it| it.name() == name) {
            return Some(&mut self.signals[signal as usize]);
        }
        Some(match name {
            "cover" => &mut self.cover,
            "part" => &mut self.part,
            "number" => &mut self.number,
            "fuzzy" => &mut self.fuzzy,
            "split" => &mut self.split,
            "join" => &mut self.join,
            "translation" => &mut self.translation,
            "foreign" => &mut self.foreign,
            "long_words" => &mut self.long_words,
            "long_middle" => &mut self.long_middle,
            "fenced" => &mut self.fenced,
            "root" => &mut self.root,
            _ => return None,
        })
    }

    /// What a signal of this value adds.
    pub(crate) fn added(&self, signal: Signal, signals: &Signals) -> f32 {
        self.signals[signal as usize] * signals[signal as usize]
    }

    /// What a word counts for at this place of a request of so many words.
    pub(crate) fn place(&self, position: usize, total: usize) -> f32 {
        let ends = self.long_words;
        if total as f32 <= 2.0 * ends {
            return 1.0;
        }
        let near = position.min(total - 1 - position) as f32;
        if near < ends { 1.0 } else { self.long_middle }
    }
}
