//! Who is told about changes.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use super::Changes;

/// Changes as they come, for one reader.
#[derive(Debug)]
pub struct Subscription {
    mailbox: Arc<Mailbox>,
}

/// What waits for a reader: at most one value, however many changes it stands for.
#[derive(Debug, Default)]
struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Option<Changes>,
    closed: bool,
}

impl Subscription {
    /// Waits for a change; `None` once the live catalog is gone.
    pub fn next(&self) -> Option<Changes> {
        let mut state = lock(&self.mailbox.state);
        loop {
            if let Some(changes) = state.waiting.take() {
                return Some(changes);
            }
            if state.closed {
                return None;
            }
            let changed = &self.mailbox.changed;
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for a change, and not longer than this.
    pub fn next_within(&self, patience: Duration) -> Option<Changes> {
        let end = Instant::now() + patience;
        let mut state = lock(&self.mailbox.state);
        loop {
            if let Some(changes) = state.waiting.take() {
                return Some(changes);
            }
            let left = end.saturating_duration_since(Instant::now());
            if state.closed || left.is_zero() {
                return None;
            }
            let changed = &self.mailbox.changed;
            let waited = changed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the live catalog is gone; what still waits can be read.
    pub fn is_closed(&self) -> bool {
        lock(&self.mailbox.state).closed
    }
}

/// Everyone who is told.
#[derive(Default)]
pub(super) struct Subscribers {
    mailboxes: Mutex<Vec<Weak<Mailbox>>>,
    calls: Mutex<Vec<Call>>,
}

type Call = Box<dyn Fn(&Changes) + Send>;

impl fmt::Debug for Subscribers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscribers")
    }
}

impl Subscribers {
    pub(super) fn subscribe(&self) -> Subscription {
        let mailbox = Arc::new(Mailbox::default());
        lock(&self.mailboxes).push(Arc::downgrade(&mailbox));
        Subscription { mailbox }
    }

    pub(super) fn call(&self, call: Call) {
        lock(&self.calls).push(call);
    }

    pub(super) fn tell(&self, changes: &Changes) {
        // Readers that went away are forgotten.
        lock(&self.mailboxes).retain(|mailbox| {
            mailbox.upgrade().is_some_and(|mailbox| {
                let mut state = lock(&mailbox.state);
                match &mut state.waiting {
                    Some(waiting) => waiting.merge(changes),
                    None => state.waiting = Some(changes.clone()),
                }
                drop(state);
                mailbox.changed.notify_all();
                true
            })
        });
        for call in &*lock(&self.calls) {
            call(changes);
        }
    }

    /// Says that nothing will come any more.
    pub(super) fn close(&self) {
        for mailbox in lock(&self.mailboxes).drain(..) {
            if let Some(mailbox) = mailbox.upgrade() {
                lock(&mailbox.state).closed = true;
                mailbox.changed.notify_all();
            }
        }
        lock(&self.calls).clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
