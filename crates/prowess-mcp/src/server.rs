//! The server: a catalog as an MCP server, whatever carries the messages.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use prowess::{Catalog, Skill, ToolOptions, display_text};

use crate::uri;

mod changes;
mod connection;
mod extension;
mod frontmatter;
mod manifest;
mod mime;
mod page;
mod portable;
mod prompts;
mod refusal;
mod resources;
#[cfg(feature = "run")]
mod run;
mod tools;
mod view;

pub use connection::Connection;
pub use frontmatter::frontmatter;
pub use refusal::{MAX_BYTES, MAX_FILES, Refusal};

use changes::Current;
use manifest::{Freshness, Manifest, Manifests};
use view::{ServedSkill, View};

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
    pub(crate) options: Arc<ToolOptions>,
    /// Skills about which a word was said, so that it is said once.
    reported: Mutex<HashSet<PathBuf>>,
    /// How many scripts may run at one time.
    #[cfg(feature = "run")]
    runs: tokio::sync::Semaphore,
}

impl SkillServer {
    /// Serves this catalog, with tools that behave like this.
    pub fn new(catalog: Arc<Catalog>, options: ToolOptions) -> Self {
        let options = Arc::new(options);
        let view = View::new(catalog, &options);
        let server = Self {
            shared: Arc::new(Shared {
                current: Current::new(view),
                manifests: Manifests::default(),
                options,
                reported: Mutex::default(),
                #[cfg(feature = "run")]
                runs: tokio::sync::Semaphore::new(run::MOST_RUNS),
            }),
        };
        server.report(&server.shared.view());
        server
    }

    /// Serves a newer catalog from now on; clients that listen are told which lists changed.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        let view = View::new(catalog, &self.shared.options);
        let view = self.shared.current.replace(view);
        let kept = view.paths();
        self.shared.manifests.keep(|path| kept.contains(path));
        self.shared.reported().retain(|path| kept.contains(path));
        tracing::info!(
            skills = view.catalog.model_visible().count(),
            "the catalog changed"
        );
        self.report(&view);
    }

    /// The catalog that is served now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.shared.view().catalog)
    }

    /// One client's side of the server.
    pub fn connect(&self) -> Connection {
        Connection::new(self.clone())
    }

    fn report(&self, view: &View) {
        for (at, refusal) in &view.refused {
            self.shared.report(&view.catalog.skills()[*at], refusal);
        }
    }
}

impl Shared {
    pub(crate) fn view(&self) -> Arc<View> {
        self.current.view()
    }

    /// The files of a skill; why there are none is said once.
    fn manifest(
        &self,
        view: &View,
        served: &ServedSkill,
        age: Freshness,
    ) -> Result<Arc<Manifest>, Refusal> {
        let skill = view.skill(served);
        let manifest = self.manifests.get(skill, &served.base, age);
        if let Err(refusal) = &manifest {
            self.report(skill, refusal);
        }
        manifest
    }

    fn reported(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, skill: &Skill, refusal: &Refusal) {
        if self.reported().insert(skill.absolute_path()) {
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
