//! Text as words: where a word starts and ends, and the terms it is found by.
//!
//! A *word* is what stands in the text. A *token* is what the ranker `overlap` compares: a run
//! of ASCII letters and digits. A *term* is what the ranker `lexical` compares: folded, without
//! stop words, stemmed, with compounds taken apart.

use std::borrow::Cow;

mod alias;
mod background;
mod detect;
mod fold;
mod intern;
mod language;
pub(crate) mod phrase;
mod scan;
mod stem;
mod stop;
mod translate;

pub(crate) use background::background;
use background::is_unseen;
pub(crate) use detect::Language;
pub use fold::is_dense;
pub(crate) use intern::Interner;
pub(crate) use language::language;
pub(crate) use scan::{Span, each, scan};
pub(crate) use stem::Stemmers;
#[cfg(feature = "embeddings")]
pub(crate) use stop::is_stop;

/// Longer words are data (keys, hashes, encoded images), which nobody asks for by name.
const MAX_WORD_BYTES: usize = 48;

/// A word with camel case gives at most this many parts.
const MAX_PARTS: usize = 6;

/// `dockerfile` is taken apart, `profile` is not.
const MIN_FILE: usize = 4;

/// How a term came out of its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The whole word.
    Whole,
    /// A part of a compound, such as `sql` of `PostgreSQL`.
    Part,
    /// Digits only.
    Number,
    /// Two words of a request written as one.
    Joined,
    /// Two letters of a script that writes without spaces.
    Pair,
    /// The word without its ending in another language than English.
    Reading,
    /// What a word of another language means in English.
    Translation,
}

/// Calls `found` for each run of ASCII letters and digits in a word, as it stands.
pub(crate) fn tokens(word: &str, mut found: impl FnMut(&str)) {
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        // So are nearly all.
        if !word.is_empty() {
            found(word);
        }
        return;
    }
    let mut rest = word;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        rest = &rest[start..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        found(&rest[..end]);
        rest = &rest[end..];
    }
}

/// Calls `found` for each term of a word: the whole first, then its parts. In a text of another
/// language than English a word is read in both.
pub(crate) fn terms(
    word: &str,
    language: Language,
    stemmers: &Stemmers,
    mut found: impl FnMut(&str, Kind),
) {
    match language {
        Language::English => english_terms(word, stemmers, &mut found),
        _ => foreign_terms(word, language, stemmers, &mut found),
    }
}

/// The terms of a word of a script of its own, or by the rules of English.
fn english_terms(word: &str, stemmers: &Stemmers, found: &mut impl FnMut(&str, Kind)) {
    if word.is_ascii() {
        if word.len() <= MAX_WORD_BYTES {
            ascii_terms(word, stemmers, found);
        }
        return;
    }
    let mut folded = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let dense = fold::is_dense(first);
        let end = rest
            .find(|letter| fold::is_dense(letter) != dense)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        if dense {
            pairs(run, found);
        } else if run.len() <= MAX_WORD_BYTES * 2 {
            folded.clear();
            run.chars()
                .for_each(|letter| fold::fold(letter, &mut folded));
            if folded.is_ascii() && !run.is_ascii() {
                emit(&folded, Kind::Whole, stemmers, found);
            } else if folded.is_ascii() {
                ascii_terms(run, stemmers, found);
            } else if !folded.is_empty() && !stop::is_stop(&folded) {
                found(&stemmers.stem(&folded), Kind::Whole);
            }
        }
    }
}

/// The terms of a word in a text of another language than English.
fn foreign_terms(
    word: &str,
    language: Language,
    stemmers: &Stemmers,
    found: &mut impl FnMut(&str, Kind),
) {
    let folded = folded(word);
    if language.is_function_word(&folded) {
        return;
    }
    let mut english = String::new();
    english_terms(word, stemmers, &mut |term, kind| {
        if kind == Kind::Whole {
            english.push_str(term);
        }
        found(term, kind);
    });
    let reading = stemmers.stem_as(language, &folded);
    let latin = folded.is_ascii() && folded.len() <= MAX_WORD_BYTES;
    if latin && !english.is_empty() && reading != english {
        found(&reading, Kind::Reading);
    }
}

/// Whether a word is a number, in digits or as people say it.
pub(crate) fn is_number(word: &str) -> bool {
    const SAID: [&str; 14] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty",
        "hundred", "thousand", "million",
    ];
    word.bytes().all(|byte| byte.is_ascii_digit()) || SAID.contains(&&*lowered(word))
}

/// Whether a word measures, after a number: `2 GB`, `40 minutes`.
pub(crate) fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 33] = [
        "kb", "mb", "gb", "tb", "ms", "sec", "secs", "second", "seconds", "min", "mins", "minute",
        "minutes", "hour", "hours", "hrs", "day", "days", "week", "weeks", "month", "months",
        "year", "years", "percent", "px", "km", "kg", "usd", "eur", "k", "m", "x",
    ];
    UNITS.contains(&&*lowered(word))
}

/// A word without case and accents.
pub(crate) fn folded(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    word.chars()
        .for_each(|letter| fold::fold(letter, &mut folded));
    folded
}

/// The language beside English that knows what a word means; `None` for other scripts.
pub(crate) fn language_of(word: &str, stemmers: &Stemmers) -> Option<Language> {
    let folded = folded(word);
    // A word that skills at large use is English.
    let unknown = folded.len() > 3 && folded.is_ascii() && is_unseen(&stemmers.stem(&folded));
    unknown
        .then(|| translate::language_of(&folded, stemmers))
        .flatten()
}

