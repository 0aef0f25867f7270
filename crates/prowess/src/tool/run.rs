//! `run_skill_script`: runs a script of a skill, if somebody says that it may run.
//!
//! A call has two steps, because a person may have to be asked between them: [`RunTool::prepare`]
//! reads the skill's files and knows what would run, [`ScriptCall::start`] runs exactly that.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    future::Future,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use serde_json::{Value, json};
use tracing::Span;

use super::{Tool, ToolRecord, ToolResult, Toolset, note, object_of, text_of};
use crate::{
    display::{display_path, display_text},
    frame::one_line,
    identity::ContentHash,
    observe,
    run::{
        Cancel, Grant, Input, Request, RunError, RunLimits, RunPolicy, RunRecord, Runner,
        ScriptRun, Search, Staged, Stop, is_script_name,
    },
    skill::Skill,
};

/// So many bytes of each output are kept for a model, which pays for each of them.
const OUTPUT_BYTES: usize = 16 << 10;

/// So many scripts are named to a model that asks for one that is not there.
const NAMED: usize = 20;

/// What scripts may run, and who says so.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunOptions {
    /// Who runs them.
    pub runner: Arc<dyn Runner>,
    /// Who says that a script may run; [`RunPolicy::Ask`] by default.
    pub policy: RunPolicy,
    /// The same for single skills, by name.
    pub overrides: BTreeMap<String, RunPolicy>,
    /// What a person approved before, and how one is asked now. Without it a script that needs a
    /// yes is refused, unless the host asks by itself between the two steps of a call.
    pub approver: Option<Arc<dyn Approver>>,
    /// What every run may touch beside its skill and its work folder. With one, a person is
    /// asked even about what was approved before.
    pub grants: Vec<Grant>,
    /// How much of everything a run gets.
    pub limits: RunLimits,
    /// Where interpreters are looked for when scripts are listed.
    pub search: Search,
}

impl RunOptions {
    /// Lets this runner run what a person says yes to.
    pub fn new(runner: impl Runner + 'static) -> Self {
        let mut limits = RunLimits::default();
        limits.output_bytes = OUTPUT_BYTES;
        Self {
            runner: Arc::new(runner),
            policy: RunPolicy::default(),
            overrides: BTreeMap::new(),
            approver: None,
            grants: Vec::new(),
            limits,
            search: Search::new(None),
        }
    }

    /// Who says that a script of this skill may run.
    pub fn policy_of(&self, skill: &str) -> RunPolicy {
        self.overrides.get(skill).copied().unwrap_or(self.policy)
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("policy", &self.policy)
            .field("overrides", &self.overrides)
            .field("approver", &self.approver.is_some())
            .field("grants", &self.grants)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Says whether a script may run. Calls block.
pub trait Approver: Send + Sync {
    /// Whether a person approved exactly these files before; [`RunPolicy::Trusted`] asks that.
    fn is_approved(&self, _skill: &Skill, _staged: &Staged) -> bool {
        false
    }

    /// Asks a person now; `None` where nobody can be asked.
    fn ask(&self, call: &ScriptCall) -> Option<bool>;
}

/// The tool `run_skill_script`.
#[derive(Debug, Clone)]
pub struct RunTool(pub(super) Toolset);

impl Tool for RunTool {
    fn name(&self) -> &str {
        &self.0.options().names.run
    }

    fn description(&self) -> String {
        let options = self.0.options();
        if let Some(own) = &options.descriptions.run {
            return own.clone();
        }
        format!(
            "Runs a script that belongs to a skill, and gives its exit status and what it \
             printed. Use it when a loaded skill tells to run one of its scripts; `{}` names them. \
             The script reads its skill's folder and writes into an empty work folder that goes \
             away; it reaches no other file and no network, so give it what it needs as arguments \
             or as standard input. A person may be asked first; when the answer is no, go on \
             without the script and say so.",
            options.names.skill
        )
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill_name": { "type": "string", "description": "The name of the skill." },
                "script": {
                    "type": "string",
                    "description": "The script, as a path below the skill's folder, such as `scripts/fill.py`.",
                },
                "arguments": {
                    "type": "string",
                    "description": "Its arguments on one line, those with blanks in quotes. Nothing in it is expanded.",
                },
                "stdin": {
                    "type": "string",
                    "description": "What it reads on standard input; nothing unless given.",
                },
            },
            "required": ["skill_name", "script"],
        })
    }

    fn call(&self, input: &Value) -> ToolResult {
        self.begin(input)
            .map_or_else(|refused| refused, ToolRun::wait)
    }
}

