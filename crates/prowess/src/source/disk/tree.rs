//! What a scan saw of each folder, so that the next one reads only what changed.
//!
//! A file is taken for unchanged when its *stamp* is the same: device, inode, size, `mtime` and
//! `ctime` to the nanosecond. No program can set the `ctime`, so a file whose `mtime` was put back
//! still differs. A file that was touched shortly before it was looked at could be written again
//! within one tick of the file system's clock and keep its stamp; such a stamp is not believed
//! (Git calls such an entry of its index "racily clean").
//!
//! The tree knows files by name and stamp. What was read from them is the loader's.

use std::{
    collections::{HashMap, HashSet},
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::{
    DiskSource,
    handle::{Facts, Folder, Kind, NativeFolder},
    open::open_located,
    portable::PortableFolder,
    real_path,
    walk::{Here, Visit, Walk, Worker},
};
use crate::{
    serial,
    source::{Finding, ScanRequest, stored_findings},
};

/// What tells one version of a file or a folder from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// Nanoseconds since 1970, like all times here.
    pub(crate) modified: i64,
    pub(crate) changed: i64,
}

impl Stamp {
    /// The stamp, unless it could stand for two versions when it was taken at `now`.
    pub(crate) fn settled(self, now: i64, settle: Duration) -> Option<Self> {
        let touched = self.modified.max(self.changed);
        let settle = i64::try_from(settle.as_nanos()).unwrap_or(i64::MAX);
        (touched < now.saturating_sub(settle)).then_some(self)
    }
}

/// The time, as stamps count it.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as i64)
}

/// One folder, as it was seen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FolderNode {
    /// Device and inode, where the platform has them.
    pub(crate) place: Option<(u64, u64)>,
    /// `None` where the times of the folder do not vouch for its list.
    pub(crate) stamp: Option<Stamp>,
    /// Where it is, and what was known on the way there.
    pub(crate) here: Here,
    /// The folders in it that were walked, links to folders among them.
    #[serde(with = "serial::path_list")]
    pub(crate) folders: Vec<OsString>,
    /// The files of skills in it.
    pub(crate) files: Vec<FileNode>,
    /// What was noticed about other paths in it.
    #[serde(with = "stored_findings")]
    pub(crate) findings: Vec<Finding>,
    /// Real folders that hold what links among its files lead to.
    #[serde(with = "serial::path_list")]
    pub(crate) targets: Vec<PathBuf>,
}

/// One skill's file, as it was seen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FileNode {
    #[serde(with = "serial::path")]
    pub(crate) name: OsString,
    /// `None` where it must be read again in any case.
    pub(crate) stamp: Option<Stamp>,
}

/// Names that changed, by the folder they are in. A folder without names is looked at again.
pub(crate) type Dirty = HashMap<PathBuf, HashSet<OsString>>;

/// What is known from an earlier scan, and how much of it to believe.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Prior<'a> {
    /// Nothing is known.
    Nothing,
    /// What has the same stamp is the same.
    Stamps(&'a FolderTree),
    /// What is not named here is the same.
    Events(&'a FolderTree, &'a Dirty),
}

impl<'a> Prior<'a> {
    fn folder(self, path: &Path) -> Option<&'a FolderNode> {
        match self {
            Self::Nothing => None,
            Self::Stamps(tree) | Self::Events(tree, _) => tree.folder(path),
        }
    }

    /// Whether a change of this name in this folder was announced.
    pub(super) fn is_dirty(self, folder: &Path, name: &OsStr) -> bool {
        match self {
            Self::Events(_, dirty) => dirty.get(folder).is_some_and(|names| names.contains(name)),
            _ => false,
        }
    }
}

/// What a scan saw that was not known before.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// Folders that were listed. Those of which nothing is said here are as they were.
    pub(crate) folders: Vec<FolderNode>,
    /// Files that lie in no folder of the source: a source may be a single file.
    pub(crate) loose: Vec<PathBuf>,
    /// Folders that could not be entered.
    pub(crate) failed: Vec<PathBuf>,
    /// What was noticed beside the lists of folders.
    pub(crate) findings: Vec<Finding>,
    /// Whether a limit ended the scan.
    pub(crate) partial: bool,
}

