//! Words without their endings.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::Language;

/// The Snowball stemmers in use (<https://snowballstem.org>): one for each script that has one,
/// and one for each further language that shares the letters of English.
///
/// English is Porter2. A word is stemmed once for each index or request, since both remember
/// what a word stands for, so the general tables of `rust-stemmers` cost little.
pub(crate) struct Stemmers {
    /// By language.
    latin: [Stemmer; Language::COUNT],
    russian: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
}

impl Default for Stemmers {
    fn default() -> Self {
        let latin = [
            Algorithm::English,
            Algorithm::German,
            Algorithm::Spanish,
            Algorithm::French,
            Algorithm::Portuguese,
            Algorithm::Italian,
            Algorithm::Dutch,
        ];
        Self {
            latin: latin.map(Stemmer::create),
            russian: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            arabic: Stemmer::create(Algorithm::Arabic),
        }
    }
}

impl Stemmers {
    /// The stem of a folded word. The script decides the language, and Latin letters are English;
    /// words with digits stay.
    pub(crate) fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        match word.chars().next() {
            Some('a'..='z') if is_latin(word) => match word.strip_suffix('s') {
                // `pdfs`: the English rules want a vowel before they take the `s` away.
                Some(acronym) if !acronym.bytes().any(|b| b"aeiouy".contains(&b)) => {
                    Cow::Borrowed(acronym)
                }
                _ => self.latin[Language::English as usize].stem(word),
            },
            Some('\u{400}'..='\u{4FF}') => self.russian.stem(word),
            Some('\u{370}'..='\u{3FF}') => self.greek.stem(word),
            Some('\u{600}'..='\u{6FF}') => self.arabic.stem(word),
            _ => Cow::Borrowed(word),
        }
    }

    /// The stem of a folded word of this language.
    pub(crate) fn stem_as<'w>(&self, language: Language, word: &'w str) -> Cow<'w, str> {
        if language == Language::English || !is_latin(word) {
            return self.stem(word);
        }
        self.latin[language as usize].stem(word)
    }
}

/// Whether a folded word has only Latin letters, and enough to have an ending.
fn is_latin(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}
