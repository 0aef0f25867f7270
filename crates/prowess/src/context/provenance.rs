//! Where a context comes from, as a record for logs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SkillContext;
use crate::{activate::Reason, authority::Permission, display::display_path, skill::Skill};

/// A context as JSON: tools by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    /// The framed instruction.
    pub instruction: String,
    /// The names of the bound tools.
    pub tools: Vec<String>,
    /// Where all this comes from.
    pub provenance: Provenance,
}

/// Why this skill, from where, and with which tools: a record for logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The skill's name; absent for the host's own words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// How it was found.
    #[serde(rename = "match")]
    pub matched: Matched,
    /// How well it answers; absent for a skill called by name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f32>,
    /// How likely it is right, 0 to 1; absent where it was not chosen by query.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f32>,
    /// Its name and hash in one word.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// The hash of its file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hash: Option<String>,
    /// The place it comes from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<OriginRecord>,
    /// Why it is active.
    pub reason: Reason,
    /// What `allowed-tools` means to the host.
    pub permission: Permission,
    /// The tools it asks for, as written.
    pub tools_asked: Vec<String>,
    /// The tools it asks for and does not get.
    pub tools_missing: Vec<String>,
    /// Whether its body was cut.
    pub truncated: bool,
    /// How many frame markers in its text were put out of action.
    pub neutralized: usize,
}

/// How a skill was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", content = "value", rename_all = "lowercase")]
pub enum Matched {
    /// By its name.
    Name(String),
    /// By a request.
    Query(String),
    /// By one of its tags.
    Tag(String),
    /// As the host's generalist.
    Fallback,
}

/// The place a skill comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OriginRecord {
    /// How near the place is.
    pub scope: String,
    /// A short word for it.
    pub label: String,
    /// The skill's file, safe to show.
    pub path: String,
}

impl<Tool> SkillContext<Tool> {
    /// The context as a value that can be written as JSON.
    pub fn envelope(&self) -> Envelope {
        Envelope {
            instruction: self.instruction.clone(),
            tools: self.tools.iter().map(|tool| tool.name.clone()).collect(),
            provenance: self.provenance.clone(),
        }
    }
}

impl Provenance {
    /// One line of JSON for a log.
    pub fn to_json(&self) -> String {
        // Texts, numbers and lists of texts always have a JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl OriginRecord {
    pub(super) fn of(skill: &Skill) -> Self {
        Self {
            scope: skill.origin().scope.as_str().to_owned(),
            label: skill.origin().label.clone(),
            path: display_path(skill.path()),
        }
    }
}
