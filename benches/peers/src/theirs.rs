//! Other people's crates, doing the same work.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use adk_skill::{SelectionPolicy, load_skill_index, select_skills};
use agent_skills::SkillDirectory;
use phi_core::SkillSet;

use crate::measure::{Cost, QueryCost, cost};

pub(crate) fn adk_load(root: &str) -> Cost {
    let load = || {
        let index = load_skill_index(root).expect("adk-skill loads the catalog");
        (index.len(), index)
    };
    cost(load).0
}

pub(crate) fn phi_load(root: &str) -> Cost {
    let load = || {
        let set =
            SkillSet::load(&[Path::new(root).join(".skills")]).expect("phi-core loads the catalog");
        (set.len(), set)
    };
    cost(load).0
}

/// The crate loads one folder at a time; finding the folders is left to its user.
pub(crate) fn agent_skills_load(root: &str) -> Cost {
    let load = || {
        let entries = fs::read_dir(Path::new(root).join(".skills")).expect("the folder");
        let skills: Vec<SkillDirectory> = entries
            .flatten()
            .filter_map(|entry| SkillDirectory::load(entry.path()).ok())
            .collect();
        (skills.len(), skills)
    };
    cost(load).0
}

pub(crate) fn adk_select(
    root: &str,
    queries: &str,
    repeats: usize,
) -> Result<QueryCost, Box<dyn Error>> {
    let index = load_skill_index(root)?;
    let policy = SelectionPolicy {
        top_k: 10,
        ..SelectionPolicy::default()
    };
    let queries = fs::read_to_string(queries)?;
    Ok(QueryCost::of(index.len(), &queries, repeats, |query| {
        black_box(select_skills(&index, query, &policy)).len()
    }))
}
