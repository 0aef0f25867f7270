//! `docs/COMING_FROM.md` runs: its commands here, its Rust as tests of the library.

use std::fs;

use crate::world::{World, repository};

/// A folder as the page describes it.
fn world() -> World {
    let world = World::new();
    let examples = repository().join("examples/skills");
    copy(&examples, &world.path("work/skills"));
    let base = world.output("export --dir skills").stdout;
    world.file("work/base.jsonl", base);
    world.file(
        "work/requests.jsonl",
        "{\"query\": \"water drips through the ceiling\", \"expect\": \"plumbing-triage\"}\n",
    );
    world
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The last cell of each row: the line that runs.
fn lines(page: &str) -> Vec<String> {
    page.lines()
        .filter(|line| line.starts_with("| ") && !line.contains("| a line that runs |"))
        .map(|row| {
            let row = row.trim_end_matches(" |").replace("\\|", "\u{0}");
            let cell = row.rsplit(" | ").next().unwrap();
            let line = cell.trim().trim_matches('`');
            line.replace('\u{0}', "|")
        })
        .collect()
}

#[test]
fn every_row_has_a_line_that_runs() {
    let page = fs::read_to_string(repository().join("docs/COMING_FROM.md")).unwrap();
    // What stands in a Rust block is compiled and run by the tests of the library.
    let blocks: Vec<&str> = page
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let compiled = |line: &str| {
        blocks
            .iter()
            .any(|block| block.lines().any(|it| it == line))
    };
    let world = world();
    let (mut commands, mut rust, mut faults) = (0, 0, Vec::new());
    for line in lines(&page) {
        let Some(command) = line.strip_prefix("prowess ") else {
            rust += 1;
            if !compiled(&line) {
                faults.push(format!("not in a Rust block: {line}"));
            }
            continue;
        };
        commands += 1;
        let (command, exit) = match command.split_once(" # exit ") {
            Some((command, exit)) => (command, exit.parse().unwrap()),
            None => (command, 0),
        };
        let output = world.output(command);
        if output.status.code() != Some(exit) {
            faults.push(format!("{line}: {}", world.run(command)));
        }
    }
    assert!(commands > 35 && rust > 70, "{commands} and {rust}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
