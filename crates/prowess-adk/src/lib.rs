//! Agent Skills inside ADK-Rust: the engine of [`prowess`] behind ADK's own traits.
//!
//! A [`SkillToolset`] gives an agent the tools `skill`, `search_skills` and
//! `read_skill_resource`. When the model loads a skill, the tools the skill asks for join the
//! agent in the same run; a skill whose tool is missing is refused. Where the options have a runner
//! (feature `run` of `prowess`), `run_skill_script` joins them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use adk_core::Toolset;
//! use prowess::{Catalog, LoadOptions, MemorySource, Source};
//! use prowess_adk::{HostTools, SkillToolset, ToolsetOptions};
//!
//! let source = MemorySource::new("example")
//!     .skill("tea/SKILL.md", "---\nname: tea\ndescription: Brews tea.\n---\nSteep it.\n");
//! let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
//! let catalog = Arc::new(Catalog::load(&sources, &LoadOptions::default())?);
//!
//! let host = Arc::new(HostTools::default());
//! let skills = SkillToolset::new(catalog, host, ToolsetOptions::default());
//! assert_eq!(skills.name(), "skills");
//! // let agent = LlmAgentBuilder::new("helper").toolset(Arc::new(skills));
//! # Ok::<(), prowess::LoadError>(())
//! ```
//!
//! `examples/adk` in the repository runs a whole conversation with ADK's `Runner`.

pub use context::{Coordinator, Resolved, mode_of};
pub use guard::ArgumentOf;
pub use plugin::{Injector, InjectorOptions, MessageOutcome};
pub use registry::{Bridge, HostTools};
pub use toolset::{SkillToolset, ToolsetOptions, state_key};

// The host's tools, and what a skill may do with them.
mod guard;
mod registry;

// A skill and its tools as ADK's resolved context.
mod context;

// The catalog in use.
mod snapshot;

// Skills before a message, and skills the model calls.
mod content;
mod plugin;
mod toolset;

#[cfg(test)]
mod sample;
