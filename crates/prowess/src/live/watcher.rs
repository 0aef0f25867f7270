//! The thread behind a live catalog: waits for a notice, looks, and swaps the snapshot.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;

use super::{
    Changes, LiveOptions, Order, Shared, Sources, Start,
    changes::Subscribers,
    watch::{Notice, Pending, Watch},
};
use crate::{
    catalog::{Catalog, LoadError, Update},
    load::{self, Difference, Loader, Root},
    observe,
    source::{
        Effort, Source,
        disk::tree::{Dirty, FolderTree},
    },
};

/// A snapshot waits for quiet, but not longer than so many times the debounce.
const PATIENCE: u32 = 5;

/// Folders that appear while others are being watched are looked at so many times in one go.
const ROUNDS: usize = 8;

/// Loads, says so, and watches until told to stop.
pub(super) fn run(
    sources: &dyn Sources,
    options: &LiveOptions,
    ready: &Sender<Result<(Arc<Shared>, Start), LoadError>>,
    wake: Sender<Order>,
    inbox: &Receiver<Order>,
) {
    let pending = Arc::new(Pending::new(wake));
    let mut watcher = Watcher {
        sources,
        options,
        roots: Vec::new(),
        watch: Watch::Nothing,
        pending,
        shared: Arc::new(Shared {
            current: ArcSwap::default(),
            generation: AtomicU64::new(1),
            lost: AtomicU64::new(0),
            subscribers: Subscribers::default(),
        }),
    };
    let mut start = Start::default();
    let catalog = watcher.read(&mut start);
    let broken = catalog.errors();
    if options.load_options().is_all_or_none() && !broken.is_empty() {
        // Nobody waits for a second word.
        let _ = ready.send(Err(LoadError::Broken { findings: broken }));
        return;
    }
    watcher.shared.current.store(Arc::new(catalog));
    if ready
        .send(Ok((Arc::clone(&watcher.shared), start)))
        .is_err()
    {
        return;
    }
    watcher.watch = Watch::new(options.watching, &watcher.pending);
    watcher.look_at_sources();
    watcher.run(inbox);
}

struct Watcher<'a> {
    sources: &'a dyn Sources,
    options: &'a LiveOptions,
    roots: Vec<Root>,
    watch: Watch,
    pending: Arc<Pending>,
    shared: Arc<Shared>,
}

