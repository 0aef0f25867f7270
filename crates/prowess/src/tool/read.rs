//! `read_skill_resource`: reads a file of a skill.

use std::{error::Error as _, fmt::Write as _};

use schemars::JsonSchema;
use serde_json::Value;

use super::{Tool, ToolRecord, ToolResult, Toolset, describe};
use crate::{
    display::display_path,
    resource::{Content, ResourceError},
};

pub(super) const NAME: &str = "read_skill_resource";

/// The tool `read_skill_resource`.
#[derive(Debug, Clone)]
pub struct ReadTool(pub(super) Toolset);

/// What the model gives.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "it is only there for its schema; the input is read by hand"
)]
struct Input {
    /// The name of the skill.
    skill_name: String,
    /// The file, as a path below the skill's folder with `/` between its parts.
    path: String,
    /// The byte to start at, to go on where an earlier read ended.
    #[serde(default)]
    offset: u64,
}

impl Tool for ReadTool {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> String {
        "Reads a file that belongs to a skill: a reference, an example, a script, a template. \
         Give the path as the skill or its list of resources names it. Text comes as it is, \
         anything else in base64. A long file comes in parts; the result says where the next \
         one starts. Reading a script does not run it."
            .to_owned()
    }

    fn schema(&self) -> Value {
        describe::schema::<Input>()
    }

    fn call(&self, input: &Value) -> ToolResult {
        let name = match describe::text_of(input, "skill_name", "the name of the skill") {
            Ok(name) => name.trim(),
            Err(error) => return self.0.failure(NAME, None, error),
        };
        let path = match describe::text_of(input, "path", "a path below the skill's folder") {
            Ok(path) => path,
            Err(error) => return self.0.failure(NAME, Some(name), error),
        };
        if !self.0.options().enabled {
            let error = "skills are switched off, so nothing was read".to_owned();
            return self.0.failure(NAME, Some(name), error);
        }
        let offset = match input.get("offset") {
            None | Some(Value::Null) => 0,
            Some(value) => match value.as_u64() {
                Some(offset) => offset,
                None => {
                    let error = format!("`offset` is `{value}`; give a number of bytes");
                    return self.0.failure(NAME, Some(name), error);
                }
            },
        };
        let catalog = self.0.catalog();
        // A skill the user called may be one that models are not told about; its files are then
        // needed all the same.
        let active = self.0.locked().get(name).is_some();
        let allowed = |skill: &&crate::skill::Skill| skill.is_model_visible() || active;
        let Some(skill) = catalog.get(name).filter(allowed) else {
            let error = describe::unknown(&catalog, name);
            return self.0.failure(NAME, Some(name), error);
        };
        match skill.read_resource(path, offset, &self.0.options().limits) {
            Err(error) => self.0.failure(NAME, Some(name), told(&error)),
            Ok(page) => {
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
                let data = serde_json::json!({
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
                        ..self.0.record(NAME)
                    },
                }
            }
        }
    }
}

/// An error with its cause.
fn told(error: &ResourceError) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
