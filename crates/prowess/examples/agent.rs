//! An agent in about twenty lines: it shows its model the skills, and the model calls `skill`.
//!
//! The model here follows a script, so the example needs no network. Put your own in its place.

use std::sync::Arc;

use prowess::{
    Catalog, LoadError, LoadOptions, MemorySource, Source,
    tool::{Tool, ToolOptions, Toolset},
};
use serde_json::{Value, json};

/// What a model says next: a call of a tool, or an answer.
pub enum Step {
    /// A call: the tool and its input.
    Call(&'static str, Value),
    /// The last word.
    Answer(String),
}

/// Runs the agent on one question and gives back the conversation.
pub fn run(question: &str, model: impl Fn(&[String]) -> Step) -> Result<Vec<String>, LoadError> {
    let source = MemorySource::new("example").skill(
        "tea/SKILL.md",
        "---\nname: tea\ndescription: Brews tea. Use it for any hot drink.\n---\nSteep for three minutes.\n",
    );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default())?;
    let tools = Toolset::new(Arc::new(catalog), ToolOptions::default());
    let mut conversation = vec![format!("user: {question}")];
    loop {
        match model(&conversation) {
            Step::Answer(text) => {
                conversation.push(format!("model: {text}"));
                return Ok(conversation);
            }
            Step::Call(name, input) => {
                conversation.push(format!("model: {name} {input}"));
                let tool = tools.tools().into_iter().find(|tool| tool.name() == name);
                let result = tool.map(|tool: Box<dyn Tool>| tool.call(&input));
                let text = result.map_or("no such tool".to_owned(), |result| result.text);
                conversation.push(format!("{name}: {text}"));
            }
        }
    }
}

/// A model with a script: it loads the skill and then says what it read.
pub fn scripted(conversation: &[String]) -> Step {
    match conversation
        .last()
        .and_then(|last| last.split("## Instructions\n\n").nth(1))
    {
        Some(instructions) => Step::Answer(format!("Here is how: {instructions}")),
        None => Step::Call("skill", json!({ "skill_name": "tea" })),
    }
}

fn main() -> Result<(), LoadError> {
    for line in run("How do I make tea?", scripted)? {
        println!("{line}\n");
    }
    Ok(())
}
