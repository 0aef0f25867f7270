//! The engine's tools, called by ADK.
//!
//! A result is JSON with `output`, or with `error` where the call failed.

use std::{fmt::Write as _, sync::Arc};

use adk_core::{Result, Tool, ToolContext};
use async_trait::async_trait;
use prowess::{Tool as _, ToolResult};
use serde_json::{Value, json};

use super::{SkillToolset, not_loaded};

/// A tool that only looks: `search_skills` and `read_skill_resource`.
pub(super) struct Ask<Inner> {
    tool: Inner,
    /// ADK wants to borrow it, so it is written once.
    description: String,
}

impl<Inner: prowess::Tool> Ask<Inner> {
    pub(super) fn new(tool: Inner) -> Self {
        Self {
            description: tool.description(),
            tool,
        }
    }
}

#[async_trait]
impl<Inner: prowess::Tool> Tool for Ask<Inner> {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters_schema(&self) -> Option<Value> {
        Some(self.tool.schema())
    }

    fn is_read_only(&self) -> bool {
        true
    }

    fn is_concurrency_safe(&self) -> bool {
        true
    }

    async fn execute(&self, _ctx: Arc<dyn ToolContext>, input: Value) -> Result<Value> {
        Ok(told(self.tool.call(&input)))
    }
}

/// `skill`: loads a skill, if the tools it asks for are there.
pub(super) struct Load {
    skills: SkillToolset,
    engine: prowess::Toolset,
    description: String,
    /// Where the session keeps what is active; `None` where it keeps nothing.
    keep: Option<String>,
}

impl Load {
    pub(super) fn new(
        skills: SkillToolset,
        engine: &prowess::Toolset,
        keep: Option<String>,
    ) -> Self {
        Self {
            skills,
            engine: engine.clone(),
            description: engine.skill().description(),
            keep,
        }
    }

    /// What to tell the model about the tools of the skill it asks for; an error refuses it.
    fn tools(&self, input: &Value) -> std::result::Result<String, String> {
        let given = input["skill_name"].as_str().unwrap_or_default().trim();
        let catalog = self.engine.catalog();
        // The engine forgives a mark before the name, and tells what is wrong with the rest.
        let bare = given.trim_start_matches(['@', '/', '$']);
        let visible = |name| catalog.get(name).filter(|skill| skill.is_model_visible());
        let Some(skill) = visible(given).or_else(|| visible(bare)) else {
            return Ok(String::new());
        };
        let name = skill.name();
        match self.skills.bind(&catalog, name) {
            None => Ok(String::new()),
            Some(Err(refusal)) => Err(not_loaded(&refusal)),
            Some(Ok(context)) => {
                let bound: Vec<_> = context.tools.iter().map(|bound| &bound.name).collect();
                if self.keep.is_none() && !bound.is_empty() {
                    return Err(format!(
                        "the skill `{name}` was not loaded: its tools need a session with state"
                    ));
                }
                let missing = &context.provenance.tools_missing;
                let mut note = String::new();
                // Writing to a string does not fail.
                if !bound.is_empty() {
                    let _ = write!(note, "\n\nTools of this skill: {}.", listed(&bound));
                }
                if !missing.is_empty() {
                    let _ = write!(note, "\n\nNot there, so do not call: {}.", listed(missing));
                }
                Ok(note)
            }
        }
    }
}

#[async_trait]
impl Tool for Load {
    fn name(&self) -> &'static str {
        "skill"
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters_schema(&self) -> Option<Value> {
        Some(self.engine.skill().schema())
    }

    async fn execute(&self, ctx: Arc<dyn ToolContext>, input: Value) -> Result<Value> {
        let note = match self.tools(&input) {
            Ok(note) => note,
            Err(error) => return Ok(json!({ "error": error })),
        };
        let view = &self.skills.shared.out_of_view;
        view.forget(ctx.as_ref(), &self.engine);
        let mut result = self.engine.skill().call(&input);
        if !result.record.success {
            return Ok(told(result));
        }
        let data = result.record.data.as_ref();
        if data.is_none_or(|data| data["already_active"] != Value::Bool(true)) {
            result.text.push_str(&note);
        }
        if let Some(key) = &self.keep {
            let mut actions = ctx.actions();
            // A ledger holds only texts and numbers, which always have a JSON.
            let ledger = serde_json::to_value(self.engine.ledger()).unwrap_or_default();
            actions.state_delta.insert(key.clone(), ledger);
            ctx.set_actions(actions);
        }
        Ok(told(result))
    }
}

fn told(result: ToolResult) -> Value {
    match result.record.error {
        Some(error) => json!({ "error": error }),
        None => json!({ "output": result.text }),
    }
}

pub(super) fn listed(names: &[impl std::fmt::Display]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