/// The folders of one source as they were last seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct FolderTree {
    folders: HashMap<PathBuf, FolderNode>,
    /// Files that lie in no folder of the source.
    loose: Vec<PathBuf>,
    /// What was noticed, apart from the lists of folders.
    findings: Vec<Finding>,
    partial: bool,
}

/// What a look changed in the tree.
#[derive(Debug, Default)]
pub(crate) struct TreeChange {
    /// Files that are gone.
    pub(crate) files_gone: HashSet<PathBuf>,
    /// Folders that were listed.
    pub(crate) folders: Vec<PathBuf>,
    /// Folders that are gone.
    pub(crate) folders_gone: Vec<PathBuf>,
    /// Whether something else was noticed than before.
    pub(crate) findings: bool,
    /// Whether something can be known by another stamp now than before.
    pub(crate) stamps: bool,
}

impl FolderTree {
    /// A tree of folders that were saved.
    pub(crate) fn new(folders: Vec<FolderNode>) -> Self {
        let folders = folders.into_iter();
        Self {
            folders: folders.map(|it| (it.here.path.clone(), it)).collect(),
            ..Self::default()
        }
    }

    /// What is known of a folder.
    pub(crate) fn folder(&self, path: &Path) -> Option<&FolderNode> {
        self.folders.get(path)
    }

    /// Every folder, in no order.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &FolderNode> {
        self.folders.values()
    }

    /// Whether the file of a skill is here.
    pub(crate) fn has_file(&self, path: &Path) -> bool {
        let (folder, name) = (path.parent(), path.file_name());
        let node = folder.and_then(|folder| self.folder(folder));
        node.is_some_and(|node| node.files.iter().any(|it| Some(&*it.name) == name))
            || self.loose.iter().any(|it| it == path)
    }

    /// Whether a limit ended the last look early.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial
    }

    /// Everything that was noticed about other paths, in no order.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        let of_folders = self.folders.values().flat_map(|folder| &folder.findings);
        of_folders.chain(&self.findings)
    }

    /// Looks at the source again, hands every file that must be read to `visit`, and takes over
    /// what was seen. Of the files, what `dirty` names is read; without it, what has another stamp.
    pub(crate) fn look(
        &mut self,
        source: &DiskSource,
        request: &ScanRequest<'_>,
        dirty: Option<&Dirty>,
        visit: &Visit<'_>,
    ) -> TreeChange {
        // A scan that was cut short does not know what it did not see.
        let known = !self.partial && !self.folders.is_empty();
        let prior = match dirty {
            _ if !known => Prior::Nothing,
            None => Prior::Stamps(self),
            Some(dirty) => Prior::Events(self, dirty),
        };
        let look = source.look(request, prior, visit);
        self.apply(look, known)
    }

    fn apply(&mut self, look: Look, known: bool) -> TreeChange {
        let mut change = TreeChange::default();
        if !known {
            for (path, folder) in self.folders.drain() {
                change.files_gone.extend(paths_in(&folder));
                change.folders_gone.push(path);
            }
            change.findings = !self.findings.is_empty() || !look.findings.is_empty();
            self.findings.clear();
        }
        self.partial = look.partial;
        change.files_gone.extend(self.loose.drain(..));
        self.loose = look.loose;
        let mut fresh: HashMap<PathBuf, FolderNode> = HashMap::with_capacity(look.folders.len());
        for folder in look.folders {
            // Of one that was looked at twice in one go, the second look counts.
            fresh.insert(folder.here.path.clone(), folder);
        }
        for path in &look.failed {
            // Its folder is looked at again next time: nothing says when this one can be entered.
            let above = path.parent();
            if let Some(parent) = above.and_then(|it| fresh.get_mut(it)) {
                parent.stamp = None;
            } else if let Some(parent) = above.and_then(|it| self.folders.get_mut(it)) {
                parent.stamp = None;
            }
            if !fresh.contains_key(path) {
                self.forget(path, &mut change);
            }
        }
        self.replace(fresh, &mut change);
        for finding in look.findings {
            change.findings = true;
            let mut above = finding.path.ancestors().skip(1);
            let home = above.find(|path| self.folders.contains_key(*path));
            match home
                .map(Path::to_path_buf)
                .and_then(|it| self.folders.get_mut(&it))
            {
                Some(folder) => folder.findings.push(finding),
                None => self.findings.push(finding),
            }
        }
        change
    }

    fn replace(&mut self, fresh: HashMap<PathBuf, FolderNode>, change: &mut TreeChange) {
        let mut gone = Vec::new();
        for (path, folder) in &fresh {
            let Some(old) = self.folders.get(path) else {
                continue;
            };
            let left = old.folders.iter().filter(|it| !folder.folders.contains(it));
            gone.extend(left.map(|name| path.join(name)));
        }
        for path in gone {
            if !fresh.contains_key(&path) {
                self.forget(&path, change);
            }
        }
        for (path, folder) in fresh {
            let old = self.folders.remove(&path);
            let old_files = old.as_ref().map_or(&[][..], |old| &old.files);
            for file in old_files {
                if folder.files.iter().all(|new| new.name != file.name) {
                    change.files_gone.insert(path.join(&file.name));
                }
            }
            let before = old.as_ref().and_then(|old| old.stamp);
            change.stamps |= folder.stamp.is_some() && folder.stamp != before;
            for file in folder.files.iter().filter(|file| file.stamp.is_some()) {
                let same = |old: &FileNode| old.name == file.name && old.stamp == file.stamp;
                change.stamps |= !old_files.iter().any(same);
            }
            let before = old.as_ref().map_or(&[][..], |old| &old.findings);
            change.findings |= before != folder.findings;
            change.folders.push(path.clone());
            self.folders.insert(path, folder);
        }
    }

    /// Forgets a folder and all below it.
    fn forget(&mut self, path: &Path, change: &mut TreeChange) {
        let Some(folder) = self.folders.remove(path) else {
            return;
        };
        change.files_gone.extend(paths_in(&folder));
        change.findings |= !folder.findings.is_empty();
        for name in &folder.folders {
            self.forget(&path.join(name), change);
        }
        change.folders_gone.push(path.to_path_buf());
    }
}

