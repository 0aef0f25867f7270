//! A plugin that puts skills before the user's words.
//!
//! What the user calls by name (`@name`), what the author's triggers activate and what asks to be
//! always there is put in. A skill is chosen by the words alone only when the host turns that on
//! with a confidence, because a lexical score chooses wrongly too often: [`Injection::above`].
//! For the rest a [`SkillToolset`](crate::SkillToolset) lets the model choose.

use std::{fmt, path::PathBuf, sync::Arc};

use adk_core::{Content, Event, InvocationContext};
use adk_plugin::{Plugin, PluginConfig, PluginManager};
use prowess::{
    Activation, Catalog, Clients, Environment, Injection, Ledger, LoadError, LoadOptions, Reason,
    Source, ToolCheck, TrustAll,
    context::{self, Refusal},
    frame::{frame_at_most, unframe},
    inject::InjectionResult,
    places,
    tool::off_thread,
};

use crate::{
    content::{carried, to_content, to_message},
    registry::Bridge,
    snapshot::{Current, Snapshot},
    toolset::{ledger_of, state_key},
};

#[cfg(test)]
mod tests;

/// How skills are put before messages.
#[derive(Clone)]
#[non_exhaustive]
pub struct InjectorOptions {
    /// Whether names in the message, triggers and `always` activate skills.
    pub activate: bool,
    /// The most characters of an activated skill's text.
    pub max_chars: usize,
    /// The folder that globs start at.
    pub root: Option<String>,
    /// Whether a skill is also chosen by the words alone, where nothing was activated. Off by
    /// default.
    pub injection: Injection,
    /// The tools the agent can have: the registry of its
    /// [`SkillToolset`](crate::SkillToolset), which binds them when it sees the skill, or what it
    /// owns anyway. A skill that asks for others is refused: it would have the model call tools
    /// that are not there. Without a registry every tool counts as there.
    pub tools: Option<Arc<dyn adk_core::ToolRegistry>>,
}

impl Default for InjectorOptions {
    fn default() -> Self {
        Self {
            activate: true,
            max_chars: context::MAX_CHARS,
            root: None,
            injection: Injection::default(),
            tools: None,
        }
    }
}

/// Puts skills before messages. Cloning it shares the catalog.
#[derive(Debug, Clone)]
pub struct Injector {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    current: Current,
    options: InjectorOptions,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessageOutcome {
    /// The skills that were activated and stand before the words now.
    pub activated: Vec<Activation>,
    /// What choosing by the words alone did, or why it did nothing; `None` where a skill was
    /// activated already.
    pub injected: Option<InjectionResult>,
    /// The skills left out because the agent lacks tools they ask for.
    pub refused: Vec<Refusal>,
    /// Whether the model reads of a refused skill, because the user called it by name.
    pub noted: bool,
}

impl MessageOutcome {
    /// Whether the message was changed.
    pub fn changed(&self) -> bool {
        self.noted
            || !self.activated.is_empty()
            || matches!(self.injected, Some(InjectionResult::Yes { .. }))
    }
}

impl Injector {
    /// Creates an injector.
    pub fn new(catalog: Arc<Catalog>, mut options: InjectorOptions) -> Self {
        if let Some(tools) = &options.tools {
            let registry = Arc::new(Bridge(Arc::clone(tools)));
            options.injection.check = Some(ToolCheck::new(
                registry as Arc<dyn prowess::ToolRegistry<_>>,
            ));
        }
        Self {
            shared: Arc::new(Shared {
                current: Current::new(catalog),
                options,
            }),
        }
    }

    /// Creates an injector over the skills of a project: those its folders have for any client,
    /// flat ones in `.skills`, and convention files such as `AGENTS.md`. The host names the
    /// project, so it is trusted.
    pub fn from_root(
        root: impl Into<PathBuf>,
        options: InjectorOptions,
    ) -> std::result::Result<Self, LoadError> {
        let environment = Environment {
            working_directory: root.into(),
            ..Environment::default()
        };
        let mut folders = Clients::builtin().places(None);
        (folders.user, folders.system) = (Vec::new(), Vec::new());
        folders.conventions = true;
        let sources: Vec<Box<dyn Source>> = places(&folders, &environment)
            .into_iter()
            .map(|source| Box::new(source) as Box<dyn Source>)
            .collect();
        let load = LoadOptions {
            trust: &TrustAll,
            ..LoadOptions::default()
        };
        Ok(Self::new(
            Arc::new(Catalog::load(&sources, &load)?),
            options,
        ))
    }

    /// The catalog in use.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.shared.current.get().catalog)
    }

