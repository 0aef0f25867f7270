//! Which language a text is in, by its function words.

use super::{each, fold};

/// A language whose endings are known, beside those that have a script of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    Spanish,
    French,
    Portuguese,
    Italian,
    Dutch,
}

impl Language {
    pub(crate) const COUNT: usize = 7;

    /// All but English, in the order of their numbers.
    pub(crate) const OTHERS: [Self; Self::COUNT - 1] = [
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Portuguese,
        Self::Italian,
        Self::Dutch,
    ];

    /// The language of a skill: that of its description, or else that of the opening of its
    /// instructions.
    pub(crate) fn of(description: &str, body: &str) -> Self {
        let opening = || {
            let end = (0..=body.len().min(MAX_OPENING)).rev();
            let end = end.into_iter().find(|at| body.is_char_boundary(*at));
            detect(&body[..end.unwrap_or(0)])
        };
        detect(description)
            .or_else(opening)
            .unwrap_or(Self::English)
    }

    /// The language of a request.
    pub(crate) fn of_request(text: &str) -> Self {
        detect(text).unwrap_or(Self::English)
    }

    /// Whether a folded word says nothing in this language.
    pub(crate) fn is_function_word(self, word: &str) -> bool {
        FUNCTION_WORDS[self as usize].contains(&word)
    }
}

/// So many bytes of the instructions are looked at.
const MAX_OPENING: usize = 1_024;

/// So many words of two letters speak for a language, or one that is longer.
const LEAST: usize = 2;

/// Function words by language, folded. Words that mean something in English are left out.
const FUNCTION_WORDS: [&[&str]; Language::COUNT] = [
    &[
        "the", "and", "of", "to", "for", "with", "when", "this", "that", "is", "from", "my", "use",
    ],
    &[
        "und", "der", "das", "ist", "nicht", "mit", "fur", "von", "dem", "ein", "eine", "einen",
        "einer", "auf", "wie", "wenn", "oder", "ich", "mir", "mein", "meine", "meinen", "bitte",
        "wird", "werden", "sich", "auch", "bei", "aus", "nach", "zum", "zur", "uber", "diese",
        "dieses",
    ],
    &[
        "el", "los", "las", "una", "por", "para", "que", "con", "del", "como", "cuando", "mi",
        "este", "esta", "estos", "y", "se", "su", "sin", "mis", "necesito", "quiero", "un",
    ],
    &[
        "le", "les", "des", "une", "pour", "avec", "dans", "que", "qui", "sur", "est", "et", "du",
        "aux", "mon", "ma", "mes", "cette", "ce", "ces", "je", "vous", "nous", "pas", "quand",
        "un", "ou", "la",
    ],
    &[
        "os", "um", "uma", "para", "com", "que", "nao", "por", "em", "da", "dos", "das", "na",
        "meu", "minha", "meus", "este", "esta", "quando", "preciso", "quero", "voce", "se", "ou",
    ],
    &[
        "il", "lo", "gli", "una", "per", "con", "che", "non", "di", "della", "dei", "delle", "mio",
        "mia", "questo", "questa", "quando", "sono", "un", "nel", "alla", "mi",
    ],
    &[
        "het", "een", "van", "en", "voor", "met", "niet", "dat", "deze", "dit", "mijn", "ik", "je",
        "zijn", "wordt", "naar", "bij", "op", "te", "als", "ook",
    ],
];

/// Letters that few other languages have, and the language they speak for.
const LETTERS: &[(Language, &str)] = &[
    (Language::German, "äöüß"),
    (Language::Spanish, "ñ¿¡"),
    (Language::French, "èêœù"),
    (Language::Portuguese, "ãõ"),
    (Language::Italian, "òì"),
];

/// The language whose function words and letters a text has most of, each counted once; `None`
/// where it has none at all.
fn detect(text: &str) -> Option<Language> {
    let mut seen = [0_u64; Language::COUNT];
    let mut long = [false; Language::COUNT];
    let mut folded = String::new();
    each(text, |word| {
        if word.len() > 10 && word.is_ascii() {
            return;
        }
        folded.clear();
        word.chars()
            .for_each(|letter| fold::fold(letter, &mut folded));
        for (language, words) in FUNCTION_WORDS.iter().enumerate() {
            if let Some(at) = words.iter().position(|known| *known == folded) {
                seen[language] |= 1 << at;
                long[language] |= folded.len() > 2;
            }
        }
    });
    if !text.is_ascii() {
        for (language, letters) in LETTERS {
            let found = letters.chars().any(|letter| text.contains(letter));
            seen[*language as usize] |= u64::from(found) << 63;
            long[*language as usize] |= found;
        }
    }
    let counts = seen.map(|seen| seen.count_ones() as usize);
    let english = counts[0];
    let best = Language::OTHERS
        .into_iter()
        .rev()
        .max_by_key(|language| counts[*language as usize])?;
    let most = counts[best as usize];
    match most {
        0 => (english > 0).then_some(Language::English),
        _ if most > english && (most >= LEAST || long[best as usize]) => Some(best),
        _ => Some(Language::English),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_tells_its_language() {
        for (text, expected) in [
            ("", None),
            ("deploy kubernetes", None),
            ("fill in the form", Some(Language::English)),
            ("Prüfe die Kündigungsfrist", Some(Language::German)),
            (
                "fasse das Protokoll mit den Aufgaben zusammen",
                Some(Language::German),
            ),
            (
                "necesito una factura para el cliente",
                Some(Language::Spanish),
            ),
            ("traduis cette page dans une langue", Some(Language::French)),
            (
                "preciso de um relatório com os dados",
                Some(Language::Portuguese),
            ),
            (
                "scrivi una relazione per il cliente",
                Some(Language::Italian),
            ),
            ("maak een factuur voor mijn klant", Some(Language::Dutch)),
            ("Use this for das U-Boot", Some(Language::English)),
            (
                "my naïve El Niño model with a plot of the data",
                Some(Language::English),
            ),
        ] {
            assert_eq!(detect(text), expected, "{text}");
        }
        // A word said again says no more.
        assert_eq!(
            detect("the form of the und und und"),
            Some(Language::English)
        );
        assert_eq!(
            Language::of("pdf", "Das ist der Text mit und"),
            Language::German
        );
    }

    #[test]
    fn no_language_has_more_words_than_bits_beside_its_letters() {
        assert!(FUNCTION_WORDS.iter().all(|words| words.len() < 63));
    }
}