impl RunTool {
    /// The first step: finds the script and takes a copy of its skill's files. What stands in
    /// the way is the result of the call.
    #[expect(
        clippy::result_large_err,
        reason = "either way it is the call's result"
    )]
    pub fn prepare(&self, input: &Value) -> Result<ScriptCall, ToolResult> {
        let span = observe::call(self.name());
        let _entered = span.enter();
        let input = &*object_of(input);
        self.script(input, &span).map_err(|error| {
            let skill = input.get("skill_name").and_then(Value::as_str);
            let skill = skill.map(str::trim).filter(|name| !name.is_empty());
            self.failure(&span, skill, error)
        })
    }

    fn failure(&self, span: &Span, skill: Option<&str>, error: String) -> ToolResult {
        let result = self.0.failure(self.name(), skill, error);
        note(span, &result);
        result
    }

    /// Both steps, with a question to the approver between them.
    #[expect(
        clippy::result_large_err,
        reason = "either way it is the call's result"
    )]
    fn begin(&self, input: &Value) -> Result<ToolRun, ToolResult> {
        self.prepare(input)
            .and_then(ScriptCall::asked)
            .and_then(ScriptCall::start)
    }

    fn script(&self, input: &Value, span: &Span) -> Result<ScriptCall, String> {
        let name = text_of(input, "skill_name", "the name of the skill")?.trim();
        let script = text_of(input, "script", "a path below the skill's folder")?.trim();
        let args = arguments(input)?;
        let stdin = match input.get("stdin") {
            None | Some(Value::Null) => Input::Empty,
            Some(Value::String(text)) => Input::Bytes(text.clone().into_bytes()),
            Some(_) => return Err("`stdin` is not text".to_owned()),
        };
        let options = self.0.options();
        let run = options.run.as_ref().filter(|_| options.enabled);
        let run = run.ok_or("scripts are switched off, so nothing was run")?;
        let catalog = self.0.catalog();
        let skill = self.0.reachable(&catalog, name)?;
        let policy = run.policy_of(skill.name());
        if policy == RunPolicy::Never {
            return Err(format!(
                "scripts of the skill `{name}` do not run here: the user's policy is `never`"
            ));
        }
        let staged = Staged::new(skill, &options.limits)
            .map_err(|error| format!("nothing was run: {}", chain(&error)))?;
        let mut request = staged.request(script).args(args).input(stdin);
        request.grants.clone_from(&run.grants);
        request.limits = run.limits.clone();
        let described = run
            .runner
            .describe(&request)
            .map_err(|error| explain(&error, script, &staged, run))?;
        let remembered = policy == RunPolicy::Trusted
            && run.grants.is_empty()
            && run
                .approver
                .as_ref()
                .is_some_and(|it| it.is_approved(skill, &staged));
        Ok(ScriptCall {
            tool: self.clone(),
            span: span.clone(),
            directory: skill.directory().as_deref().map(display_path),
            origin: skill.remote().map(crate::Remote::told),
            staged,
            request,
            described,
            approved: remembered,
        })
    }

    fn options(&self) -> Option<&RunOptions> {
        self.0.options().run.as_ref()
    }

    #[cfg(feature = "tokio")]
    #[expect(
        clippy::result_large_err,
        reason = "either way it is the call's result"
    )]
    pub(super) async fn call_async(&self, input: Value) -> ToolResult {
        let tool = self.clone();
        let started = super::off_thread(move || tool.begin(&input));
        match started.await {
            Ok(run) => run.await,
            Err(refused) => refused,
        }
    }

    /// Both steps, with a question that the caller asks between them.
    #[cfg(feature = "tokio")]
    #[expect(
        clippy::result_large_err,
        reason = "either way it is the call's result"
    )]
    pub(super) async fn call_asking<F: Future<Output = bool>>(
        &self,
        input: Value,
        ask: impl FnOnce(String) -> F,
    ) -> ToolResult {
        let tool = self.clone();
        let call = match super::off_thread(move || tool.prepare(&input)).await {
            Ok(call) => call,
            Err(refused) => return refused,
        };
        let call = match call.needs_approval() {
            false => call,
            true if ask(call.question()).await => call.approve(),
            true => return call.refuse(SAID_NO),
        };
        match super::off_thread(move || call.start()).await {
            Ok(run) => run.await,
            Err(refused) => refused,
        }
    }
}

/// What a model reads when a person does not want a script to run.
const SAID_NO: &str = "the user said no; go on without it and say so";

/// A call whose script is found and whose files lie ready: it runs once it is approved.
#[derive(Debug)]
pub struct ScriptCall {
    tool: RunTool,
    span: Span,
    directory: Option<String>,
    origin: Option<String>,
    staged: Staged,
    request: Request,
    described: Vec<String>,
    approved: bool,
}

impl ScriptCall {
    /// The skill's name.
    pub fn skill(&self) -> &str {
        self.staged.skill()
    }

    /// The script, as a path below the skill's folder.
    pub fn script(&self) -> &Path {
        &self.request.script
    }

