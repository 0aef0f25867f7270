//! What a registry shows of each crate is there: texts, licences, words to find it by.
#![expect(clippy::disallowed_methods, reason = "a test reads the manifests")]

use std::{fs, path::Path};

use toml::{Table, Value};

#[test]
fn every_crate_is_ready_to_be_published() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut faults = Vec::new();
    let mut seen = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else {
            continue;
        };
        let package = manifest.parse::<Table>().unwrap()["package"].clone();
        seen += 1;
        let mut fault =
            |what: &str| faults.push(format!("{}: {what}", package["name"].as_str().unwrap()));
        for key in ["description", "license", "repository", "rust-version"] {
            if package.get(key).is_none() {
                fault(&format!("no `{key}`"));
            }
        }
        // A registry takes at most five of each.
        for key in ["keywords", "categories"] {
            let words = package.get(key).and_then(Value::as_array);
            if !words.is_some_and(|words| (1..=5).contains(&words.len())) {
                fault(&format!("`{key}` has not one to five words"));
            }
        }
        let settings = package.get("metadata").and_then(|it| it.get("docs"));
        if settings.and_then(|it| it.get("rs")).is_none() {
            fault("docs.rs would build its default features alone");
        }
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            if !fs::read_to_string(folder.join(file)).is_ok_and(|text| text.len() > 200) {
                fault(&format!("no `{file}`"));
            }
        }
    }
    assert!(seen > 10, "only {seen} crates were looked at");
    assert_eq!(faults, Vec::<String>::new());
}
