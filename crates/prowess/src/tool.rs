//! The tools a model uses skills with: `skill`, `search_skills`, `read_skill_resource`, and
//! `run_skill_script` where the host has a runner.
//!
//! Each is a value any host can register: a name, a description, a JSON Schema, and a call from
//! JSON to a result. A skill's text is handed on; nothing in it is run or filled in.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    activate::{Reason, Triggers, Turn},
    budget::Budget,
    catalog::Catalog,
    context::{SkillTools, ToolCheck},
    ledger::{Ledger, PutBack, StaleSkill},
    limits::Limits,
    observe,
    prompt::PromptOptions,
    select::Policy,
    skill::Skill,
    unknown,
};

#[cfg(feature = "tokio")]
mod asynchronous;
mod load;
mod read;
#[cfg(feature = "run")]
mod run;
mod search;
#[cfg(test)]
mod tests;

#[cfg(feature = "tokio")]
pub use asynchronous::{AsyncTool, off_thread};
pub use load::SkillTool;
pub use read::ReadTool;
#[cfg(feature = "run")]
pub use run::{Approver, RunOptions, RunTool, ScriptCall, ToolRun};
pub use search::SearchTool;

pub use crate::observe::source_uri;

/// A tool that any host can register.
pub trait Tool: Send + Sync {
    /// What the model calls it by.
    fn name(&self) -> &str;

    /// What the model reads about it.
    fn description(&self) -> String;

    /// The JSON Schema of its input, in the plain subset that every provider takes: `type`,
    /// `description`, `properties`, `required`, `enum`.
    fn schema(&self) -> Value;

    /// Does what it is for. The input is an object, or the text of one as models write it. What
    /// goes wrong stands in the result.
    fn call(&self, input: &Value) -> ToolResult;

    /// The tool as a provider's API wants it in a request.
    fn definition(&self, provider: Provider) -> Value {
        let (name, description, schema) = (self.name(), self.description(), self.schema());
        match provider {
            Provider::OpenAi => json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": schema },
            }),
            Provider::Anthropic => {
                json!({ "name": name, "description": description, "input_schema": schema })
            }
            Provider::Gemini => {
                json!({ "name": name, "description": description, "parameters": schema })
            }
        }
    }
}

/// Whose API a tool is described for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// An entry of `tools` in `OpenAI`'s chat completions, and of the many servers that speak it.
    OpenAi,
    /// An entry of `tools` in Anthropic's messages.
    Anthropic,
    /// An entry of `functionDeclarations` in Gemini's `tools`.
    Gemini,
}

/// What a call gave, for each of its readers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// What the model reads.
    pub text: String,
    /// What a program reads. [`ToolRecord::shown`] is what a person sees.
    pub record: ToolRecord,
}

/// What a call gave, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
    /// The tools a loaded skill asks for, where it asks for any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tools: Option<SkillTools>,
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
        let data = |key: &str| self.data.as_ref().and_then(|data| data.get(key));
        // By what the record holds: the host may have given the tools other names.
        if let Some(matches) = data("matches").and_then(Value::as_array) {
            let plural = if matches.len() == 1 { "" } else { "s" };
            return format!("Found {} skill{plural}", matches.len());
        }
        let Some(skill) = &self.skill_name else {
            return "Error: the record names no skill".to_owned();
        };
        if let (Some(script), Some(code)) = (
            data("script").and_then(Value::as_str),
            data("code").and_then(Value::as_i64),
        ) {
            format!("Ran {script} of skill {skill}: exit status {code}")
        } else if let Some(path) = data("path").and_then(Value::as_str) {
            format!("Read {path} of skill {skill}")
        } else if data("already_active") == Some(&Value::Bool(true)) {
            format!("Skill {skill} already active")
        } else {
            format!("Skill {skill} loaded")
        }
    }
}