    /// Puts a newer catalog in use, also by plugins made before.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        self.shared.current.replace(catalog);
    }

    /// Puts skills before the first words of a user's message. A message that carries a skill
    /// already stays as it is, and so does a skill that the conversation holds.
    pub fn inject(&self, content: &mut Content, ledger: Option<&Ledger>) -> MessageOutcome {
        let snapshot = self.shared.current.get();
        let mut outcome = MessageOutcome {
            activated: Vec::new(),
            injected: None,
            refused: Vec::new(),
            noted: false,
        };
        if self.shared.options.activate {
            self.activate(&snapshot, content, ledger, &mut outcome);
        }
        if outcome.activated.is_empty() && !outcome.noted {
            let injected = self.choose(&snapshot, content, &mut outcome.refused);
            outcome.injected = Some(injected);
        }
        outcome
    }

    /// Puts in what the message activates.
    fn activate(
        &self,
        snapshot: &Snapshot,
        content: &mut Content,
        ledger: Option<&Ledger>,
        outcome: &mut MessageOutcome,
    ) {
        let options = &self.shared.options;
        let texts: Vec<&str> = content.parts.iter().filter_map(|it| it.text()).collect();
        let framed = texts.iter().any(|it| unframe(it.trim_start()).is_some());
        if content.role != "user" || framed {
            return;
        }
        let activated =
            snapshot.activated(&texts.join("\n"), content, options.root.as_deref(), ledger);
        let (mut blocks, mut notes) = (String::new(), String::new());
        for activation in activated.into_iter().filter(|it| !it.already_active) {
            let Some(skill) = snapshot.catalog.get(&activation.name) else {
                continue;
            };
            // A skill on a server comes without its text.
            let skill = match skill.loaded() {
                Ok(skill) => skill,
                Err(error) => {
                    tracing::warn!(gen_ai.skill.name = skill.name(), "{error}");
                    continue;
                }
            };
            if let Some(check) = &options.injection.check
                && let Err(refusal) = check.check(&skill)
            {
                // Who calls a skill by name waits for it, so the model has to say so.
                if activation.reason == Reason::Explicit {
                    notes.push_str(&refusal.to_string());
                    notes.push_str("\n\n");
                }
                outcome.refused.push(refusal);
                continue;
            }
            let framed = frame_at_most(skill.name(), skill.instructions(), options.max_chars);
            blocks.push_str(&framed.text);
            blocks.push_str("\n\n");
            outcome.activated.push(activation);
        }
        blocks.push_str(&notes);
        if blocks.is_empty() {
            return;
        }
        outcome.noted = !notes.is_empty();
        let first = content.parts.iter_mut().find_map(|part| match part {
            adk_core::Part::Text { text } => Some(text),
            _ => None,
        });
        match first {
            Some(text) => text.insert_str(0, &blocks),
            // A message of files alone can activate a skill as well.
            None => content.parts.insert(
                0,
                adk_core::Part::Text {
                    text: blocks.trim_end().to_owned(),
                },
            ),
        }
    }

    /// Puts in the skill that answers the words best, if the host turned that on.
    fn choose(
        &self,
        snapshot: &Snapshot,
        content: &mut Content,
        refused: &mut Vec<Refusal>,
    ) -> InjectionResult {
        let mut message = to_message(content.clone());
        let injection = &self.shared.options.injection;
        let injected = injection.inject(&snapshot.catalog, &mut message);
        match &injected {
            InjectionResult::Yes { .. } => *content = to_content(message),
            InjectionResult::Refused(refusal) => refused.push(refusal.clone()),
            _ => {}
        }
        injected
    }

    /// Notes in the session that the skills before the user's words are active, so that a
    /// [`SkillToolset`](crate::SkillToolset) gives their tools in later runs too.
    fn note(&self, ctx: &dyn InvocationContext, mut event: Event) -> Option<Event> {
        if event.llm_response.partial {
            // A part of an answer is not written to the session.
            return None;
        }
        let snapshot = self.shared.current.get();
        let mut carried = carried(ctx.user_content(), &snapshot);
        carried.retain(|carried| carried.whole);
        let key = state_key(ctx.agent_name());
        let mut ledger = ledger_of(Some(ctx.session().state()), ctx.agent_name());
        carried.retain(|carried| !ledger.holds(carried.skill));
        // What a call of `skill` wrote into the event is newer.
        if carried.is_empty() || event.actions.state_delta.contains_key(&key) {
            return None;
        }
        for carried in carried {
            ledger.load(carried.skill, carried.reason);
        }
        let ledger = serde_json::to_value(ledger).ok()?;
        event.actions.state_delta.insert(key, ledger);
        Some(event)
    }

    /// Does what [`inject`](Self::inject) does, on a thread that may wait for a server.
    async fn treat(&self, mut content: Content, ledger: Ledger) -> Option<Content> {
        let injector = self.clone();
        off_thread(move || {
            let outcome = injector.inject(&mut content, Some(&ledger));
            tracing::debug!(?outcome, "a message of the user");
            outcome.changed().then_some(content)
        })
        .await
    }

    /// Makes a plugin that treats each message of the user.
    pub fn plugin(&self, name: impl Into<String>) -> Plugin {
        let (injector, noting) = (self.clone(), self.clone());
        Plugin::new(PluginConfig {
            name: name.into(),
            on_user_message: Some(Box::new(move |ctx, content| {
                let ledger = ledger_of(Some(ctx.session().state()), ctx.agent_name());
                let injector = injector.clone();
                Box::pin(async move { Ok(injector.treat(content, ledger).await) })
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

impl fmt::Debug for InjectorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.tools.as_ref().map(|tools| tools.available_tools());
        f.debug_struct("InjectorOptions")
            .field("activate", &self.activate)
            .field("max_chars", &self.max_chars)
            .field("root", &self.root)
            .field("injection", &self.injection)
            .field("tools", &tools)
            .finish()
    }
}
