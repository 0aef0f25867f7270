//! Equal catalogs and queries give equal answers, and repeating a word of a description never
//! raises the rank of its skill.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_search::{Entry, FieldWeights, Index, Policy, Query, Ranker, Selection, is_dense};

/// Skills that compete with the one the bytes describe.
const RIVALS: [(&str, &str, &str); 5] = [
    (
        "pdf-forms",
        "Fills PDF forms. Use when a PDF has fields to fill.",
        "Open the form, fill it.",
    ),
    (
        "tax-letters",
        "Writes letters to the tax office.",
        "Ask for the year, then write.",
    ),
    (
        "release-notes",
        "Writes release notes from commits.",
        "Read the log, group the changes.",
    ),
    (
        "soup",
        "Cooks soup from what is left. Use when hungry.",
        "Chop, boil, taste.",
    ),
    (
        "tests",
        "Runs the tests and reads what failed.",
        "Run them, read the first failure.",
    ),
];

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.splitn(4, '\u{1}');
    let mut next = || parts.next().unwrap_or_default();
    let (query, description, body, pick) = (next(), next(), next(), next());
    let words: Vec<&str> = description.split(' ').collect();
    let at = pick.len() % words.len();
    // The word stands ten times where it stood once.
    let mut stuffed = words.clone();
    for _ in 0..9 {
        stuffed.insert(at, words[at]);
    }
    let stuffed = stuffed.join(" ");
    for ranker in [Ranker::Lexical, Ranker::Overlap] {
        let policy = Policy {
            ranker,
            top_k: 10,
            min_score: Some(0.0),
            ..Policy::default()
        };
        let plain = answer(description, body, query, &policy);
        assert_eq!(plain, answer(description, body, query, &policy));
        let repeated = answer(&stuffed, body, query, &policy);
        if is_one_term(words[at]) {
            assert!(
                rank(&repeated) >= rank(&plain),
                "{ranker:?}: `{}` ten times lifts the skill from {} to {}",
                words[at],
                rank(&plain),
                rank(&repeated)
            );
        }
    }
});

/// Whether the text is a word of one term. One of several, such as `Tests#things` or `getUser`,
/// brings new neighbours when it is repeated (`things tests`), and those may be what was asked for.
fn is_one_term(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|letter| letter.is_lowercase() && !is_dense(letter))
}

fn answer(description: &str, body: &str, query: &str, policy: &Policy) -> Selection {
    let mut entries: Vec<Entry<'_>> = RIVALS
        .iter()
        .map(|(name, description, body)| Entry {
            name,
            description: (*description).into(),
            tags: Vec::new(),
            body,
        })
        .collect();
    entries.push(Entry {
        name: "subject",
        description: description.into(),
        tags: Vec::new(),
        body,
    });
    let index = Index::build_with(&entries, FieldWeights::default(), 1);
    index.select(&Query::new(&index, query, policy.ranker), policy, |_| true)
}

/// The place of the subject among the matches; behind all of them where it is none.
fn rank(selection: &Selection) -> usize {
    let subject = RIVALS.len() as u32;
    let found = selection
        .matches
        .iter()
        .position(|found| found.document == subject);
    found.unwrap_or(selection.matches.len().max(RIVALS.len() + 1))
}