fn paths_in(folder: &FolderNode) -> impl Iterator<Item = PathBuf> + '_ {
    let files = folder.files.iter();
    files.map(|file| folder.here.path.join(&file.name))
}

impl DiskSource {
    /// Looks at the source again, and tells what was not known.
    fn look(&self, request: &ScanRequest<'_>, prior: Prior<'_>, visit: &Visit<'_>) -> Look {
        if self.portable {
            self.look_with::<PortableFolder>(request, prior, visit)
        } else {
            self.look_with::<NativeFolder>(request, prior, visit)
        }
    }

    fn look_with<F: Folder>(
        &self,
        request: &ScanRequest<'_>,
        prior: Prior<'_>,
        visit: &Visit<'_>,
    ) -> Look {
        let walk = Walk::<F>::new(self, request, visit, Some(prior));
        let Prior::Events(tree, dirty) = prior else {
            return walk.run(|walk, worker| self.start(walk, worker));
        };
        let mut folders: Vec<&FolderNode> =
            dirty.keys().filter_map(|path| tree.folder(path)).collect();
        // A folder before those in it: what it leads to may be gone or new.
        folders.sort_by(|a, b| (a.here.depth, &a.here.path).cmp(&(b.here.depth, &b.here.path)));
        walk.run(|walk, worker| {
            let mut done = HashSet::new();
            for seen in folders {
                match self.open_seen::<F>(&seen.here, tree) {
                    Ok((folder, here)) => {
                        if done.insert(here.path.clone()) {
                            walk.folder(worker, folder, here);
                        }
                    }
                    Err((path, error)) => walk.lost(worker, &path, &error),
                }
            }
        })
    }

