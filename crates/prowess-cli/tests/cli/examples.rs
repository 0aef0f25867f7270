//! The skills that come with the product, through the product.

use std::{fs, process::Command};

use crate::world::{World, repository};

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

#[test]
fn the_guide_for_authors_runs_from_top_to_bottom() {
    let page = fs::read_to_string(repository().join("docs/SKILLS.md")).unwrap();
    let world = World::new();
    let (mut commands, mut files) = (0, 0);
    // A block starts with what it is: `sh`, or a language and the file it is.
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').unwrap();
        if let Some((_, path)) = kind.split_once(' ') {
            world.file(&format!("work/{path}"), text);
            files += 1;
            continue;
        }
        for line in text.lines() {
            let line = line.strip_prefix("prowess ").unwrap();
            let (line, exit) = line.split_once(" # exit ").unwrap_or((line, "0"));
            let output = world.output(line);
            let code = output.status.code().unwrap();
            assert_eq!(code.to_string(), exit, "{line}: {}", world.run(line));
            commands += 1;
        }
    }
    assert!(commands > 12 && files > 2, "{commands} and {files}");
}
