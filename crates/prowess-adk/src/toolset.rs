//! The tools of skills as an ADK toolset, and the tools that the active skills bring along.
//!
//! What is active is kept in ADK's session state, for each agent of its own. So it lasts as long
//! as the session does, and one toolset serves every session of a server.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use adk_core::{ReadonlyContext, Result, Tool, Toolset};
use async_trait::async_trait;
use prowess::{
    Catalog, ContextOptions, Ledger, Mode, Reason, SkillContext, Strategy, ToolOptions,
    context::Refusal, normalized,
};
use serde_json::Value;

use crate::{
    content::carried,
    guard::{ArgumentOf, Guard},
    registry::Bridge,
};

mod call;
#[cfg(test)]
mod tests;

/// How a toolset behaves.
#[derive(Clone, Default)]
pub struct ToolsetOptions {
    /// How the three tools behave.
    pub tools: ToolOptions,
    /// What happens when a tool is missing, and what a skill may do with those it has.
    /// [`Mode::Fallback`] counts as strict: the model asked for this very skill.
    pub context: ContextOptions,
    /// The tools of the registry that the agent owns anyway. A skill may ask for them; they are
    /// not given a second time, which ADK would refuse.
    pub owned: Vec<String>,
    /// What patterns with an argument are compared with. Without it such a pattern covers no
    /// call, which matters under [`Permission::Restrict`](prowess::Permission::Restrict).
    pub argument_of: Option<ArgumentOf>,
}

/// Skills for an ADK agent. Cloning it shares the catalog.
///
/// Give it to `LlmAgentBuilder::toolset`. Tools that skills bring along go into its registry and
/// not into the agent as well, or else into [`ToolsetOptions::owned`]: ADK refuses two tools of
/// one name.
#[derive(Debug, Clone)]
pub struct SkillToolset {
    shared: Arc<Shared>,
}

struct Shared {
    catalog: RwLock<Arc<Catalog>>,
    registry: Bridge,
    options: ToolsetOptions,
}

/// The place in a session's state where the active skills of an agent are kept. Set it to
/// `null` when the conversation was compacted, and skills can be loaded anew.
pub fn state_key(agent: &str) -> String {
    format!("prowess_skills_{}", normalized(agent))
}

impl SkillToolset {
    /// Creates a toolset. Skills get their tools from the registry.
    pub fn new(
        catalog: Arc<Catalog>,
        registry: Arc<dyn adk_core::ToolRegistry>,
        options: ToolsetOptions,
    ) -> Self {
        let mut options = options;
        if options.context.mode == Mode::Fallback {
            options.context.mode = Mode::Strict;
        }
        Self {
            shared: Arc::new(Shared {
                catalog: RwLock::new(catalog),
                registry: Bridge(registry),
                options,
            }),
        }
    }

    /// The catalog in use.
    pub fn catalog(&self) -> Arc<Catalog> {
        let catalog = self.shared.catalog.read();
        Arc::clone(&catalog.unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a newer catalog in use, from the next call of a model on.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        let mut current = self.shared.catalog.write();
        **current
            .as_mut()
            .unwrap_or_else(|poisoned| poisoned.get_mut()) = catalog;
    }

    /// The tools a skill gets, or why it can not have them; `None` for a name nobody has.
    fn bind(
        &self,
        catalog: &Catalog,
        name: &str,
    ) -> Option<std::result::Result<SkillContext<Arc<dyn Tool>>, Refusal>> {
        let options = self.shared.options.context.clone();
        let coordinator = prowess::Coordinator::new(catalog, &self.shared.registry, options);
        let mut resolution = coordinator.resolve(&[Strategy::Name(name.to_owned())]);
        let refused = resolution.refused.pop().map(Err);
        resolution.context.map(Ok).or(refused)
    }

    /// The tools of all active skills, each once.
    fn bound<'a>(
        &self,
        catalog: &Catalog,
        active: impl Iterator<Item = &'a str>,
    ) -> Vec<Arc<dyn Tool>> {
        let mut guards: Vec<Guard> = Vec::new();
        for name in active {
            // A skill that changed since may ask for a tool that is not there: it gets none.
            let Some(Ok(context)) = self.bind(catalog, name) else {
                tracing::warn!(
                    gen_ai.skill.name = name,
                    "an active skill gets no tools: it is gone, or a tool it asks for is"
                );
                continue;
            };
            for bound in context.tools {
                let authority = context.authority.clone();
                match guards.iter_mut().find(|g| g.tool.name() == bound.name) {
                    Some(guard) => guard.authorities.push(authority),
                    None => guards.push(Guard {
                        tool: bound.tool,
                        authorities: vec![authority],
                        argument_of: self.shared.options.argument_of.clone(),
                    }),
                }
            }
        }
        let guards = guards.into_iter();
        guards.map(|guard| Arc::new(guard) as _).collect()
    }
}

#[async_trait]
impl Toolset for SkillToolset {
    fn name(&self) -> &'static str {
        "skills"
    }

    async fn tools(&self, ctx: Arc<dyn ReadonlyContext>) -> Result<Vec<Arc<dyn Tool>>> {
        let key = state_key(ctx.agent_name());
        let ledger = ctx.state().and_then(|state| state.get(&key));
        let mut ledger = ledger.as_ref().map_or_else(Ledger::default, restore);
        let catalog = self.catalog();
        // A skill before the user's words brings its tools as well.
        let carried = carried(ctx.user_content(), &catalog);
        if let Some(carried) = carried.as_ref().filter(|carried| carried.whole) {
            ledger.load(carried.skill, Reason::Selected);
        }
        let cut = carried.filter(|carried| ledger.get(carried.skill.name()).is_none());
        let active = ledger.entries().iter().map(|entry| entry.name.as_str());
        let active = active.chain(cut.iter().map(|carried| carried.skill.name()));
        let bound = self.bound(&catalog, active);
        let options = self.shared.options.tools.clone();
        let engine = prowess::Toolset::resume(catalog, options, ledger);
        // Without a state a loaded skill would be forgotten, and its tools never come.
        let keep = ctx.state().is_some().then_some(key);
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(call::Load::new(self.clone(), &engine, keep)),
            Arc::new(call::Ask::new(engine.search())),
            Arc::new(call::Ask::new(engine.read())),
        ];
        if self.shared.options.tools.enabled {
            for tool in bound {
                // A tool of the host that is called `skill` would stop the whole run.
                let taken = tools.iter().any(|other| other.name() == tool.name());
                if !taken && !self.shared.options.owned.iter().any(|it| it == tool.name()) {
                    tools.push(tool);
                }
            }
        }
        Ok(tools)
    }
}

/// Reads what is active. What can not be read is told and counts as nothing.
pub(crate) fn restore(value: &Value) -> Ledger {
    if value.is_null() {
        return Ledger::default();
    }
    Ledger::restore(&value.to_string()).unwrap_or_else(|error| {
        tracing::warn!(%error, "the session's active skills could not be read");
        Ledger::default()
    })
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("registry", &self.registry)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ToolsetOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolsetOptions")
            .field("tools", &self.tools)
            .field("context", &self.context)
            .field("owned", &self.owned)
            .field("argument_of", &self.argument_of.is_some())
            .finish()
    }
}
