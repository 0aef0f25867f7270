//! `skill`: loads a skill by name.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::{Tool, ToolRecord, ToolResult, Toolset, describe, read, trace};
use crate::{
    activate::Reason, display::display_path, frame::one_line, ledger::Loaded, resource::Resources,
    skill::Skill,
};

const NAME: &str = "skill";

/// The tool `skill`.
#[derive(Debug, Clone)]
pub struct SkillTool(pub(super) Toolset);

/// What the model gives.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "it is only there for its schema; the input is read by hand"
)]
struct Input {
    /// The name of the skill to load.
    skill_name: String,
    /// What the user wants of the skill, in a few words, if the skill takes arguments.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    arguments: String,
}

impl Tool for SkillTool {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> String {
        self.0.guide()
    }

    fn schema(&self) -> Value {
        let mut schema = describe::schema::<Input>();
        // An empty enum allows nothing, and some hosts refuse it.
        if let Some(names) = self.0.names().filter(|names| !names.is_empty())
            && let Some(name) = schema.pointer_mut("/properties/skill_name")
        {
            name["enum"] = names.into();
        }
        schema
    }

    fn call(&self, input: &Value) -> ToolResult {
        let given = match describe::text_of(input, "skill_name", "the name of the skill to load") {
            Ok(name) => name.trim(),
            Err(error) => return self.0.failure(NAME, None, error),
        };
        if !self.0.options().enabled {
            let error = format!("skills are switched off, so `{given}` was not loaded");
            return self.0.failure(NAME, Some(given), error);
        }
        let catalog = self.0.catalog();
        let visible = |name| catalog.get(name).filter(|skill| skill.is_model_visible());
        // Models like to write the name as users call it.
        let bare = given.trim_start_matches(['@', '/', '$']);
        let Some(skill) = visible(given).or_else(|| visible(bare)) else {
            let error = describe::unknown(&catalog, given);
            return self.0.failure(NAME, Some(given), error);
        };
        let arguments = input.get("arguments").and_then(Value::as_str);
        self.0.load(skill, Reason::Invoked, arguments)
    }
}

impl Toolset {
    /// Loads a skill into the conversation and tells the model about it: what the tool `skill`
    /// does, for a host that has a reason of its own.
    pub fn load(&self, skill: &Skill, reason: Reason, arguments: Option<&str>) -> ToolResult {
        // Fetched before the ledger hears of it: what could not be loaded is not active. What the
        // conversation holds already is not fetched again.
        let held = self.locked().holds(skill);
        let skill = match skill.loaded_unless(held) {
            Ok(skill) => skill,
            Err(error) => {
                let error = format!("the skill `{}` was not loaded: {error}", skill.name());
                return self.failure(NAME, Some(skill.name()), error);
            }
        };
        let skill = &*skill;
        let loaded = self.locked().load(skill, reason);
        trace::loaded(skill, reason, &loaded);
        let mut record = ToolRecord {
            skill_name: Some(skill.name().to_owned()),
            directory: skill.directory().as_deref().map(display_path),
            data: Some(json!({
                "id": skill.id(),
                "reason": reason,
                "already_active": loaded == Loaded::Already,
                "arguments": arguments,
            })),
            ..self.record(NAME)
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
            _ => self.instructions(skill, &loaded, arguments),
        };
        ToolResult { text, record }
    }

    fn instructions(&self, skill: &Skill, loaded: &Loaded, arguments: Option<&str>) -> String {
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
        text.push_str(body);
        text
    }

    fn list(&self, resources: &Resources, text: &mut String) {
        if resources.files.is_empty() {
            return;
        }
        let shown = self.options().resources;
        let _ = writeln!(text, "Resources, to be read with `{}`:", read::NAME);
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
