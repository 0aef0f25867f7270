//! A line on the terminal for what takes longer than a second.

use std::{
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess::Progress;

use crate::render::count;

/// Most scans are over by then, and a bar that flashes is worse than none.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the numbers change.
const TICK: Duration = Duration::from_millis(100);

/// Says on the terminal what takes so long, until it is dropped.
pub(crate) struct Wait {
    watcher: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Wait {
    /// Starts to wait; shows nothing where nobody would see it.
    pub(crate) fn new(visible: bool, message: impl Fn() -> String + Send + 'static) -> Self {
        let watcher = visible.then(|| {
            let (done, wait) = channel();
            (done, thread::spawn(move || watch(&message, &wait)))
        });
        Self { watcher }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some((done, watcher)) = self.watcher.take() {
            drop(done);
            // A watcher that failed has nothing left to show.
            let _ = watcher.join();
        }
    }
}

/// Shows how far a scan is until it is dropped.
pub(crate) struct Bar {
    progress: Arc<Progress>,
    _wait: Wait,
}

impl Bar {
    /// Starts to wait; shows nothing where nobody would see it.
    pub(crate) fn new(visible: bool) -> Self {
        let progress = Arc::new(Progress::default());
        let seen = Arc::clone(&progress);
        let message = move || {
            let skills = seen.skills.load(Ordering::Relaxed);
            let entries = seen.entries.load(Ordering::Relaxed);
            let (skills, entries) = (count(skills, "skill"), count(entries, "file"));
            format!("{skills} read, {entries} seen")
        };
        Self {
            progress,
            _wait: Wait::new(visible, message),
        }
    }

    /// What the scan reports to.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }
}

fn watch(message: &dyn Fn() -> String, wait: &Receiver<()>) {
    if wait.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        bar.set_message(message());
        bar.tick();
    }
    bar.finish_and_clear();
}