impl Watcher<'_> {
    fn run(&mut self, inbox: &Receiver<Order>) {
        let mut looked = Instant::now();
        // Trees are watched a moment after they appear, and what happens in that moment is not
        // announced. So a while after each change there one more look is due.
        let mut due: Option<Instant> = None;
        loop {
            let order = match self.rest(looked, due) {
                Some(rest) => inbox.recv_timeout(rest),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let mut asked = Vec::new();
            match order {
                Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Order::Refresh(done)) => asked.push(done),
                #[cfg(all(target_os = "linux", any(test, feature = "testing")))]
                Ok(Order::Stall(super::Work(work))) => {
                    match &self.watch {
                        Watch::Folders(inotify) => inotify.stalled(work),
                        _ => work(),
                    }
                    continue;
                }
                Ok(Order::Wake) | Err(RecvTimeoutError::Timeout) => {}
            }
            let blind = self.watch.is_blind() && looked.elapsed() >= self.options.interval;
            let again = due.is_some_and(|due| due <= Instant::now());
            let rest = self.rest(looked, due);
            if asked.is_empty() && !blind && !again && rest.is_none_or(|rest| !rest.is_zero()) {
                continue;
            }
            let mut notice = self.pending.take();
            if notice.everything {
                self.shared.lost.fetch_add(1, Ordering::Relaxed);
            }
            due = None;
            if matches!(self.watch, Watch::Trees(_)) && !notice.is_empty() {
                due = Some(Instant::now() + self.options.interval);
            }
            if blind || again || !asked.is_empty() {
                notice.lose();
                notice.sources = true;
            }
            self.look(&notice);
            looked = Instant::now();
            for done in asked {
                // Whoever asked may have gone.
                let _ = done.send(());
            }
        }
    }

    /// How long to wait before the next look; `None` for until something is noticed.
    fn rest(&self, looked: Instant, due: Option<Instant>) -> Option<Duration> {
        let debounce = self.options.debounce;
        let quiet = self.pending.times().map(|(first, last)| {
            let end = (last + debounce).min(first + debounce * PATIENCE);
            end.saturating_duration_since(Instant::now())
        });
        let turn = self.watch.is_blind().then(|| {
            let end = looked + self.options.interval;
            end.saturating_duration_since(Instant::now())
        });
        let due = due.map(|due| due.saturating_duration_since(Instant::now()));
        [quiet, turn, due].into_iter().flatten().min()
    }

    /// Looks at what was noticed, and makes a snapshot of it.
    fn look(&mut self, notice: &Notice) {
        if notice.sources {
            self.look_at_sources();
        } else if notice.everything {
            let options = self.options.load_options();
            let roots = self.roots.iter_mut();
            let effort = Effort::start();
            let looked = roots.map(|root| Some(root.look(&options, &effort, None, true)));
            let differences = looked.collect();
            self.publish(differences);
        } else {
            self.look_at(&notice.dirty);
        }
    }

    fn look_at(&mut self, dirty: &Dirty) {
        let options = self.options.load_options();
        let effort = Effort::start();
        let looked = self
            .roots
            .iter_mut()
            .map(|root| root.look_at(&options, &effort, dirty));
        let differences = looked.collect();
        self.publish(differences);
    }

    /// Reads every source as it is now.
    fn read(&mut self, start: &mut Start) -> Catalog {
        let options = self.options.load_options();
        let mut before = std::mem::take(&mut self.roots);
        let mut loader = Loader::following(&options, self.options.cache.as_ref());
        let sources = self.sources.sources();
        let sources: Vec<&dyn Source> = sources.iter().map(|source| &**source).collect();
        let span = observe::load(sources.len()).entered();
        self.roots = loader.open_each(&sources, |source| {
            let known = before.iter().position(|root| root.is_of(source));
            known.map(|at| before.swap_remove(at))
        });
        let gone = before.iter().filter_map(Root::tree);
        for folder in gone.flat_map(FolderTree::folders) {
            self.forget(&folder.here.path);
        }
        let catalog = loader.catalog(&self.roots).observed(&span);
        start.read += loader.read;
        start.notes.append(&mut loader.notes);
        catalog
    }

    /// Asks for the sources again and looks at all of them.
    fn look_at_sources(&mut self) {
        // Before the look: what comes after it is announced.
        let awaited = self.awaited();
        self.wait_for(&awaited);
        let mut catalog = self.read(&mut Start::default());
        let before = self.shared.current.load_full();
        catalog.take_index(&before);
        self.swap(&before, catalog);
        self.wait_for(&self.awaited());
        let folders = self.roots.iter().filter_map(Root::tree);
        let folders = folders.flat_map(|it| it.folders().map(|it| it.here.path.clone()));
        self.watch_folders(folders.collect());
    }

    /// Every path that may come or go, with those that are there.
    fn awaited(&self) -> Vec<PathBuf> {
        let mut paths = self.sources.awaited();
        paths.extend(self.roots.iter().filter_map(Root::place));
        paths.sort();
        paths.dedup();
        paths
    }

    fn wait_for(&mut self, paths: &[PathBuf]) {
        let outcome = match &mut self.watch {
            #[cfg(target_os = "linux")]
            Watch::Folders(inotify) => inotify.wait_for(paths),
            Watch::Trees(trees) => {
                let places: Vec<PathBuf> = self.roots.iter().filter_map(Root::place).collect();
                trees.watch(&places, paths).map(|new| {
                    if new {
                        // What happened before the new watch was there is not announced.
                        self.pending.add(|notice| {
                            notice.lose();
                            notice.sources = true;
                        });
                    }
                })
            }
            Watch::Nothing => Ok(()),
        };
        if let Err(error) = outcome {
            self.watch = Watch::given_up(&error);
        }
    }

    /// Watches folders, and looks once more at those that were not watched before: something may
    /// have happened in them in the meantime.
    fn watch_folders(&mut self, folders: Vec<PathBuf>) {
        let mut folders = folders;
        for _ in 0..ROUNDS {
            let dirty = self.watched(&folders);
            if dirty.is_empty() {
                return;
            }
            let options = self.options.load_options();
            let effort = Effort::start();
            let roots = self.roots.iter_mut();
            let looked = roots.map(|root| root.look_at(&options, &effort, &dirty));
            let differences: Vec<Option<Difference>> = looked.collect();
            folders = listed(&differences);
            self.take(differences);
        }
        // Folders come faster than they can be watched: look at all of it when it is quiet.
        self.pending.add(Notice::lose);
    }

    /// Watches folders; gives those that are newly watched.
    fn watched(&mut self, folders: &[PathBuf]) -> Dirty {
        let mut fresh = Dirty::new();
        #[cfg(target_os = "linux")]
        {
            let Watch::Folders(inotify) = &self.watch else {
                return fresh;
            };
            let mut failed = None;
            for path in folders {
                let mut trees = self.roots.iter().filter_map(Root::tree);
                let seen = trees.find_map(|tree| tree.folder(path));
                let mut outcome = inotify.folder(path);
                for target in seen.into_iter().flat_map(|seen| &seen.targets) {
                    let watched = inotify.target(target, path);
                    outcome = outcome.and_then(|new| Ok(watched? || new));
                }
                match outcome {
                    Ok(true) => {
                        fresh.entry(path.clone()).or_default();
                    }
                    Ok(false) => {}
                    // Gone again, or not ours to see: its parent tells.
                    Err(error)
                        if matches!(
                            error.kind(),
                            std::io::ErrorKind::NotFound
                                | std::io::ErrorKind::NotADirectory
                                | std::io::ErrorKind::PermissionDenied
                        ) => {}
                    Err(error) => failed = Some(error),
                }
            }
            if let Some(error) = failed {
                self.watch = Watch::given_up(&error);
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = folders;
        fresh
    }

    fn forget(&self, path: &std::path::Path) {
        #[cfg(target_os = "linux")]
        if let Watch::Folders(inotify) = &self.watch {
            inotify.forget(path);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = path;
    }

    /// Makes a snapshot of what is different, then watches what is new.
    fn publish(&mut self, differences: Vec<Option<Difference>>) {
        let folders = listed(&differences);
        self.take(differences);
        self.watch_folders(folders);
    }

    /// Makes a snapshot of what is different.
    fn take(&mut self, differences: Vec<Option<Difference>>) {
        let mut update = Update::default();
        let (mut empty, mut findings) = (true, false);
        let options = self.options.load_options();
        for (place, difference) in differences.into_iter().enumerate() {
            let Some(mut difference) = difference else {
                continue;
            };
            // First the end of what is gone: a folder that was renamed is one and the same watch.
            for path in &difference.tree.folders_gone {
                self.forget(path);
            }
            let same = difference.is_empty();
            let added = self.roots[place].updated(&mut difference, place, &options);
            empty &= same && added.is_empty();
            findings |= difference.tree.findings;
            update.removed.extend(difference.removed);
            update.added.extend(added);
        }
        let before = self.shared.current.load_full();
        update.partial = load::is_partial(&self.roots);
        if empty && update.partial == before.is_partial() {
            return;
        }
        update.findings = if findings {
            load::findings(&self.roots)
        } else {
            before.findings().to_vec()
        };
        let next = before.updated(update);
        self.swap(&before, next);
    }

    /// Puts a snapshot in the place of the one before, and tells what is different.
    fn swap(&self, before: &Catalog, next: Catalog) {
        let generation = self.shared.generation.load(Ordering::Acquire) + 1;
        let changes = Changes::between(before, &next, generation);
        let quiet = changes.is_empty()
            && before.findings() == next.findings()
            && before.is_partial() == next.is_partial();
        let same = quiet && before.origins() == next.origins();
        // Stored even where no reader sees a difference: the next look finds what it replaces by
        // the readings it knows.
        let next = Arc::new(next);
        self.shared.current.store(Arc::clone(&next));
        if same {
            return;
        }
        self.shared.generation.store(generation, Ordering::Release);
        if !changes.is_empty() {
            self.shared.subscribers.tell(&next, &changes);
        }
    }
}

/// The folders that were listed.
fn listed(differences: &[Option<Difference>]) -> Vec<PathBuf> {
    let changes = differences.iter().flatten().map(|it| &it.tree);
    changes.flat_map(|it| &it.folders).cloned().collect()
}
