//! The catalog in use and what activates its skills, swapped as one.

use std::{
    fmt,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use adk_core::{Content, Part};
use prowess::{Activation, Catalog, Ledger, Triggers, Turn};

/// One catalog with its triggers, which are compiled when they are first asked for.
pub(crate) struct Snapshot {
    pub(crate) catalog: Arc<Catalog>,
    triggers: OnceLock<Triggers>,
}

impl Snapshot {
    /// The skills that a message of the user activates. Files that came with it count as touched.
    pub(crate) fn activated(
        &self,
        words: &str,
        content: &Content,
        root: Option<&str>,
        ledger: Option<&Ledger>,
    ) -> Vec<Activation> {
        let triggers = self.triggers.get_or_init(|| Triggers::new(&self.catalog));
        let files: Vec<&str> = content.parts.iter().filter_map(path_of).collect();
        let turn = Turn {
            message: words,
            files: &files,
            root,
            ..Turn::default()
        };
        triggers.activate(&self.catalog, &turn, ledger)
    }
}

/// The path of a file that came with a message.
fn path_of(part: &Part) -> Option<&str> {
    match part {
        Part::FileData { file_uri, .. } => file_uri.strip_prefix("file://"),
        _ => None,
    }
}

/// The snapshot in use; a newer one takes its place whole.
pub(crate) struct Current(RwLock<Arc<Snapshot>>);

impl Current {
    pub(crate) fn new(catalog: Arc<Catalog>) -> Self {
        Self(RwLock::new(Self::snapshot(catalog)))
    }

    pub(crate) fn get(&self) -> Arc<Snapshot> {
        // A snapshot is swapped in one step, so it is whole even after a panic.
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace(&self, catalog: Arc<Catalog>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Self::snapshot(catalog);
    }

    fn snapshot(catalog: Arc<Catalog>) -> Arc<Snapshot> {
        Arc::new(Snapshot {
            catalog,
            triggers: OnceLock::new(),
        })
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skills = self.get().catalog.skills().len();
        f.debug_struct("Current").field("skills", &skills).finish()
    }
}
