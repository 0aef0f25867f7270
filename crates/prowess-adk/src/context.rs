//! A skill and its tools as ADK's resolved context.

use std::sync::Arc;

use adk_core::{ResolvedContext, Tool, ValidationMode};
use prowess::{
    Authority, Catalog, ContextOptions, Mode, Strategy,
    context::{Choice, Provenance, Refusal, Resolution},
    tool::off_thread,
};

use crate::registry::Bridge;

/// Makes ADK contexts from a catalog and the tools a host really has.
#[derive(Debug, Clone)]
pub struct Coordinator(prowess::Coordinator<Arc<dyn Tool>>);

/// What a search for a context gave.
#[derive(Debug)]
pub struct Resolved {
    /// The instruction and the tools it speaks of; `None` where no skill fits.
    pub context: Option<ResolvedContext>,
    /// Where the context comes from, for logs.
    pub provenance: Option<Provenance>,
    /// What the skill may do with its tools.
    pub authority: Option<Authority>,
    /// Close candidates to choose from, where [`Coordinator::answer`] found no sure one.
    pub menu: Vec<Choice>,
    /// The candidates that were passed over, best first.
    pub refused: Vec<Refusal>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl Coordinator {
    /// Creates a coordinator.
    pub fn new(
        catalog: Arc<Catalog>,
        registry: Arc<dyn adk_core::ToolRegistry>,
        options: ContextOptions,
    ) -> Self {
        let registry = Arc::new(Bridge(registry));
        Self(prowess::Coordinator::new(catalog, registry, options))
    }

    /// Tries the strategies in order; the first skill that fits becomes the context.
    pub async fn resolve(&self, strategies: &[Strategy]) -> Resolved {
        let (engine, strategies) = (self.0.clone(), strategies.to_vec());
        off_thread(move || engine.resolve(&strategies)).await.into()
    }

    /// Gives the skill that answers a request, but only from this confidence on, 0 to 1.
    pub async fn gate(&self, query: &str, confidence: f32) -> Resolved {
        let (engine, query) = (self.0.clone(), query.to_owned());
        off_thread(move || engine.gate(&query, confidence))
            .await
            .into()
    }

    /// Decides what to do about a request: a context, a menu, or neither.
    pub async fn answer(&self, query: &str) -> Resolved {
        let (engine, query) = (self.0.clone(), query.to_owned());
        off_thread(move || engine.answer(&query)).await.into()
    }
}

impl From<Resolution<Arc<dyn Tool>>> for Resolved {
    fn from(resolution: Resolution<Arc<dyn Tool>>) -> Self {
        let mut resolved = Self {
            context: None,
            provenance: None,
            authority: None,
            menu: resolution.menu,
            refused: resolution.refused,
            warnings: resolution.warnings,
        };
        if let Some(context) = resolution.context {
            resolved.context = Some(ResolvedContext {
                system_instruction: context.instruction,
                active_tools: context.tools.into_iter().map(|bound| bound.tool).collect(),
            });
            resolved.provenance = Some(context.provenance);
            resolved.authority = Some(context.authority);
        }
        resolved
    }
}

/// The engine's word for ADK's choice. The engine's third, [`Mode::Fallback`], has none in ADK.
pub fn mode_of(validation: ValidationMode) -> Mode {
    match validation {
        ValidationMode::Strict => Mode::Strict,
        ValidationMode::Permissive => Mode::Permissive,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{
        registry::HostTools,
        sample::{Named, catalog, run},
    };

    fn coordinator(validation: ValidationMode) -> Coordinator {
        let mut options = ContextOptions::default();
        options.mode = mode_of(validation);
        Coordinator::new(
            catalog(),
            Arc::new(HostTools::default().tool(Named::tool("lookup"))),
            options,
        )
    }

    fn name(name: &str) -> [Strategy; 1] {
        [Strategy::Name(name.to_owned())]
    }

    #[test]
    fn instruction_and_tools_come_together() {
        let resolved = run(coordinator(ValidationMode::Strict).resolve(&name("weather")));
        let context = resolved.context.unwrap();
        expect![[r"
            [skill:weather]

            # weather
            Tells the weather of a town.

            You have access to the following tools: lookup.

            ## Instructions
            Look the town up.

            [/skill]"]]
        .assert_eq(&context.system_instruction);
        let tools: Vec<_> = context
            .active_tools
            .iter()
            .map(|tool| tool.name())
            .collect();
        assert_eq!(tools, ["lookup"]);
        assert_eq!(resolved.provenance.unwrap().tools_asked, ["lookup"]);
    }

    #[test]
    fn a_missing_tool_refuses_or_is_left_out() {
        let strict = run(coordinator(ValidationMode::Strict).resolve(&name("alarm")));
        assert!(strict.context.is_none());
        assert_eq!(strict.refused[0].tools_missing, ["siren"]);
        let permissive = run(coordinator(ValidationMode::Permissive).resolve(&name("alarm")));
        assert!(permissive.context.unwrap().active_tools.is_empty());
        expect!["the skill `alarm` goes without `siren`: the host does not offer it"]
            .assert_eq(&permissive.warnings.join("\n"));
    }

    #[test]
    fn a_gate_that_nothing_passes_gives_nothing() {
        let coordinator = coordinator(ValidationMode::Strict);
        assert!(
            run(coordinator.gate("weather of a town", 0.0))
                .context
                .is_some()
        );
        assert!(
            run(coordinator.gate("weather of a town", 1.1))
                .context
                .is_none()
        );
        let answer = run(coordinator.answer("zebra"));
        assert!(answer.context.is_none() && answer.menu.is_empty());
    }
}
