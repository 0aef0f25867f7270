//! A plugin that puts a skill before the user's words.
//!
//! A lexical score alone chooses wrongly too often, so it does nothing until the host turns it
//! on with a confidence: [`Injection::above`]. For most agents a
//! [`SkillToolset`](crate::SkillToolset) serves better: there the model chooses.

use std::sync::{Arc, PoisonError, RwLock};

use adk_core::{Content, Event, InvocationContext};
use adk_plugin::{Plugin, PluginConfig, PluginManager};
use prowess::{Catalog, ContextOptions, Injection, Reason, Strategy, inject::Injected};

use crate::{
    content::{carried, to_content, to_message},
    context::Coordinator,
    toolset::{restore, state_key},
};

/// Puts skills before messages. Cloning it shares the catalog.
#[derive(Debug, Clone)]
pub struct Injector {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    catalog: RwLock<Arc<Catalog>>,
    injection: Injection,
    host: Option<Host>,
}

struct Host(Arc<dyn adk_core::ToolRegistry>);

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.available_tools()).finish()
    }
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// What the engine did, or why it did nothing.
    Judged(Injected),
    /// The best skill asks for tools the agent lacks, so the message was left alone.
    Refused {
        /// The skill's name.
        name: String,
        /// The tools it asks for and would not get.
        tools_missing: Vec<String>,
    },
}

impl Injector {
    /// Creates an injector for an agent whose tools cover every skill of the catalog.
    pub fn new(catalog: Arc<Catalog>, injection: Injection) -> Self {
        Self::build(catalog, injection, None)
    }

    /// Creates an injector for an agent that can have these tools: the registry of its
    /// [`SkillToolset`](crate::SkillToolset), which binds them when it sees the skill, or what it
    /// owns anyway. A skill that asks for others is not put before a message: it would have the
    /// model call tools that are not there.
    pub fn for_tools(
        catalog: Arc<Catalog>,
        injection: Injection,
        tools: Arc<dyn adk_core::ToolRegistry>,
    ) -> Self {
        Self::build(catalog, injection, Some(Host(tools)))
    }

    fn build(catalog: Arc<Catalog>, injection: Injection, host: Option<Host>) -> Self {
        Self {
            shared: Arc::new(Shared {
                catalog: RwLock::new(catalog),
                injection,
                host,
            }),
        }
    }

    fn catalog(&self) -> Arc<Catalog> {
        let catalog = self.shared.catalog.read();
        Arc::clone(&catalog.unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a newer catalog in use, also by plugins made before.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        *self
            .shared
            .catalog
            .write()
            .unwrap_or_else(PoisonError::into_inner) = catalog;
    }

    /// Puts the best skill before the first words of a user's message. A message that carries a
    /// skill already stays as it is.
    pub fn inject(&self, content: &mut Content) -> Outcome {
        let catalog = self.catalog();
        let mut message = to_message(content.clone());
        let injected = self.shared.injection.inject(&catalog, &mut message);
        if let Injected::Yes { name, .. } = &injected {
            if let Some(tools_missing) = self.missing(catalog, name) {
                return Outcome::Refused {
                    name: name.clone(),
                    tools_missing,
                };
            }
            *content = to_content(message);
        }
        Outcome::Judged(injected)
    }

    /// The tools a skill asks for and would not get; `None` where it gets them all.
    fn missing(&self, catalog: Arc<Catalog>, name: &str) -> Option<Vec<String>> {
        let host = self.shared.host.as_ref()?;
        let coordinator = Coordinator::new(catalog, host.0.clone(), ContextOptions::default());
        let resolved = coordinator.resolve(&[Strategy::Name(name.to_owned())]);
        let refusal = resolved.refused.into_iter().next()?;
        Some(refusal.tools_missing)
    }

    /// Notes in the session that the skill before the user's words is active, so that a
    /// [`SkillToolset`](crate::SkillToolset) gives its tools in later runs too.
    fn note(&self, ctx: &dyn InvocationContext, mut event: Event) -> Option<Event> {
        if event.llm_response.partial {
            // A part of an answer is not written to the session.
            return None;
        }
        let catalog = self.catalog();
        let carried = carried(ctx.user_content(), &catalog).filter(|carried| carried.whole)?;
        let key = state_key(ctx.agent_name());
        let known = ctx.session().state().get(&key);
        let mut ledger = known.as_ref().map(restore).unwrap_or_default();
        // What a call of `skill` wrote into the event is newer.
        if ledger.holds(carried.skill) || event.actions.state_delta.contains_key(&key) {
            return None;
        }
        ledger.load(carried.skill, Reason::Selected);
        let ledger = serde_json::to_value(ledger).ok()?;
        event.actions.state_delta.insert(key, ledger);
        Some(event)
    }

    /// Makes a plugin that treats each message of the user.
    pub fn plugin(&self, name: impl Into<String>) -> Plugin {
        let (injector, noting) = (self.clone(), self.clone());
        Plugin::new(PluginConfig {
            name: name.into(),
            on_user_message: Some(Box::new(move |_, mut content| {
                let outcome = injector.inject(&mut content);
                tracing::debug!(?outcome, "a message of the user");
                let changed = matches!(outcome, Outcome::Judged(Injected::Yes { .. }));
                Box::pin(async move { Ok(changed.then_some(content)) })
            })),
            on_event: Some(Box::new(move |ctx, event| {
                let noted = noting.note(ctx.as_ref(), event);
                Box::pin(async move { Ok(noted) })
            })),
            ..PluginConfig::default()
        })
    }

    /// Makes a manager with this plugin alone, ready for a `Runner`.
    pub fn plugin_manager(&self, name: impl Into<String>) -> PluginManager {
        PluginManager::new(vec![self.plugin(name)])
    }
}

#[cfg(test)]
mod tests {
    use adk_core::Part;
    use prowess::inject::Untouched;

