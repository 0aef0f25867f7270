//! The way changes are noticed: by notifications, or by looking every so often.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

#[cfg(target_os = "linux")]
use super::inotify::Inotify;
use super::{
    Watching,
    notice::{Notice, Pending},
};

/// How changes are noticed here.
#[derive(Debug)]
pub(super) enum Watch {
    /// By name, folder by folder.
    #[cfg(target_os = "linux")]
    Folders(Inotify),
    /// By the word that something changed somewhere.
    Trees(Trees),
    /// Not at all: somebody has to look.
    Nothing,
}

impl Watch {
    /// The best way there is.
    pub(super) fn new(watching: Watching, pending: &Arc<Pending>) -> Self {
        let tried = match watching {
            Watching::Poll => return Self::Nothing,
            #[cfg(target_os = "linux")]
            Watching::Auto => Inotify::new(Arc::clone(pending)).map(Self::Folders),
            #[cfg(not(target_os = "linux"))]
            Watching::Auto => Trees::new(Arc::clone(pending)).map(Self::Trees),
            Watching::Trees => Trees::new(Arc::clone(pending)).map(Self::Trees),
        };
        tried.unwrap_or_else(|error| Self::given_up(&error))
    }

    /// Says that notifications do not work here.
    pub(super) fn given_up(error: &io::Error) -> Self {
        tracing::warn!(%error, "changes are not announced here; looking every so often instead");
        Self::Nothing
    }

    /// Whether somebody has to look.
    pub(super) fn is_blind(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// Whole trees, watched by the means of the platform. What changed is found by looking at stamps,
/// so an event that is vague, doubled or late does no harm.
#[derive(Debug)]
pub(super) struct Trees {
    watcher: RecommendedWatcher,
    watched: Vec<(PathBuf, bool)>,
}

impl Trees {
    fn new(pending: Arc<Pending>) -> io::Result<Self> {
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let read = matches!(&event, Ok(event) if matches!(event.kind, EventKind::Access(_)));
            if !read {
                pending.add(|notice: &mut Notice| {
                    notice.lose();
                    notice.sources = true;
                });
            }
        });
        Ok(Self {
            watcher: watcher.map_err(io::Error::other)?,
            watched: Vec::new(),
        })
    }

    /// Watches these trees, and the folders in which these paths may come; whether that is
    /// anything new. Then something may have happened while nobody watched.
    pub(super) fn watch(&mut self, trees: &[PathBuf], awaited: &[PathBuf]) -> io::Result<bool> {
        let mut wanted: Vec<(PathBuf, bool)> = Vec::new();
        let trees = trees.iter().filter(|it| crate::source::disk::is_there(it));
        wanted.extend(trees.map(|path| (path.clone(), true)));
        for path in awaited {
            let above = path.ancestors().skip(1);
            let there = above
                .map(or_here)
                .find(|it| crate::source::disk::is_there(it));
            wanted.extend(there.map(|it| (it.to_path_buf(), false)));
        }
        wanted.sort();
        wanted.dedup();
        if wanted == self.watched {
            return Ok(false);
        }
        for (path, _) in self.watched.drain(..) {
            // What is gone is not watched any more.
            let _ = self.watcher.unwatch(&path);
        }
        for (path, deep) in wanted {
            let mode = if deep {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            match self.watcher.watch(&path, mode) {
                Ok(()) => self.watched.push((path, deep)),
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(true)
    }
}

fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}
