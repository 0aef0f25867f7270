//! What differs between two snapshots, and who is told.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use super::watch::lock;
use crate::{
    catalog::Catalog,
    skill::{Skill, State},
    source::Scope,
};

/// What differs between a snapshot and the one before. A skill is known by its file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The snapshot that holds what is told here.
    pub generation: u64,
    /// Skills that were not there before.
    pub added: Vec<SkillChange>,
    /// Skills whose text, state or findings are different.
    pub changed: Vec<SkillChange>,
    /// Skills that are gone, as they were.
    pub removed: Vec<SkillChange>,
}

/// One skill that was added, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillChange {
    /// Its name.
    pub name: String,
    /// Its file, as it was found.
    pub path: PathBuf,
    /// Its id; `None` where the file could not be read.
    pub id: Option<String>,
    /// How near its place is.
    pub scope: Scope,
    /// What became of it: `active`, `shadowed`, `hidden`, `untrusted` or `broken`.
    pub state: &'static str,
    /// Whether the version from before is in use because the file broke.
    pub stale: bool,
}

impl SkillChange {
    fn of(skill: &Skill) -> Self {
        Self {
            name: skill.name().to_owned(),
            path: skill.path().to_path_buf(),
            id: skill.id().map(str::to_owned),
            scope: skill.origin().scope,
            state: skill.state().as_str(),
            stale: skill.is_stale(),
        }
    }
}

/// Two sources may find one file, so a file is known by its source too.
type Key<'a> = (&'a Path, &'a Path, Scope);

fn key(skill: &Skill) -> Key<'_> {
    let origin = skill.origin();
    (skill.path(), &origin.root, origin.scope)
}

fn order(skill: &Skill) -> (&str, &Path) {
    (skill.name(), skill.path())
}

impl Changes {
    /// Compares two snapshots.
    pub(super) fn between(old: &Catalog, new: &Catalog, generation: u64) -> Self {
        let mut changes = Self {
            generation,
            ..Self::default()
        };
        // Both are sorted alike, so nearly all skills meet their like on the way.
        let (mut before, mut after) = (HashMap::new(), Vec::new());
        let (mut olds, mut news) = (
            old.skills().iter().peekable(),
            new.skills().iter().peekable(),
        );
        loop {
            match (olds.peek(), news.peek()) {
                (Some(one), Some(other)) if one.shares_content(other) => {
                    if !same(one, other) {
                        changes.changed.push(SkillChange::of(other));
                    }
                    olds.next();
                    news.next();
                }
                (Some(one), other) if other.is_none_or(|other| order(one) <= order(other)) => {
                    before.insert(key(one), *one);
                    olds.next();
                }
                (_, Some(other)) => {
                    after.push(*other);
                    news.next();
                }
                (_, None) => break,
            }
        }
        for skill in after {
            match before.remove(&key(skill)) {
                None => changes.added.push(SkillChange::of(skill)),
                Some(old) if !same(old, skill) => changes.changed.push(SkillChange::of(skill)),
                Some(_) => {}
            }
        }
        changes.removed = before.into_values().map(SkillChange::of).collect();
        changes
            .removed
            .sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
        changes
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// How many skills differ.
    pub fn len(&self) -> usize {
        self.added.len() + self.changed.len() + self.removed.len()
    }

    /// Adds what came later, as if both were one change.
    pub(super) fn merge(&mut self, later: &Self) {
        self.generation = later.generation;
        for skill in &later.added {
            match take(&mut self.removed, skill) {
                Some(_) => self.changed.push(skill.clone()),
                None => self.added.push(skill.clone()),
            }
        }
        for skill in &later.changed {
            if let Some(known) = find(&mut self.added, skill) {
                *known = skill.clone();
            } else if let Some(known) = find(&mut self.changed, skill) {
                *known = skill.clone();
            } else {
                self.changed.push(skill.clone());
            }
        }
        for skill in &later.removed {
            // What came and went again never happened.
            if take(&mut self.added, skill).is_none() {
                take(&mut self.changed, skill);
                self.removed.push(skill.clone());
            }
        }
    }
}

fn find<'a>(list: &'a mut [SkillChange], skill: &SkillChange) -> Option<&'a mut SkillChange> {
    list.iter_mut()
        .find(|known| known.path == skill.path && known.scope == skill.scope)
}

fn take(list: &mut Vec<SkillChange>, skill: &SkillChange) -> Option<SkillChange> {
    let at = list
        .iter()
        .position(|known| known.path == skill.path && known.scope == skill.scope)?;
    Some(list.remove(at))
}

/// Whether a reader would see no difference.
fn same(old: &Skill, new: &Skill) -> bool {
    old.hash() == new.hash()
        && old.name() == new.name()
        && state(old) == state(new)
        && old.decision == new.decision
        && old.stale == new.stale
        && (old.shares_content(new) || old.diagnostics().eq(new.diagnostics()))
}

/// The state without the place of another skill, which moves with every change.
fn state(skill: &Skill) -> State {
    match skill.state() {
        State::Shadowed { .. } => State::Shadowed { by: 0 },
        state => state,
    }
}

/// Changes as they come, for one reader.
#[derive(Debug)]
pub struct Subscription {
    mailbox: Arc<Mailbox>,
}

/// What waits for a reader: at most one value, however many changes it stands for.
#[derive(Debug, Default)]
struct Mailbox {
    state: Mutex<MailboxState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct MailboxState {
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

type Call = Box<dyn Fn(&Arc<Catalog>, &Changes) + Send>;

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

    pub(super) fn tell(&self, snapshot: &Arc<Catalog>, changes: &Changes) {
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
            call(snapshot, changes);
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