/// How the tools behave.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolOptions {
    /// Whether skills are used at all; they are by default.
    pub enabled: bool,
    /// What the tools are called.
    pub names: ToolNames,
    /// What the tools say about themselves, where the host has words of its own.
    pub descriptions: ToolDescriptions,
    /// Up to so many names stand in the schema as an enum, 100 by default; beyond, the model
    /// searches.
    pub enum_limit: usize,
    /// How much room the list in the description of `skill` may take: 8,000 characters by
    /// default.
    pub budget: Budget,
    /// The most characters of a skill's instructions in one result, 50,000 by default: the
    /// standard advises a tenth of that. What is cut says so, and how to read the rest.
    pub max_chars: usize,
    /// How searches are ranked.
    pub policy: Policy,
    /// So many resources are listed when a skill is loaded, 50 by default.
    pub resources: usize,
    /// Whose files may be read.
    pub access: ResourceAccess,
    /// How much is listed and read.
    pub limits: Limits,
    /// Whether the model sees where a skill's folder is; one on another machine cannot go there.
    pub directory: bool,
    /// Whether the tools a skill asks for have to be there; nobody checks by default.
    pub check: Option<ToolCheck>,
    /// Who runs scripts, and who says that one may run; without it none is run.
    #[cfg(feature = "run")]
    pub run: Option<RunOptions>,
    /// The time of a record.
    pub clock: fn() -> SystemTime,
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self {
            enabled: true,
            names: ToolNames::default(),
            descriptions: ToolDescriptions::default(),
            enum_limit: 100,
            budget: Budget::characters(8_000),
            max_chars: 50_000,
            policy: Policy::default(),
            resources: 50,
            access: ResourceAccess::default(),
            limits: Limits::default(),
            directory: true,
            check: None,
            #[cfg(feature = "run")]
            run: None,
            clock: SystemTime::now,
        }
    }
}

/// What the tools are called. The descriptions and messages of one name the others by these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolNames {
    /// The tool that loads a skill.
    pub skill: Cow<'static, str>,
    /// The tool that finds skills.
    pub search: Cow<'static, str>,
    /// The tool that reads a file of a skill.
    pub read: Cow<'static, str>,
    /// The tool that runs a script of a skill.
    pub run: Cow<'static, str>,
}

impl Default for ToolNames {
    fn default() -> Self {
        Self {
            skill: "skill".into(),
            search: "search_skills".into(),
            read: "read_skill_resource".into(),
            run: "run_skill_script".into(),
        }
    }
}

impl ToolNames {
    /// The usual names behind a prefix, for hosts that keep the tools of several catalogs apart.
    pub fn prefixed(prefix: &str) -> Self {
        let usual = Self::default();
        Self {
            skill: format!("{prefix}{}", usual.skill).into(),
            search: format!("{prefix}{}", usual.search).into(),
            read: format!("{prefix}{}", usual.read).into(),
            run: format!("{prefix}{}", usual.run).into(),
        }
    }
}

/// A host's own words about the tools, in place of ours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolDescriptions {
    /// For the tool that loads a skill: the rules of use. The list of skills follows them.
    pub skill: Option<String>,
    /// For the tool that finds skills.
    pub search: Option<String>,
    /// For the tool that reads a file of a skill.
    pub read: Option<String>,
    /// For the tool that runs a script of a skill.
    pub run: Option<String>,
}

/// Whose files a model may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ResourceAccess {
    /// Those of every skill it may see, and of those that are active.
    #[default]
    Visible,
    /// Only those of skills that are active in the conversation.
    ActivatedOnly,
}

/// The tools of one conversation, over one catalog. Cloning it shares both.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Catalog, MemorySource, Tool, ToolOptions, Toolset};
/// # use prowess::{LoadOptions, Source};
/// # let source = MemorySource::new("example")
/// #     .skill("tea/SKILL.md", "---\nname: tea\ndescription: Brews tea.\n---\nSteep it.\n");
/// # let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
/// # let catalog = Catalog::load(&sources, &LoadOptions::default())?;
///
/// let tools = Toolset::new(Arc::new(catalog), ToolOptions::default());
/// let result = tools.skill().call(&serde_json::json!({ "skill_name": "tea" }));
/// assert_eq!(result.record.shown(), "Skill tea loaded");
/// # Ok::<(), prowess::LoadError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Toolset {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    catalog: RwLock<Snapshot>,
    ledger: Mutex<Ledger>,
    options: Arc<ToolOptions>,
}

/// Where the catalog in use comes from.
#[derive(Clone)]
enum Snapshot {
    Fixed(Arc<Catalog>),
    Newest(Arc<dyn Fn() -> Arc<Catalog> + Send + Sync>),
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fixed(_) => "Fixed",
            Self::Newest(_) => "Newest",
        })
    }
}

