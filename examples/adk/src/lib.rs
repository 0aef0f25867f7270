//! An ADK agent with skills: the model loads a skill, and the skill brings its tool.
//!
//! The model here follows a script, so nothing leaves this machine. Put your own `Llm` in its
//! place and the rest stays as it is.

use std::{collections::HashMap, sync::Arc};

use adk_agent::LlmAgentBuilder;
use adk_core::{
    Content, EventsCompactionConfig, Part, Result, SessionId, Tool, ToolContext, UserId,
};
use adk_runner::Runner;
use adk_session::{CreateRequest, InMemorySessionService, SessionService};
use async_trait::async_trait;
use futures::StreamExt;
use prowess::{Catalog, Injection, LoadOptions, MemorySource, Source};
use prowess_adk::{HostTools, Injector, InjectorOptions, SkillToolset, ToolsetOptions};
use script::Script;
use serde_json::{Value, json};

pub mod script;

const APP: &str = "plumber";

/// A host's tool: it tells when somebody is free.
struct Calendar;

#[async_trait]
impl Tool for Calendar {
    fn name(&self) -> &str {
        "calendar"
    }

    fn description(&self) -> &str {
        "Gives the next free hour of a day."
    }

    fn parameters_schema(&self) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": { "day": { "type": "string" } },
            "required": ["day"],
        }))
    }

    async fn execute(&self, _ctx: Arc<dyn ToolContext>, input: Value) -> Result<Value> {
        let day = input["day"].as_str().unwrap_or("today");
        Ok(json!({ "free": format!("{day} at ten") }))
    }
}

/// Two skills: one needs the calendar, the other a telephone this host does not have.
pub fn catalog() -> std::result::Result<Catalog, prowess::LoadError> {
    let source = MemorySource::new("example")
        .skill(
            "booking/SKILL.md",
            "---\nname: booking\ndescription: Books a visit of a plumber.\n\
             allowed-tools: calendar\n---\nAsk `calendar` for a free hour and offer it.\n",
        )
        .skill(
            "emergency/SKILL.md",
            "---\nname: emergency\ndescription: Handles a gas leak.\n\
             allowed-tools: telephone\n---\nCall the duty officer with `telephone`.\n",
        );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default())
}

/// What a host may decide.
#[derive(Default)]
pub struct Setup {
    /// Whether skills are put before messages by their words alone. Off by default; then the
    /// model chooses, or the user with `@name`.
    pub injection: Injection,
    /// Whether and how old messages are replaced by a summary.
    pub compaction: Option<EventsCompactionConfig>,
}

/// Runs the questions one after another in one session, and gives the whole conversation as
/// lines.
pub async fn converse(questions: &[&str], model: Arc<Script>, setup: Setup) -> Result<Vec<String>> {
    let catalog = catalog().map_err(|error| adk_core::AdkError::config(error.to_string()))?;
    let catalog = Arc::new(catalog);
    let host = Arc::new(HostTools::default().tool(Arc::new(Calendar)));
    let mut options = InjectorOptions::default();
    options.injection = setup.injection;
    options.tools = Some(host.clone());
    let injector = Injector::new(catalog.clone(), options);
    let skills = SkillToolset::new(catalog, host, ToolsetOptions::default());
    let agent = LlmAgentBuilder::new("helper")
        .instruction("You help the customers of a plumber.")
        .model(model)
        .toolset(Arc::new(skills))
        .build()?;

    let sessions = Arc::new(InMemorySessionService::new());
    let session = CreateRequest {
        app_name: APP.into(),
        user_id: "ann".into(),
        session_id: Some("one".into()),
        state: HashMap::new(),
    };
    sessions.create(session).await?;
    let mut runner = Runner::builder()
        .app_name(APP)
        .agent(Arc::new(agent))
        .session_service(sessions)
        .plugin_manager(Arc::new(injector.plugin_manager("skills")));
    if let Some(compaction) = setup.compaction {
        runner = runner.compaction_config(compaction);
    }
    let runner = runner.build()?;

    let mut conversation = Vec::new();
    for question in questions {
        conversation.push(format!("user: {question}"));
        let content = Content::new("user").with_text(*question);
        let (user, session) = (UserId::new("ann")?, SessionId::new("one")?);
        let mut events = runner.run(user, session, content).await?;
        while let Some(event) = events.next().await {
            let event = event?;
            if let Some(content) = &event.llm_response.content {
                conversation.extend(content.parts.iter().map(line));
            }
        }
    }
    Ok(conversation)
}

fn line(part: &Part) -> String {
    match part {
        Part::Text { text } => format!("model: {text}"),
        Part::FunctionCall { name, args, .. } => format!("model calls {name} {args}"),
        Part::FunctionResponse {
            function_response, ..
        } => {
            let response = &function_response.response;
            // What a model reads, without the quotes of JSON.
            let text = response["output"].as_str().map(str::to_owned);
            let text = text.unwrap_or_else(|| response.to_string());
            format!("{}: {text}", function_response.name)
        }
        other => format!("{other:?}"),
    }
}
