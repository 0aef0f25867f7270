//! Text as words: where a word starts and ends, and the terms it is found by.
//!
//! A *word* is what stands in the text. A *token* is what the ranker `overlap` compares: a run
//! of ASCII letters and digits. A *term* is what the ranker `lexical` compares: folded, without
//! stop words, stemmed, with compounds taken apart.

use std::borrow::Cow;

mod alias;
mod background;
mod fold;
mod intern;
mod language;
pub(crate) mod phrase;
mod scan;
mod stem;
mod stop;
mod translate;

pub(crate) use background::background;
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

/// Calls `found` for each term of a word: the whole first, then its parts, each followed by what
/// it means in English.
pub(crate) fn terms(word: &str, stemmers: &Stemmers, mut found: impl FnMut(&str, Kind)) {
    if word.is_ascii() {
        if word.len() <= MAX_WORD_BYTES {
            ascii_terms(word, stemmers, &mut found);
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
            pairs(run, stemmers, &mut found);
        } else if run.len() <= MAX_WORD_BYTES * 2 {
            folded.clear();
            run.chars()
                .for_each(|letter| fold::fold(letter, &mut folded));
            if folded.is_ascii() && !run.is_ascii() {
                emit(&folded, Kind::Whole, stemmers, &mut found);
            } else if folded.is_ascii() {
                ascii_terms(run, stemmers, &mut found);
            } else if !folded.is_empty() && !stop::is_stop(&folded) {
                found(&stemmers.stem(&folded), Kind::Whole);
            }
        }
    }
}

fn pairs(run: &str, stemmers: &Stemmers, found: &mut impl FnMut(&str, Kind)) {
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
        for english in translate::pair(pair) {
            emit(english, Kind::Translation, stemmers, found);
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
            terms(word, &stemmers, |term, kind| {
                out.push(' ');
                out.push_str(term);
                match kind {
                    Kind::Part => out.push('*'),
                    Kind::Translation => out.push('='),
                    _ => {}
                }
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
            "C++ and C#, F# or .NET; ASP.NET c",
            &expect![[r"
            C++ → cpp
            and →
            C# → dotnet
            F# → fsharp
            or →
            .NET → dotnet
            ASP → asp
            NET → net
            c → c
        "]],
        );
    }

    #[test]
    fn other_scripts_are_folded_stemmed_or_paired() {
        check(
            "Größe naïve поиска файлов 发票识别 ouroboros로 돌려줘 ＰＤＦ 🦀",
            &expect![[r"
                Größe → gross
                naïve → naiv
                поиска → поиск
                файлов → файл
                发票识别 → 发票 invoic= 票识 识别 recogn= identifi=
                ouroboros로 → ouroboro 로
                돌려줘 → 돌려 려줘
                ＰＤＦ → pdf
            "]],
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
