//! The hook of `defect-agent` that tells which skills a message wakes.

use std::{collections::BTreeMap, error::Error, path::Path, sync::Arc};

use agent_client_protocol_schema::SessionId;
use defect_agent::{
    hooks::{HookCtx, StepHandler, builtin::SkillTriggersHook},
    tool::{SkillEntry, SkillTriggers},
};
use futures::executor::block_on;
use globset::{Glob, GlobSetBuilder};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::measure::QueryCost;

/// A message and the skills it may wake.
#[derive(Deserialize)]
struct Triggers {
    message: String,
    skills: Vec<Skill>,
}

#[derive(Deserialize)]
struct Skill {
    name: String,
    keywords: Vec<String>,
    globs: Vec<String>,
}

/// Asks the hook about the message, again and again.
pub(crate) fn wake(file: &str, repeats: usize) -> Result<Value, Box<dyn Error>> {
    let triggers: Triggers = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let mut skills = BTreeMap::new();
    for skill in triggers.skills {
        let mut globs = GlobSetBuilder::new();
        for glob in &skill.globs {
            globs.add(Glob::new(glob)?);
        }
        let entry = SkillEntry {
            description: String::new(),
            body: String::new(),
            dir: Path::new("/").join(&skill.name),
            always: false,
            triggers: SkillTriggers {
                globs: Some(globs.build()?),
                keywords: skill.keywords,
            },
        };
        skills.insert(skill.name, entry);
    }
    let count = skills.len();
    let hook = SkillTriggersHook::new(Arc::new(skills));
    let session = SessionId::new("bench");
    let cost = QueryCost::of(count, &triggers.message, repeats, |message| {
        let envelope = json!({ "source": "user", "input": message });
        let ctx = HookCtx::new(&session, Path::new("/"), CancellationToken::new());
        let verdict = block_on(hook.handle_step(&envelope, ctx));
        let verdict = verdict.ok().flatten().unwrap_or_default();
        verdict["prepend_input"].as_array().map_or(0, Vec::len)
    });
    Ok(json!(cost))
}
