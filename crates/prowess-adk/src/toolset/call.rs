//! The engine's tools, called by ADK.
//!
//! A result is JSON with `output`, or with `error` where the call failed.

use std::sync::Arc;

use adk_core::{Result, Tool, ToolConfirmationHandler, ToolContext};
use async_trait::async_trait;
use prowess::{ToolResult, tool::AsyncTool};
use serde_json::{Value, json};

use super::SkillToolset;
use crate::guard::confirmed;

/// A tool that only looks: `search_skills` and `read_skill_resource`.
pub(super) struct Lookup {
    tool: AsyncTool,
    /// ADK wants to borrow it, so it is written once.
    description: String,
}

impl Lookup {
    pub(super) fn new(tool: AsyncTool) -> Self {
        Self {
            description: tool.description(),
            tool,
        }
    }
}

#[async_trait]
impl Tool for Lookup {
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
        Ok(answer(self.tool.call(input).await))
    }
}

/// `run_skill_script`: runs a script of a skill, once somebody said yes to it.
pub(super) struct Run {
    pub(super) tool: AsyncTool,
    pub(super) description: String,
    /// Who is asked; without it the approver of the engine's options is.
    pub(super) confirm: Option<Arc<dyn ToolConfirmationHandler>>,
}

#[async_trait]
impl Tool for Run {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters_schema(&self) -> Option<Value> {
        Some(self.tool.schema())
    }

    async fn execute(&self, ctx: Arc<dyn ToolContext>, input: Value) -> Result<Value> {
        let Some(handler) = &self.confirm else {
            return Ok(answer(self.tool.call(input).await));
        };
        let asked = input.clone();
        let ask = |question: String| async move {
            let mut args = asked;
            // ADK has no other place for the words a person reads.
            if let Value::Object(fields) = &mut args {
                fields.insert("question".to_owned(), question.into());
            }
            let confirmed = confirmed(handler, self.tool.name(), ctx.as_ref(), args);
            confirmed.await.unwrap_or_else(|error| {
                tracing::warn!(%error, "nobody could be asked about a script");
                false
            })
        };
        Ok(answer(self.tool.call_asking(input, ask).await))
    }
}

/// `skill`: loads a skill, if the tools it asks for are there.
pub(super) struct Load {
    skills: SkillToolset,
    engine: prowess::Toolset,
    tool: AsyncTool,
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
        let tool = AsyncTool::new(engine.skill());
        Self {
            skills,
            engine: engine.clone(),
            description: tool.description(),
            tool,
            keep,
        }
    }
}

#[async_trait]
impl Tool for Load {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters_schema(&self) -> Option<Value> {
        Some(self.tool.schema())
    }

    async fn execute(&self, ctx: Arc<dyn ToolContext>, input: Value) -> Result<Value> {
        let view = &self.skills.shared.out_of_view;
        view.forget(ctx.as_ref(), &self.engine);
        let result = self.tool.call(input).await;
        if !result.record.success {
            return Ok(answer(result));
        }
        let Some(key) = &self.keep else {
            let name = result.record.skill_name.as_deref().unwrap_or_default();
            let bound = result
                .record
                .tools
                .as_ref()
                .and_then(|it| it.bound.as_ref());
            if bound.is_some_and(|bound| !bound.is_empty()) {
                let error = format!(
                    "the skill `{name}` was not loaded: its tools need a session with state"
                );
                return Ok(json!({ "error": error }));
            }
            return Ok(answer(result));
        };
        let mut actions = ctx.actions();
        // A ledger holds only texts and numbers, which always have a JSON.
        let ledger = serde_json::to_value(self.engine.ledger()).unwrap_or_default();
        actions.state_delta.insert(key.clone(), ledger);
        ctx.set_actions(actions);
        Ok(answer(result))
    }
}

fn answer(result: ToolResult) -> Value {
    match result.record.error {
        Some(error) => json!({ "error": error }),
        None => json!({ "output": result.text }),
    }
}
