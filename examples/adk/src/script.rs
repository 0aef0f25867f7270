//! A model that says what is written down for it, and notes which tools it was shown.

use std::{collections::VecDeque, sync::Mutex};

use adk_core::{Content, Llm, LlmRequest, LlmResponse, LlmResponseStream, Part, Result};
use async_trait::async_trait;
use serde_json::Value;

/// What the model says next.
pub enum Step {
    /// A call: the tool and its input.
    Call(&'static str, Value),
    /// Words.
    Say(&'static str),
}

/// The model.
pub struct Script {
    steps: Mutex<VecDeque<Step>>,
    shown: Mutex<Vec<Vec<String>>>,
    read: Mutex<Vec<Vec<String>>>,
}

impl Script {
    /// Writes the steps down.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: Mutex::new(steps.into_iter().collect()),
            shown: Mutex::default(),
            read: Mutex::default(),
        }
    }

    /// All the words of each request.
    pub fn read(&self) -> Vec<String> {
        let read = self.read.lock().expect("nobody panics with it");
        read.iter().map(|texts| texts.join("\n---\n")).collect()
    }

    /// The last words of each request.
    pub fn heard(&self) -> Vec<String> {
        let read = self.read.lock().expect("nobody panics with it");
        let last = read.iter().map(|texts| texts.last().cloned());
        last.map(Option::unwrap_or_default).collect()
    }

    /// The tools of each request, by name.
    pub fn shown(&self) -> Vec<Vec<String>> {
        self.shown.lock().expect("nobody panics with it").clone()
    }
}

#[async_trait]
impl Llm for Script {
    fn name(&self) -> &str {
        "script"
    }

    async fn generate_content(&self, request: LlmRequest, _: bool) -> Result<LlmResponseStream> {
        let mut names: Vec<_> = request.tools.keys().cloned().collect();
        names.sort();
        let mut shown = self.shown.lock().expect("nobody panics with it");
        shown.push(names);
        let parts = request.contents.iter().flat_map(|content| &content.parts);
        let texts = parts.filter_map(Part::text).map(str::to_owned);
        let mut read = self.read.lock().expect("nobody panics with it");
        read.push(texts.collect());
        let mut steps = self.steps.lock().expect("nobody panics with it");
        let part = match steps.pop_front() {
            Some(Step::Call(name, args)) => Part::FunctionCall {
                name: name.into(),
                args,
                id: Some(format!("call-{}", shown.len())),
                thought_signature: None,
            },
            Some(Step::Say(text)) => Part::Text { text: text.into() },
            None => Part::Text {
                text: "the script is over".into(),
            },
        };
        let response = LlmResponse {
            content: Some(Content {
                role: "model".into(),
                parts: vec![part],
            }),
            turn_complete: true,
            ..LlmResponse::default()
        };
        Ok(Box::pin(futures::stream::iter([Ok(response)])))
    }
}
