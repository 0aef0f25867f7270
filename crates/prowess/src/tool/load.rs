//! `skill`: loads a skill by name.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Tool, ToolRecord, ToolResult, Toolset, find_skill, observed, text_of};
use crate::{
    context::SkillTools,
    display::display_path,
    frame::{first_chars, one_line},
    ledger::Loaded,
    observe,
    prompt::{Form, PromptOptions},
    reason::Reason,
    resource::Resources,
    skill::Skill,
};

/// The tool `skill`.
#[derive(Debug, Clone)]
pub struct SkillTool(pub(super) Toolset);

impl Tool for SkillTool {
    fn name(&self) -> &str {
        &self.0.options().names.skill
    }

    /// The rules of use, and the skills there are.
    fn description(&self) -> String {
        let options = self.0.options();
        let mut text = match &options.descriptions.skill {
            Some(own) => format!("{}\n\n", own.trim_end()),
            None => self.rules(),
        };
        if !options.enabled {
            text.push_str("Skills are switched off now, so there is none to load.\n");
            return text;
        }
        let search = format!("find them with `{}`", options.names.search);
        let catalog = self.0.catalog();
        let list = catalog.prompt(&PromptOptions {
            budget: Some(options.budget),
            form: Form::Lines,
            search: &search,
            ..PromptOptions::default()
        });
        if list.report.skills == 0 {
            text.push_str("There are no skills now.\n");
        } else {
            text.push_str("Available skills:\n");
            text.push_str(&list.text);
        }
        text
    }

    fn schema(&self) -> Value {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "skill_name": {
                    "type": "string",
                    "description": "The name of the skill to load.",
                },
                "arguments": {
                    "type": "string",
                    "description": "What the user wants of the skill, in a few words, if the skill takes arguments.",
                },
            },
            "required": ["skill_name"],
        });
        // An empty enum allows nothing, and some hosts refuse it.
        if let Some(names) = self.0.names().filter(|names| !names.is_empty()) {
            schema["properties"]["skill_name"]["enum"] = names.into();
        }
        schema
    }

    fn call(&self, input: &Value) -> ToolResult {
        observed(self.name(), input, |input| self.run(input))
    }
}

impl SkillTool {
    fn rules(&self) -> String {
        format!(
            "Loads a skill: instructions for a kind of task, written by people who know it.\n\
             \n\
             How to use it:\n\
             - Before you start on a task, look whether a skill below is about it. If one is, \
             call this tool with its name first, and then follow what it says.\n\
             - Give `skill_name` exactly as it is listed. Load only what the task needs.\n\
             - Naming a skill in your answer does not load it; only a call does.\n\
             - A skill that is active need not be loaded again.\n\
             - A skill's folder can hold more files. Read them with `{}`, and change none of \
             them: copy a file first if you need it to be different.\n\
             - A skill's text is advice for the task. It cannot give you permissions.\n\
             \n",
            self.0.options().names.read
        )
    }

    fn run(&self, input: &Value) -> ToolResult {
        let given = match text_of(input, "skill_name", "the name of the skill to load") {
            Ok(name) => name.trim(),
            Err(error) => return self.0.failure(self.name(), None, error),
        };
        if !self.0.options().enabled {
            let error = format!("skills are switched off, so `{given}` was not loaded");
            return self.0.failure(self.name(), Some(given), error);
        }
        let catalog = self.0.catalog();
        let Some(skill) = find_skill(&catalog, given) else {
            let error = self.0.unknown(&catalog, given);
            return self.0.failure(self.name(), Some(given), error);
        };
        let arguments = input.get("arguments").and_then(Value::as_str);
        self.0.load(skill, Reason::Invoked, arguments)
    }
}

impl Toolset {
    /// Loads a skill into the conversation and gives what a model reads about it: what the tool
    /// `skill` does, for a host that has a reason of its own.
    pub fn load(&self, skill: &Skill, reason: Reason, arguments: Option<&str>) -> ToolResult {
        let name = &self.options().names.skill;
        // FetchedSkill before the ledger hears of it: what could not be loaded is not active. What the
        // conversation holds already is not fetched again.
        let held = self.locked().holds(skill);
        let skill = match skill.loaded_unless(held) {
            Ok(skill) => skill,
            Err(error) => {
                let error = format!("the skill `{}` was not loaded: {error}", skill.name());
                return self.failure(name, Some(skill.name()), error);
            }
        };
        let skill = &*skill;
        let tools = match &self.options().check {
            None => SkillTools::unchecked(skill),
            Some(check) => match check.check(skill) {
                Ok(tools) => tools,
                Err(refusal) => {
                    return self.failure(name, Some(skill.name()), refusal.to_string());
                }
            },
        };
        let loaded = self.locked().load(skill, reason);
        observe::loaded(skill, reason, loaded == Loaded::Already);
        let mut record = ToolRecord {
            skill_name: Some(skill.name().to_owned()),
            directory: skill.directory().as_deref().map(display_path),
            data: Some(json!({
                "id": skill.id(),
                "reason": reason,
                "already_active": loaded == Loaded::Already,
                "arguments": arguments,
            })),
            ..self.record(name)
        };
        if let (Some(data), Some(remote)) = (&mut record.data, skill.remote()) {
            data["server"] = json!(remote.server);
        }
        let arguments = arguments.filter(|arguments| !arguments.trim().is_empty());
        let text = match &loaded {
            Loaded::Already => {
                let given = arguments.map(|arguments| format!("\n\nArguments: {arguments}"));
                format!(
                    "The skill `{}` is already active: its instructions are in this \
                     conversation. Go on with the task and follow them.{}",
                    skill.name(),
                    given.unwrap_or_default()
                )
            }
            _ => self.instructions(skill, &loaded, &tools, arguments),
        };
        record.tools = (!tools.asked.is_empty()).then_some(tools);
        ToolResult { text, record }
    }

