//! An agent with skills and no framework: any server that speaks chat completions will do.

use std::error::Error;

use prowess::{Provider, Toolset, tool::AsyncTool};
use serde_json::{Value, json};

/// So many answers of the model to one question; a model that calls tools for ever is stopped.
const MOST_TURNS: usize = 8;

/// A conversation with a model that has skills.
pub struct Agent {
    client: reqwest::Client,
    url: String,
    key: String,
    model: String,
    tools: Vec<AsyncTool>,
    messages: Vec<Value>,
}

impl Agent {
    /// Starts a conversation. `url` ends before `/chat/completions`.
    pub fn new(url: &str, key: &str, model: &str, skills: &Toolset) -> Self {
        Self {
            client: reqwest::Client::new(),
            url: format!("{}/chat/completions", url.trim_end_matches('/')),
            key: key.to_owned(),
            model: model.to_owned(),
            tools: skills.async_tools(),
            messages: Vec::new(),
        }
    }

    /// Asks a question, calls the tools the model wants, and gives its answer.
    pub async fn ask(&mut self, question: &str) -> Result<String, Box<dyn Error>> {
        self.messages
            .push(json!({ "role": "user", "content": question }));
        for _ in 0..MOST_TURNS {
            let message = self.complete().await?;
            self.messages.push(message.clone());
            let calls = message["tool_calls"].as_array().cloned();
            let calls = calls.unwrap_or_default();
            if calls.is_empty() {
                return Ok(message["content"].as_str().unwrap_or_default().to_owned());
            }
            for call in calls {
                let content = self.call(&call["function"]).await;
                self.messages.push(json!({
                    "role": "tool",
                    "tool_call_id": call["id"],
                    "content": content,
                }));
            }
        }
        Err("the model calls tools and gives no answer".into())
    }

    /// One answer of the model.
    async fn complete(&self) -> Result<Value, Box<dyn Error>> {
        // Described anew each time: skills may have come or gone.
        let tools = self.tools.iter().map(|it| it.definition(Provider::OpenAi));
        let body = json!({
            "model": self.model,
            "messages": self.messages,
            "tools": tools.collect::<Vec<_>>(),
        });
        let request = self.client.post(&self.url).bearer_auth(&self.key);
        let response = request.json(&body).send().await?.error_for_status()?;
        let mut answer: Value = response.json().await?;
        match answer.pointer_mut("/choices/0/message") {
            Some(message) => Ok(message.take()),
            None => Err(format!("the server gave no message: {answer}").into()),
        }
    }

    /// Calls one tool. The arguments are a text, as the model wrote it.
    async fn call(&self, function: &Value) -> String {
        let name = function["name"].as_str().unwrap_or_default();
        match self.tools.iter().find(|tool| tool.name() == name) {
            Some(tool) => tool.call(function["arguments"].clone()).await.text,
            None => format!("Error: there is no tool named `{name}`"),
        }
    }
}
