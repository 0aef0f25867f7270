//! Many skills: from places to a context.
//!
//! # The right skill for a request
//!
//! ```
//! use prowess::{Catalog, Policy};
//!
//! # std::env::set_current_dir("../../examples").unwrap();
//! let catalog = Catalog::from_dirs(["skills"]); // or `Catalog::open(".")?`: project and user
//! let selection = catalog.select("fill in this form", &Policy::default());
//! for found in &selection.matches {
//!     println!("{} ({:.0} %)", found.skill().name(), found.confidence * 100.0);
//! }
//! # assert_eq!(selection.matches[0].skill().name(), "pdf-forms");
//! ```
//!
//! # Skills as tools of a model
//!
//! ```
//! # std::env::set_current_dir("../../examples").unwrap();
//! use prowess::{Catalog, Tool as _, ToolOptions, Toolset};
//!
//! let tools = Toolset::new(Catalog::from_dirs(["skills"]), ToolOptions::default());
//! for tool in tools.tools() {
//!     println!("{}: {}", tool.name(), tool.schema()); // hand these to the model
//! }
//! let result = tools.skill().call(&serde_json::json!({"skill_name": "pdf-forms"}));
//! println!("{}", result.text); // its instructions, for the model
//! # assert!(result.text.starts_with("# Skill: pdf-forms"));
//! ```
//!
//! # A skill with the tools it needs
//!
//! ```
//! # std::env::set_current_dir("../../examples").unwrap();
//! use std::sync::Arc;
//! use prowess::{Catalog, ContextOptions, Coordinator, Strategy};
//!
//! // The host's own tools: anything that is a `ToolRegistry`, here names alone.
//! let tools = Arc::new(["Bash", "Read", "Write"].map(String::from).to_vec());
//! let catalog = Catalog::from_dirs(["skills"]);
//! let coordinator = Coordinator::new(catalog, tools, ContextOptions::default());
//! let found = coordinator.resolve(&[Strategy::Query("fill in this form".into())]);
//! if let Some(context) = &found.context {
//!     println!("{}", context.instruction); // for the system prompt, with `context.tools`
//! }
//! for refusal in &found.refused {
//!     println!("{refusal}"); // a skill whose tools the host lacks, and which
//! }
//! # assert!(found.context.is_some());
//! ```
//!
//! # The list in a system prompt
//!
//! ```
//! # std::env::set_current_dir("../../examples").unwrap();
//! use prowess::{Budget, Catalog, PromptOptions};
//!
//! let catalog = Catalog::from_dirs(["skills"]);
//! let mut options = PromptOptions::default();
//! options.budget = Some(Budget::tokens(800));
//! println!("{}", catalog.prompt(&options).text);
//! # assert!(catalog.prompt(&options).text.contains("pdf-forms"));
//! ```
//!
//! # A catalog that follows its folders
//!
//! With the feature `watch`:
//!
//! ```
//! # #[cfg(feature = "watch")]
//! # fn main() -> Result<(), prowess::live::LiveError> {
//! # std::env::set_current_dir("../../examples").unwrap();
//! use prowess::{OpenOptions, ProjectTrust};
//!
//! let live = OpenOptions::new().trust(ProjectTrust::All).live(".")?;
//! live.on_change(|snapshot, changes| println!("{} of {}", changes.len(), snapshot.skills().len()));
//! let catalog = live.snapshot(); // whole, and never changing under its reader
//! # assert!(!catalog.skills().is_empty());
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "watch"))]
//! # fn main() {}
//! ```
//!
//! # Features
//!
//! None is on by itself: `watch` follows folders, `tokio` gives the tools as futures, `run` runs a
//! skill's scripts in a sandbox, `embeddings` adds vectors to the words, `tiktoken` counts tokens as
//! a model does, `schema` describes the JSON shapes (`schemars`).

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use activate::{Activation, Reason, Triggers, Turn};
pub use authority::{Authority, Grant, Permission};
pub use budget::Budget;
pub use cache::Cache;
pub use catalog::{
    Catalog, DescriptionChange, Discovery, Draft, Filter, LoadError, LoadOptions, NameFrom,
    OnError, Override, Precedence, Trial, UnknownOverride,
};
pub use check::{check, check_plugins, folder_of};
pub use context::{
    ContextOptions, Coordinator, Mode, SkillContext, Strategy, ToolCheck, ToolRegistry,
};
pub use display::{display_path, display_text};
pub use identity::{BadHash, ContentHash, normalized, skill_id};
pub use inject::Injection;
pub use jsonl::{JsonlSource, export_jsonl, import_jsonl};
pub use ledger::Ledger;
pub use limits::Limits;
#[cfg(feature = "watch")]
pub use live::{LiveCatalog, LiveOptions};
pub use load::{CachedLoad, discover};
#[cfg(feature = "embeddings")]
pub use meaning::Meaning;
pub use open::{OpenOptions, ProjectTrust};
pub use pool::Pool;
pub use prompt::{PromptOptions, escape_xml};
pub use prowess_format as format;
#[cfg(feature = "embeddings")]
pub use prowess_search::embed;
pub use resource::{
    Content, Page, RawFile, RawFiles, Resource, ResourceError, Resources, opaque_id,
};
pub use select::{Decision, Match, Policy, Ranker, Selection};
pub use skill::{HiddenBy, OwnFileError, Skill, State};
pub use source::{
    Effort, Finding, Gate, Layout, Location, Origin, Progress, Scan, ScanRequest, Scope, SkillFile,
    Source,
    clients::{Client, Clients, UnknownClient},
    disk::DiskSource,
    memory::{MemorySource, Record},
    places::{
        At, Environment, Places, SkillFolder, candidates, places, project_folders, user_paths,
    },
    remote::{Fetch, FetchError, FetchedSkill, Remote, RemoteFile},
};
pub use tool::{Provider, ResourceAccess, Tool, ToolNames, ToolOptions, ToolResult, Toolset};
pub use trust::{Seal, Trust, TrustAll, TrustDecision, TrustNone, TrustStore};
pub use write::{Access, write_whole};

// Places and the files in them.
mod limits;
mod serial;
pub mod source;
pub mod trust;
mod write;

// Skills and the snapshot they form.
mod cache;
mod catalog;
mod identity;
mod jsonl;
#[cfg(feature = "watch")]
pub mod live;
mod load;
#[cfg(feature = "embeddings")]
mod meaning;
mod open;
mod skill;
mod store;

// The right skill for a request.
pub mod explain;
mod pool;
pub mod select;

// What others read.
mod check;
pub mod dialect;
mod display;
mod observe;
mod reason;
mod resource;
mod unknown;
pub mod wire;

// From a match to a working agent.
pub mod activate;
pub mod authority;
pub mod budget;
pub mod context;
pub mod frame;
pub mod inject;
pub mod ledger;
pub mod prompt;
#[cfg(feature = "run")]
pub mod run;
pub mod tool;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod testing;

/// The page for those who come from another engine; its Rust lines run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/COMING_FROM.md")]
struct ComingFrom;

/// The front page of the package.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
