//! Words without their endings.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::english;

/// The stemmers in use beside the English one, one for each script that has one.
pub(crate) struct Stemmers {
    russian: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
}

impl Default for Stemmers {
    fn default() -> Self {
        Self {
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
                    _ => english::stem(word),
                }
            }
            Some('\u{400}'..='\u{4FF}') => self.russian.stem(word),
            Some('\u{370}'..='\u{3FF}') => self.greek.stem(word),
            Some('\u{600}'..='\u{6FF}') => self.arabic.stem(word),
            _ => Cow::Borrowed(word),
        }
    }
}
