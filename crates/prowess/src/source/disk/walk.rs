//! The bounded walk: one look at every folder below a root, shared between threads.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use prowess_format::{Diagnostic, Rule, rules};

use super::{
    DiskSource,
    handle::{Buffers, Folder, Kind},
    ignored::is_ignored,
    names::{is_misnamed, is_skill_file, is_wanted},
    queue::Queue,
    seen::{FileSeen, Look, Trusting, now},
};
use crate::{
    display::display_path,
    skill::Skill,
    source::{Finding, Layout, Location, ScanRequest, SkillFile, note},
};

/// Fewer subfolders are read before a second thread has paid for itself. Tests share the work
/// much earlier, so that they see several threads at small trees.
const WORTH_A_THREAD: usize = if cfg!(test) { 32 } else { 1_500 };

/// So many folders are handed over at once: enough to be worth it, few enough to spread.
const FOLDERS_PER_TASK: usize = 64;

/// What is done with a file that is read. The skill it gives is kept with the folder, where one
/// asks what was seen.
pub(crate) type Visit<'a> = dyn Fn(SkillFile<'_>) -> Option<Skill> + Sync + 'a;

/// One scan of one root.
pub(super) struct Walk<'a, F> {
    pub(super) source: &'a DiskSource,
    pub(super) request: &'a ScanRequest<'a>,
    pub(super) visit: &'a Visit<'a>,
    /// What is known from an earlier scan; `None` where nobody asks what was seen.
    pub(super) trusting: Option<Trusting<'a>>,
    /// When the scan began, as stamps count it.
    pub(super) now: i64,
    queue: Queue<Task<F>>,
    started: Instant,
    entries: AtomicUsize,
    stopped: AtomicBool,
    partial: AtomicBool,
    look: Mutex<Look>,
}

/// A folder on the way, and what is known from the way there.
#[derive(Debug, Clone)]
pub(crate) struct Here {
    /// As it was found.
    pub(crate) path: PathBuf,
    pub(crate) depth: usize,
    /// The skill whose files these are.
    pub(crate) inside: Option<Arc<Path>>,
    /// The real folders in which links were followed to come here.
    pub(crate) hops: Vec<PathBuf>,
    /// Where this really is, once a link was followed.
    pub(crate) location: Option<Location>,
    /// Whether something above was replaced, so that no event vouches for what is here.
    pub(crate) replaced: bool,
}

impl Here {
    /// The place where a walk begins.
    pub(super) fn root(path: PathBuf) -> Self {
        Self {
            path,
            depth: 0,
            inside: None,
            hops: Vec::new(),
            location: None,
            replaced: false,
        }
    }
}

impl Here {
    /// The same, for a folder that was replaced or has changed.
    pub(super) fn replaced(&self) -> Self {
        Self {
            replaced: true,
            ..self.clone()
        }
    }
}

/// Folders of one parent, to be walked by whoever is free.
struct Task<F> {
    parent: Arc<F>,
    here: Arc<Here>,
    names: Vec<OsString>,
}

/// What one thread has of its own.
pub(super) struct Worker<'s> {
    pub(super) buffers: Buffers,
    /// What was noticed, what was seen, and what could not be entered.
    pub(super) look: Look,
    /// What was seen in the folder at hand.
    pub(super) files: Vec<FileSeen>,
    pub(super) targets: Vec<PathBuf>,
    /// Whether the folder at hand cannot be known by its times.
    pub(super) unsettled: bool,
    /// Starts the other threads; only the first thread can, and only once.
    start: Option<&'s dyn Fn()>,
}

/// What was seen in one folder.
#[derive(Default)]
struct Listing {
    /// Files called `SKILL.md`, in any spelling.
    skills: Vec<(OsString, Kind)>,
    /// Other files the layout asks for.
    files: Vec<(OsString, Kind)>,
    folders: Vec<OsString>,
    links: Vec<OsString>,
    /// Files that were probably meant to be the skill's.
    misnamed: Vec<OsString>,
}

impl<'a, F: Folder> Walk<'a, F> {
    pub(super) fn new(
        source: &'a DiskSource,
        request: &'a ScanRequest<'a>,
        visit: &'a Visit<'a>,
        trusting: Option<Trusting<'a>>,
    ) -> Self {
        Self {
            source,
            request,
            visit,
            trusting,
            now: trusting.map_or(0, |_| now()),
            queue: Queue::new(),
            started: Instant::now(),
            entries: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            partial: AtomicBool::new(false),
            look: Mutex::default(),
        }
    }

