//! The tools of skills as an ADK toolset, and the tools that the active skills bring along.
//!
//! What is active is kept in ADK's session state, for each agent of its own. So it lasts as long
//! as the session does, and one toolset serves every session of a server.

use std::{fmt, sync::Arc};

use adk_core::{
    Content, LlmRequest, ReadonlyContext, Result, State, Tool, ToolConfirmationHandler, Toolset,
};
use async_trait::async_trait;
use prowess::{
    Budget, Catalog, ContextOptions, Coordinator, Grant, Ledger, Mode, Strategy, ToolCheck,
    ToolOptions, normalized, tool::off_thread,
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
#[non_exhaustive]
pub struct ToolsetOptions {
    /// How the engine's tools behave; with a runner in it (feature `run` of the crate `prowess`)
    /// `run_skill_script` is one of them where a skill has scripts. The tools a skill asks for are always checked, against the
    /// toolset's registry.
    pub tools: ToolOptions,
    /// What happens when a tool is missing, and what a skill may do with those it has.
    /// [`Mode::Fallback`] counts as strict: the model asked for this very skill. By default the
    /// user grants what a skill lists of the registry, because the host put it there for that.
    pub context: ContextOptions,
    /// The tools of the registry that the agent owns anyway. A skill may ask for them; they are
    /// not given a second time, which ADK would refuse.
    pub owned: Vec<String>,
    /// What patterns with an argument are compared with. Without it such a pattern covers no
    /// call.
    pub argument_of: Option<ArgumentOf>,
    /// Who is asked about a call that no grant covers, and about a script before it runs; without
    /// it such a call is refused, and the approver of the runner is asked about scripts.
    pub confirm: Option<Arc<dyn ToolConfirmationHandler>>,
    /// How much text of active skills is put back into a request when a compaction has taken it
    /// out; `None` puts nothing back. What does not fit can be loaded again.
    pub put_back: Option<Budget>,
}

impl Default for ToolsetOptions {
    fn default() -> Self {
        let mut context = ContextOptions::default();
        context.authority.user = Grant::everything();
        Self {
            tools: ToolOptions::default(),
            context,
            owned: Vec::new(),
            argument_of: None,
            confirm: None,
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
    registry: Arc<Bridge>,
    /// The engine's options, with the check of tools in them.
    tools: Arc<ToolOptions>,
    context: Arc<ContextOptions>,
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
        let registry = Arc::new(Bridge(registry));
        let mut context = options.context.clone();
        if context.mode == Mode::Fallback {
            context.mode = Mode::Strict;
        }
        let check = ToolCheck::new(registry.clone() as Arc<dyn prowess::ToolRegistry<_>>)
            .mode(context.mode)
            .authority(context.authority.clone());
        let mut tools = options.tools.clone();
        tools.check = Some(check);
        Self {
            shared: Arc::new(Shared {
                current: Current::new(catalog),
                registry,
                tools: Arc::new(tools),
                context: Arc::new(context),
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

    /// The tools of all active skills, each once.
    fn bound<'a>(
        &self,
        catalog: &Arc<Catalog>,
        active: impl Iterator<Item = &'a str>,
    ) -> Vec<Arc<dyn Tool>> {
        let shared = &self.shared;
        let coordinator = Coordinator::new(
            Arc::clone(catalog),
            Arc::clone(&shared.registry) as Arc<dyn prowess::ToolRegistry<_>>,
            Arc::clone(&shared.context),
        );
        let mut guards: Vec<Guard> = Vec::new();
        for name in active {
            let named = [Strategy::Name(name.to_owned())];
            // A skill that changed since may ask for a tool that is not there: it gets none.
            let Some(context) = coordinator.resolve(&named).context else {
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
                        argument_of: shared.options.argument_of.clone(),
                        confirm: shared.options.confirm.clone(),
                    }),
                }
            }
        }
        let guards = guards.into_iter();
        guards.map(|guard| Arc::new(guard) as _).collect()
    }

    /// The tools for a request: the engine's, and those of the active skills.
    fn tools_for(
        &self,
        content: &Content,
        mut ledger: Ledger,
        keep: Option<String>,
    ) -> Vec<Arc<dyn Tool>> {
        let snapshot = self.shared.current.get();
        let catalog = Arc::clone(&snapshot.catalog);
        // A skill before the user's words brings its tools as well.
        let mut cut = carried(content, &snapshot);
        for carried in cut.iter().filter(|carried| carried.whole) {
            ledger.load(carried.skill, carried.reason);
        }
        cut.retain(|carried| ledger.get(carried.skill.name()).is_none());
        let active = ledger.entries().iter().map(|entry| entry.name.as_str());
        let active = active.chain(cut.iter().map(|carried| carried.skill.name()));
        let bound = self.bound(&catalog, active);
        let engine = prowess::Toolset::resume(catalog, Arc::clone(&self.shared.tools), ledger);
        let load = call::Load::new(self.clone(), &engine, keep);
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(load)];
        // The first is `skill`, which stands there already.
        for tool in engine.async_tools().into_iter().skip(1) {
            tools.push(if tool.runs_scripts() {
                Arc::new(call::Run {
                    description: tool.description(),
                    tool,
                    confirm: self.shared.options.confirm.clone(),
                })
            } else {
                Arc::new(call::Lookup::new(tool))
            });
        }
        if self.shared.tools.enabled {
            for tool in bound {
                // A tool of the host that is called `skill` would stop the whole run.
                let taken = tools.iter().any(|other| other.name() == tool.name());
                if !taken && !self.shared.options.owned.iter().any(|it| it == tool.name()) {
                    tools.push(tool);
                }
            }
        }
        tools
    }
}

#[async_trait]
impl Toolset for SkillToolset {
    fn name(&self) -> &'static str {
        "skills"
    }

    async fn tools(&self, ctx: Arc<dyn ReadonlyContext>) -> Result<Vec<Arc<dyn Tool>>> {
        let ledger = ledger_of(ctx.state(), ctx.agent_name());
        // Without a state a loaded skill would be forgotten, and its tools never come.
        let keep = ctx.state().map(|_| state_key(ctx.agent_name()));
        let (skills, content) = (self.clone(), ctx.user_content().clone());
        // Binding may fetch an active skill that lies on a server.
        Ok(off_thread(move || skills.tools_for(&content, ledger, keep)).await)
    }

    async fn process_llm_request(
        &self,
        ctx: Arc<dyn ReadonlyContext>,
        request: &mut LlmRequest,
    ) -> Result<()> {
        let ledger = ledger_of(ctx.state(), ctx.agent_name());
        if let Some(budget) = self.shared.options.put_back
            && self.shared.tools.enabled
            && !ledger.entries().is_empty()
        {
            let view = &self.shared.out_of_view;
            let catalog = self.catalog();
            view.put_back(ctx.as_ref(), request, catalog, ledger, budget)
                .await;
        }
        Ok(())
    }
}

/// The skills that a session holds for an agent. What cannot be read is logged and counts as
/// nothing.
pub(crate) fn ledger_of(state: Option<&dyn State>, agent: &str) -> Ledger {
    let value = state.and_then(|state| state.get(&state_key(agent)));
    value.as_ref().map(restore).unwrap_or_default()
}

fn restore(value: &Value) -> Ledger {
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
            .field("confirm", &self.confirm)
            .field("put_back", &self.put_back)
            .finish()
    }
}
