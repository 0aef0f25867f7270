//! Real files load: checked against the shared corpus where it is there.
//!
//! The corpus is not part of the repository; without it this test says so and passes.

use std::{fs, path::PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use prowess_format::{Profile, parse};
use serde_json::Value;

/// The share of loadable files that must load with the expected name and description.
const FLOOR: f64 = 0.995;

#[expect(clippy::disallowed_methods, reason = "a test reads its own data")]
fn corpus() -> Option<String> {
    let root = std::env::var_os("PROWESS_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    fs::read_to_string(root.join("corpus/real-skills.jsonl")).ok()
}

#[test]
fn real_files_load_as_their_authors_meant() {
    let Some(corpus) = corpus() else {
        println!("no shared corpus here; nothing was checked");
        return;
    };
    let (mut loadable, mut loaded) = (0, 0);
    for line in corpus.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let bytes = match case["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => STANDARD.decode(case["base64"].as_str().unwrap()).unwrap(),
        };
        let parsed = parse(bytes, Profile::Lenient);
        let name = parsed.document.name().or(case["dir"].as_str());
        let description = parsed.document.description();
        let no_fields = parsed.document.fields().is_empty();
        assert!(
            !no_fields || !parsed.diagnostics.is_empty(),
            "{} has no fields and no finding",
            case["id"]
        );
        if case["loadable"] == true {
            loadable += 1;
            let expect = &case["expect"];
            let as_expected = expect.is_null()
                || (name == expect["name"].as_str()
                    && description == expect["description"].as_str());
            if description.is_some() && as_expected {
                loaded += 1;
            } else {
                println!(
                    "{} gives {name:?} {description:?}\n  expected {expect}",
                    case["id"]
                );
            }
        }
    }
    println!("{loaded} of {loadable} loadable files load as expected");
    assert!(
        f64::from(loaded) >= FLOOR * f64::from(loadable),
        "only {loaded} of {loadable} load as expected"
    );
}
