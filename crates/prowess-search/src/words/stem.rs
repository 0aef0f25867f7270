//! Words without their endings.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// The Snowball stemmers in use, one for each script that has one (<https://snowballstem.org>).
///
/// English is Porter2. A word is stemmed once for each index or request, since both remember
/// what a word stands for, so the general tables of `rust-stemmers` cost little.
pub(crate) struct Stemmers {
    english: Stemmer,
    russian: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
}

impl Default for Stemmers {
    fn default() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            russian: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            arabic: Stemmer::create(Algorithm::Arabic),
        }
    }
}

impl Stemmers {
    /// The stem of a folded word. The script decides the language; words with digits stay.
    pub(crate) fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        match word.chars().next() {
            Some('a'..='z') if word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase()) => {
                match word.strip_suffix('s') {
                    // `pdfs`: the English rules want a vowel before they take the `s` away.
                    Some(acronym) if !acronym.bytes().any(|b| b"aeiouy".contains(&b)) => {
                        Cow::Borrowed(acronym)
                    }
                    _ => self.english.stem(word),
                }
            }
            Some('\u{400}'..='\u{4FF}') => self.russian.stem(word),
            Some('\u{370}'..='\u{3FF}') => self.greek.stem(word),
            Some('\u{600}'..='\u{6FF}') => self.arabic.stem(word),
            _ => Cow::Borrowed(word),
        }
    }
}