    /// Runs `first` with a worker, and whatever it leaves for other threads.
    pub(super) fn run(self, first: impl FnOnce(&Self, &mut Worker<'_>)) -> Look {
        thread::scope(|scope| {
            let start = || {
                for _ in 1..self.request.threads {
                    scope.spawn(|| self.help(Worker::new(None)));
                }
            };
            let mut worker = Worker::new(Some(&start));
            {
                let _working = self.queue.work();
                first(&self, &mut worker);
            }
            self.help(worker);
        });
        let look = self.look.into_inner();
        Look {
            partial: self.partial.into_inner(),
            ..look.unwrap_or_else(PoisonError::into_inner)
        }
    }

    fn help(&self, mut worker: Worker<'_>) {
        while let Some((task, _working)) = self.queue.next() {
            for name in &task.names {
                self.enter(&mut worker, &*task.parent, &task.here, name);
            }
        }
        let mut look = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        look.findings.append(&mut worker.look.findings);
        look.folders.append(&mut worker.look.folders);
        look.failed.append(&mut worker.look.failed);
        look.loose.append(&mut worker.files);
    }

    /// Walks a folder that was opened.
    pub(super) fn folder(&self, worker: &mut Worker<'_>, folder: F, mut here: Here) {
        // The stamp comes first: what is added while the list is read makes it out of date.
        let stamp = self.trusting.and_then(|_| folder.own_stamp());
        let mark = worker.look.findings.len();
        let Some(listing) = self.list(worker, &folder, &here) else {
            return;
        };
        let has_skill = self.skills(worker, &folder, &here, listing.skills);
        if !has_skill {
            // Other text files are looked into, so their folder's times say too little.
            worker.unsettled |= !listing.files.is_empty() && self.source.layout == Layout::Folder;
            self.files(worker, &folder, &here, listing.files);
            self.tell_misnamed(worker, &here, &listing.misnamed);
        }
        if self.trusting.is_some() {
            let (folders, links) = (&listing.folders, &listing.links);
            self.remember(worker, stamp, &here, (folders, links), mark);
        }
        if listing.folders.is_empty() && listing.links.is_empty() {
            return;
        }
        // Below a folder called `skills` new skills begin, even inside another skill.
        if self.own_name(&here) == Some(OsStr::new("skills")) {
            here.inside = None;
        } else if has_skill && here.inside.is_none() {
            here.inside = Some(here.path.as_path().into());
        }
        for name in &listing.links {
            self.follow_folder(worker, &here, name);
        }
        self.descend(worker, folder, here, &listing.folders);
    }

    /// Where a folder on the way really is.
    pub(super) fn real_path(&self, here: &Here) -> Option<PathBuf> {
        if let Some(location) = &here.location {
            return Some(location.anchor.join(&location.below));
        }
        let real = self.source.real_root()?;
        match here.path.strip_prefix(&self.source.origin.root) {
            Ok(below) => Some(real.components().chain(below.components()).collect()),
            // The source is a single file, and this the folder around it.
            Err(_) => real.parent().map(Path::to_path_buf),
        }
    }

    fn own_name<'h>(&'h self, here: &'h Here) -> Option<&'h OsStr> {
        if here.depth == 0 {
            self.source.real_root()?.file_name()
        } else {
            here.path.file_name()
        }
    }

    /// Walks the folders in this one, or gives them to threads that have nothing to do.
    fn descend(&self, worker: &mut Worker<'_>, folder: F, here: Here, names: &[OsString]) {
        let fresh = self.request.threads > 1
            && names.len() >= WORTH_A_THREAD
            && worker.start.take().is_some_and(|start| {
                start();
                true
            });
        if names.len() < 2 || !(fresh || self.queue.wants_more()) {
            for name in names {
                self.enter(worker, &folder, &here, name);
            }
            return;
        }
        let (parent, here) = (Arc::new(folder), Arc::new(here));
        let count = names
            .len()
            .div_ceil(self.request.threads * 8)
            .clamp(1, FOLDERS_PER_TASK);
        self.queue.share(names.chunks(count).map(|names| Task {
            parent: Arc::clone(&parent),
            here: Arc::clone(&here),
            names: names.to_vec(),
        }));
    }

    /// Opens and walks one folder of `parent`.
    fn enter(&self, worker: &mut Worker<'_>, parent: &F, here: &Here, name: &OsStr) {
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        let path = here.path.join(name);
        if is_ignored(name) {
            self.peek(worker, parent, &path, name);
            return;
        }
        if here.depth >= self.request.limits.depth {
            self.too_deep(worker, &path);
            return;
        }
        let replaced = here.replaced
            || self
                .trusting
                .is_some_and(|it| it.is_dirty(&here.path, name));
        if self.is_known(worker, parent, here, (&path, name), replaced) {
            return;
        }
        // A folder that is renamed while we look is there again a moment later, or gone for good.
        let child = match parent.child(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => parent.child(name),
            opened => opened,
        };
        match child {
            Ok(child) => {
                let here = Here {
                    path,
                    depth: here.depth + 1,
                    inside: here.inside.clone(),
                    hops: here.hops.clone(),
                    location: here.location.as_ref().map(|location| Location {
                        anchor: Arc::clone(&location.anchor),
                        below: location.below.join(name),
                    }),
                    replaced,
                };
                self.folder(worker, child, here);
            }
            Err(error) => self.lost(worker, &path, &error),
        }
    }

    pub(super) fn too_deep(&self, worker: &mut Worker<'_>, path: &Path) {
        self.partial.store(true, Ordering::Relaxed);
        self.tell(
            worker,
            &rules::scan_limit::RULE,
            path,
            format!(
                "`{}` is not searched: it lies more than {} folders deep",
                display_path(path),
                self.request.limits.depth
            ),
            "move the skills up, or raise the depth limit",
        );
    }

    pub(super) fn unreadable(&self, worker: &mut Worker<'_>, path: &Path, error: &io::Error) {
        self.tell(
            worker,
            &rules::unreadable_file::RULE,
            path,
            format!("`{}` cannot be searched: {error}", display_path(path)),
            "give yourself the right to read it",
        );
    }

    /// Sorts out what is in a folder; `None` where it can not be listed or a limit is reached.
    fn list(&self, worker: &mut Worker<'_>, folder: &F, here: &Here) -> Option<Listing> {
        let limits = self.request.limits;
        if self.started.elapsed() > limits.time || self.request.progress.stopped() {
            self.stop(worker, || format!("after {:?}", limits.time));
            return None;
        }
        let mut listing = Listing::default();
        let room = limits
            .entries
            .saturating_sub(self.entries.load(Ordering::Relaxed));
        let mut seen = 0;
        let outcome = folder.entries(&mut worker.buffers, &mut |name, kind| {
            if seen == room {
                seen += 1;
                return false;
            }
            seen += 1;
            self.sort_out(&mut listing, here, name, kind);
            true
        });
        self.entries.fetch_add(seen, Ordering::Relaxed);
        self.request
            .progress
            .entries
            .fetch_add(seen, Ordering::Relaxed);
        if let Err(error) = outcome {
            worker.unsettled = true;
            self.unreadable(worker, &here.path, &error);
        }
        if seen > room {
            self.stop(worker, || {
                format!("after {} files and folders", limits.entries)
            });
        }
        Some(listing)
    }

    fn sort_out(&self, listing: &mut Listing, here: &Here, name: &OsStr, kind: Kind) {
        let layout = self.source.layout;
        if layout != Layout::Convention && is_skill_file(name) {
            listing.skills.push((name.to_os_string(), kind));
        } else if kind == Kind::Folder {
            listing.folders.push(name.to_os_string());
        } else if is_wanted(name, layout, here.depth) {
            listing.files.push((name.to_os_string(), kind));
        } else if kind == Kind::Link {
            listing.links.push(name.to_os_string());
        } else if is_misnamed(name) {
            listing.misnamed.push(name.to_os_string());
        }
    }

    fn stop(&self, worker: &mut Worker<'_>, when: impl FnOnce() -> String) {
        self.partial.store(true, Ordering::Relaxed);
        if self.stopped.swap(true, Ordering::Relaxed) {
            return;
        }
        let root = &self.source.origin.root;
        self.tell(
            worker,
            &rules::scan_limit::RULE,
            root,
            format!(
                "the search of `{}` ended {}; what was not seen by then is missing",
                display_path(root),
                when()
            ),
            "name a smaller folder, or raise the limit",
        );
    }

    /// Adds a finding about a path that is no skill.
    pub(super) fn tell(
        &self,
        worker: &mut Worker<'_>,
        rule: &'static Rule,
        path: &Path,
        message: String,
        help: impl Into<String>,
    ) {
        if let Some(diagnostic) = note(rule, self.request.profile, message, help) {
            worker.push(path, diagnostic);
        }
    }
}

impl<'s> Worker<'s> {
    fn new(start: Option<&'s dyn Fn()>) -> Self {
        Self {
            buffers: Buffers::default(),
            look: Look::default(),
            files: Vec::new(),
            targets: Vec::new(),
            unsettled: false,
            start,
        }
    }

    /// Adds a finding about a path that is no skill.
    pub(super) fn push(&mut self, path: &Path, diagnostic: Diagnostic) {
        self.look.findings.push(Finding {
            path: path.to_path_buf(),
            diagnostic,
        });
    }
}