impl Toolset {
    /// Makes the tools of a new conversation. A server that makes many shares its options as an
    /// `Arc`.
    pub fn new(catalog: impl Into<Arc<Catalog>>, options: impl Into<Arc<ToolOptions>>) -> Self {
        Self::resume(catalog.into(), options, Ledger::default())
    }

    /// Makes the tools of a conversation that has some skills active.
    pub fn resume(
        catalog: Arc<Catalog>,
        options: impl Into<Arc<ToolOptions>>,
        ledger: Ledger,
    ) -> Self {
        Self::over(Snapshot::Fixed(catalog), options.into(), ledger)
    }

    /// Makes the tools of a new conversation that always uses the newest snapshot of a live
    /// catalog.
    #[cfg(feature = "watch")]
    pub fn live(
        live: &Arc<crate::live::LiveCatalog>,
        options: impl Into<Arc<ToolOptions>>,
    ) -> Self {
        let live = Arc::clone(live);
        Self::following(move || live.snapshot(), options)
    }

    /// Makes the tools of a new conversation over a catalog that is asked for at each call.
    pub fn following(
        newest: impl Fn() -> Arc<Catalog> + Send + Sync + 'static,
        options: impl Into<Arc<ToolOptions>>,
    ) -> Self {
        let newest = Snapshot::Newest(Arc::new(newest));
        Self::over(newest, options.into(), Ledger::default())
    }

