//! `read_skill_resource`: reads a file of a skill.

use std::{error::Error as _, fmt::Write as _};

use serde_json::{Value, json};

use super::{Tool, ToolRecord, ToolResult, Toolset, observed, text_of};
use crate::{
    display::display_path,
    resource::{Content, Page, ResourceError},
    skill::Skill,
};

/// The tool `read_skill_resource`.
#[derive(Debug, Clone)]
pub struct ReadTool(pub(super) Toolset);

impl Tool for ReadTool {
    fn name(&self) -> &str {
        &self.0.options().names.read
    }

    fn description(&self) -> String {
        let own = self.0.options().descriptions.read.as_deref();
        own.unwrap_or(
            "Reads a file that belongs to a skill: a reference, an example, a script, a template. \
             Give the path as the skill or its list of resources names it. Text comes as it is, \
             anything else in base64. A long file comes in parts; the result says where the next \
             one starts. Reading a script does not run it.",
        )
        .to_owned()
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill_name": { "type": "string", "description": "The name of the skill." },
                "path": {
                    "type": "string",
                    "description": "The file, as a path below the skill's folder with `/` between its parts.",
                },
                "offset": {
                    "type": "integer",
                    "description": "The byte to start at, to go on where an earlier read ended; 0 unless given.",
                },
            },
            "required": ["skill_name", "path"],
        })
    }

    fn call(&self, input: &Value) -> ToolResult {
        observed(self.name(), input, |input| {
            let skill = input.get("skill_name").and_then(Value::as_str);
            self.run(input).unwrap_or_else(|error| {
                let skill = skill.map(str::trim).filter(|name| !name.is_empty());
                self.0.failure(self.name(), skill, error)
            })
        })
    }
}

impl ReadTool {
    fn run(&self, input: &Value) -> Result<ToolResult, String> {
        let name = text_of(input, "skill_name", "the name of the skill")?.trim();
        let path = text_of(input, "path", "a path below the skill's folder")?;
        let options = self.0.options();
        if !options.enabled {
            return Err("skills are switched off, so nothing was read".to_owned());
        }
        let offset = match input.get("offset") {
            None | Some(Value::Null) => 0,
            Some(value) => value
                .as_u64()
                .ok_or_else(|| format!("`offset` is `{value}`; give a number of bytes"))?,
        };
        let catalog = self.0.catalog();
        let skill = self.0.reachable(&catalog, name)?;
        let page = skill
            .read_resource(path, offset, &options.limits)
            .map_err(|error| with_cause(&error))?;
        Ok(self.page(skill, &page))
    }

    fn page(&self, skill: &Skill, page: &Page) -> ToolResult {
        let mut text = match &page.content {
            Content::Text(text) | Content::Base64(text) => text.clone(),
        };
        if let Some(remote) = skill.remote() {
            text = format!("({}, {})\n{text}", page.path, remote.told());
        }
        if let Some(next) = page.next_offset {
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "\n[... goes on: read again with `offset` {next} of {} bytes]",
                page.size
            );
        }
        // What the page holds is in the text; the record says which page it is.
        let data = json!({
            "path": page.path,
            "size": page.size,
            "offset": page.offset,
            "next_offset": page.next_offset,
            "encoding": match page.content {
                Content::Text(_) => "text",
                Content::Base64(_) => "base64",
            },
        });
        ToolResult {
            text,
            record: ToolRecord {
                skill_name: Some(skill.name().to_owned()),
                directory: skill.directory().as_deref().map(display_path),
                data: Some(data),
                ..self.0.record(self.name())
            },
        }
    }
}

/// An error with its cause.
fn with_cause(error: &ResourceError) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
