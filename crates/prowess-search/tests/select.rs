//! Selection over an index, as a host sees it.

use std::{fmt::Write as _, time::Instant};

use expect_test::{Expect, expect};
use proptest::prelude::*;
use prowess_search::{Decision, Entry, FieldWeights, Index, Policy, Query, Ranker, Selection};

const SKILLS: &[(&str, &str, &[&str], &str)] = &[
    (
        "ceiling-leak",
        "Finds where water comes through a ceiling. Not for frozen pipes.",
        &["home"],
        "# Steps\nTurn the water off.",
    ),
    (
        "k8s-deploy",
        "Deploys services to Kubernetes clusters.",
        &["ops"],
        "# Deploy\n```sh\nkubectl apply\n```",
    ),
    (
        "pdf-forms",
        "Fills in PDF forms. Use when the user has a form to complete.",
        &["office", "pdf"],
        "Open the form.",
    ),
    (
        "pdf-merge",
        "Merges PDF files into one.",
        &["office"],
        "Open every file.",
    ),
    (
        "invoice-ocr",
        "识别发票并提取金额和税号",
        &["office"],
        "发票",
    ),
    (
        "sql-review",
        "Reviews PostgreSQL queries for speed.",
        &["data"],
        "Look at the query plan.",
    ),
];

fn entries() -> Vec<Entry<'static>> {
    SKILLS
        .iter()
        .map(|(name, description, tags, body)| Entry {
            name,
            description: (*description).into(),
            tags: tags.to_vec(),
            body,
        })
        .collect()
}

fn choose(index: &Index, query: &str, policy: &Policy) -> Selection {
    index.select(&Query::new(index, query, policy.ranker), policy, |_| true)
}

fn select(query: &str, policy: &Policy) -> String {
    let index = Index::build(&entries());
    let query = Query::new(&index, query, policy.ranker);
    let found = index.select(&query, policy, |document| {
        policy.admits(SKILLS[document as usize].2)
    });
    let mut out = format!("{}\n", found.decision.name());
    for found in &found.matches {
        writeln!(
            out,
            "{} {:.3} {:.2}",
            SKILLS[found.document as usize].0, found.score, found.confidence
        )
        .unwrap();
    }
    out
}

fn check(query: &str, expected: &Expect) {
    expected.assert_eq(&select(
        query,
        &Policy {
            top_k: 3,
            ..Policy::default()
        },
    ));
}

