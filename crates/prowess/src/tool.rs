//! The tools a model uses skills with: `skill`, `search_skills` and `read_skill_resource`.
//!
//! Each is a value any host can register: a name, a description, a JSON Schema, and a call from
//! JSON to a result. A skill's text is handed on; nothing in it is run or filled in.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::SystemTime,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    budget::Budget,
    catalog::Catalog,
    ledger::{Change, Ledger, PutBack},
    limits::Limits,
    select::Policy,
};

mod describe;
mod load;
mod moment;
mod read;
mod search;
#[cfg(test)]
mod tests;
mod trace;

pub use load::SkillTool;
pub use read::ReadTool;
pub use search::SearchTool;
pub use trace::source_uri;

/// A tool that any host can register.
pub trait Tool: Send + Sync {
    /// What the model calls it by.
    fn name(&self) -> &'static str;

    /// What the model is told about it.
    fn description(&self) -> String;

    /// The JSON Schema (draft 2020-12) of its input.
    fn schema(&self) -> Value;

    /// Does what it is for. What goes wrong is told in the result.
    fn call(&self, input: &Value) -> ToolResult;
}

/// What a call gave, for each of its readers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// What the model reads.
    pub text: String,
    /// What a program reads. [`ToolRecord::shown`] is what a person sees.
    pub record: ToolRecord,
}

/// What a call gave, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRecord {
    /// The tool that was called.
    pub tool: String,
    /// Whether it did what it is for.
    pub success: bool,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// When it was called, in UTC, such as `2026-01-31T09:30:00Z`.
    pub timestamp: String,
    /// The skill it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skill_name: Option<String>,
    /// The skill's folder as an absolute path, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub directory: Option<String>,
    /// What else there is to know, by tool: hits of a search, a page of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<Value>,
}

impl ToolRecord {
    /// What a person sees: one line, also for a record that was saved.
    pub fn shown(&self) -> String {
        if let Some(error) = &self.error {
            return format!("Error: {error}");
        }
        let skill = self.skill_name.as_deref().unwrap_or_default();
        let data = |key: &str| self.data.as_ref().and_then(|data| data.get(key));
        match self.tool.as_str() {
            search::NAME => {
                let count = data("matches")
                    .and_then(Value::as_array)
                    .map_or(0, Vec::len);
                let plural = if count == 1 { "" } else { "s" };
                format!("Found {count} skill{plural}")
            }
            read::NAME => {
                let path = data("path").and_then(Value::as_str).unwrap_or_default();
                format!("Read {path} of skill {skill}")
            }
            _ if data("already_active") == Some(&Value::Bool(true)) => {
                format!("Skill {skill} already active")
            }
            _ => format!("Skill {skill} loaded"),
        }
    }
}

/// How the tools behave.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    /// Whether skills are used at all.
    pub enabled: bool,
    /// Up to so many names stand in the schema as an enum; beyond, the model searches.
    pub enum_limit: usize,
    /// How much room the list in the description of `skill` may take.
    pub budget: Budget,
    /// How searches are ranked.
    pub policy: Policy,
    /// So many resources are listed when a skill is loaded.
    pub resources: usize,
    /// How much is listed and read.
    pub limits: Limits,
    /// Whether a model is told where a skill's folder is; one on another machine cannot go there.
    pub directory: bool,
    /// The time of a record.
    pub clock: fn() -> SystemTime,
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self {
            enabled: true,
            enum_limit: 100,
            budget: Budget::characters(8_000),
            policy: Policy::default(),
            resources: 50,
            limits: Limits::default(),
            directory: true,
            clock: SystemTime::now,
        }
    }
}

/// The tools of one conversation, over one catalog. Cloning it shares both.
#[derive(Debug, Clone)]
pub struct Toolset {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    catalog: RwLock<Arc<Catalog>>,
    ledger: Mutex<Ledger>,
    options: Arc<ToolOptions>,
}

impl Toolset {
    /// Makes the tools of a new conversation. A server that makes many shares its options as an
    /// `Arc`.
    pub fn new(catalog: Arc<Catalog>, options: impl Into<Arc<ToolOptions>>) -> Self {
        Self::resume(catalog, options, Ledger::default())
    }

    /// Makes the tools of a conversation that has some skills active.
    pub fn resume(
        catalog: Arc<Catalog>,
        options: impl Into<Arc<ToolOptions>>,
        ledger: Ledger,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                catalog: RwLock::new(catalog),
                ledger: Mutex::new(ledger),
                options: options.into(),
            }),
        }
    }

    /// `skill`: loads a skill by name.
    pub fn skill(&self) -> SkillTool {
        SkillTool(self.clone())
    }

    /// `search_skills`: finds skills for a task.
    pub fn search(&self) -> SearchTool {
        SearchTool(self.clone())
    }

    /// `read_skill_resource`: reads a file of a skill.
    pub fn read(&self) -> ReadTool {
        ReadTool(self.clone())
    }

    /// All three.
    pub fn tools(&self) -> Vec<Box<dyn Tool>> {
        vec![
            Box::new(self.skill()),
            Box::new(self.search()),
            Box::new(self.read()),
        ]
    }

    /// The catalog in use.
    pub fn catalog(&self) -> Arc<Catalog> {
        let catalog = self.shared.catalog.read();
        Arc::clone(&catalog.unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a newer catalog in use; calls under way finish with the old one.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        let mut current = self.shared.catalog.write();
        **current
            .as_mut()
            .unwrap_or_else(|poisoned| poisoned.get_mut()) = catalog;
    }

    /// What is active now, as a copy: to look at, to save, and to hand to
    /// [`Triggers::activate`](crate::Triggers::activate). Changing the copy changes nothing here.
    pub fn ledger(&self) -> Ledger {
        self.locked().clone()
    }

    /// Takes a skill out of what is active; whether it was.
    pub fn unload(&self, name: &str) -> bool {
        self.locked().unload(name)
    }

    /// The active skills whose text is no longer what the conversation holds.
    pub fn changes(&self) -> Vec<Change> {
        self.ledger().changes(&self.catalog())
    }

    /// Gives the active skills again after a compaction, as [`Ledger::put_back`] does.
    pub fn put_back(&self, budget: &Budget) -> PutBack {
        // On a copy: a remote skill may have to be fetched, and other calls need not wait.
        let mut copy = self.ledger();
        let back = copy.put_back(&self.catalog(), budget);
        self.locked().follow(&copy, &back);
        back
    }

    /// Forgets what is active: call it when the conversation was compacted.
    pub fn reset(&self) {
        self.locked().reset();
    }

    /// The ledger, for one step. The guard stays inside: a host that held it and called a tool
    /// would wait for itself for ever.
    fn locked(&self) -> MutexGuard<'_, Ledger> {
        // A ledger is changed in single steps, so it is whole even after a panic.
        self.shared
            .ledger
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn options(&self) -> &ToolOptions {
        &self.shared.options
    }

    fn record(&self, tool: &str) -> ToolRecord {
        ToolRecord {
            tool: tool.to_owned(),
            success: true,
            error: None,
            timestamp: moment::utc((self.options().clock)()),
            skill_name: None,
            directory: None,
            data: None,
        }
    }

    fn failure(&self, tool: &str, skill: Option<&str>, error: String) -> ToolResult {
        ToolResult {
            text: format!("Error: {error}"),
            record: ToolRecord {
                success: false,
                error: Some(error),
                skill_name: skill.map(str::to_owned),
                ..self.record(tool)
            },
        }
    }
}
