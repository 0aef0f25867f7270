//! Many skills: from places to a context.
//!
//! ```
//! use prowess::{Catalog, LoadOptions, MemorySource, Policy, Source};
//!
//! let source = MemorySource::new("example")
//!     .skill("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills PDF forms.\n---\n# Steps\n");
//! let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
//! let catalog = Catalog::load(&sources, &LoadOptions::default())?;
//! let selection = catalog.select("fill in this form", &Policy::default());
//! for found in &selection.matches {
//!     println!("{} ({:.0} %)", found.skill().name(), found.confidence * 100.0);
//! }
//! # assert_eq!(selection.matches[0].skill().description(), "Fills PDF forms.");
//! # Ok::<(), prowess::LoadError>(())
//! ```

pub use activate::{Activation, Reason, Triggers, Turn};
pub use authority::{Authority, Grant, Permission};
pub use budget::Budget;
pub use cache::Cache;
pub use catalog::{
    Catalog, Change, Discovery, Filter, LoadError, LoadOptions, Override, UnknownOverride,
};
pub use check::{check, folder_of};
pub use context::{
    ContextOptions, Coordinator, Mode, SkillContext, Strategy, ToolCheck, ToolRegistry,
};
pub use display::{display_path, display_text};
pub use identity::{BadHash, ContentHash, normalized, skill_id};
pub use inject::Injection;
pub use jsonl::{export_jsonl, import_jsonl};
pub use ledger::Ledger;
pub use limits::Limits;
#[cfg(feature = "watch")]
pub use live::{LiveCatalog, LiveOptions};
pub use load::{CachedLoad, discover};
pub use pool::Pool;
pub use prompt::{PromptOptions, escape_xml};
pub use prowess_format as format;
#[cfg(feature = "embeddings")]
pub use prowess_search::embed;
pub use resource::{
    Content, Page, RawFile, RawFiles, Resource, ResourceError, Resources, opaque_id,
};
pub use select::{Match, Policy, Ranker, Selection};
pub use skill::{HiddenBy, Skill, State};
pub use source::{
    Finding, Gate, Layout, Location, Origin, Progress, Scan, ScanRequest, Scope, SkillFile, Source,
    clients::{Client, Clients, UnknownClient},
    disk::DiskSource,
    memory::{MemorySource, Record},
    places::{
        At, Environment, Places, SkillFolder, candidates, places, project_folders, user_paths,
    },
    remote::{Fetch, FetchError, Fetched, Remote},
};
pub use tool::{Provider, ResourceAccess, Tool, ToolNames, ToolOptions, ToolResult, Toolset};
pub use trust::{Decision, Seal, Trust, TrustAll, TrustNone, TrustStore};
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
