//! What activation and the catalog prompt cost. Run it alone and optimized:
//!
//! `cargo test --release -p prowess --test cost -- --ignored --nocapture`

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use prowess::{
    Budget, Catalog, LoadOptions, MemorySource, PromptOptions, Source,
    activate::{Triggers, Turn},
};

const WORDS: &[&str] = &[
    "invoice", "table", "kernel", "garden", "poem", "schema", "vector", "court", "engine", "river",
    "budget", "lesson", "camera", "protein", "harbour", "ledger", "motor", "recipe", "signal",
    "tax",
];

fn catalog(count: usize) -> Catalog {
    let mut source = MemorySource::new("cost");
    for at in 0..count {
        let word = |step: usize| WORDS[(at / step + step) % WORDS.len()];
        let (a, b, c) = (word(1), word(20), word(400));
        source = source.skill(
            format!("s{at}/SKILL.md"),
            format!(
                "---\nname: {a}-{b}-{at}\ndescription: Works on the {a} of a {b} and keeps its {c} \
                 in order. Use it when someone asks about {a} {at}, or wants a {b} checked before \
                 it goes out. It knows the usual slips.\ntriggers:\n  globs: ['{a}/**/*.{b}{at}', \
                 '*.x{at}']\n  keywords: [{a} {b} {at}, key{at}]\n---\nTake the {a}, then the {b}.\n"
            ),
        );
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).unwrap()
}

/// The middle of many runs, after some to warm up.
fn time(mut work: impl FnMut()) -> Duration {
    let mut runs: Vec<Duration> = (0..60)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    runs.drain(..10);
    runs.sort_unstable();
    runs[runs.len() / 2]
}

fn message() -> String {
    let mut text =
        "Please look at src/main.x17 and the engine of my garden, key500 came up. ".repeat(8);
    text.push_str("Then ask @invoice-table-0 and write to joe@example.org about `key3`.");
    text
}

#[test]
#[ignore = "it measures time"]
fn a_message_against_a_thousand_triggers() {
    let catalog = catalog(1_000);
    let triggers = Triggers::new(&catalog);
    let message = message();
    let turn = Turn {
        message: &message,
        files: &["src/lib.rs", "river/a/b.court7", "docs/a.md"],
        ..Turn::default()
    };
    let woken = triggers.activate(&catalog, &turn, None).len();
    let took = time(|| {
        black_box(triggers.activate(&catalog, black_box(&turn), None));
    });
    // What a loop over every keyword and glob costs, each made ready before, without folding or
    // whole words.
    let skills = || catalog.skills().iter().map(prowess::Skill::document);
    let keywords: Vec<String> = skills()
        .flat_map(prowess::format::Document::trigger_keywords)
        .map(|keyword| keyword.text.to_lowercase())
        .collect();
    let globs: Vec<globset::GlobMatcher> = skills()
        .flat_map(prowess::format::Document::trigger_globs)
        .map(|glob| globset::Glob::new(glob.text).unwrap().compile_matcher())
        .collect();
    let naive = time(|| {
        let lower = message.to_lowercase();
        for keyword in &keywords {
            black_box(lower.contains(keyword));
        }
        for glob in &globs {
            black_box(turn.files.iter().any(|file| glob.is_match(file)));
        }
    });
    println!(
        "activate: {} characters, 1,000 skills with 4,000 triggers, {woken} woken: {took:?}; naive loop {naive:?}",
        message.len()
    );
    assert!(took <= Duration::from_micros(200), "{took:?}");
}

#[test]
#[ignore = "it measures time"]
fn a_prompt_for_ten_thousand_skills() {
    let catalog = catalog(10_000);
    for budget in [Budget::characters(8_000), Budget::tokens(2_000)] {
        let options = PromptOptions {
            budget: Some(budget),
            query: Some("check the invoice of my garden before it goes out"),
            ..PromptOptions::default()
        };
        let report = catalog.prompt(&options).report;
        let took = time(|| {
            black_box(catalog.prompt(black_box(&options)));
        });
        let ranking = time(|| {
            black_box(catalog.select(black_box(options.query.unwrap()), &options.policy));
        });
        println!(
            "prompt: 10,000 skills, {budget} by {}, {} whole, {} hidden: {took:?}, of which ranking {ranking:?}",
            report.counter,
            report.full,
            report.hidden.len()
        );
        assert!(took <= Duration::from_millis(3), "{took:?}");
    }
}
