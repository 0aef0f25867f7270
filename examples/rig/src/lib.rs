//! A rig agent with skills: the model loads a skill, and the skill brings its tool.
//!
//! The model here is rig's own scripted one, so nothing leaves this machine. Put a model of a
//! provider in its place and the rest stays as it is.

use std::error::Error;

use prowess::{Catalog, LoadOptions, MemorySource, Source};
use prowess_rig::{HostTools, Skills};
use rig_agent::prelude::AgentBuilder;
use rig_core::{
    completion::Message,
    message::{AssistantContent, ToolName, ToolResultContent, UserContent},
    test_utils::MockCompletionModel,
    tool::{DynamicTool, ToolOutput},
};
use serde_json::{Value, json};

/// A host's tool: it tells when somebody is free.
fn calendar() -> DynamicTool {
    let schema = json!({
        "type": "object",
        "properties": { "day": { "type": "string" } },
        "required": ["day"],
    });
    let name = ToolName::new("calendar").expect("the name is not empty");
    let about = "Gives the next free hour of a day.";
    DynamicTool::new(name, about, schema, |input: Value| {
        let day = input["day"].as_str().unwrap_or("today").to_owned();
        Box::pin(async move { Ok(ToolOutput::text(format!("{day} at ten"))) })
    })
}

/// Two skills: one needs the calendar, the other a telephone this host does not have.
pub fn catalog() -> Result<Catalog, prowess::LoadError> {
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

/// Asks the questions one after another in one conversation, and gives all of it as lines.
pub async fn converse(
    questions: &[&str],
    model: MockCompletionModel,
) -> Result<Vec<String>, Box<dyn Error>> {
    let host = HostTools::from([("calendar".to_owned(), calendar())]);
    let skills = Skills::new(catalog()?, host);
    let agent = AgentBuilder::new(model)
        .preamble("You help the customers of a plumber.")
        .tool_server_handle(skills.server())
        .build();
    let mut history: Vec<Message> = Vec::new();
    for question in questions {
        let response = agent
            .prompt(*question)
            .history(history.clone())
            .max_turns(8)
            .await?;
        history.extend(response.messages);
    }
    Ok(history.iter().flat_map(lines).collect())
}

fn lines(message: &Message) -> Vec<String> {
    match message {
        Message::User { content } => content.iter().map(heard).collect(),
        Message::Assistant(turn) => turn.content.iter().map(said).collect(),
        Message::System { content } => vec![format!("system: {content}")],
    }
}

fn heard(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => format!("user: {}", text.text),
        UserContent::ToolResult(result) => {
            let failed = if result.is_error { " failed" } else { "" };
            let texts = result.content.iter().filter_map(ToolResultContent::as_text);
            let text: String = texts.collect();
            format!("{}{failed}: {text}", result.name.as_str())
        }
        other => format!("user: {other:?}"),
    }
}

fn said(content: &AssistantContent) -> String {
    match content {
        AssistantContent::Text(text) => format!("model: {}", text.text),
        AssistantContent::ToolCall(call) => format!(
            "model calls {} {}",
            call.function.name.as_str(),
            Value::Object(call.function.arguments.clone())
        ),
        other => format!("model: {other:?}"),
    }
}
