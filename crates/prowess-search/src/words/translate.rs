//! What technical words of other languages mean in English.
//!
//! Most skills are written in English and many requests are not, or the other way round. The
//! tables are plain text. Each line of `zh.txt` is a Chinese word of two letters and one to three
//! English words; each line of `words.txt` is an English word and, between bars, what it is in
//! other languages.

use std::{collections::HashMap, sync::LazyLock};

use super::{Language, Stemmers, fold, folded};

const CHINESE: &str = include_str!("translate/zh.txt");
const WORDS: &str = include_str!("translate/words.txt");

/// The columns of `WORDS` after the English one.
const COLUMNS: [Column; 9] = [
    Column::Latin(Language::German),
    Column::Latin(Language::Spanish),
    Column::Latin(Language::French),
    Column::Latin(Language::Portuguese),
    Column::Latin(Language::Italian),
    Column::Latin(Language::Dutch),
    Column::Russian,
    Column::Dense,
    Column::Dense,
];

#[derive(Clone, Copy)]
enum Column {
    Latin(Language),
    Russian,
    /// Japanese and Korean.
    Dense,
}

/// No word of a script without spaces is longer, in letters.
const LONGEST: usize = 8;

/// Compounds up to this length are taken apart.
const MAX_COMPOUND: usize = 32;

/// No half of a compound is shorter.
const MIN_HALF: usize = 4;

/// What words mean in English: of two letters, or of scripts without spaces, as they stand;
/// others by their stem.
#[derive(Default)]
struct Tables {
    dense: HashMap<&'static str, &'static str>,
    russian: HashMap<String, &'static str>,
    latin: [HashMap<String, &'static str>; Language::COUNT],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let stemmers = Stemmers::default();
    let mut tables = Tables::default();
    for line in WORDS.lines() {
        let mut columns = line.split('|').map(str::trim);
        let english = columns.next().unwrap_or_default();
        for (column, words) in COLUMNS.into_iter().zip(columns) {
            for word in words.split(' ').filter(|word| !word.is_empty()) {
                match column {
                    Column::Dense => {
                        tables.dense.entry(word).or_insert(english);
                    }
                    Column::Russian => {
                        let stem = stemmers.stem(&folded(word)).into_owned();
                        tables.russian.entry(stem).or_insert(english);
                    }
                    Column::Latin(language) => {
                        let stem = stemmers.stem_as(language, &folded(word)).into_owned();
                        let table = &mut tables.latin[language as usize];
                        table.entry(stem).or_insert(english);
                    }
                }
            }
        }
    }
    tables
        .dense
        .extend(CHINESE.lines().filter_map(|line| line.split_once(' ')));
    tables
});

