//! What was noticed and not looked at yet.

use std::{
    ffi::OsString,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::Instant,
};

use super::Order;
use crate::source::disk::seen::Dirty;

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