    /// The hash over all files of the skill. A yes is a yes to these.
    pub fn seal(&self) -> ContentHash {
        self.staged.seal().hash()
    }

    /// What the run would be allowed, in a line each.
    pub fn described(&self) -> &[String] {
        &self.described
    }

    /// Whether a person has to say yes first.
    pub fn needs_approval(&self) -> bool {
        !self.approved
    }

    /// What to ask that person: one paragraph, with nothing in it that disturbs a terminal.
    pub fn question(&self) -> String {
        let shown = |text: &str| display_text(&one_line(text));
        let mut text = format!(
            "Run the script `{}` of the skill `{}`",
            shown(&display_path(&self.request.script)),
            shown(self.skill())
        );
        // Writing to a string does not fail.
        if let Some(origin) = &self.origin {
            let _ = write!(text, " ({})", shown(origin));
        }
        if !self.request.args.is_empty() {
            let args = self.request.args.iter().map(|arg| arg.to_string_lossy());
            let args: Vec<String> = args.map(|arg| format!("`{}`", shown(&arg))).collect();
            let _ = write!(text, " with {}", args.join(" "));
        }
        if let Input::Bytes(bytes) = &self.request.input {
            let _ = write!(text, " and {} bytes of input", bytes.len());
        }
        text.push('?');
        if self.request.grants.is_empty() {
            text += " It reads its skill's folder and writes into a new work folder; it reaches no \
                     other file and no network.";
        } else {
            let grants = self.request.grants.iter().map(|grant| format!("`{grant}`"));
            let grants: Vec<String> = grants.collect();
            let _ = write!(
                text,
                " Beside its skill's folder and a new work folder it is given {}.",
                grants.join(", ")
            );
        }
        let hash = self.seal().to_string();
        let _ = write!(
            text,
            " Files of the skill: sha256 {}.",
            &hash[..hash.len().min(12)]
        );
        text
    }

    /// Notes that a person said yes to this very call.
    #[must_use]
    pub fn approve(mut self) -> Self {
        self.approved = true;
        self
    }

    /// The result of a call that does not run.
    pub fn refuse(self, reason: &str) -> ToolResult {
        let script = display_path(&self.request.script);
        let error = format!("`{script}` was not run: {reason}");
        self.tool
            .failure(&self.span, Some(self.staged.skill()), error)
    }

    /// Asks whom the options name, where somebody has to be asked.
    #[expect(
        clippy::result_large_err,
        reason = "either way it is the call's result"
    )]
    fn asked(self) -> Result<Self, ToolResult> {
        if self.approved {
            return Ok(self);
        }
        let approver = self.tool.options().and_then(|run| run.approver.clone());
        match approver.and_then(|approver| approver.ask(&self)) {
            Some(true) => Ok(self.approve()),
            Some(false) => Err(self.refuse(SAID_NO)),
            None => Err(self.refuse(
                "it needs the user's yes, and nobody can be asked here; go on without it and say so",
            )),
        }
    }

    /// The second step: runs it. A call that needs a yes and has none is refused.
    #[expect(
        clippy::result_large_err,
        reason = "either way it is the call's result"
    )]
    pub fn start(self) -> Result<ToolRun, ToolResult> {
        if !self.approved {
            return Err(self.refuse("nobody approved it"));
        }
        let Some(runner) = self.tool.options().map(|run| Arc::clone(&run.runner)) else {
            return Err(self.refuse("scripts are switched off"));
        };
        let Self { tool, span, .. } = self;
        let skill = self.staged.skill().to_owned();
        let started = span.in_scope(|| self.staged.start(&*runner, self.request));
        match started {
            Ok(run) => Ok(ToolRun {
                run,
                tool,
                span,
                directory: self.directory,
            }),
            Err(error) => Err(tool.failure(&span, Some(&skill), chain(&error))),
        }
    }
}

/// A call whose script runs. Dropping it kills the script with all it started.
#[derive(Debug)]
#[must_use = "a run that is dropped is killed"]
pub struct ToolRun {
    run: ScriptRun,
    tool: RunTool,
    span: Span,
    directory: Option<String>,
}

impl ToolRun {
    /// Waits for the end.
    pub fn wait(self) -> ToolResult {
        let Self {
            run,
            tool,
            span,
            directory,
        } = self;
        let skill = run.skill().to_owned();
        tool.result(run.wait(), &span, &skill, directory)
    }

    /// A handle that ends the run from elsewhere.
    pub fn canceller(&self) -> Cancel {
        self.run.canceller()
    }
}

impl Future for ToolRun {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        let ended = Pin::new(&mut self.run).poll(context);
        ended.map(|ended| {
            let directory = self.directory.take();
            self.tool
                .result(ended, &self.span, self.run.skill(), directory)
        })
    }
}