/// Calls `found` with each term that a word means in English, as far as the tables know it.
pub(crate) fn translations(
    word: &str,
    language: Language,
    stemmers: &Stemmers,
    mut found: impl FnMut(&str),
) {
    translate::each(word, language, stemmers, |english| {
        emit(english, Kind::Translation, stemmers, &mut |term, _| {
            found(term);
        });
    });
}

fn pairs(run: &str, found: &mut impl FnMut(&str, Kind)) {
    let mut letters = run.char_indices().peekable();
    let single = run.chars().nth(1).is_none();
    if single {
        found(run, Kind::Pair);
        return;
    }
    while let Some((start, _)) = letters.next() {
        let Some(&(second, letter)) = letters.peek() else {
            break;
        };
        let pair = &run[start..second + letter.len_utf8()];
        if !stop::is_stop(pair) {
            found(pair, Kind::Pair);
        }
    }
}

/// A word in small letters.
pub(crate) fn lowered(word: &str) -> Cow<'_, str> {
    if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(word.to_ascii_lowercase())
    } else {
        Cow::Borrowed(word)
    }
}

fn ascii_terms(word: &str, stemmers: &Stemmers, found: &mut impl FnMut(&str, Kind)) {
    let lower = lowered(word);
    // Capital and small letter decide between the language and the verb.
    if word == "Go" {
        return found("golang", Kind::Whole);
    }
    if let Some(term) = alias::alias(&lower) {
        return found(term, Kind::Whole);
    }
    if lower.bytes().all(|byte| byte.is_ascii_digit()) {
        return found(&lower, Kind::Number);
    }
    if !stop::is_stop(&lower) {
        found(&stemmers.stem(&lower), Kind::Whole);
    }
    let bytes = word.as_bytes();
    if bytes[1..].iter().all(u8::is_ascii_lowercase) {
        // `Dockerfile`, `logfiles`.
        let head = lower
            .strip_suffix('s')
            .unwrap_or(&lower)
            .strip_suffix("file");
        if let Some(head) = head.filter(|head| head.len() >= MIN_FILE) {
            emit(head, Kind::Part, stemmers, found);
        }
        return;
    }
    let mut start = 0;
    let mut count = 0;
    for at in 1..=bytes.len() {
        if at < bytes.len() && !is_seam(bytes, at) {
            continue;
        }
        let part = &lower[start..at];
        let whole = part.len() == lower.len();
        let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !whole && letters && part.len() >= 2 && count < MAX_PARTS {
            emit(part, Kind::Part, stemmers, found);
            count += 1;
        }
        start = at;
    }
}

/// Whether a new part starts here: `camel|Case`, `HTML|Parser`, `python|3`.
fn is_seam(bytes: &[u8], at: usize) -> bool {
    let (before, here) = (bytes[at - 1], bytes[at]);
    let upper = here.is_ascii_uppercase();
    (upper && before.is_ascii_lowercase())
        || (upper
            && before.is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            // `APIs` and `URLs` are one word.
            && bytes.get(at + 1..) != Some(b"s"))
        || before.is_ascii_digit() != here.is_ascii_digit()
}

fn emit(lower: &str, kind: Kind, stemmers: &Stemmers, found: &mut impl FnMut(&str, Kind)) {
    if let Some(term) = alias::alias(lower) {
        found(term, kind);
    } else if !stop::is_stop(lower) {
        found(&stemmers.stem(lower), kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: &Expect) {
        let stemmers = Stemmers::default();
        let mut out = String::new();
        each(text, |word| {
            out.push_str(word);
            out.push_str(" →");
            terms(word, Language::of_request(text), &stemmers, |term, kind| {
                out.push(' ');
                out.push_str(term);
                match kind {
                    Kind::Part => out.push('*'),
                    Kind::Reading => out.push('+'),
                    _ => {}
                }
            });
            translations(word, Language::of_request(text), &stemmers, |term| {
                out.push_str(" =");
                out.push_str(term);
            });
            out.push('\n');
        });
        expected.assert_eq(&out);
    }

    #[test]
    fn words_are_stemmed_and_compounds_taken_apart() {
        check(
            "Filling PDFs with PostgreSQL, node.js HTMLParser python3 k8s APIs",
            &expect![[r"
                Filling → fill
                PDFs → pdf
                with →
                PostgreSQL → postgresql postgr* sql*
                node → node
                js → javascript
                HTMLParser → htmlparser html* parser*
                python3 → python3 python*
                k8s → kubernet
                APIs → api
            "]],
        );
    }

    #[test]
    fn names_of_languages_keep_their_marks() {
        check(
            "C++ and C#, F# or .NET; ASP.NET c A/B test a/b/c Dockerfiles profiles",
            &expect![[r#"
                C++ → cpp
                and →
                C# → dotnet
                F# → fsharp
                or →
                .NET → dotnet
                ASP → asp
                NET → net
                c → c
                A/B → ab
                B → b
                test → test
                a →
                b → b
                c → c
                Dockerfiles → dockerfil docker*
                profiles → profil
            "#]],
        );
    }

    #[test]
    fn other_scripts_are_folded_stemmed_or_paired() {
        check(
            "Größe naïve поиска файлов 发票识别 ouroboros로 돌려줘 ＰＤＦ 🦀",
            &expect![[r#"
                Größe → gross
                naïve → naiv
                поиска → поиск =search
                файлов → файл =file
                发票识别 → 发票 票识 识别 =invoic =recogn =identifi
                ouroboros로 → ouroboro 로
                돌려줘 → 돌려 려줘
                ＰＤＦ → pdf
            "#]],
        );
    }

    #[test]
    fn tokens_are_ascii_runs() {
        let mut found = Vec::new();
        each("café größe C++ v2 test_case can't 数据x", |word| {
            tokens(word, |token| found.push(token.to_owned()));
        });
        assert_eq!(found.join(" "), "caf gr e C v2 test case can t x");
    }
}