#[test]
fn the_right_skill_comes_first() {
    check(
        "water is coming through the kitchen ceiling",
        &expect![[r#"
            confident
            ceiling-leak 9.694 0.99
        "#]],
    );
    check(
        "combine two PDFs into one file",
        &expect![[r#"
            confident
            pdf-merge 6.721 0.90
            pdf-forms 3.558 0.01
        "#]],
    );
    check(
        "my postgres query is slow",
        &expect![[r#"
            confident
            sql-review 7.674 0.97
        "#]],
    );
    check(
        "roll out to k8s",
        &expect![[r#"
            confident
            k8s-deploy 7.413 0.95
        "#]],
    );
}

#[test]
fn slips_and_other_scripts_are_understood() {
    check(
        "fill in this from for me: kuberntes",
        &expect![[r#"
            ambiguous
            k8s-deploy 5.866 0.67
            pdf-forms 5.147 0.19
        "#]],
    );
    check(
        "帮我识别这张发票",
        &expect![[r#"
            confident
            invoice-ocr 9.497 0.99
        "#]],
    );
}

#[test]
fn a_request_and_a_skill_meet_in_english() {
    check(
        "extract the amount",
        &expect![[r#"
            confident
            invoice-ocr 9.820 1.00
        "#]],
    );
    check(
        "合并这些文件",
        &expect![[r#"
            ambiguous
            pdf-merge 5.252 0.58
        "#]],
    );
    check(
        "审查数据库查询",
        &expect![[r#"
            ambiguous
            sql-review 5.341 0.59
        "#]],
    );
    let index = Index::build(&entries());
    let query = Query::new(&index, "extract the amount", Ranker::Lexical);
    let told = index.explain(&query, &entries()[4]);
    let said: Vec<_> = told.words.iter().map(|it| (&*it.word, &*it.term)).collect();
    assert_eq!(said, [("extract", "extract"), ("amount", "amount")]);
    let off = FieldWeights {
        translation: 0.0,
        ..FieldWeights::default()
    };
    let index = Index::build_with(&entries(), off, 1);
    assert!(
        choose(&index, "extract the amount", &Policy::default())
            .matches
            .is_empty()
    );
}

#[test]
fn words_meet_in_other_languages_and_inside_compounds() {
    let description = |description: &'static str| Entry {
        name: "it",
        description: description.into(),
        ..Entry::default()
    };
    let finds = |skill: &'static str, request: &str| {
        let other = description("Reviews SQL queries of the warehouse");
        let index = Index::build(&[description(skill), other]);
        let found = choose(&index, request, &Policy::default()).matches;
        found.first().is_some_and(|first| first.document == 0)
    };
    for (skill, request) in [
        (
            "Prüft Kündigungsfristen in Verträgen und der Miete",
            "Kündigungsfrist",
        ),
        (
            "Prüft die Kündigungsfrist und den Vertrag",
            "Kündigungsfristen",
        ),
        (
            "Genera informes para los clientes",
            "un informe para el cliente",
        ),
        ("Crée des factures pour les clients", "une facture"),
        ("Writes invoices", "Rechnung schreiben"),
        ("Writes invoices", "facturas"),
        ("Summarizes meetings", "summarize the 会議"),
        ("Translates documents", "문서를 번역해줘"),
        ("Checks reports", "проверь отчёты"),
        ("Writes Dockerfiles", "docker"),
        ("Plans A/B tests", "AB testing"),
    ] {
        assert!(finds(skill, request), "{request} → {skill}");
    }
    assert!(!finds("Prepares pasta", "the folder"));
}

#[test]
fn what_is_measured_weighs_little() {
    let names = ["plain-minutes", "plain-tables"];
    let entries = names.map(|name| Entry {
        name,
        description: name.into(),
        ..Entry::default()
    });
    let index = Index::build(&entries);
    let found = choose(
        &index,
        "tables of 2 GB after 40 minutes",
        &Policy::default(),
    );
    assert_eq!(found.matches[0].document, 1);
}

#[test]
fn a_fenced_block_is_material_and_what_is_asked_stands_around_it() {
    let block = "```text\nPDF forms to complete, one file, office\n```";
    let asked = select(
        &format!("deploy this to the cluster\n{block}"),
        &Policy::default(),
    );
    assert!(asked.contains("k8s-deploy"), "{asked}");
    // Of a very long block the middle is cut away; what follows its end still asks.
    let lines = "let x = 1;\n".repeat(9_000);
    let long = format!("look here\n```\n{lines}```\ndeploy this to the kubernetes cluster");
    let asked = select(&long, &Policy::default());
    assert!(
        asked
            .lines()
            .nth(1)
            .is_some_and(|it| it.contains("k8s-deploy")),
        "{asked}"
    );
    // A block alone is all there is to go by.
    let alone = select(block, &Policy::default());
    assert!(alone.contains("pdf-forms"), "{alone}");
}

#[test]
fn nothing_relevant_gives_nothing() {
    for query in [
        "",
        " \n",
        "?!",
        "what is it and how are you",
        "🦀🦀",
        "\u{202e}\u{200f}",
        "recipe for lentil soup",
    ] {
        assert_eq!(select(query, &Policy::default()), "none\n", "{query:?}");
    }
}

#[test]
fn one_shared_word_is_a_lead_over_everything_and_still_not_enough() {
    let found = select("look at the moon", &Policy::default());
    assert!(found.starts_with("none"), "{found}");
}

#[test]
fn skills_that_tie_are_put_on_a_menu() {
    let skill = |name, description: &'static str| Entry {
        name,
        description: description.into(),
        tags: Vec::new(),
        body: "Look at it.",
    };
    let entries = [
        skill("otter-review", "Reviews an otter before it ships."),
        skill("bread", "Bakes bread."),
        skill("heron-review", "Reviews a heron before it ships."),
        skill("map", "Draws maps."),
    ];
    let index = Index::build(&entries);
    let found = choose(&index, "review this before it ships", &Policy::default());
    let Decision::Ambiguous(menu) = &found.decision else {
        panic!("{found:?}");
    };
    let named = menu.iter().map(|it| entries[it.document as usize].name);
    assert_eq!(named.collect::<Vec<_>>(), ["otter-review", "heron-review"]);
    assert_eq!(menu[0].confidence.to_bits(), menu[1].confidence.to_bits());
    assert!(menu[0].confidence <= 0.5, "{menu:?}");
}

#[test]
fn tags_decide_who_may_be_chosen() {
    let with = |include: &[&str], exclude: &[&str]| Policy {
        top_k: 9,
        min_score: Some(0.0),
        include_tags: include.iter().map(|tag| (*tag).to_owned()).collect(),
        exclude_tags: exclude.iter().map(|tag| (*tag).to_owned()).collect(),
        ..Policy::default()
    };
    let names = |query: &str, policy: &Policy| {
        let found = select(query, policy);
        found
            .lines()
            .skip(1)
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("pdf", &with(&["PDF"], &[])), ["pdf-forms"]);
    assert_eq!(names("pdf", &with(&["office"], &["Pdf"])), ["pdf-merge"]);
    assert_eq!(
        names("", &with(&["office"], &["Pdf"])),
        ["pdf-merge", "invoice-ocr"]
    );
}

#[test]
fn odd_thresholds_and_counts_have_plain_answers() {
    let count = |top_k, min_score| {
        let policy = Policy {
            top_k,
            min_score: Some(min_score),
            ..Policy::default()
        };
        select("pdf", &policy).lines().count() - 1
    };
    assert_eq!(count(0, 0.0), 0);
    assert_eq!(count(usize::MAX, 0.0), 2);
    assert_eq!(count(9, f32::NEG_INFINITY), 2);
    assert_eq!(count(9, f32::INFINITY), 0);
    assert_eq!(count(9, f32::NAN), 0);
    let nan = Policy {
        confident: f32::NAN,
        relevant: f32::NAN,
        ..Policy::default()
    };
    assert!(select("pdf", &nan).starts_with("none"));
}

#[test]
fn huge_requests_take_little_time() {
    let mut long = String::new();
    for number in 0..200_000 {
        write!(long, "word{number} ").unwrap();
    }
    let queries = [
        "pdf ".repeat(1_000_000),
        "x".repeat(10_000_000),
        long,
        "发票".repeat(1_000_000),
        "\u{301}".repeat(1_000_000),
    ];
    for ranker in Ranker::ALL {
        for query in &queries {
            let started = Instant::now();
            select(
                query,
                &Policy {
                    ranker,
                    ..Policy::default()
                },
            );
            assert!(
                started.elapsed().as_secs() < 20,
                "{ranker:?} {}",
                &query[..16]
            );
        }
    }
    assert!(select(&queries[0], &Policy::default()).contains("pdf-"));
}

fn rank_of(description: &str, query: &str) -> (usize, f32) {
    let mut entries = entries();
    entries[3].description = description.into();
    let index = Index::build(&entries);
    let policy = Policy {
        top_k: 9,
        min_score: Some(0.0),
        ..Policy::default()
    };
    let found = choose(&index, query, &policy).matches;
    // One that is not found stands behind all others.
    let rank = found.iter().position(|found| found.document == 3);
    rank.map_or((found.len(), 0.0), |rank| (rank, found[rank].score))
}

#[test]
fn repeating_words_does_not_help() {
    let plain = rank_of("Merges PDF files into one.", "merge pdf");
    let stuffed = rank_of(
        "Merges PDF files into one. PDF PDF PDF. Merge! PDF files, PDF merges.",
        "merge pdf",
    );
    assert!(
        stuffed.0 >= plain.0 && stuffed.1 <= plain.1,
        "{plain:?} {stuffed:?}"
    );
}

#[test]
fn listing_everything_does_not_help() {
    let mut keywords = "Merges PDF files into one.".to_owned();
    (0..200).for_each(|number| write!(keywords, " keyword{number},").unwrap());
    keywords.push_str(" forms form complete kubernetes water ceiling");
    for query in [
        "fill in a pdf form",
        "water through the ceiling",
        "merge pdf",
    ] {
        let plain = rank_of(
            "Merges PDF files into one. forms form complete kubernetes water ceiling",
            query,
        );
        let stuffed = rank_of(&keywords, query);
        assert!(
            stuffed.0 >= plain.0 && stuffed.1 <= plain.1,
            "{query} {plain:?} {stuffed:?}"
        );
    }
}

#[test]
fn an_explanation_adds_up_to_the_score_and_names_what_is_missing() {
    let index = Index::build(&entries());
    for ranker in Ranker::ALL {
        let policy = Policy {
            ranker,
            top_k: 9,
            min_score: Some(0.0),
            ..Policy::default()
        };
        let query = "please fill the PDF form for water damage";
        for found in choose(&index, query, &policy).matches {
            let explained = index.explain(
                &Query::new(&index, query, ranker),
                &entries()[found.document as usize],
            );
            assert_eq!(
                explained.score.to_bits(),
                found.score.to_bits(),
                "{ranker:?} {}",
                found.document
            );
            let words: f32 = explained.words.iter().map(|word| word.added).sum();
            let signals: f32 = explained.signals.iter().map(|signal| signal.added).sum();
            let all = words + explained.name + explained.pairs + signals;
            assert!((all - found.score).abs() < 1e-4);
            for word in &explained.words {
                let fields: f32 = word.fields.iter().map(|field| field.added).sum();
                assert!((fields - word.added).abs() < 1e-4, "{}", word.word);
            }
        }
    }
    let explained = index.explain(
        &Query::new(&index, "fill form for water damage", Ranker::Lexical),
        &entries()[2],
    );
    let missing: Vec<&str> = explained
        .missing
        .iter()
        .map(|missing| &*missing.word)
        .collect();
    assert_eq!(missing, ["damage", "water"]);
}

#[test]
fn why_names_the_rival_and_the_words_that_would_help() {
    let index = Index::build(&entries());
    let query = Query::new(&index, "fill and merge pdf", Ranker::Lexical);
    let why = index.why(&query, 2, |at| entries()[at as usize].clone(), |_| true);
    let mut out = format!("rank {:?} of {}\n", why.rank, why.ranked);
    for rival in &why.rivals {
        writeln!(
            out,
            "behind {} by {}",
            SKILLS[rival.document as usize].0, rival.leads[0].word
        )
        .unwrap();
    }
    for advice in &why.advice {
        writeln!(out, "with `{}`: rank {}", advice.word, advice.rank).unwrap();
    }
    expect![[r#"
        rank Some(2) of 2
        behind pdf-merge by merge
        with `merge`: rank 1
    "#]]
    .assert_eq(&out);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_request_gives_the_same_answer_every_time(query in "\\PC{0,60}", threads in 1_usize..9) {
        let many: Vec<Entry<'_>> = entries().into_iter().cycle().take(200).collect();
        let one = Index::build_with(&many, FieldWeights::default(), 1);
        let more = Index::build_with(&many, FieldWeights::default(), threads);
        for ranker in Ranker::ALL {
            let policy = Policy { ranker, top_k: 50, min_score: Some(0.0), ..Policy::default() };
            let (left, right) = (choose(&one, &query, &policy), choose(&more, &query, &policy));
            prop_assert_eq!(&left, &right);
            prop_assert!(left.matches.is_sorted_by(|l, r| r.score.total_cmp(&l.score).then(l.document.cmp(&r.document)).is_lt()));
        }
        prop_assert_eq!(one.to_bytes(), more.to_bytes());
    }

    #[test]
    fn repeating_a_word_of_a_description_on_the_spot_changes_nothing(
        words in prop::collection::vec(prop::sample::select(SAID), 1..12),
        request in prop::collection::vec(prop::sample::select(SAID), 1..6),
        word in 0_usize..12,
        times in 1_usize..12,
    ) {
        let word = word % words.len();
        let mut repeated: Vec<&str> = words.clone();
        (0..times).for_each(|_| repeated.insert(word, words[word]));
        let (words, repeated, request) = (words.join(" "), repeated.join(" "), request.join(" "));
        prop_assert_eq!(rank_of(&words, &request), rank_of(&repeated, &request), "{}", repeated);
    }
}

/// Words that meet in a description: plain ones, compounds, other scripts, and what rules out.
const SAID: &[&str] = &[
    "Merges",
    "PDF",
    "files",
    "into",
    "one",
    "PostgreSQL",
    "sql",
    "识别",
    "发票识别",
    "not",
    "never",
    "knot",
    "to",
    "be",
    "used",
    "for",
];

#[test]
fn words_glued_together_are_neighbours_and_not_one_word() {
    // Fuzzing repeated `Tests#things\u{fffd}te` and found new neighbours: `te` before `Tests`.
    let once = rank_of("Tests#things\u{fffd}\u{fffd}te", "te tests");
    let twice = rank_of(
        "Tests#things\u{fffd}\u{fffd}te Tests#things\u{fffd}\u{fffd}te",
        "te tests",
    );
    assert!(twice.1 > once.1, "{once:?} {twice:?}");
    // One word is no neighbour of itself, nor are its parts.
    for word in ["te", "PostgreSQL", "发票识别"] {
        let request = "te te sql postgresql 识别 发票";
        let repeated = [word; 10].join(" ");
        assert_eq!(
            rank_of(word, request),
            rank_of(&repeated, request),
            "{word}"
        );
    }
}
