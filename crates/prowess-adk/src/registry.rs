//! The host's tools, for the engine and for ADK.

use std::{collections::BTreeMap, fmt, sync::Arc};

use adk_core::Tool;

/// Lets the engine see an ADK registry.
///
/// A registry that does not list its tools (`available_tools` is empty unless it is written)
/// still resolves whole names; patterns such as `mcp__db__*` then find nothing.
#[derive(Clone)]
pub struct Bridge(pub Arc<dyn adk_core::ToolRegistry>);

impl prowess::ToolRegistry<Arc<dyn Tool>> for Bridge {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Tool>> {
        // A tool that answers to another name would be a phantom: the model is told this one.
        self.0.resolve(name).filter(|tool| tool.name() == name)
    }

    fn available(&self) -> Vec<String> {
        self.0.available_tools()
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bridge")
            .field(&self.0.available_tools())
            .finish()
    }
}

/// Tools by name: a registry for ADK and for the engine alike.
#[derive(Clone, Default)]
pub struct HostTools {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl HostTools {
    /// Adds a tool under its own name; a later one takes the place of an earlier.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.insert(tool.name().to_owned(), tool);
        self
    }
}

impl FromIterator<Arc<dyn Tool>> for HostTools {
    fn from_iter<T: IntoIterator<Item = Arc<dyn Tool>>>(tools: T) -> Self {
        tools.into_iter().fold(Self::default(), Self::tool)
    }
}

impl adk_core::ToolRegistry for HostTools {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.get(name).cloned()
    }

    fn available_tools(&self) -> Vec<String> {
        self.tools.keys().cloned().collect()
    }
}

impl prowess::ToolRegistry<Arc<dyn Tool>> for HostTools {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.get(name).cloned()
    }

    fn available(&self) -> Vec<String> {
        self.tools.keys().cloned().collect()
    }
}

impl fmt::Debug for HostTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use prowess::ToolRegistry as _;

    use super::*;
    use crate::sample::Named;

    #[test]
    fn the_engine_sees_what_adk_has() {
        let tools: HostTools = [Named::tool("lookup"), Named::tool("send")]
            .into_iter()
            .collect();
        let bridge = Bridge(Arc::new(tools));
        assert_eq!(bridge.available(), ["lookup", "send"]);
        assert_eq!(bridge.resolve("send").unwrap().name(), "send");
        assert!(bridge.resolve("phone").is_none());
    }

    #[test]
    fn a_tool_under_a_false_name_is_not_given() {
        struct Sly;
        impl adk_core::ToolRegistry for Sly {
            fn resolve(&self, _name: &str) -> Option<Arc<dyn Tool>> {
                Some(Named::tool("lookup"))
            }
        }
        let bridge = Bridge(Arc::new(Sly));
        assert!(bridge.resolve("lookup").is_some());
        assert!(bridge.resolve("send").is_none());
    }
}
