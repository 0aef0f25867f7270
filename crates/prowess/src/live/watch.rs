//! The way changes are noticed: by notifications, or by looking every so often; and what was
//! noticed and not looked at yet.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::Instant,
};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

#[cfg(target_os = "linux")]
use super::inotify::Inotify;
use super::{Order, Watching};
use crate::source::disk::tree::Dirty;

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

/// With more names than this, looking at everything is as quick, and the list stays small.
const MOST_NAMES: usize = 8_192;

/// What was noticed since the last look.
#[derive(Debug, Default)]
pub(super) struct Notice {
    /// Names that changed, by folder.
    pub(super) dirty: Dirty,
    names: usize,
    /// Whether something got lost, so that everything must be looked at.
    pub(super) everything: bool,
    /// Whether a source may have come or gone.
    pub(super) sources: bool,
    /// When the first and the last of it came.
    pub(super) times: Option<(Instant, Instant)>,
}

impl Notice {
    /// Adds a name that changed; without one, the folder itself.
    pub(super) fn name(&mut self, folder: &Path, name: Option<OsString>) {
        if self.everything {
            return;
        }
        self.names += 1;
        if self.names > MOST_NAMES {
            self.lose();
            return;
        }
        match self.dirty.get_mut(folder) {
            Some(names) => names.extend(name),
            None => {
                let names = name.into_iter().collect();
                self.dirty.insert(folder.to_path_buf(), names);
            }
        }
    }

    /// Notes that something was missed.
    pub(super) fn lose(&mut self) {
        self.everything = true;
        self.dirty.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.dirty.is_empty() && !self.everything && !self.sources
    }
}

/// The place where notices wait for the thread that looks.
#[derive(Debug)]
pub(super) struct Pending {
    notice: Mutex<Notice>,
    wake: Mutex<Sender<Order>>,
}

impl Pending {
    pub(super) fn new(wake: Sender<Order>) -> Self {
        Self {
            notice: Mutex::default(),
            wake: Mutex::new(wake),
        }
    }

    /// Adds to what waits, and wakes the thread that looks.
    pub(super) fn add(&self, add: impl FnOnce(&mut Notice)) {
        let mut notice = lock(&self.notice);
        let before = notice.is_empty();
        add(&mut notice);
        if notice.is_empty() {
            return;
        }
        let now = Instant::now();
        notice.times = Some((notice.times.map_or(now, |(first, _)| first), now));
        drop(notice);
        if before {
            // Without a thread nobody waits for news.
            let _ = lock(&self.wake).send(Order::Wake);
        }
    }

    /// When the first and the last notice came; `None` where nothing waits.
    pub(super) fn times(&self) -> Option<(Instant, Instant)> {
        lock(&self.notice).times
    }

    pub(super) fn take(&self) -> Notice {
        std::mem::take(&mut *lock(&self.notice))
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
