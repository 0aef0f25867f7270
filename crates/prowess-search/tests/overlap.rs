//! The ranker `overlap` gives the scores of adk-skill, to six decimals.

use std::path::{Path, PathBuf};

use prowess_format::{Profile, parse, parse_convention};
use prowess_search::{Entry, Index, Policy, Query, Ranker};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    skills: Vec<File>,
    query: String,
    policy: CasePolicy,
    expect: Vec<Expected>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct CasePolicy {
    top_k: usize,
    min_score: f32,
    include_tags: Vec<String>,
    exclude_tags: Vec<String>,
}

#[derive(Deserialize)]
struct Expected {
    name: String,
    path: String,
    score: String,
}

#[derive(Debug)]
struct Skill {
    path: String,
    name: String,
    description: String,
    tags: Vec<String>,
    body: String,
}

fn read(file: &File) -> Skill {
    let text = file.content.as_str();
    let parsed = if text.starts_with("---") {
        parse(text, Profile::Lenient)
    } else {
        parse_convention(text, &file.path, Profile::Lenient)
    };
    let document = parsed.document;
    Skill {
        path: file.path.clone(),
        name: document.name().unwrap_or_default().to_owned(),
        description: document.description().unwrap_or_default().to_owned(),
        tags: document.tags().into_iter().map(str::to_owned).collect(),
        body: document.instructions().to_owned(),
    }
}

fn run(case: &Case) -> Vec<String> {
    let mut skills: Vec<Skill> = case.skills.iter().map(read).collect();
    skills.sort_by(|l, r| (&l.name, &l.path).cmp(&(&r.name, &r.path)));
    let entries: Vec<Entry<'_>> = skills
        .iter()
        .map(|skill| Entry {
            name: &skill.name,
            description: (&*skill.description).into(),
            tags: skill.tags.iter().map(String::as_str).collect(),
            body: &skill.body,
        })
        .collect();
    let policy = Policy {
        ranker: Ranker::Overlap,
        top_k: case.policy.top_k,
        min_score: Some(case.policy.min_score),
        include_tags: case.policy.include_tags.clone(),
        exclude_tags: case.policy.exclude_tags.clone(),
        ..Policy::default()
    };
    let index = Index::build(&entries);
    let query = Query::new(&index, &case.query, Ranker::Overlap);
    let selection = index.select(&query, &policy, |document| {
        policy.admits(&skills[document as usize].tags)
    });
    selection
        .matches
        .iter()
        .map(|found| {
            let skill = &skills[found.document as usize];
            format!("{} {} {:.6}", skill.name, skill.path, found.score)
        })
        .collect()
}

fn check(cases: &str) -> usize {
    let mut count = 0;
    for line in cases.lines().filter(|line| !line.is_empty()) {
        let case: Case = serde_json::from_str(line).expect("a case");
        let expected: Vec<String> = case
            .expect
            .iter()
            .map(|e| format!("{} {} {}", e.name, e.path, e.score))
            .collect();
        assert_eq!(run(&case), expected, "case {}", case.id);
        count += 1;
    }
    count
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the cases lie outside the repository"
)]
fn every_shared_case_has_its_score() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("PROWESS_SHARED").map_or(beside, PathBuf::from);
    let Ok(cases) = std::fs::read_to_string(shared.join("vectors/overlap/cases.jsonl")) else {
        println!("note: the shared cases are not here; set PROWESS_SHARED to check them");
        return;
    };
    assert!(check(&cases) > 100);
}

#[test]
fn own_cases_have_the_scores_worked_out_by_hand() {
    assert_eq!(check(include_str!("overlap.jsonl")), 6);
}