/// Calls `found` with each English word that a word of another language means.
pub(super) fn each(
    word: &str,
    language: Language,
    stemmers: &Stemmers,
    mut found: impl FnMut(&'static str),
) {
    let mut all = |english: &'static str| english.split(' ').for_each(&mut found);
    if word.chars().any(fold::is_dense) {
        return dense(word, all);
    }
    let folded = folded(word);
    if folded.starts_with(|letter| matches!(letter, '\u{400}'..='\u{4FF}')) {
        let stem = stemmers.stem(&folded);
        TABLES
            .russian
            .get(&*stem)
            .into_iter()
            .for_each(|it| all(it));
    } else if language != Language::English && folded.is_ascii() {
        latin(&folded, language, stemmers, all);
    }
}

/// The language that knows a folded word of Latin letters.
pub(super) fn language_of(folded: &str, stemmers: &Stemmers) -> Option<Language> {
    Language::OTHERS.into_iter().find(|language| {
        let stem = stemmers.stem_as(*language, folded);
        TABLES.latin[*language as usize].contains_key(&*stem)
    })
}

/// A word of Latin letters, or both halves of a compound as German and Dutch make them.
fn latin(word: &str, language: Language, stemmers: &Stemmers, mut found: impl FnMut(&'static str)) {
    let table = &TABLES.latin[language as usize];
    let known = |word: &str| table.get(&*stemmers.stem_as(language, word)).copied();
    if let Some(english) = known(word) {
        return found(english);
    }
    let glues = matches!(language, Language::German | Language::Dutch);
    if !glues || !(2 * MIN_HALF..=MAX_COMPOUND).contains(&word.len()) {
        return;
    }
    for at in MIN_HALF..=word.len() - MIN_HALF {
        let head = known(&word[..at]).or_else(|| known(word[..at].strip_suffix('s')?));
        if let Some(head) = head
            && let Some(tail) = known(&word[at..])
        {
            found(head);
            return found(tail);
        }
    }
}

/// The words that stand in a run without spaces: at each letter the longest that is known.
fn dense(run: &str, mut found: impl FnMut(&'static str)) {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
    let mut from = 0;
    while from < starts.len() {
        let first = run[starts[from]..].chars().next().unwrap_or_default();
        let longest = LONGEST.min(starts.len() - from);
        let word = (2..=longest).rev().find_map(|length| {
            let end = starts.get(from + length).map_or(run.len(), |end| *end);
            let english = TABLES.dense.get(&run[starts[from]..end])?;
            Some((length, *english))
        });
        match word {
            Some((length, english)) => {
                found(english);
                // Where words overlap, those of ideographs are all looked at.
                from += if is_ideograph(first) { 1 } else { length };
            }
            None => from += 1,
        }
    }
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{fold::is_dense, stop::is_stop};

    fn check_meaning(word: &str, meaning: &str) {
        let meanings: Vec<&str> = meaning.split(' ').collect();
        assert!((1..=3).contains(&meanings.len()), "{word} {meaning}");
        for meaning in meanings {
            assert!(!meaning.is_empty() && !is_stop(meaning), "{word} {meaning}");
            let letters = meaning.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(letters, "{word} {meaning}");
        }
    }

    #[test]
    fn the_chinese_table_is_sorted_and_every_word_says_something() {
        assert!(CHINESE.lines().is_sorted_by(|one, next| one < next));
        for line in CHINESE.lines() {
            let (word, meaning) = line.split_once(' ').unwrap();
            assert!(word.chars().all(is_dense), "{word}");
            assert_eq!(word.chars().count(), 2, "{word}");
            assert!(!is_stop(word), "{word} is a stop word");
            check_meaning(word, meaning);
        }
        assert_eq!(CHINESE.lines().count(), 1_414);
    }

    #[test]
    fn the_table_of_words_has_a_column_for_each_language() {
        for line in WORDS.lines() {
            let columns: Vec<&str> = line.split('|').map(str::trim).collect();
            assert_eq!(columns.len(), COLUMNS.len() + 1, "{line}");
            check_meaning(line, columns[0]);
            for (column, words) in COLUMNS.into_iter().zip(&columns[1..]) {
                for word in words.split_ascii_whitespace() {
                    let fits = match column {
                        Column::Latin(_) => folded(word).bytes().all(|it| it.is_ascii_lowercase()),
                        Column::Russian => word.chars().all(|it| matches!(it, 'а'..='ё')),
                        Column::Dense => word.chars().all(is_dense),
                    };
                    let letters = word.chars().count();
                    assert!(fits && letters >= 2, "`{word}` in {line}");
                    assert!(
                        !matches!(column, Column::Dense) || letters <= LONGEST,
                        "{word}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_are_found_in_every_language() {
        let said = |word: &str, language| {
            let mut said = Vec::new();
            each(word, language, &Stemmers::default(), |word| said.push(word));
            said.join(" ")
        };
        for (word, language, expected) in [
            ("Rechnungen", Language::German, "invoice"),
            ("Rechnungsprüfung", Language::German, "invoice review"),
            ("facturas", Language::Spanish, "invoice"),
            ("factures", Language::French, "invoice"),
            ("отчёты", Language::English, "report"),
            ("データベース設計", Language::English, "database design"),
            ("보고서를", Language::English, "report"),
            ("合同审查", Language::English, "contract review"),
            ("invoice", Language::English, ""),
            ("xyz", Language::German, ""),
        ] {
            assert_eq!(said(word, language), expected, "{word}");
        }
    }
}
