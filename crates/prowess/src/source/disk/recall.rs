//! A walk that knows what an earlier one saw: it looks at stamps, and reads what differs.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

use super::{
    DiskSource,
    handle::{Facts, Folder, Kind, NativeFolder},
    ignored::is_ignored,
    link::open_located,
    portable::PortableFolder,
    real_path,
    seen::{FileSeen, FolderSeen, Look, Stamp, Trusting},
    walk::{Here, Visit, Walk, Worker},
};
use crate::{source::ScanRequest, survey::Survey};

impl DiskSource {
    /// Looks at the source again, and tells what was not known.
    pub(crate) fn look(
        &self,
        request: &ScanRequest<'_>,
        trusting: Trusting<'_>,
        visit: &Visit<'_>,
    ) -> Look {
        if self.portable {
            self.look_with::<PortableFolder>(request, trusting, visit)
        } else {
            self.look_with::<NativeFolder>(request, trusting, visit)
        }
    }

    fn look_with<F: Folder>(
        &self,
        request: &ScanRequest<'_>,
        trusting: Trusting<'_>,
        visit: &Visit<'_>,
    ) -> Look {
        let walk = Walk::<F>::new(self, request, visit, Some(trusting));
        let Trusting::Events(survey, dirty) = trusting else {
            return walk.run(|walk, worker| self.start(walk, worker));
        };
        let mut folders: Vec<&FolderSeen> = dirty
            .keys()
            .filter_map(|path| survey.folder(path))
            .collect();
        // A folder before those in it: what it leads to may be gone or new.
        folders.sort_by(|a, b| (a.here.depth, &a.here.path).cmp(&(b.here.depth, &b.here.path)));
        walk.run(|walk, worker| {
            let mut done = HashSet::new();
            for seen in folders {
                match self.open_seen::<F>(&seen.here, survey) {
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
        survey: &Survey,
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
            let known = survey.folder(&path);
            if let Some(known) = known
                && known.place != place(folder.own_stamp())
            {
                return Ok((folder, known.here.replaced()));
            }
        }
        Ok((folder, here.clone()))
    }

    /// Looks at stamps below the root; `None` where that is not there or may not be followed.
    pub(crate) fn stamps(&self) -> Option<Stamps> {
        let root = self
            .real_root()
            .filter(|_| !self.portable && !self.is_refused())?;
        NativeFolder::open(root).ok().map(Stamps)
    }
}

/// The root of a source, to look at stamps below it and at nothing else.
pub(crate) struct Stamps(NativeFolder);

impl Stamps {
    /// Whether this lies at a path from the root, with this stamp.
    #[cfg(unix)]
    pub(crate) fn is(&self, path: &[u8], kind: Kind, stamp: Option<Stamp>) -> bool {
        let path = Path::new(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path));
        let found = if path.as_os_str().is_empty() {
            self.0.own_stamp().map(|stamp| (Kind::Folder, stamp))
        } else {
            self.0.stamp_below(path)
        };
        stamp.is_some() && found == stamp.map(|stamp| (kind, stamp))
    }

    #[cfg(not(unix))]
    pub(crate) fn is(&self, _path: &[u8], _kind: Kind, _stamp: Option<Stamp>) -> bool {
        let _ = &self.0;
        false
    }
}

impl<F: Folder> Walk<'_, F> {
    /// Walks the folder where a scan begins.
    pub(super) fn root(&self, worker: &mut Worker<'_>, folder: F, here: Here) {
        let known = self.trusting.and_then(|it| it.folder(&here.path));
        match known {
            Some(known) if self.same_here(&folder, known) => self.children(worker, &folder, known),
            _ => self.folder(worker, folder, here),
        }
    }

    /// Whether a folder in the one at hand is known; then nothing of it is listed or read but
    /// what changed.
    pub(super) fn is_known(
        &self,
        worker: &mut Worker<'_>,
        parent: &F,
        here: &Here,
        (path, name): (&Path, &OsStr),
        replaced: bool,
    ) -> bool {
        let Some(trusting) = self.trusting else {
            return false;
        };
        let Some(known) = trusting.folder(path) else {
            return false;
        };
        // A folder that became part of a skill, or ceased to be, is another thing now.
        if known.here.inside != here.inside || known.here.location.is_some() {
            return false;
        }
        match trusting {
            Trusting::Events(..) if !replaced => true,
            _ => self.checked(worker, parent, &mut PathBuf::from(name), known),
        }
    }

    /// Whether a folder is as it was; then what changed below it is read.
    fn checked(
        &self,
        worker: &mut Worker<'_>,
        base: &F,
        below: &mut PathBuf,
        known: &FolderSeen,
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
    fn children(&self, worker: &mut Worker<'_>, folder: &F, known: &FolderSeen) {
        self.check_children(worker, folder, &mut PathBuf::new(), known);
    }

    fn check_children(
        &self,
        worker: &mut Worker<'_>,
        base: &F,
        below: &mut PathBuf,
        known: &FolderSeen,
    ) {
        for name in &known.folders {
            let path = known.here.path.join(name);
            let Some(child) = self.trusting.and_then(|it| it.folder(&path)) else {
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
    fn same(&self, base: &F, below: &mut PathBuf, known: &FolderSeen) -> bool {
        let Some(stamp) = known.stamp else {
            return false;
        };
        base.stamp_below(below) == Some((Kind::Folder, stamp))
            && self.same_files(base, below, known)
    }

    /// The same for a folder that is open.
    fn same_here(&self, folder: &F, known: &FolderSeen) -> bool {
        known.stamp.is_some()
            && folder.own_stamp() == known.stamp
            && self.same_files(folder, &mut PathBuf::new(), known)
    }

    #[expect(clippy::unused_self, reason = "it belongs to the walk")]
    fn same_files(&self, base: &F, below: &mut PathBuf, known: &FolderSeen) -> bool {
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
        worker: &mut Worker<'_>,
        folder: &F,
        here: &Here,
        name: &OsStr,
    ) -> bool {
        let Some(trusting) = self.trusting else {
            return false;
        };
        if trusting.is_dirty(&here.path, name) {
            return false;
        }
        let files = trusting.folder(&here.path).map(|known| &known.files);
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
        worker: &mut Worker<'_>,
        path: &Path,
        (name, kind): (&OsStr, Kind),
        facts: Option<&Facts>,
    ) {
        let stamp = facts
            .filter(|_| kind != Kind::Link)
            .and_then(|facts| facts.stamp?.settled(self.now));
        if kind == Kind::Link {
            // What the link leads to may change while the link stays.
            let target = real_path(path).ok();
            worker
                .targets
                .extend(target.and_then(|target| Some(target.parent()?.to_path_buf())));
        }
        worker.files.push(FileSeen {
            name: name.to_os_string(),
            stamp,
            skill: None,
        });
    }

    /// Keeps what was seen of a folder for the next scan.
    pub(super) fn remember(
        &self,
        worker: &mut Worker<'_>,
        stamp: Option<Stamp>,
        here: &Here,
        (folders, links): (&[OsString], &[OsString]),
        mark: usize,
    ) {
        let ignores = folders.iter().any(|name| is_ignored(name));
        let settled = !worker.unsettled && links.is_empty() && !ignores;
        let walked = folders.iter().filter(|name| !is_ignored(name));
        worker.unsettled = false;
        let seen = FolderSeen {
            place: place(stamp),
            stamp: stamp
                .filter(|_| settled)
                .and_then(|stamp| stamp.settled(self.now)),
            here: Here {
                replaced: false,
                ..here.clone()
            },
            folders: walked.chain(links).cloned().collect(),
            files: std::mem::take(&mut worker.files),
            findings: worker.look.findings.split_off(mark),
            targets: std::mem::take(&mut worker.targets),
        };
        worker.look.folders.push(seen);
    }

    /// Tells of a folder that could not be entered; one that is gone needs no word.
    pub(super) fn lost(&self, worker: &mut Worker<'_>, path: &Path, error: &io::Error) {
        if self.trusting.is_some() {
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
