//! The engine's tools in a rig tool server. A skill that is loaded adds its tools to it.

use std::{collections::BTreeMap, sync::Arc};

use prowess::{Catalog, ContextOptions, Coordinator, Strategy, Tool, ToolOptions, Toolset};
use rig_agent::tool::server::{ToolServer, ToolServerHandle};
use rig_core::{
    message::ToolName,
    tool::{DynamicTool, ToolExecutionError, ToolOutput},
};
use serde_json::Value;

/// The tools a host has to offer, by name. The engine takes such a map as a registry.
pub type HostTools = BTreeMap<String, DynamicTool>;

/// The skills of one conversation.
#[derive(Clone)]
pub struct Skills {
    engine: Toolset,
    host: Arc<HostTools>,
}

impl Skills {
    /// Starts a conversation.
    pub fn new(catalog: Catalog, host: HostTools) -> Self {
        Self {
            engine: Toolset::new(Arc::new(catalog), ToolOptions::default()),
            host: Arc::new(host),
        }
    }

    /// A tool server with `skill`, `search_skills` and `read_skill_resource`.
    pub fn server(&self) -> ToolServerHandle {
        let server = ToolServer::new().run();
        let (skills, handle) = (self.clone(), server.clone());
        server.add_dynamic_tool(dynamic(&self.engine.skill(), move |input| {
            skills.load(input, &handle)
        }));
        for tool in [
            Arc::new(self.engine.search()) as Arc<dyn Tool>,
            Arc::new(self.engine.read()),
        ] {
            let inner = tool.clone();
            server.add_dynamic_tool(dynamic(tool.as_ref(), move |input| {
                call(inner.as_ref(), input)
            }));
        }
        server
    }

    /// Loads a skill with all its tools, or refuses it.
    fn load(&self, input: &Value, server: &ToolServerHandle) -> Result<String, String> {
        let given = input["skill_name"].as_str().unwrap_or_default().trim();
        // The engine forgives a mark before the name, so the check has to as well.
        let bare = given.trim_start_matches(['@', '/', '$']);
        let catalog = self.engine.catalog();
        let found = catalog.get(given).or_else(|| catalog.get(bare));
        let name = found.map_or(given, |skill| skill.name());
        let coordinator = Coordinator::new(&catalog, &*self.host, ContextOptions::default());
        let resolution = coordinator.resolve(&[Strategy::Name(name.to_owned())]);
        if let Some(refusal) = resolution.refused.first() {
            return Err(format!(
                "the skill `{name}` was not loaded: this agent does not offer `{}`",
                refusal.tools_missing.join("`, `")
            ));
        }
        // The engine tells what is wrong with a name nobody has.
        let text = call(&self.engine.skill(), input)?;
        for bound in resolution.context.into_iter().flat_map(|skill| skill.tools) {
            server.add_dynamic_tool(bound.tool);
        }
        Ok(text)
    }
}

fn call(tool: &dyn Tool, input: &Value) -> Result<String, String> {
    let result = tool.call(input);
    match result.record.error {
        Some(error) => Err(error),
        None => Ok(result.text),
    }
}

/// One of the engine's tools as rig's.
fn dynamic(
    tool: &dyn Tool,
    run: impl Fn(&Value) -> Result<String, String> + Send + Sync + 'static,
) -> DynamicTool {
    let name = ToolName::new(tool.name()).expect("the engine's tools have names");
    DynamicTool::new(name, tool.description(), tool.schema(), move |input| {
        let result = run(&input);
        Box::pin(async move {
            match result {
                Ok(text) => Ok(ToolOutput::text(text)),
                Err(error) => Err(ToolExecutionError::refused(error)),
            }
        })
    })
}