    fn over(snapshot: Snapshot, options: Arc<ToolOptions>, ledger: Ledger) -> Self {
        Self {
            shared: Arc::new(Shared {
                catalog: RwLock::new(snapshot),
                ledger: Mutex::new(ledger),
                options,
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

    /// The three, and `run_skill_script` where it is offered.
    pub fn tools(&self) -> Vec<Box<dyn Tool>> {
        #[cfg_attr(not(feature = "run"), expect(unused_mut, reason = "nothing runs"))]
        let mut tools: Vec<Box<dyn Tool>> = vec![
            Box::new(self.skill()),
            Box::new(self.search()),
            Box::new(self.read()),
        ];
        #[cfg(feature = "run")]
        if let Some(run) = self.run() {
            tools.push(Box::new(run));
        }
        tools
    }

    /// The catalog in use.
    pub fn catalog(&self) -> Arc<Catalog> {
        let snapshot = self.shared.catalog.read();
        match &*snapshot.unwrap_or_else(PoisonError::into_inner) {
            Snapshot::Fixed(catalog) => Arc::clone(catalog),
            Snapshot::Newest(newest) => newest(),
        }
    }

    /// Puts a newer catalog in use; calls under way finish with the old one.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        let current = self.shared.catalog.write();
        *current.unwrap_or_else(PoisonError::into_inner) = Snapshot::Fixed(catalog);
    }

    /// How the tools behave.
    pub fn options(&self) -> &Arc<ToolOptions> {
        &self.shared.options
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
    pub fn changes(&self) -> Vec<StaleSkill> {
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

    /// What a system prompt says of skills when a conversation starts: the list, then the
    /// instructions of every skill that is `always` active. They are loaded into the ledger, and
    /// one that lacks a tool is left out.
    ///
    /// ```
    /// use prowess::{Catalog, LoadOptions, MemorySource, PromptOptions, Source, ToolOptions, Toolset};
    ///
    /// let source = MemorySource::new("example").skill(
    ///     "house/SKILL.md",
    ///     "---\nname: house\ndescription: House rules.\nalways: true\n---\nBe kind.\n",
    /// );
    /// let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    /// let catalog = Catalog::load(&sources, &LoadOptions::default())?;
    /// let tools = Toolset::new(catalog, ToolOptions::default());
    /// let prompt = tools.start(&PromptOptions::default());
    /// assert!(prompt.starts_with("<available_skills>") && prompt.ends_with("Be kind."));
    /// # Ok::<(), prowess::LoadError>(())
    /// ```
    pub fn start(&self, options: &PromptOptions<'_>) -> String {
        if !self.options().enabled {
            return String::new();
        }
        let catalog = self.catalog();
        let mut parts = vec![catalog.prompt(options).text];
        // Nothing was said yet, so only what is always active is.
        let always = Triggers::new(&catalog).activate(&catalog, &Turn::default(), None);
        for skill in always.iter().filter_map(|it| catalog.get(&it.name)) {
            let loaded = self.load(skill, Reason::Always, None);
            if loaded.record.success {
                parts.push(loaded.text);
            }
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n")
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

    /// The names a model may choose from; `None` where there are too many to list.
    fn names(&self) -> Option<Vec<String>> {
        if !self.options().enabled {
            return None;
        }
        let catalog = self.catalog();
        let limit = self.options().enum_limit;
        let names: Vec<String> = catalog
            .model_visible()
            .take(limit + 1)
            .map(|skill| skill.name().to_owned())
            .collect();
        (names.len() <= limit).then_some(names)
    }

    /// Why no skill of this name can be used.
    fn unknown(&self, catalog: &Catalog, name: &str) -> String {
        unknown::reason(catalog, name, Some(&self.options().names.search))
    }

    /// The skill whose files a model may use under this name.
    fn reachable<'c>(&self, catalog: &'c Catalog, name: &str) -> Result<&'c Skill, String> {
        // A skill the user called may be one that models do not see; its files are then needed
        // all the same.
        let active = self.locked().get(name).is_some();
        let skill = catalog
            .get(name)
            .filter(|skill| skill.is_model_visible() || active)
            .ok_or_else(|| self.unknown(catalog, name))?;
        if self.options().access == ResourceAccess::ActivatedOnly && !active {
            return Err(format!(
                "the skill `{name}` is not active; load it with `{}` before its files are used",
                self.options().names.skill
            ));
        }
        Ok(skill)
    }

    fn record(&self, tool: &str) -> ToolRecord {
        ToolRecord {
            tool: tool.to_owned(),
            success: true,
            error: None,
            timestamp: timestamp((self.options().clock)()),
            skill_name: None,
            directory: None,
            tools: None,
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

/// Calls a tool inside a span.
fn observed(tool: &str, input: &Value, run: impl FnOnce(&Value) -> ToolResult) -> ToolResult {
    let span = observe::call(tool);
    let _entered = span.enter();
    let result = run(&object_of(input));
    note(&span, &result);
    result
}

/// The input as an object: models send one, and some clients hand on the text of it.
fn object_of(input: &Value) -> Cow<'_, Value> {
    let parsed = input.as_str().and_then(|text| {
        let value: Value = serde_json::from_str(text).ok()?;
        value.is_object().then_some(value)
    });
    parsed.map_or(Cow::Borrowed(input), Cow::Owned)
}

/// Writes into the span of a call what came of it.
fn note(span: &tracing::Span, result: &ToolResult) {
    span.record("gen_ai.skill.success", result.record.success);
    if let Some(name) = &result.record.skill_name {
        span.record("gen_ai.skill.name", name);
    }
    if let Some(error) = &result.record.error {
        span.record("error.message", error);
    }
}

/// The skill that a name given by a model means. Models like to write it as users call it:
/// `@name`, `/name`, `$name`.
pub fn find_skill<'c>(catalog: &'c Catalog, name: &str) -> Option<&'c Skill> {
    let name = name.trim();
    let visible = |name| catalog.get(name).filter(|skill| skill.is_model_visible());
    visible(name).or_else(|| visible(name.trim_start_matches(['@', '/', '$'])))
}

/// A moment in UTC, to the second (RFC 3339). A clock before 1970 or after 9999 is wrong, and
/// gives the start of 1970.
fn timestamp(time: SystemTime) -> String {
    let mut text = String::new();
    let moment = humantime::format_rfc3339_seconds(time.max(UNIX_EPOCH));
    if write!(text, "{moment}").is_err() {
        return timestamp(UNIX_EPOCH);
    }
    text
}

/// Reads a text of the input; what is wrong with it is for the model to read.
fn text_of<'a>(input: &'a Value, key: &str, what: &str) -> Result<&'a str, String> {
    match input.get(key) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
        Some(Value::String(_) | Value::Null) | None => Err(format!("`{key}` is required: {what}")),
        Some(_) => Err(format!("`{key}` is not text; give {what}")),
    }
}
