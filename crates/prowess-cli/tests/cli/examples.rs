//! The skills that come with the product, through the product.

use std::process::Command;

use crate::world::repository;

fn run(line: &str) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_prowess"))
        .args(line.split(' '))
        .current_dir(repository())
        .env_clear()
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        output.status.code(),
    )
}

#[test]
fn the_examples_are_listed_and_without_errors() {
    let (listed, exit) = run("list --dir examples/skills");
    assert_eq!(exit, Some(0));
    assert!(listed.starts_with("NAME"), "{listed}");
    assert!(listed.lines().count() > 8, "{listed}");
    assert!(
        listed.lines().all(|line| line.chars().count() <= 100),
        "{listed}"
    );
    assert_eq!(run("check examples/skills").1, Some(0));
}

#[test]
fn every_example_shows_and_tells_its_story() {
    let (listed, _) = run("list --all --json --dir examples/skills");
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    for skill in listed["skills"].as_array().unwrap() {
        let name = skill["name"].as_str().unwrap();
        for verb in ["show", "why", "resources"] {
            assert_eq!(
                run(&format!("{verb} {name} --dir examples/skills")).1,
                Some(0),
                "{verb} {name}"
            );
        }
    }
}
