use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

/// Knows a few words; those in one row mean the same.
struct Meanings;

const MEANINGS: [&[&str]; 3] = [&["fix", "mend"], &["pdf", "forms"], &["sql", "queries"]];

impl Embedder for Meanings {
    fn embed(&self, text: &str) -> Option<Vec<f32>> {
        let text = text.to_lowercase();
        let words: Vec<&str> = text
            .split(|letter: char| !letter.is_alphanumeric())
            .collect();
        let count = |row: &&[&str]| words.iter().filter(|word| row.contains(word)).count() as f32;
        Some(MEANINGS.iter().map(count).collect())
    }
}

/// Gives the same vector, good or bad, for every text.
struct Always(Option<Vec<f32>>);

impl Embedder for Always {
    fn embed(&self, _: &str) -> Option<Vec<f32>> {
        self.0.clone()
    }
}

const SKILLS: [(&str, &str, &[&str]); 3] = [
    ("fix", "Fix what is broken.", &[]),
    ("pdf", "Fills PDF forms.", &["paper"]),
    ("sql", "Reviews SQL queries.", &[]),
];

fn entries() -> Vec<Entry<'static>> {
    SKILLS
        .iter()
        .map(|(name, description, tags)| Entry {
            name,
            description: (*description).into(),
            tags: tags.to_vec(),
            body: "",
        })
        .collect()
}

fn admits(policy: &Policy) -> impl Fn(u32) -> bool {
    |document| policy.admits(SKILLS[document as usize].2)
}

fn read(index: &Index, query: &str, policy: &Policy) -> Query {
    Query::new(index, query, policy.ranker)
}

fn overlap() -> Policy {
    Policy {
        ranker: Ranker::Overlap,
        ..Policy::default()
    }
}

fn policy() -> Policy {
    Policy {
        top_k: 5,
        ..Policy::default()
    }
}

fn tell(selection: &Selection) -> String {
    let mut text = selection.decision.name().to_owned();
    for found in &selection.matches {
        let name = SKILLS[found.document as usize].0;
        write!(text, "\n{name} {:.2} {:.2}", found.score, found.confidence).unwrap();
    }
    text
}

#[expect(clippy::needless_pass_by_value, reason = "snapshots are values")]
fn check(query: &str, policy: &Policy, words: Expect, vectors: Expect) {
    let index = Index::build(&entries());
    words.assert_eq(&tell(&index.select(
        &read(&index, query, policy),
        policy,
        admits(policy),
    )));
    let found = Vectors::build(&entries(), &Meanings);
    let selection = found.select(&index, query, policy, &Meanings, admits(policy));
    vectors.assert_eq(&tell(&selection));
}

