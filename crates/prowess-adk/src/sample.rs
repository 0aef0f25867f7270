//! A small world for tests: skills, tools that repeat what they are given, and a session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use adk_core::{
    Artifacts, CallbackContext, Content, EventActions, MemoryEntry, ReadonlyContext, Result, State,
    Tool, ToolContext,
};
use async_trait::async_trait;
use prowess::{Catalog, LoadOptions, MemorySource, Source};
use serde_json::{Value, json};

/// Two skills with a tool each, one without, and one that only its name calls.
pub(crate) fn catalog() -> Arc<Catalog> {
    let source = MemorySource::new("test")
        .skill(
            "weather/SKILL.md",
            "---\nname: weather\ndescription: Tells the weather of a town.\nallowed-tools: lookup\n---\nLook the town up.\n",
        )
        .skill(
            "alarm/SKILL.md",
            "---\nname: alarm\ndescription: Rings the alarm.\nallowed-tools: siren\n---\nSound it.\n",
        )
        .skill(
            "tea/SKILL.md",
            "---\nname: tea\ndescription: Brews tea.\ntriggers:\n  keywords: [kettle]\n---\nSteep it.\n",
        )
        .skill(
            "vault/SKILL.md",
            "---\nname: vault\ndescription: Opens the vault.\ndisable-model-invocation: true\nallowed-tools: lookup\n---\nOpen it.\n",
        );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Arc::new(Catalog::load(&sources, &LoadOptions::default()).unwrap())
}

/// A catalog without skills.
pub(crate) fn empty() -> Arc<Catalog> {
    Arc::new(Catalog::load(&[], &LoadOptions::default()).unwrap())
}

/// Waits for a future that never sleeps.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    futures::executor::block_on(future)
}

/// A tool that gives back its name and its input.
pub(crate) struct Named(&'static str);

impl Named {
    pub(crate) fn tool(name: &'static str) -> Arc<dyn Tool> {
        Arc::new(Self(name))
    }
}

#[async_trait]
impl Tool for Named {
    fn name(&self) -> &'static str {
        self.0
    }

    fn description(&self) -> &'static str {
        "Repeats its input."
    }

    async fn execute(&self, _ctx: Arc<dyn ToolContext>, input: Value) -> Result<Value> {
        Ok(json!({ self.0: input }))
    }
}

/// A session as a tool sees it.
pub(crate) struct Session {
    state: Values,
    actions: Mutex<EventActions>,
    content: Content,
}

struct Values(Option<HashMap<String, Value>>);

impl Session {
    /// A session that holds nothing yet.
    pub(crate) fn context() -> Arc<Self> {
        Self::with(Some(HashMap::new()))
    }

    /// A session of a host that keeps no state.
    pub(crate) fn stateless() -> Arc<Self> {
        Self::with(None)
    }

    /// The session after what the tools did was written to it, as ADK's runner does.
    pub(crate) fn next(&self) -> Arc<Self> {
        let delta = self.actions().state_delta;
        Self::with(self.state.0.clone().map(|mut values| {
            values.extend(delta);
            values
        }))
    }

    fn with(values: Option<HashMap<String, Value>>) -> Arc<Self> {
        Arc::new(Self {
            state: Values(values),
            actions: Mutex::default(),
            content: Content::new("user").with_text("hello"),
        })
    }
}

impl State for Values {
    fn get(&self, key: &str) -> Option<Value> {
        self.0.as_ref()?.get(key).cloned()
    }

    fn set(&mut self, key: String, value: Value) {
        self.0.get_or_insert_default().insert(key, value);
    }

    fn all(&self) -> HashMap<String, Value> {
        self.0.clone().unwrap_or_default()
    }
}

#[async_trait]
impl ReadonlyContext for Session {
    fn invocation_id(&self) -> &'static str {
        "invocation"
    }

    fn agent_name(&self) -> &'static str {
        "helper"
    }

    fn user_id(&self) -> &'static str {
        "user"
    }

    fn app_name(&self) -> &'static str {
        "app"
    }

    fn session_id(&self) -> &'static str {
        "session"
    }

    fn branch(&self) -> &'static str {
        ""
    }

    fn user_content(&self) -> &Content {
        &self.content
    }

    fn state(&self) -> Option<&dyn State> {
        self.state.0.is_some().then_some(&self.state)
    }
}

#[async_trait]
impl CallbackContext for Session {
    fn artifacts(&self) -> Option<Arc<dyn Artifacts>> {
        None
    }
}

#[async_trait]
impl ToolContext for Session {
    fn function_call_id(&self) -> &'static str {
        "call"
    }

    fn actions(&self) -> EventActions {
        self.actions.lock().unwrap().clone()
    }

    fn set_actions(&self, actions: EventActions) {
        *self.actions.lock().unwrap() = actions;
    }

    async fn search_memory(&self, _query: &str) -> Result<Vec<MemoryEntry>> {
        Ok(Vec::new())
    }
}
