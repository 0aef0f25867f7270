//! The bounded walk: one look at every folder below a root, shared between threads.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use prowess_format::{Diagnostic, Rule, Severity, rules};
use serde::{Deserialize, Serialize};

use super::{
    DiskSource,
    handle::{Buffers, Folder, Kind},
    names::{
        BUNDLED, SKILL_FILE, is_history, is_ignored, is_misnamed, is_output, is_skill_file,
        is_wanted,
    },
    tree::{FileNode, Look, Prior, now},
};
use crate::{
    display::{display_path, display_text},
    serial,
    source::{Finding, Layout, Location, ScanRequest, SkillFile, note},
};

/// How far the look into an ignored folder goes: a package's skills lie not deeper, and five thousand entries take a
/// few milliseconds.
const PEEK_DEPTH: usize = 8;
const PEEK_ENTRIES: usize = 5_000;

/// So many files and folders are looked at again in one load because a second link leads to them:
/// forty clients with links to a hundred skills of five files each. Beyond, only paths are missing in
/// `also_at`.
const REPEATS: usize = 20_000;

/// So many folders are handed over at once: enough to be worth it, few enough to spread.
const FOLDERS_PER_TASK: usize = 64;

/// What is done with a file that is read.
pub(crate) type Visit<'a> = dyn Fn(SkillFile<'_>) + Sync + 'a;

/// One scan of one root.
pub(super) struct Walk<'a, F> {
    pub(super) source: &'a DiskSource,
    pub(super) request: &'a ScanRequest<'a>,
    pub(super) visit: &'a Visit<'a>,
    /// What is known from an earlier scan; `None` where nobody asks what was seen.
    pub(super) prior: Option<Prior<'a>>,
    /// When the scan began, as stamps count it.
    pub(super) now: i64,
    /// Folders that wait for the next round.
    waiting: Mutex<Vec<Task<F>>>,
    /// Links to folders that wait until the folders around them are walked.
    links: Mutex<Vec<(Arc<Here>, OsString)>>,
    /// Real folders that a link was followed to.
    reached: Mutex<HashSet<PathBuf>>,
    stopped: AtomicBool,
    partial: AtomicBool,
    look: Mutex<Look>,
}