#[test]
fn a_word_of_the_same_meaning_finds_its_skill() {
    check(
        "mend",
        &policy(),
        expect!["none"],
        expect![[r#"
        ambiguous
        fix 3.90 0.30"#]],
    );
    check(
        "mend my umbrella",
        &policy(),
        expect!["none"],
        expect![[r#"
            ambiguous
            fix 4.70 0.30"#]],
    );
}

#[test]
fn words_keep_what_they_found() {
    check(
        "fill pdf forms",
        &policy(),
        expect![[r#"
            confident
            pdf 13.93 1.00"#]],
        expect![[r#"
            confident
            pdf 17.83 1.00"#]],
    );
    check(
        "mend sql",
        &policy(),
        expect![[r#"
            confident
            sql 6.49 0.93"#]],
        expect![[r#"
            confident
            sql 8.63 0.93
            fix 2.14 0.30"#]],
    );
}

#[test]
fn a_vector_alone_is_never_confident() {
    let low = Policy {
        confident: 0.1,
        relevant: 0.05,
        ..policy()
    };
    check(
        "mend",
        &low,
        expect!["none"],
        expect![[r#"
        ambiguous
        fix 3.90 0.10"#]],
    );
}

#[test]
fn the_policy_holds_for_what_vectors_find() {
    let without = Policy {
        exclude_tags: vec!["paper".to_owned()],
        ..policy()
    };
    check("forms", &without, expect!["none"], expect!["none"]);
    let vectors = Vectors::build(&entries(), &Meanings);
    let index = Index::build(&entries());
    let found = vectors.select(&index, "mend", &policy(), &Meanings, |document| {
        document > 0
    });
    assert_eq!(found.matches, []);
    let strict = Policy {
        min_score: Some(f32::NAN),
        ..policy()
    };
    check("mend", &strict, expect!["none"], expect!["none"]);
}

#[test]
fn equal_vectors_keep_the_order_of_the_skills() {
    let index = Index::build(&entries());
    let same = Always(Some(vec![2.0, 0.0]));
    let found =
        Vectors::build(&entries(), &same).select(&index, "umbrella", &policy(), &same, |_| true);
    let documents: Vec<u32> = found.matches.iter().map(|found| found.document).collect();
    assert_eq!(documents, [0, 1, 2]);
}

#[test]
fn without_a_usable_vector_the_words_decide_alone() {
    let index = Index::build(&entries());
    let vectors = Vectors::build(&entries(), &Meanings);
    let none = Vectors::build(&entries(), &Always(None));
    let other = Vectors::build(&[], &Meanings);
    let bad = [
        None,
        Some(vec![]),
        Some(vec![1.0]),
        Some(vec![0.0; 3]),
        Some(vec![f32::NAN, 0.0, 1.0]),
        Some(vec![f32::INFINITY, 0.0, 1.0]),
    ];
    for query in ["fill pdf forms", "mend", "", "fix sql queries"] {
        let words = index.select(&read(&index, query, &policy()), &policy(), |_| true);
        for bad in &bad {
            let found = vectors.select(&index, query, &policy(), &Always(bad.clone()), |_| true);
            assert_eq!(found, words);
        }
        assert_eq!(
            none.select(&index, query, &policy(), &Meanings, |_| true),
            words
        );
        assert_eq!(
            other.select(&index, query, &policy(), &Meanings, |_| true),
            words
        );
        let overlap = overlap();
        let exact = index.select(&read(&index, query, &overlap), &overlap, |_| true);
        assert_eq!(
            vectors.select(&index, query, &overlap, &Meanings, |_| true),
            exact
        );
    }
}

#[test]
fn vectors_that_say_nothing_change_nothing() {
    let index = Index::build(&entries());
    let mut vectors = Vectors::build(&entries(), &Meanings);
    vectors.floor = 1.0;
    for query in ["fill pdf forms", "mend", "fix sql queries"] {
        let words = index.select(&read(&index, query, &policy()), &policy(), |_| true);
        assert_eq!(
            vectors.select(&index, query, &policy(), &Meanings, |_| true),
            words
        );
    }
}

/// Any vector for any text, by the length of the text.
struct Odd(Vec<Vec<f32>>);

impl Embedder for Odd {
    fn embed(&self, text: &str) -> Option<Vec<f32>> {
        self.0.get(text.len() % (self.0.len() + 1)).cloned()
    }
}

proptest! {
    #[test]
    fn any_vectors_give_finite_scores_in_one_order(
        rows in prop::collection::vec(
            prop::collection::vec(prop_oneof![-1.0_f32..1.0, prop::num::f32::ANY], 0..12), 0..5),
        weight in prop_oneof![Just(WEIGHT), prop::num::f32::ANY],
        floor in prop_oneof![Just(FLOOR), prop::num::f32::ANY],
        query in "(mend|fix|pdf|sql|forms| ){0,6}",
        top_k in 0_usize..5,
    ) {
        let index = Index::build(&entries());
        let embedder = Odd(rows);
        let mut vectors = Vectors::build(&entries(), &embedder);
        (vectors.weight, vectors.floor) = (weight, floor);
        let policy = Policy { top_k, ..Policy::default() };
        let found = vectors.select(&index, &query, &policy, &embedder, |_| true);
        prop_assert_eq!(&found, &vectors.select(&index, &query, &policy, &embedder, |_| true));
        prop_assert!(found.matches.len() <= top_k);
        for found in &found.matches {
            prop_assert!(found.score.is_finite());
            prop_assert!((0.0..=1.0).contains(&found.confidence));
        }
        for pair in found.matches.windows(2) {
            let ordered = (-pair[0].score, pair[0].document) < (-pair[1].score, pair[1].document);
            prop_assert!(ordered);
        }
    }
}
