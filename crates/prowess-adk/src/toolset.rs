//! The tools of skills as an ADK toolset, and the tools that the active skills bring along.
//!
//! What is active is kept in ADK's session state, for each agent of its own. So it lasts as long
//! as the session does, and one toolset serves every session of a server.

use std::{fmt, sync::Arc};

use adk_core::{LlmRequest, ReadonlyContext, Result, Tool, Toolset};
use async_trait::async_trait;
use prowess::{
    Budget, Catalog, ContextOptions, Ledger, Mode, SkillContext, Strategy, ToolOptions,
    context::Refusal, normalized,
};
use serde_json::Value;

use crate::{
    content::carried,
    guard::{ArgumentOf, Guard},
    registry::Bridge,
    snapshot::Current,
};

mod call;
#[cfg(test)]
mod tests;
mod view;

/// So much text of active skills is put back into a request that no longer holds it, unless the
/// host says otherwise.
const PUT_BACK: usize = 32_000;

/// How a toolset behaves.
#[derive(Clone)]
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
    /// How much text of active skills is put back into a request when a compaction has taken it
    /// out; `None` puts nothing back. What does not fit can be loaded again.
    pub put_back: Option<Budget>,
}

impl Default for ToolsetOptions {
    fn default() -> Self {
        Self {
            tools: ToolOptions::default(),
            context: ContextOptions::default(),
            owned: Vec::new(),
            argument_of: None,
            put_back: Some(Budget::characters(PUT_BACK)),
        }
    }
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
    current: Current,
    registry: Bridge,
    options: ToolsetOptions,
    out_of_view: view::OutOfView,
}

/// The place in a session's state where the active skills of an agent are kept. Set it to
/// `null`, and none is active.
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
                current: Current::new(catalog),
                registry: Bridge(registry),
                options,
                out_of_view: view::OutOfView::default(),
            }),
        }
    }

    /// The catalog in use.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.shared.current.get().catalog)
    }

    /// Puts a newer catalog in use, from the next call of a model on.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        self.shared.current.replace(catalog);
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
        let mut ledger = held(ctx.as_ref());
        let snapshot = self.shared.current.get();
        let catalog = Arc::clone(&snapshot.catalog);
        // A skill before the user's words brings its tools as well.
        let mut cut = carried(ctx.user_content(), &snapshot);
        for carried in cut.iter().filter(|carried| carried.whole) {
            ledger.load(carried.skill, carried.reason);
        }
        cut.retain(|carried| ledger.get(carried.skill.name()).is_none());
        let active = ledger.entries().iter().map(|entry| entry.name.as_str());
        let active = active.chain(cut.iter().map(|carried| carried.skill.name()));
        let bound = self.bound(&catalog, active);
        let options = self.shared.options.tools.clone();
        let engine = prowess::Toolset::resume(catalog, options, ledger);
        // Without a state a loaded skill would be forgotten, and its tools never come.
        let keep = ctx.state().map(|_| state_key(ctx.agent_name()));
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

    async fn process_llm_request(
        &self,
        ctx: Arc<dyn ReadonlyContext>,
        request: &mut LlmRequest,
    ) -> Result<()> {
        let ledger = held(ctx.as_ref());
        if let Some(budget) = &self.shared.options.put_back
            && self.shared.options.tools.enabled
            && !ledger.entries().is_empty()
        {
            let view = &self.shared.out_of_view;
            view.put_back(ctx.as_ref(), request, &self.catalog(), ledger, budget);
        }
        Ok(())
    }
}

/// The skills that the session of a context holds.
fn held(ctx: &dyn ReadonlyContext) -> Ledger {
    let key = state_key(ctx.agent_name());
    let ledger = ctx.state().and_then(|state| state.get(&key));
    ledger.as_ref().map_or_else(Ledger::default, restore)
}

/// What a model reads about a skill whose tools are missing.
pub(crate) fn not_loaded(refusal: &Refusal) -> String {
    format!(
        "the skill `{}` was not loaded: it needs {}, and this agent does not offer it; go on \
         without the skill and tell the user",
        refusal.name,
        call::listed(&refusal.tools_missing)
    )
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
            .field("put_back", &self.put_back)
            .finish()
    }
}