    use super::*;
    use crate::{
        registry::HostTools,
        sample::{Named, catalog},
    };

    fn asked(text: &str) -> Content {
        let image = Part::FileData {
            mime_type: "image/png".into(),
            file_uri: "file:///a.png".into(),
            annotations: None,
        };
        let mut content = Content::new("user").with_text(text);
        content.parts.insert(0, image);
        content
    }

    fn text(content: &Content) -> &str {
        match &content.parts[1] {
            Part::Text { text } => text,
            other => panic!("not a text: {other:?}"),
        }
    }

    #[test]
    fn it_does_nothing_until_it_is_turned_on() {
        let injector = Injector::new(catalog(), Injection::default());
        let mut content = asked("weather of a town");
        let outcome = injector.inject(&mut content);
        assert_eq!(outcome, Outcome::Judged(Injected::No(Untouched::Off)));
        assert_eq!(content.parts, asked("weather of a town").parts);
    }

    #[test]
    fn it_treats_a_message_once_and_doubles_nothing() {
        let injector = Injector::new(catalog(), Injection::above(0.0));
        let mut content = asked("weather of a town");
        assert!(matches!(
            injector.inject(&mut content),
            Outcome::Judged(Injected::Yes { .. })
        ));
        let framed = "[skill:weather]\nLook the town up.\n[/skill]\n\nweather of a town";
        assert_eq!(text(&content), framed);
        let again = injector.inject(&mut content);
        assert_eq!(
            again,
            Outcome::Judged(Injected::No(Untouched::AlreadyThere))
        );
        assert_eq!(text(&content), framed);
    }

    #[test]
    fn a_skill_without_its_tools_is_not_injected() {
        let tools = Arc::new(HostTools::default().tool(Named::tool("lookup")));
        let injector = Injector::for_tools(catalog(), Injection::above(0.0), tools);
        let mut content = asked("ring the alarm");
        assert_eq!(
            injector.inject(&mut content),
            Outcome::Refused {
                name: "alarm".into(),
                tools_missing: vec!["siren".into()],
            }
        );
        assert_eq!(content.parts, asked("ring the alarm").parts);
    }

    #[test]
    fn a_newer_catalog_is_seen_by_plugins_made_before() {
        let injector = Injector::new(catalog(), Injection::above(0.0));
        let manager = injector.plugin_manager("skills");
        assert_eq!(manager.plugin_names(), ["skills"]);
        injector.replace(crate::sample::empty());
        let mut content = asked("weather of a town");
        assert_eq!(
            injector.inject(&mut content),
            Outcome::Judged(Injected::No(Untouched::NoMatch))
        );
    }
}
