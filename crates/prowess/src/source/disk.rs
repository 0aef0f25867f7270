//! Folders and files on disk. Nothing else in this crate opens a skill's file.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess_format::rules;

use self::{
    handle::{Folder, NativeFolder},
    portable::PortableFolder,
    tree::Look,
    walk::{Here, Visit, Walk, Worker},
};
use super::{Layout, Origin, Scan, ScanRequest, Scope, SkillFile, Source, within};
use crate::display::display_path;

pub(crate) mod handle;
pub(crate) mod inside;
mod names;
mod open;
mod portable;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
#[cfg(unix)]
mod unix;
pub(crate) mod walk;

/// A folder with skills, a single skill's folder, or a single file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskSource {
    origin: Arc<Origin>,
    layout: Layout,
    allowed: Vec<PathBuf>,
    portable: bool,
}

impl DiskSource {
    /// Creates a source for a place that was named: explicit, and laid out in folders.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let real_root = real_path(&root).ok();
        Self {
            origin: Arc::new(Origin {
                real_root,
                ..Origin::new(Scope::Explicit, "dir", root)
            }),
            layout: Layout::Folder,
            allowed: Vec::new(),
            portable: false,
        }
    }

    /// Sets how near the place is.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        Arc::make_mut(&mut self.origin).scope = scope;
        self
    }

    /// Sets the short word for the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.origin).label = label.into();
        self
    }

    /// Sets how skills are laid out below the root.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Names the repository around the root, in which links may lead anywhere.
    #[must_use]
    pub fn repository(mut self, repository: Option<PathBuf>) -> Self {
        Arc::make_mut(&mut self.origin).repository = repository;
        self
    }

    /// Allows links to lead into this folder.
    #[must_use]
    pub fn allow(mut self, folder: impl AsRef<Path>) -> Self {
        self.allowed.extend(real_path(folder.as_ref()));
        self
    }

    /// Allows links to lead into these folders, which are absolute and without links, where they do
    /// not lie in this one anyway.
    pub(crate) fn allow_places(mut self, places: &[PathBuf]) -> Self {
        let own = self.origin.real_root.clone();
        let others = places.iter().filter(|it| Some(*it) != own.as_ref());
        self.allowed.extend(others.cloned());
        self
    }

    /// Opens files by path, as on platforms without folder handles. For tests of that way.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn portable(mut self, portable: bool) -> Self {
        self.portable = portable;
        self
    }

    /// Whether stamps tell all there is to know: it is a folder, on a platform that has them.
    pub(crate) fn can_be_cached(&self) -> bool {
        cfg!(unix) && self.real_root().is_some_and(is_folder)
    }

    /// The place, absolute and without links; `None` where it is not there.
    pub fn real_root(&self) -> Option<&Path> {
        self.origin.real_root.as_deref()
    }
}

impl Source for DiskSource {
    fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    fn scan(&self, request: &ScanRequest<'_>, visit: &(dyn Fn(SkillFile<'_>) + Sync)) -> Scan {
        let look = if self.portable {
            self.walk::<PortableFolder>(request, visit)
        } else {
            self.walk::<NativeFolder>(request, visit)
        };
        Scan {
            findings: look.findings,
            partial: look.partial,
        }
    }

    fn as_disk(&self, _: within::Crate) -> Option<&DiskSource> {
        Some(self)
    }
}

impl DiskSource {
    fn walk<F: Folder>(&self, request: &ScanRequest<'_>, visit: &Visit<'_>) -> Look {
        Walk::<F>::new(self, request, visit, None).run(|walk, worker| self.start(walk, worker))
    }

    /// Opens the root: a folder, a single file, or nothing.
    fn start<F: Folder>(&self, walk: &Walk<'_, F>, worker: &mut Worker) {
        let root = &self.origin.root;
        let Some(real) = self.real_root() else {
            return match real_path(root) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    walk.unreadable(worker, root, &error);
                }
                _ => self.report_missing(walk, worker),
            };
        };
        if self.is_refused() {
            return worker.push(root, open::outside(root, real));
        }
        let mut here = Here::root(root.clone());
        if is_folder(real) {
            match F::open(real) {
                Ok(folder) => walk.root(worker, folder, here),
                Err(error) => walk.unreadable(worker, root, &error),
            }
        } else if let (Some(parent), Some(name)) = (real.parent(), real.file_name()) {
            here.path = root.parent().map(Path::to_path_buf).unwrap_or_default();
            match F::open(parent) {
                Ok(folder) => walk.named_file(worker, &folder, &here, name),
                Err(error) => walk.unreadable(worker, root, &error),
            }
        }
    }

    /// Whether the root is a link that may not be followed. A user's own folder may be a link to
    /// anywhere. A project's may not: the project did not ask the user.
    fn is_refused(&self) -> bool {
        let Some(real) = self.real_root() else {
            return false;
        };
        let inside = |place: &PathBuf| real.starts_with(place);
        let around = self.origin.repository.iter();
        self.origin.scope == Scope::Project
            && !around.chain(&self.allowed).any(inside)
            && is_link(&self.origin.root)
    }

    /// Only a place that somebody named is missed.
    fn report_missing<F: Folder>(&self, walk: &Walk<'_, F>, worker: &mut Worker) {
        let root = &self.origin.root;
        if self.origin.scope == Scope::Explicit {
            walk.report(
                worker,
                &rules::missing_folder::RULE,
                root,
                format!("`{}` is not there", display_path(root)),
                "check the spelling",
            );
        }
    }
}

/// The path, absolute and without links.
#[expect(clippy::disallowed_methods, reason = "the disk source asks the disk")]
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Whether something is there, link or not.
#[expect(clippy::disallowed_methods, reason = "the disk source asks the disk")]
pub(crate) fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

#[expect(clippy::disallowed_methods, reason = "the disk source asks the disk")]
pub(crate) fn is_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

#[expect(clippy::disallowed_methods, reason = "the disk source asks the disk")]
fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Reads a regular file of at most `limit` bytes, without following a link.
pub(crate) fn read_file(path: &Path, limit: usize) -> Option<Vec<u8>> {
    let mut buffers = handle::Buffers::default();
    let folder = NativeFolder::open(path.parent()?).ok()?;
    let facts = folder.read(path.file_name()?, limit, &mut buffers).ok()?;
    Some(buffers.bytes(facts.size as usize).to_vec())
}
