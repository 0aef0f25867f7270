//! Agent Skills inside rig: the engine of [`prowess`] in a tool server.
//!
//! [`Skills::server`] gives an agent the tools `skill`, `search_skills` and
//! `read_skill_resource`. When the model loads a skill, the tools the skill asks for join the
//! server; a skill whose tool is missing is refused. Where the options have a runner (feature `run`
//! of `prowess`) and a skill has scripts, `run_skill_script` is there too; its approver is asked
//! before a script runs, and a call that is dropped ends it. A skill that is fetched from elsewhere does
//! not hold a thread of the runtime.
//!
//! ```
//! use prowess::{Catalog, LoadOptions, MemorySource, Source};
//! use prowess_rig::{HostTools, Skills};
//!
//! let source = MemorySource::new("example")
//!     .skill("tea/SKILL.md", "---\nname: tea\ndescription: Brews tea.\n---\nSteep it.\n");
//! let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
//! let catalog = Catalog::load(&sources, &LoadOptions::default())?;
//!
//! let skills = Skills::new(catalog, HostTools::new());
//! // let agent = AgentBuilder::new(model).tool_server_handle(skills.server()).build();
//! assert!(skills.engine().ledger().entries().is_empty());
//! # Ok::<(), prowess::LoadError>(())
//! ```

use std::{collections::BTreeMap, sync::Arc};

use prowess::{
    Catalog, ToolCheck, ToolOptions, ToolRegistry, ToolResult, Toolset, tool::AsyncTool,
};
use rig_agent::tool::server::{ToolServer, ToolServerHandle};
use rig_core::{
    message::ToolName,
    tool::{DynamicTool, ToolExecutionError, ToolOutput},
};

/// The tools a host has to offer, by name.
pub type HostTools = BTreeMap<String, DynamicTool>;

/// The skills of one conversation. Cloning it shares them.
#[derive(Clone)]
pub struct Skills {
    engine: Toolset,
    host: Arc<HostTools>,
}

impl Skills {
    /// Starts a conversation. A skill that asks for a tool the host lacks is refused.
    pub fn new(catalog: impl Into<Arc<Catalog>>, host: HostTools) -> Self {
        Self::with_options(catalog, host, ToolOptions::default())
    }

    /// Starts a conversation with options. Without a [`ToolOptions::check`] of their own, a skill
    /// that asks for a tool the host lacks is refused.
    pub fn with_options(
        catalog: impl Into<Arc<Catalog>>,
        host: HostTools,
        mut options: ToolOptions,
    ) -> Self {
        let host = Arc::new(host);
        let registry: Arc<dyn ToolRegistry<DynamicTool>> = host.clone();
        options
            .check
            .get_or_insert_with(|| ToolCheck::new(registry));
        Self {
            engine: Toolset::new(catalog.into(), options),
            host,
        }
    }

    /// The engine's side: what is active, and a newer catalog.
    pub fn engine(&self) -> &Toolset {
        &self.engine
    }

    /// A tool server with the engine's tools, for `AgentBuilder::tool_server_handle`.
    pub fn server(&self) -> ToolServerHandle {
        let server = ToolServer::new().run();
        self.register(&server);
        server
    }

    /// Puts the engine's tools into a server, in the place of earlier ones. Call it again after
    /// [`Toolset::replace`]: rig takes the description, which lists the skills, only once.
    pub fn register(&self, server: &ToolServerHandle) {
        for tool in self.engine.async_tools() {
            server.add_dynamic_tool(self.dynamic(tool, server));
        }
    }

    /// One of the engine's tools as rig's.
    fn dynamic(&self, tool: AsyncTool, server: &ToolServerHandle) -> DynamicTool {
        let name = ToolName::new(tool.name()).expect("the engine's tools have names");
        let (description, schema) = (tool.description(), tool.schema());
        let (skills, server) = (self.clone(), server.clone());
        DynamicTool::new(name, description, schema, move |input| {
            let (skills, server, tool) = (skills.clone(), server.clone(), tool.clone());
            Box::pin(async move { skills.answer(tool.call(input).await, &server) })
        })
    }

    /// What rig reads of a result. The tools of a loaded skill join the server.
    fn answer(
        &self,
        result: ToolResult,
        server: &ToolServerHandle,
    ) -> Result<ToolOutput, ToolExecutionError> {
        if let Some(error) = result.record.error {
            return Err(ToolExecutionError::refused(error));
        }
        let bound = result.record.tools.and_then(|tools| tools.bound);
        for name in bound.unwrap_or_default() {
            if let Some(tool) = self.host.get(&name) {
                server.add_dynamic_tool(tool.clone());
            }
        }
        Ok(ToolOutput::text(result.text))
    }
}
