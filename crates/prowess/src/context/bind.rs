//! The tools a skill asks for, matched against those the host really has.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::Mode;
use crate::{authority::Authority, observe, skill::Skill};

/// The tools of a host. It can stand behind `dyn`, and forces no async runtime.
pub trait ToolRegistry<Tool>: Send + Sync {
    /// Gives the tool of this name, ready to be called; `None` where there is none.
    fn resolve(&self, name: &str) -> Option<Tool>;

    /// The names of all tools.
    fn available(&self) -> Vec<String>;
}

impl<Tool, S> ToolRegistry<Tool> for HashMap<String, Tool, S>
where
    Tool: Clone + Send + Sync,
    S: std::hash::BuildHasher + Send + Sync,
{
    fn resolve(&self, name: &str) -> Option<Tool> {
        self.get(name).cloned()
    }

    fn available(&self) -> Vec<String> {
        let mut names: Vec<_> = self.keys().cloned().collect();
        names.sort_unstable();
        names
    }
}

impl<Tool: Clone + Send + Sync> ToolRegistry<Tool> for BTreeMap<String, Tool> {
    fn resolve(&self, name: &str) -> Option<Tool> {
        self.get(name).cloned()
    }

    fn available(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

/// Names alone, for a host that binds its tools by itself.
impl ToolRegistry<String> for Vec<String> {
    fn resolve(&self, name: &str) -> Option<String> {
        self.iter().find(|known| *known == name).cloned()
    }

    fn available(&self) -> Vec<String> {
        self.clone()
    }
}

/// A tool under the name the model calls it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundTool<Tool> {
    /// The name.
    pub name: String,
    /// The host's tool.
    pub tool: Tool,
}

/// What became of the tools a skill asks for.
pub(super) struct Binding<Tool> {
    /// Those it gets, in the order it asks.
    pub(super) bound: Vec<BoundTool<Tool>>,
    /// The patterns it gets nothing for.
    pub(super) missing: Vec<String>,
}

/// Binds what the skill asks for, the host has, and the host's policy lets through.
pub(super) fn bind<Tool>(
    registry: &dyn ToolRegistry<Tool>,
    authority: &Authority,
) -> Binding<Tool> {
    let mut binding = Binding {
        bound: Vec::new(),
        missing: Vec::new(),
    };
    for pattern in &authority.asked {
        let names = if pattern.is_open() {
            registry.available()
        } else {
            vec![pattern.tool().to_owned()]
        };
        let mut found = false;
        for name in names {
            if !pattern.names(&name) || !authority.host.names(&name) {
                continue;
            }
            if binding.bound.iter().any(|bound| bound.name == name) {
                found = true;
            } else if let Some(tool) = registry.resolve(&name) {
                found = true;
                binding.bound.push(BoundTool { name, tool });
            }
        }
        let pattern = pattern.to_string();
        if !found && !binding.missing.contains(&pattern) {
            binding.missing.push(pattern);
        }
    }
    binding
}

/// A skill that was not taken. As text it is what a model reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The skill's name.
    pub name: String,
    /// The tools it asks for and would not get.
    pub tools_missing: Vec<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the skill `{}` was not loaded: it needs {}, and this agent does not offer it; go on \
             without the skill and tell the user",
            self.name,
            quoted(&self.tools_missing)
        )
    }
}

/// The tools a skill asks for, and what became of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkillTools {
    /// The patterns of `allowed-tools`, as written.
    pub asked: Vec<String>,
    /// The names of the host's tools it gets; absent where nobody checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bound: Option<Vec<String>>,
    /// The patterns it gets nothing for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub missing: Vec<String>,
}

impl SkillTools {
    /// What a skill asks for, where nobody checks.
    pub(crate) fn unchecked(skill: &Skill) -> Self {
        Self {
            asked: skill.allowed_tools(),
            ..Self::default()
        }
    }

    /// What a model reads about them, as whole lines; empty for a skill that asks for none.
    pub(crate) fn lines(&self) -> String {
        let line = |label: &str, names: &[String]| match names {
            [] => String::new(),
            _ => format!("{label}: {}.\n", quoted(names)),
        };
        match &self.bound {
            None => line("Tools it asks for", &self.asked),
            Some(bound) => {
                line("Tools of this skill", bound)
                    + &line("Not there, so do not call", &self.missing)
            }
        }
    }
}

/// Checks that the tools a skill asks for are there before its instructions are given: the
/// `skill` tool and injection keep the same promise as a [`Coordinator`](super::Coordinator).
#[derive(Clone)]
pub struct ToolCheck {
    registry: Arc<dyn ToolRegistry<String>>,
    mode: Mode,
    authority: Authority,
}

impl ToolCheck {
    /// Checks against the tools of a host. A skill that lacks one is refused.
    pub fn new<Tool: 'static>(registry: Arc<dyn ToolRegistry<Tool>>) -> Self {
        Self {
            registry: Arc::new(Names(registry)),
            mode: Mode::Strict,
            authority: Authority::default(),
        }
    }

    /// What happens when a tool is missing. [`Mode::Fallback`] counts as strict: a skill that was
    /// asked for by name has no generalist.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// What the host lets skills use; the rest counts as missing.
    #[must_use]
    pub fn authority(mut self, authority: Authority) -> Self {
        self.authority = authority;
        self
    }

    /// The tools a skill gets, or why it cannot be used.
    pub fn check(&self, skill: &Skill) -> Result<SkillTools, Refusal> {
        let authority = self.authority.for_skill(skill.document());
        let binding = bind(&*self.registry, &authority);
        if self.mode != Mode::Permissive && !binding.missing.is_empty() {
            observe::refused(skill.name(), &binding.missing);
            return Err(Refusal {
                name: skill.name().to_owned(),
                tools_missing: binding.missing,
            });
        }
        Ok(SkillTools {
            asked: authority.asked.iter().map(ToString::to_string).collect(),
            bound: Some(binding.bound.into_iter().map(|it| it.name).collect()),
            missing: binding.missing,
        })
    }
}

impl fmt::Debug for ToolCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCheck")
            .field("tools", &self.registry.available())
            .field("mode", &self.mode)
            .field("authority", &self.authority)
            .finish()
    }
}

/// The names of a registry's tools, whatever the tools are.
struct Names<Tool>(Arc<dyn ToolRegistry<Tool>>);

impl<Tool> ToolRegistry<String> for Names<Tool> {
    fn resolve(&self, name: &str) -> Option<String> {
        self.0.resolve(name).map(|_| name.to_owned())
    }

    fn available(&self) -> Vec<String> {
        self.0.available()
    }
}

/// Names in backticks, with commas between.
pub(super) fn quoted(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
