//! The server: a catalog as an MCP server, whatever carries the messages.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use prowess::{Catalog, Skill, ToolOptions, display_text};

use crate::uri;

mod connection;
mod current;
mod frontmatter;
mod instructions;
mod manifest;
mod mime;
mod page;
mod portable;
mod prompts;
mod refusal;
mod resources;
mod skills;
mod tools;
mod view;

pub use connection::Connection;
pub use frontmatter::frontmatter;
pub use refusal::{MAX_BYTES, MAX_FILES, Refusal};

use current::Current;
use manifest::{Age, Manifest, Manifests};
use view::{Served, View};

/// The name of the Skills extension.
pub const EXTENSION: &str = "io.modelcontextprotocol/skills";

/// A catalog that is served. Cloning it shares everything; each connection takes a
/// [`Connection`] of its own.
#[derive(Debug, Clone)]
pub struct SkillServer {
    pub(crate) shared: Arc<Shared>,
}

/// Why hosts get no entry for a skill that is in use; `None` where they get one.
pub fn refusal(skill: &Skill) -> Option<Refusal> {
    if !skill.is_callable() {
        return Some(Refusal::NotInUse);
    }
    let looked_at = refusal::judge(skill).and_then(|()| manifest::make(skill, uri::SCHEME, None));
    looked_at.err()
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    current: Current,
    manifests: Manifests,
    pub(crate) options: ToolOptions,
    /// Skills about which a word was said, so that it is said once.
    told: Mutex<HashSet<PathBuf>>,
}

impl SkillServer {
    /// Serves this catalog, with tools that behave like this.
    pub fn new(catalog: Arc<Catalog>, options: ToolOptions) -> Self {
        let view = View::new(catalog, &options);
        let server = Self {
            shared: Arc::new(Shared {
                current: Current::new(view),
                manifests: Manifests::default(),
                options,
                told: Mutex::default(),
            }),
        };
        server.tell(&server.shared.view());
        server
    }

    /// Serves a newer catalog from now on; clients that listen are told which lists changed.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        let view = View::new(catalog, &self.shared.options);
        let view = self.shared.current.replace(view);
        let kept = view.paths();
        self.shared.manifests.keep(|path| kept.contains(path));
        self.shared.told().retain(|path| kept.contains(path));
        tracing::info!(
            skills = view.catalog.model_visible().count(),
            "the catalog changed"
        );
        self.tell(&view);
    }

    /// The catalog that is served now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.shared.view().catalog)
    }

    /// One client's side of the server.
    pub fn connect(&self) -> Connection {
        Connection::new(self.clone())
    }

    fn tell(&self, view: &View) {
        for (at, refusal) in &view.refused {
            self.shared.tell(&view.catalog.skills()[*at], refusal);
        }
    }
}

impl Shared {
    pub(crate) fn view(&self) -> Arc<View> {
        self.current.view()
    }

    /// The files of a skill; why there are none is said once.
    fn manifest(&self, view: &View, served: &Served, age: Age) -> Result<Arc<Manifest>, Refusal> {
        let skill = view.skill(served);
        let manifest = self.manifests.get(skill, &served.base, age);
        if let Err(refusal) = &manifest {
            self.tell(skill, refusal);
        }
        manifest
    }

    fn told(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, skill: &Skill, refusal: &Refusal) {
        if self.told().insert(skill.absolute_path()) {
            tracing::warn!(
                skill = display_text(skill.name()),
                reason = %refusal,
                "a skill has no entry for hosts"
            );
        }
    }
}

#[cfg(test)]
mod tests;
