//! `vague-description`: a description says when to use the skill.
//!
//! A model chooses by matching a request with "when". Only English is judged: in another
//! language the words for it are not known here, and a wrong warning is worse than none.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "vague-description",
    summary: "a description says when to use the skill",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// Words, and beginnings of words where they end in `-`, that tell an occasion.
static OCCASIONS: &[&str] = &[
    "when", "whenever", "use", "useful", "if", "before", "after", "while", "during", "upon",
    "trigger-", "invoke-", "activat-", "asks", "asked", "wants", "needs", "mentions",
];

/// Frequent words of English and of hardly any other language.
static ENGLISH: &[&str] = &[
    "the", "and", "with", "for", "of", "to", "from", "that", "this", "by", "or", "your", "an",
    "into", "on", "always", "first", "all", "are", "is", "what", "how", "can", "not", "via",
];

/// The fewest letters that allow a guess at the language.
const MIN_LETTERS: usize = 20;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(text), Some(node)) = (document.description(), document.get("description")) else {
        return;
    };
    // Whoever calls it by name needs not be told when.
    let is_told = document.is_manual() || document.text_of("when_to_use").is_some();
    if !is_told && is_english(text) && !tells_when(text) {
        report.note_with_help(
            &RULE,
            node.span,
            "the description says what the skill does but not when to use it, so a model may pass it over",
            "add a sentence that starts with `Use when`",
        );
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

fn is_english(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let plain = text.bytes().filter(u8::is_ascii_alphabetic).count();
    // Accents and other scripts speak for another language.
    if letters < MIN_LETTERS || plain * 50 < letters * 49 {
        return false;
    }
    let mut found: Vec<_> = words(text)
        .filter(|word| ENGLISH.contains(&word.as_str()))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.len() >= 2
}

fn tells_when(text: &str) -> bool {
    words(text).any(|word| {
        OCCASIONS
            .iter()
            .any(|occasion| match occasion.strip_suffix('-') {
                Some(stem) => word.starts_with(stem),
                None => word == *occasion,
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_english_is_judged() {
        assert!(is_english(
            "Fills in the fields of a PDF form and saves it."
        ));
        assert!(!is_english(
            "Füllt die Felder eines Formulars aus und speichert es."
        ));
        assert!(!is_english(
            "Rellena los campos de un formulario y lo guarda para el cliente."
        ));
        assert!(!is_english("填写表格 the form and the fields"));
        assert!(!is_english("PDF forms"));
    }

    #[test]
    fn an_occasion_is_told_in_many_ways() {
        assert!(tells_when("Fills forms. Use when a PDF has fields."));
        assert!(tells_when("Triggers on tax questions"));
        assert!(tells_when("Checks the diff before every commit"));
        assert!(!tells_when(
            "Fills in the fields of a PDF form and saves it."
        ));
    }
}
