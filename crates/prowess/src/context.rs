//! A skill with the tools it needs, as one unit: instructions and tools together or not at all.

use serde::{Deserialize, Serialize};

use crate::{
    authority::{Authority, Permission},
    display::display_path,
    reason::Reason,
    select::Policy,
    skill::Skill,
};

mod bind;
mod coordinator;
#[cfg(test)]
mod tests;

pub use bind::{BoundTool, Refusal, SkillTools, ToolCheck, ToolRegistry};
pub use coordinator::Coordinator;

/// So many characters of a body stand in an instruction unless the host says otherwise.
pub const MAX_CHARS: usize = 8_000;

/// How a skill is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// The skill that answers to this name.
    Name(String),
    /// The skills that answer this request best.
    Query(String),
    /// The skills with this tag, by name.
    Tag(String),
}

/// What happens when a tool is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The skill is refused and the next candidate is tried.
    #[default]
    Strict,
    /// The tool is left out, and named in the provenance and a warning.
    Permissive,
    /// As strict; where nothing is left, the host's generalist takes over.
    Fallback,
}

/// Who takes over where no skill fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Generalist {
    /// A skill of the catalog. Tools it lacks are left out.
    Skill(String),
    /// The host's own words, and the tools that go with them.
    Text {
        /// The instruction, given to the model as it is.
        instruction: String,
        /// The names of the tools; those the host lacks are left out.
        tools: Vec<String>,
    },
}

/// How contexts are made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ContextOptions {
    /// What happens when a tool is missing.
    pub mode: Mode,
    /// Who may be chosen by query or tag.
    pub policy: Policy,
    /// The most characters of a body in an instruction.
    pub max_chars: usize,
    /// What the host and the user allow, and what `allowed-tools` means.
    pub authority: Authority,
    /// Who takes over where nothing fits, in [`Mode::Fallback`] only.
    pub generalist: Option<Generalist>,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Strict,
            policy: Policy::default(),
            max_chars: MAX_CHARS,
            authority: Authority::default(),
            generalist: None,
        }
    }
}

/// A skill ready for a model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SkillContext<Tool> {
    /// The framed instruction. It names exactly the tools that are bound.
    pub instruction: String,
    /// The tools, in the order the skill asks for them.
    pub tools: Vec<BoundTool<Tool>>,
    /// What the skill may do with them.
    pub authority: Authority,
    /// Where all this comes from.
    pub provenance: Provenance,
}

/// What a search for a context gave.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Resolution<Tool> {
    /// The context; `None` where no skill fits.
    pub context: Option<SkillContext<Tool>>,
    /// Close candidates to choose from, where [`Coordinator::answer`] found no sure one.
    pub menu: Vec<Choice>,
    /// The candidates that were passed over, best first, each once.
    pub refused: Vec<Refusal>,
    /// What a person should know: a name nobody has, a generalist that is missing, tools that
    /// were left out.
    pub warnings: Vec<String>,
}

impl<Tool> Default for Resolution<Tool> {
    fn default() -> Self {
        Self {
            context: None,
            menu: Vec::new(),
            refused: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// One line of a menu.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The skill's name; resolve it with [`Strategy::Name`].
    pub name: String,
    /// What it does.
    pub description: String,
    /// How well it answers.
    pub score: f32,
    /// How likely it is the right one, 0 to 1.
    pub confidence: f32,
}

/// A context as JSON: tools by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope {
    /// The framed instruction.
    pub instruction: String,
    /// The names of the bound tools.
    pub tools: Vec<String>,
    /// Where all this comes from.
    pub provenance: Provenance,
}

/// Why this skill, from where, and with which tools: a record for logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Provenance {
    /// The skill's name; absent for the host's own words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// How it was found.
    #[serde(rename = "match")]
    pub matched: MatchedBy,
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
    /// How many frame markers in its text were neutralized.
    pub neutralized: usize,
}

/// How a skill was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "by", content = "value", rename_all = "lowercase")]
pub enum MatchedBy {
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// A record of what is known about every context.
    fn new(matched: MatchedBy, permission: Permission) -> Self {
        Self {
            name: None,
            matched,
            score: None,
            confidence: None,
            id: None,
            hash: None,
            origin: None,
            reason: Reason::Selected,
            permission,
            tools_asked: Vec::new(),
            tools_missing: Vec::new(),
            truncated: false,
            neutralized: 0,
        }
    }

    /// One line of JSON for a log.
    pub fn to_json(&self) -> String {
        // Texts, numbers and lists of texts always have a JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl OriginRecord {
    fn of(skill: &Skill) -> Self {
        Self {
            scope: skill.origin().scope.as_str().to_owned(),
            label: skill.origin().label.clone(),
            path: display_path(skill.path()),
        }
    }
}