    /// Opens a folder that was seen, without following a link on the way. Where a folder above was
    /// replaced meanwhile, it is that one: a part of the new one beside the rest of the old one
    /// would be a mixture. Where one above is gone, all of it is.
    fn open_seen<F: Folder>(
        &self,
        here: &Here,
        tree: &FolderTree,
    ) -> Result<(F, Here), (PathBuf, io::Error)> {
        let at = |path: &Path| {
            let path = path.to_path_buf();
            move |error: io::Error| (path, error)
        };
        if let Some(location) = &here.location {
            let folder = open_located(location).map_err(at(&here.path))?;
            return Ok((folder, here.clone()));
        }
        let missing = || at(&here.path)(io::ErrorKind::NotFound.into());
        let below = here.path.strip_prefix(&self.origin.root);
        let below = below.map_err(|_| missing())?;
        let mut path = self.origin.root.clone();
        let mut folder = F::open(self.real_root().ok_or_else(missing)?).map_err(at(&path))?;
        for name in [None].into_iter().chain(below.iter().map(Some)) {
            if let Some(name) = name {
                path.push(name);
                folder = folder.child(name).map_err(at(&path))?;
            }
            let known = tree.folder(&path);
            if let Some(known) = known
                && known.place != place(folder.own_stamp())
            {
                return Ok((folder, known.here.replaced()));
            }
        }
        Ok((folder, here.clone()))
    }
}

