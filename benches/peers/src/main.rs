//! Loads and queries a catalog with other people's crates, and prints the cost as JSON.
//!
//! `cargo xtask bench` builds and starts this program, once for each measurement:
//! `peers adk-load ROOT`, `peers phi-load ROOT`, `peers agent-skills-load ROOT` and
//! `peers adk-select ROOT QUERIES REPEATS`, where `ROOT/.skills` holds the skills and
//! `QUERIES` has one query a line; `peers defect-wake TRIGGERS REPEATS`, where `TRIGGERS` is a
//! JSON file with a message and skills.

#![expect(
    clippy::disallowed_methods,
    reason = "a program that only measures may open files itself"
)]

mod defect;
#[path = "../../../xtask/src/measure.rs"]
mod measure;

use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use adk_skill::{SelectionPolicy, load_skill_index, select_skills};
use agent_skills::SkillDirectory;
use measure::{QueryCost, cost};
use phi_core::SkillSet;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let line = match arguments[..] {
        ["adk-load", root] => adk_load(root),
        ["phi-load", root] => phi_load(root),
        ["agent-skills-load", root] => agent_skills_load(root),
        ["adk-select", root, queries, repeats] => adk_select(root, queries, repeats.parse()?)?,
        ["defect-wake", triggers, repeats] => defect::wake(triggers, repeats.parse()?)?,
        _ => {
            let verbs = "adk-load|phi-load|agent-skills-load|adk-select|defect-wake";
            return Err(format!("usage: peers {verbs} …").into());
        }
    };
    println!("{line}");
    Ok(())
}

fn adk_load(root: &str) -> serde_json::Value {
    let (cost, _index) = cost(|| {
        let index = load_skill_index(root).expect("adk-skill loads the catalog");
        (index.len(), index)
    });
    json!(cost)
}

fn phi_load(root: &str) -> serde_json::Value {
    let (cost, _set) = cost(|| {
        let set =
            SkillSet::load(&[Path::new(root).join(".skills")]).expect("phi-core loads the catalog");
        (set.len(), set)
    });
    json!(cost)
}

fn agent_skills_load(root: &str) -> serde_json::Value {
    // The crate loads one folder at a time; finding the folders is left to its user.
    let (cost, _skills) = cost(|| {
        let entries = std::fs::read_dir(Path::new(root).join(".skills")).expect("the folder");
        let skills: Vec<SkillDirectory> = entries
            .flatten()
            .filter_map(|entry| SkillDirectory::load(entry.path()).ok())
            .collect();
        (skills.len(), skills)
    });
    json!(cost)
}

fn adk_select(
    root: &str,
    queries: &str,
    repeats: usize,
) -> Result<serde_json::Value, Box<dyn Error>> {
    let index = load_skill_index(root)?;
    let policy = SelectionPolicy {
        top_k: 10,
        ..SelectionPolicy::default()
    };
    let queries = std::fs::read_to_string(queries)?;
    let cost = QueryCost::of(index.len(), &queries, repeats, |query| {
        black_box(select_skills(&index, query, &policy)).len()
    });
    Ok(json!(cost))
}