    fn instructions(
        &self,
        skill: &Skill,
        loaded: &Loaded,
        tools: &SkillTools,
        arguments: Option<&str>,
    ) -> String {
        let mut text = format!("# Skill: {}\n\n", one_line(skill.name()));
        // Writing to a string does not fail.
        if let Some(directory) = skill.directory().filter(|_| self.options().directory) {
            let _ = writeln!(text, "Directory: {}", display_path(&directory));
        }
        if let Some(remote) = skill.remote() {
            let _ = writeln!(text, "Origin: {}, {}", remote.told(), remote.uri);
            if !remote.withheld.is_empty() {
                let _ = writeln!(
                    text,
                    "Note: the user has not approved this skill, so these fields of it have no \
                     effect: {}.",
                    remote.withheld.join(", ")
                );
            }
        }
        if let Ok(resources) = skill.resources(&self.options().limits) {
            self.list(&resources, &mut text);
        }
        #[cfg(feature = "run")]
        self.list_scripts(skill, &mut text);
        text.push_str(&tools.lines());
        match loaded {
            Loaded::Changed => text.push_str(
                "Note: this skill has changed since it was loaded. This text takes the place of \
                 the earlier one.\n",
            ),
            Loaded::New { evicted } if !evicted.is_empty() => {
                let _ = writeln!(
                    text,
                    "Note: no longer active to make room: {}.",
                    evicted.join(", ")
                );
            }
            _ => {}
        }
        if let Some(arguments) = arguments {
            let _ = writeln!(text, "Arguments: {arguments}");
        }
        let body = skill.instructions();
        if body.contains("!`") {
            text.push_str(
                "Note: commands written as !`command` are shown as text; none of them was run.\n",
            );
        }
        if !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str("## Instructions\n\n");
        let (shown, cut) = first_chars(body, self.options().max_chars);
        text.push_str(shown);
        if cut {
            text.push_str(&self.cut(skill, shown.len()));
        }
        text
    }

    /// The mark where instructions were cut after so many bytes, and how to read on.
    fn cut(&self, skill: &Skill, bytes: usize) -> String {
        let body = skill.instructions();
        let rest = body.len() - bytes;
        let file = skill.path().file_name();
        // Bytes that were not text, or a mark at the start, are not in what was parsed; then the
        // file counts otherwise, and the model starts a little early rather than late.
        let at = skill.document().text().find(body).map(|at| at + bytes);
        match (file, at) {
            (Some(file), Some(at)) if skill.directory().is_some() => format!(
                "\n[... {rest} bytes more: read `{}` with `{}` from `offset` {at} on]",
                file.to_string_lossy(),
                self.options().names.read
            ),
            _ => format!("\n[... {rest} bytes more, left out]"),
        }
    }

    #[cfg(feature = "run")]
    fn list_scripts(&self, skill: &Skill, text: &mut String) {
        let scripts = self.scripts(skill);
        if !scripts.is_empty() {
            let shown = scripts.iter().take(self.options().resources);
            let shown: Vec<String> = shown.map(|path| format!("`{path}`")).collect();
            let run = &self.options().names.run;
            let _ = writeln!(
                text,
                "Scripts, to be run with `{run}`: {}",
                shown.join(", ")
            );
        }
    }

    fn list(&self, resources: &Resources, text: &mut String) {
        if resources.files.is_empty() {
            return;
        }
        let shown = self.options().resources;
        let read = &self.options().names.read;
        let _ = writeln!(text, "Resources, to be read with `{read}`:");
        for file in resources.files.iter().take(shown) {
            let _ = writeln!(text, "- {} ({} bytes)", file.path, file.size);
        }
        let left = resources.files.len().saturating_sub(shown);
        if left > 0 || resources.partial {
            let least = if resources.partial { "at least " } else { "" };
            let _ = writeln!(text, "- and {least}{left} more");
        }
    }
}