impl<F: Folder> Walk<'_, F> {
    /// Walks the folder where a scan begins.
    pub(super) fn root(&self, worker: &mut Worker, folder: F, here: Here) {
        let known = self.prior.and_then(|it| it.folder(&here.path));
        match known {
            Some(known) if self.same_here(&folder, known) => self.children(worker, &folder, known),
            _ => self.folder(worker, folder, here),
        }
    }

    /// Whether a folder in the one at hand is known; then nothing of it is listed or read but
    /// what changed.
    pub(super) fn is_known(
        &self,
        worker: &mut Worker,
        parent: &F,
        here: &Here,
        (path, name): (&Path, &OsStr),
        replaced: bool,
    ) -> bool {
        let Some(prior) = self.prior else {
            return false;
        };
        let Some(known) = prior.folder(path) else {
            return false;
        };
        // A folder that became part of a skill, or ceased to be, is another thing now.
        if known.here.inside != here.inside || known.here.location.is_some() {
            return false;
        }
        match prior {
            Prior::Events(..) if !replaced => true,
            _ => self.checked(worker, parent, &mut PathBuf::from(name), known),
        }
    }

    /// Whether a folder is as it was; then what changed below it is read.
    fn checked(
        &self,
        worker: &mut Worker,
        base: &F,
        below: &mut PathBuf,
        known: &FolderNode,
    ) -> bool {
        // A folder full of skills may be swapped for another while we look. What is seen through
        // one open folder is of one kind; a look by its name could see some of both.
        let holds_skills = known.files.is_empty() && !known.folders.is_empty();
        if holds_skills && let Ok(folder) = open_below(base, below) {
            let same = self.same_here(&folder, known);
            if same {
                self.check_children(worker, &folder, &mut PathBuf::new(), known);
            } else {
                self.folder(worker, folder, known.here.replaced());
            }
            return true;
        }
        let same = self.same(base, below, known);
        if same {
            self.check_children(worker, base, below, known);
        }
        same
    }

    /// Looks at the folders in one that is as it was.
    fn children(&self, worker: &mut Worker, folder: &F, known: &FolderNode) {
        self.check_children(worker, folder, &mut PathBuf::new(), known);
    }

    fn check_children(
        &self,
        worker: &mut Worker,
        base: &F,
        below: &mut PathBuf,
        known: &FolderNode,
    ) {
        for name in &known.folders {
            let path = known.here.path.join(name);
            let Some(child) = self.prior.and_then(|it| it.folder(&path)) else {
                continue;
            };
            below.push(name);
            if !self.checked(worker, base, below, child) {
                match open_below(base, below) {
                    Ok(folder) => self.folder(worker, folder, child.here.replaced()),
                    Err(error) => self.lost(worker, &path, &error),
                }
            }
            below.pop();
        }
    }

    /// Whether a folder and the skills in it have the stamps they had.
    fn same(&self, base: &F, below: &mut PathBuf, known: &FolderNode) -> bool {
        let Some(stamp) = known.stamp else {
            return false;
        };
        base.stamp_below(below) == Some((Kind::Folder, stamp))
            && self.same_files(base, below, known)
    }

    /// The same for a folder that is open.
    fn same_here(&self, folder: &F, known: &FolderNode) -> bool {
        known.stamp.is_some()
            && folder.own_stamp() == known.stamp
            && self.same_files(folder, &mut PathBuf::new(), known)
    }

    #[expect(clippy::unused_self, reason = "it belongs to the walk")]
    fn same_files(&self, base: &F, below: &mut PathBuf, known: &FolderNode) -> bool {
        known.files.iter().all(|file| {
            below.push(&file.name);
            let found = file
                .stamp
                .is_some_and(|stamp| base.stamp_below(below) == Some((Kind::File, stamp)));
            below.pop();
            found
        })
    }

    /// Takes over a file that is as it was; says whether it is.
    pub(super) fn is_unchanged(
        &self,
        worker: &mut Worker,
        folder: &F,
        here: &Here,
        name: &OsStr,
    ) -> bool {
        let Some(prior) = self.prior else {
            return false;
        };
        if prior.is_dirty(&here.path, name) {
            return false;
        }
        let files = prior.folder(&here.path).map(|known| &known.files);
        let file = files
            .into_iter()
            .flatten()
            .find(|file| file.name == name && file.stamp.is_some());
        let Some(file) = file else {
            return false;
        };
        let found = folder.stamp_below(Path::new(name));
        if found != file.stamp.map(|stamp| (Kind::File, stamp)) {
            return false;
        }
        worker.files.push(file.clone());
        true
    }

    /// Keeps what there is to know of a file for the next scan.
    pub(super) fn remember_file(
        &self,
        worker: &mut Worker,
        path: &Path,
        (name, kind): (&OsStr, Kind),
        facts: Option<&Facts>,
    ) {
        let stamp = facts
            .filter(|_| kind != Kind::Link)
            .and_then(|facts| facts.stamp?.settled(self.now, self.request.limits.settle));
        if kind == Kind::Link {
            // What the link leads to may change while the link stays.
            let target = real_path(path).ok();
            worker
                .targets
                .extend(target.and_then(|target| Some(target.parent()?.to_path_buf())));
        }
        worker.files.push(FileNode {
            name: name.to_os_string(),
            stamp,
        });
    }

    /// Keeps what was seen of a folder for the next scan.
    pub(super) fn remember(
        &self,
        worker: &mut Worker,
        stamp: Option<Stamp>,
        here: &Here,
        (folders, links): (&[OsString], &[OsString]),
        mark: usize,
    ) {
        let settled = !worker.unsettled && links.is_empty();
        worker.unsettled = false;
        let seen = FolderNode {
            place: place(stamp),
            stamp: stamp
                .filter(|_| settled)
                .and_then(|stamp| stamp.settled(self.now, self.request.limits.settle)),
            here: Here {
                replaced: false,
                ..here.clone()
            },
            folders: folders.iter().chain(links).cloned().collect(),
            files: std::mem::take(&mut worker.files),
            findings: worker.look.findings.split_off(mark),
            targets: std::mem::take(&mut worker.targets),
        };
        worker.look.folders.push(seen);
    }

    /// Reports a folder that could not be entered; one that is gone needs no word.
    pub(super) fn lost(&self, worker: &mut Worker, path: &Path, error: &io::Error) {
        if self.prior.is_some() {
            worker.look.failed.push(path.to_path_buf());
        }
        if error.kind() != io::ErrorKind::NotFound {
            self.unreadable(worker, path, error);
        }
    }
}

/// What tells one folder from another that takes its name.
fn place(stamp: Option<Stamp>) -> Option<(u64, u64)> {
    stamp.map(|stamp| (stamp.device, stamp.inode))
}

fn open_below<F: Folder>(base: &F, below: &Path) -> io::Result<F> {
    let mut parts = below.iter();
    let first = parts.next().ok_or(io::ErrorKind::InvalidInput)?;
    parts.try_fold(base.child(first)?, |folder, name| folder.child(name))
}