/// A folder on the way, and what is known from the way there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Here {
    /// As it was found.
    #[serde(with = "serial::path")]
    pub(crate) path: PathBuf,
    pub(crate) depth: usize,
    /// The skill whose files these are.
    #[serde(with = "serial::path_option")]
    pub(crate) inside: Option<Arc<Path>>,
    /// The real folders in which links were followed to come here.
    #[serde(with = "serial::path_list")]
    pub(crate) hops: Vec<PathBuf>,
    /// Where this really is, once a link was followed.
    pub(crate) location: Option<Location>,
    /// Whether another link led here before: the links in it were followed then.
    pub(crate) again: bool,
    /// Whether something above was replaced, so that no event vouches for what is here.
    #[serde(skip)]
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
            again: false,
            replaced: false,
        }
    }

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
#[derive(Default)]
pub(super) struct Worker {
    pub(super) buffers: Buffers,
    /// What was noticed, what was seen, and what could not be entered.
    pub(super) look: Look,
    /// What was seen in the folder at hand.
    pub(super) files: Vec<FileNode>,
    pub(super) targets: Vec<PathBuf>,
    /// Whether the folder at hand cannot be known by its times.
    pub(super) unsettled: bool,
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
        prior: Option<Prior<'a>>,
    ) -> Self {
        Self {
            source,
            request,
            visit,
            prior,
            now: prior.map_or(0, |_| now()),
            waiting: Mutex::default(),
            links: Mutex::default(),
            reached: Mutex::default(),
            stopped: AtomicBool::new(false),
            partial: AtomicBool::new(false),
            look: Mutex::default(),
        }
    }

    /// Runs `first`, then in rounds what it and they left for several threads.
    ///
    /// One thread walks until it meets a folder with so many others in it that a second thread
    /// pays for itself; those are put aside. Once it is through, threads take what was put aside
    /// one after the other, by a shared counter. A round ends when all of it is walked, so there
    /// is no queue to wait at.
    ///
    /// Links to folders come last, one after the other and in the order of their paths, so that
    /// which of two leads to a folder first does not depend on threads or on the disk.
    pub(super) fn run(self, first: impl FnOnce(&Self, &mut Worker)) -> Look {
        let mut worker = Worker::default();
        first(&self, &mut worker);
        self.collect(worker);
        loop {
            let tasks = std::mem::take(&mut *lock(&self.waiting));
            if tasks.is_empty() {
                let mut links = std::mem::take(&mut *lock(&self.links));
                if links.is_empty() {
                    break;
                }
                links.sort_by_cached_key(|(here, name)| here.path.join(name));
                let mut worker = Worker::default();
                for (here, name) in links {
                    self.follow_folder(&mut worker, &here, &name);
                }
                self.collect(worker);
                continue;
            }
            let next = AtomicUsize::new(0);
            let work = || {
                let mut worker = Worker::default();
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for name in &task.names {
                        self.enter(&mut worker, &*task.parent, &task.here, name);
                    }
                }
                self.collect(worker);
            };
            thread::scope(|scope| {
                for _ in 1..self.request.threads {
                    scope.spawn(work);
                }
                work();
            });
        }
        let look = self.look.into_inner();
        Look {
            partial: self.partial.into_inner(),
            ..look.unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// Takes over what a worker saw.
    fn collect(&self, mut worker: Worker) {
        let mut look = lock(&self.look);
        look.findings.append(&mut worker.look.findings);
        look.folders.append(&mut worker.look.folders);
        look.failed.append(&mut worker.look.failed);
        // Files of a folder were taken with it; what is left is the file that the source names.
        let folder = self.source.origin.root.parent().unwrap_or(Path::new(""));
        let loose = worker.files.iter().map(|file| folder.join(&file.name));
        look.loose.extend(loose);
    }

    /// Walks a folder that was opened.
    pub(super) fn folder(&self, worker: &mut Worker, folder: F, mut here: Here) {
        // The stamp comes first: what is added while the list is read makes it out of date.
        let stamp = self.prior.and_then(|_| folder.own_stamp());
        let mark = worker.look.findings.len();
        let Some(mut listing) = self.list(worker, &folder, &here) else {
            return;
        };
        let ignored: Vec<OsString> = listing
            .folders
            .extract_if(.., |name| {
                is_ignored(name) && !self.is_skill_of_its_own(&folder, &here, name)
            })
            .collect();
        let has_skill = self.skills(worker, &folder, &here, listing.skills);
        if !has_skill {
            // Other text files are looked into, so their folder's times say too little.
            worker.unsettled |= !listing.files.is_empty() && self.source.layout == Layout::Folder;
            self.files(worker, &folder, &here, listing.files);
            self.report_misnamed(worker, &here, &listing.misnamed);
        }
        if self.prior.is_some() {
            // What lies in an ignored folder is found by a look, not by the times of this one.
            worker.unsettled |= !ignored.is_empty();
            let (folders, links) = (&listing.folders, &listing.links);
            self.remember(worker, stamp, &here, (folders, links), mark);
        }
        for name in &ignored {
            self.peek(worker, &folder, &here.path.join(name), name);
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
        // A skill's own files may be links to anything; they are looked at when they are read.
        if here.inside.is_none() && !here.again && !listing.links.is_empty() {
            let here = Arc::new(here.clone());
            let links = listing.links.into_iter();
            lock(&self.links).extend(links.map(|name| (Arc::clone(&here), name)));
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

    /// Whether a folder with an ignored name is a skill all the same: one called `build` may be,
    /// right in a folder of skills and with a `SKILL.md` in it.
    fn is_skill_of_its_own(&self, folder: &F, here: &Here, name: &OsStr) -> bool {
        let among_skills = here.depth == 0 || self.own_name(here) == Some(OsStr::new("skills"));
        among_skills
            && is_output(name)
            && self.source.layout == Layout::Folder
            && folder.child(name).is_ok_and(|child| {
                let found = child.facts(OsStr::new(SKILL_FILE));
                matches!(found, Ok((Kind::File | Kind::Link, _)))
            })
    }

    fn own_name<'h>(&'h self, here: &'h Here) -> Option<&'h OsStr> {
        if here.depth == 0 {
            self.source.real_root()?.file_name()
        } else {
            here.path.file_name()
        }
    }

    /// Walks the folders in this one, or puts them aside for several threads.
    fn descend(&self, worker: &mut Worker, folder: F, here: Here, names: &[OsString]) {
        let threads = self.request.threads;
        if threads < 2 || names.len() < self.request.limits.thread_folders {
            for name in names {
                self.enter(worker, &folder, &here, name);
            }
            return;
        }
        let (parent, here) = (Arc::new(folder), Arc::new(here));
        let count = names.len().div_ceil(threads * 8).clamp(1, FOLDERS_PER_TASK);
        lock(&self.waiting).extend(names.chunks(count).map(|names| Task {
            parent: Arc::clone(&parent),
            here: Arc::clone(&here),
            names: names.to_vec(),
        }));
    }

    /// Opens and walks one folder of `parent`.
    fn enter(&self, worker: &mut Worker, parent: &F, here: &Here, name: &OsStr) {
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        let path = here.path.join(name);
        if here.depth >= self.request.limits.depth {
            self.too_deep(worker, &path);
            return;
        }
        let replaced = here.replaced || self.prior.is_some_and(|it| it.is_dirty(&here.path, name));
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
                    again: here.again,
                    replaced,
                };
                self.folder(worker, child, here);
            }
            Err(error) => self.lost(worker, &path, &error),
        }
    }

    pub(super) fn too_deep(&self, worker: &mut Worker, path: &Path) {
        self.partial.store(true, Ordering::Relaxed);
        self.report(
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

    pub(super) fn unreadable(&self, worker: &mut Worker, path: &Path, error: &io::Error) {
        self.report(
            worker,
            &rules::unreadable_file::RULE,
            path,
            format!("`{}` cannot be searched: {error}", display_path(path)),
            "give yourself the right to read it",
        );
    }

    /// Sorts out what is in a folder; `None` where it cannot be listed or a limit is reached.
    fn list(&self, worker: &mut Worker, folder: &F, here: &Here) -> Option<Listing> {
        let (limits, effort) = (self.request.limits, self.request.effort);
        if self.is_out_of_time(worker) {
            return None;
        }
        let mut listing = Listing::default();
        let room = if here.again {
            REPEATS.saturating_sub(effort.repeats.load(Ordering::Relaxed))
        } else {
            effort.room(limits)
        };
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
        if here.again {
            effort.repeats.fetch_add(seen, Ordering::Relaxed);
            if seen > room {
                let target = self.real_path(here).unwrap_or_default();
                self.report_reached(worker, &here.path, &target);
                return None;
            }
        } else {
            self.count(seen);
        }
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

    /// Whether the time is up, or somebody asked to stop; then that is told.
    pub(super) fn is_out_of_time(&self, worker: &mut Worker) -> bool {
        let limit = self.request.limits.time;
        let over = self.request.effort.started.elapsed() > limit;
        if over || self.request.progress.stopped() {
            self.stop(worker, || format!("after {limit:?}"));
            return true;
        }
        false
    }

    fn count(&self, entries: usize) {
        let (effort, progress) = (self.request.effort, self.request.progress);
        effort.entries.fetch_add(entries, Ordering::Relaxed);
        progress.entries.fetch_add(entries, Ordering::Relaxed);
    }

    /// Whether this link is the first that leads to a folder.
    pub(super) fn reaches_first(&self, target: &Path) -> bool {
        lock(&self.reached).insert(target.to_path_buf())
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

    fn stop(&self, worker: &mut Worker, when: impl FnOnce() -> String) {
        self.partial.store(true, Ordering::Relaxed);
        if self.stopped.swap(true, Ordering::Relaxed) {
            return;
        }
        let root = &self.source.origin.root;
        self.report(
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
    pub(super) fn report(
        &self,
        worker: &mut Worker,
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

impl<F: Folder> Walk<'_, F> {
    /// Looks a little way into an ignored folder, so that a skill in it is not lost in silence.
    pub(super) fn peek(&self, worker: &mut Worker, parent: &F, path: &Path, name: &OsStr) {
        let stopped = self.stopped.load(Ordering::Relaxed);
        if stopped || self.source.layout == Layout::Convention || name == BUNDLED {
            return;
        }
        let Ok(folder) = parent.child(name) else {
            return;
        };
        let history = is_history(name);
        let room = PEEK_ENTRIES.min(self.request.effort.room(self.request.limits));
        let mut peek = Peek {
            buffers: &mut worker.buffers,
            left: room,
            whole: true,
            found: Vec::new(),
        };
        peek.look(&folder, path, if history { 0 } else { PEEK_DEPTH });
        let Peek {
            whole,
            mut found,
            left,
            ..
        } = peek;
        self.count(room - left);
        found.sort();
        let shown = display_text(&name.to_string_lossy());
        for skill in found {
            self.report(
                worker,
                &rules::ignored_folder::RULE,
                &skill,
                format!(
                    "`{}` is not loaded: folders named `{shown}` are not searched",
                    display_path(&skill)
                ),
                "move the skill, or name its folder directly",
            );
        }
        if !whole && !history {
            let message = format!(
                "`{}` is not searched: it is named `{shown}`, and too large for more than a look",
                display_path(path)
            );
            let help = "name the folder directly if it holds skills";
            let note = note(
                &rules::ignored_folder::RULE,
                self.request.profile,
                message,
                help,
            );
            if let Some(mut diagnostic) = note {
                // Nothing is known to be lost.
                diagnostic.severity = Severity::Hint;
                worker.push(path, diagnostic);
            }
        }
    }
}

struct Peek<'a> {
    buffers: &'a mut Buffers,
    /// Entries that may still be looked at.
    left: usize,
    /// Whether everything was seen.
    whole: bool,
    found: Vec<PathBuf>,
}

impl Peek<'_> {
    fn look<F: Folder>(&mut self, folder: &F, path: &Path, depth: usize) {
        let mut folders = Vec::new();
        let (left, whole, found) = (&mut self.left, &mut self.whole, &mut self.found);
        // A folder that cannot be listed shows nothing, and nothing is claimed about it.
        let _ = folder.entries(self.buffers, &mut |name, kind| {
            *whole &= *left > 0;
            *left = left.saturating_sub(1);
            if kind == Kind::Folder {
                folders.push(name.to_os_string());
            } else if is_skill_file(name) {
                found.push(path.join(name));
            }
            *whole
        });
        if depth == 0 {
            self.whole &= folders.is_empty();
            return;
        }
        for name in folders {
            if !self.whole {
                return;
            }
            if let Ok(child) = folder.child(&name) {
                self.look(&child, &path.join(&name), depth - 1);
            }
        }
    }
}

impl Worker {
    /// Adds a finding about a path that is no skill.
    pub(super) fn push(&mut self, path: &Path, diagnostic: Diagnostic) {
        self.look.findings.push(Finding {
            path: path.to_path_buf(),
            diagnostic,
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
