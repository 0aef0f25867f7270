//! The tools a skill asks for, matched against those the host really has.

use std::collections::{BTreeMap, HashMap};

use crate::authority::Authority;

/// The tools of a host. It can stand behind `dyn`, and forces no async runtime.
pub trait ToolRegistry<Tool> {
    /// Gives the tool of this name, ready to be called; `None` where there is none.
    fn resolve(&self, name: &str) -> Option<Tool>;

    /// The names of all tools.
    fn available(&self) -> Vec<String>;
}

impl<Tool: Clone, S: std::hash::BuildHasher> ToolRegistry<Tool> for HashMap<String, Tool, S> {
    fn resolve(&self, name: &str) -> Option<Tool> {
        self.get(name).cloned()
    }

    fn available(&self) -> Vec<String> {
        let mut names: Vec<_> = self.keys().cloned().collect();
        names.sort_unstable();
        names
    }
}

impl<Tool: Clone> ToolRegistry<Tool> for BTreeMap<String, Tool> {
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
