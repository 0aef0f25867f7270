//! The example skills are what a newcomer sees first, so they hold to every rule.

use std::path::{Path, PathBuf};

use prowess::{
    Catalog, Layout, Limits, Skill,
    format::{Folder, FolderFile, Profile, Severity, Subject, Syntax, read, rules},
    select::{Policy, Ranker},
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/skills")
}

fn catalog() -> Catalog {
    Catalog::from_dirs([folder()])
}

/// What `check` would say of a skill: on reading it, and by every rule.
fn findings(skill: &Skill) -> Vec<(Severity, String)> {
    let directory = skill.directory().unwrap();
    let resources = skill.resources(&Limits::default()).unwrap();
    let files = resources.files.into_iter().map(|file| FolderFile {
        path: file.path,
        executable: file.executable,
        size: file.size,
        script: None,
    });
    let folder = Folder {
        name: directory.file_name().unwrap().to_str().unwrap().to_owned(),
        files: files.collect(),
    };
    let text = skill.document().text().as_bytes();
    let parsed = read(text, Profile::Standard);
    let subject = Subject {
        document: &parsed.document,
        file_name: "SKILL.md",
        folder: Some(&folder),
    };
    let mut found = parsed.diagnostics.clone();
    found.extend(rules::check(&subject, Profile::Standard));
    found
        .into_iter()
        .map(|it| {
            (
                it.severity,
                format!("{}: {}: {}", skill.name(), it.code, it.message),
            )
        })
        .collect()
}

#[test]
fn all_load_and_none_breaks_the_standard() {
    let catalog = catalog();
    assert_eq!(catalog.skills().len(), 12);
    assert_eq!(catalog.findings(), []);
    for skill in catalog.skills() {
        assert_eq!(skill.layout(), Layout::Folder);
        let found = findings(skill);
        // One is in TOML on purpose, and says so; nothing else may be worth a warning.
        let known = |text: &str| text.starts_with("travel-itinerary: toml-frontmatter:");
        let bad: Vec<_> = found
            .iter()
            .filter(|(severity, text)| *severity != Severity::Hint && !known(text))
            .collect();
        assert!(bad.is_empty(), "{bad:#?}");
    }
}

#[test]
fn every_file_of_a_skill_is_named_in_its_instructions() {
    for skill in catalog().skills() {
        for file in skill.resources(&Limits::default()).unwrap().files {
            let name = skill.name();
            assert!(
                skill.instructions().contains(&file.path),
                "{name}: {}",
                file.path
            );
            if cfg!(unix) && file.path.starts_with("scripts/") {
                assert_eq!(file.executable, Some(true), "{name}: {}", file.path);
            }
        }
    }
}

#[test]
fn together_they_show_every_kind_of_field() {
    let catalog = catalog();
    let any = |test: &dyn Fn(&Skill) -> bool| catalog.skills().iter().any(test);
    for field in [
        "allowed-tools",
        "triggers",
        "always",
        "tags",
        "compatibility",
        "metadata",
    ] {
        assert!(
            any(&|skill| skill.document().get(field).is_some()),
            "{field}"
        );
    }
    assert!(any(&|skill| skill.document().syntax() == Some(Syntax::Toml)));
    assert!(any(&Skill::is_manual));
    assert!(!catalog.get("git-bisect").unwrap().is_model_visible());
}

#[test]
fn a_request_finds_the_skill_of_its_trade() {
    let catalog = catalog();
    for (request, name) in [
        (
            "water is coming through the kitchen ceiling",
            "plumbing-triage",
        ),
        ("fill in this tax form, it is a PDF", "pdf-forms"),
        ("what changed since the last release", "release-notes"),
        (
            "checkout is down and the pager went off",
            "incident-response",
        ),
        ("is this migration safe to run in production", "sql-review"),
        ("scale my sourdough recipe to six loaves", "bread-scaling"),
        (
            "the columns of this CSV export have shifted",
            "csv-cleaning",
        ),
        (
            "check our dialog with a screen reader",
            "accessibility-review",
        ),
        ("plan a road trip with two stops", "travel-itinerary"),
        ("what is risky in this NDA", "contract-summary"),
        (
            "make this documentation clearer and shorter",
            "plain-writing",
        ),
    ] {
        let selection = catalog.select(request, &Policy::default());
        let found: Vec<&str> = selection
            .matches
            .iter()
            .map(|it| it.skill().name())
            .collect();
        assert_eq!(found, [name], "{request}");
    }
}

#[test]
fn a_leak_is_the_plumbers_and_nobody_elses() {
    let catalog = catalog();
    for ranker in [Ranker::Lexical, Ranker::Overlap] {
        let policy = Policy {
            ranker,
            top_k: 3,
            min_score: Some(0.0),
            ..Policy::default()
        };
        let selection = catalog.select("water is coming through the kitchen ceiling", &policy);
        let scores: Vec<(&str, f32)> = selection
            .matches
            .iter()
            .map(|it| (it.skill().name(), it.score))
            .collect();
        assert_eq!(scores[0].0, "plumbing-triage");
        let second = scores.get(1).map_or(0.0, |it| it.1);
        assert!(scores[0].1 > 2.0 * second, "{ranker:?}: {scores:?}");
    }
}