impl RunTool {
    fn result(
        &self,
        ended: Result<RunRecord, RunError>,
        span: &Span,
        skill: &str,
        directory: Option<String>,
    ) -> ToolResult {
        let run = match ended {
            Ok(run) => run,
            Err(error) => return self.failure(span, Some(skill), chain(&error)),
        };
        let result = ToolResult {
            text: text(&run),
            record: ToolRecord {
                skill_name: Some(run.skill.clone()),
                directory,
                data: serde_json::to_value(&run).ok(),
                ..self.0.record(self.name())
            },
        };
        note(span, &result);
        result
    }
}

impl Toolset {
    /// `run_skill_script`, where the options have a runner, the policy lets a skill run, and that
    /// skill has a script.
    pub fn run(&self) -> Option<RunTool> {
        let options = self.options();
        let run = options.run.as_ref().filter(|_| options.enabled)?;
        let allowed = |skill: &&Skill| run.policy_of(skill.name()) != RunPolicy::Never;
        let catalog = self.catalog();
        let mut skills = catalog.model_visible().filter(allowed);
        let found = skills.any(|skill| !self.scripts(skill).is_empty());
        found.then(|| RunTool(self.clone()))
    }

    /// The scripts of a skill that a model may ask to run, by their endings alone.
    pub(super) fn scripts(&self, skill: &Skill) -> Vec<String> {
        let options = self.options();
        let may = options.run.as_ref().is_some_and(|run| {
            let remote = skill.remote();
            run.policy_of(skill.name()) != RunPolicy::Never && remote.is_none_or(|it| it.run)
        });
        let listed = may.then(|| skill.resources(&options.limits).ok()).flatten();
        let files = listed.map(|it| it.files).unwrap_or_default().into_iter();
        files
            .map(|file| file.path)
            .filter(|path| is_script_name(Path::new(path)))
            .collect()
    }
}

/// The arguments of a script: a line as people write it, or a list as some models send it.
fn arguments(input: &Value) -> Result<Vec<String>, String> {
    let wrong = || "`arguments` is not a line of text; close every quote in it".to_owned();
    match input.get("arguments") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(line)) => shlex::split(line).ok_or_else(wrong),
        Some(Value::Array(items)) => {
            let text = |item: &Value| match item {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            };
            items
                .iter()
                .map(|item| text(item).ok_or_else(wrong))
                .collect()
        }
        Some(_) => Err(wrong()),
    }
}

/// What a model reads of a run.
fn text(run: &RunRecord) -> String {
    let mut text = match &run.stop {
        Stop::Exit { code } => format!("Exit status: {code}\n"),
        Stop::Signal { signal } => format!("It was ended by signal {signal}.\n"),
        Stop::TimedOut => format!(
            "It was killed after {} ms: its time was up.\n",
            run.milliseconds
        ),
        Stop::WorkFolderFull => "It was killed: its work folder grew too large.\n".to_owned(),
        _ => "It was cancelled before it ended.\n".to_owned(),
    };
    let mut part = |name: &str, printed: &str, dropped: u64| {
        if !printed.is_empty() {
            let end = if printed.ends_with('\n') { "" } else { "\n" };
            // Writing to a string does not fail.
            let _ = write!(text, "\n{name}:\n{printed}{end}");
        }
        if dropped > 0 {
            let _ = writeln!(text, "[... {dropped} bytes more of it were not kept]");
        }
    };
    part("Standard output", &run.stdout, run.dropped.stdout);
    part("Standard error", &run.stderr, run.dropped.stderr);
    if run.stdout.is_empty() && run.stderr.is_empty() {
        text.push_str("It printed nothing.\n");
    }
    let grants = run.grants();
    if !grants.is_empty() {
        let _ = writeln!(
            text,
            "\nThe sandbox refused it something. Only the user can widen that, by: {}",
            grants.join(", ")
        );
    }
    text
}

fn explain(error: &RunError, script: &str, staged: &Staged, run: &RunOptions) -> String {
    let RunError::NotInside { .. } = error else {
        return chain(error);
    };
    let skill = staged.skill();
    let scripts = staged.scripts(&run.search);
    if scripts.is_empty() {
        return format!("the skill `{skill}` has no scripts");
    }
    let named: Vec<&str> = scripts.iter().copied().take(NAMED).collect();
    let more = match scripts.len() - named.len() {
        0 => String::new(),
        left => format!(" and {left} more"),
    };
    format!(
        "the skill `{skill}` has no script `{}`; it has {}{more}",
        display_text(script),
        named.join(", ")
    )
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_text = next.to_string();
        if !text.ends_with(&next_text) {
            let _ = write!(text, ": {next_text}");
        }
        cause = next.source();
    }
    text
}

#[cfg(test)]
mod tests;
