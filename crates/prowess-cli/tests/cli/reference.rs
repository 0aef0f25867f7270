//! `check --profile skills-ref` against what the reference really answers.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use base64::Engine as _;
use serde_json::Value;

use crate::world::{World, repository};

/// The recorded answers; `None` where they are not on this machine.
fn cases() -> Option<Vec<Value>> {
    let shared =
        env::var_os("PROWESS_SHARED").map_or_else(|| repository().join("../shared"), PathBuf::from);
    let text = fs::read_to_string(shared.join("vectors/skills-ref/cases.jsonl")).ok()?;
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// Lays a case out below the project; gives back its path.
fn lay_out(world: &World, case: &Value) -> String {
    let path = format!(
        "{}/{}",
        case["id"].as_str().unwrap(),
        case["dir"].as_str().unwrap()
    );
    let root = world.path(&format!("work/{path}"));
    fs::create_dir_all(root.parent().unwrap()).unwrap();
    let tree = case["tree"].as_array().unwrap();
    if case["exists"] == true && tree.iter().all(|entry| entry["path"] != "") {
        fs::create_dir_all(&root).unwrap();
    }
    for entry in tree {
        let name = entry["path"].as_str().unwrap();
        let at = if name.is_empty() {
            root.clone()
        } else {
            root.join(name)
        };
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        if let Some(bytes) = entry["file"].as_str() {
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(bytes)
                .unwrap();
            fs::write(&at, bytes).unwrap();
        } else if let Some(target) = entry["link"].as_str() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(target, &at).unwrap();
        } else {
            fs::create_dir_all(&at).unwrap();
        }
    }
    path
}

/// The reference's words; those behind a parser's colon are the parser's own.
fn normal(message: &str) -> String {
    let yaml = "Invalid YAML in frontmatter:";
    let message = if message.starts_with(yaml) {
        yaml
    } else {
        message
    };
    message.replace("$ROOT/", "")
}

#[test]
fn every_recorded_verdict_is_given() {
    let Some(cases) = cases() else {
        println!("skipped: the recorded answers of the reference are not here");
        return;
    };
    let world = World::new();
    let paths: Vec<String> = cases.iter().map(|case| lay_out(&world, case)).collect();
    let answer = world.json(&format!(
        "check --profile skills-ref --json {}",
        paths.join(" ")
    ));
    let mut given: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for skill in answer["skills"].as_array().unwrap() {
        let path = skill["path"].as_str().unwrap();
        let case = paths
            .iter()
            .find(|case| path.starts_with(&prowess::display_text(case)))
            .unwrap_or_else(|| panic!("`{path}` belongs to no case"));
        let messages = skill["diagnostics"].as_array().unwrap().iter();
        let messages = messages.map(|it| normal(it["message"].as_str().unwrap()));
        given.entry(case).or_default().extend(messages);
    }
    assert!(paths.len() > 100);
    for (case, path) in cases.iter().zip(&paths) {
        let messages = given.get(path.as_str());
        // Where the reference dies, a clear error is enough.
        if case["valid"].is_null() {
            assert!(
                messages.is_none_or(|messages| !messages.is_empty()),
                "{path}"
            );
            continue;
        }
        let expected = case["errors"].as_array().unwrap().iter();
        let expected: Vec<String> = expected.map(|it| normal(it.as_str().unwrap())).collect();
        assert_eq!(messages, Some(&expected), "{path}");
    }
}
