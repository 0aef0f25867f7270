//! Links: followed while they stay where the user expects skills to be, refused beyond.

use std::{
    ffi::OsStr,
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use prowess_format::{Diagnostic, rules};

use super::{
    DiskSource,
    handle::{Facts, Folder, ReadFault},
    is_folder, real_path,
    walk::{Here, Walk, Worker},
};
use crate::{
    display::display_path,
    source::{Location, refusal},
};

impl DiskSource {
    /// The folders links may lead into: the root, its repository, and what the user allowed.
    fn anchors(&self) -> impl Iterator<Item = &Path> {
        self.real_root()
            .into_iter()
            .chain(self.origin.repository.as_deref())
            .chain(self.allowed.iter().map(PathBuf::as_path))
    }

    /// A real path, told from the folder that allows it; `None` where none does.
    pub(super) fn locate(&self, target: &Path) -> Option<Location> {
        self.anchors().find_map(|anchor| {
            Some(Location {
                anchor: Arc::from(anchor),
                below: target.strip_prefix(anchor).ok()?.to_path_buf(),
            })
        })
    }
}

/// Opens a folder that was located. Every step starts at an open folder and refuses links, so
/// the way cannot be bent after it was checked.
pub(crate) fn open_located<F: Folder>(location: &Location) -> io::Result<F> {
    let mut folder = F::open(&location.anchor)?;
    for part in location.below.components() {
        match part {
            Component::Normal(name) => folder = folder.child(name)?,
            Component::CurDir => {}
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    Ok(folder)
}

/// Why a link is not followed.
enum Refused {
    /// Its target is missing.
    Broken(io::Error),
    /// Its target lies outside.
    Outside(PathBuf),
}

impl<F: Folder> Walk<'_, F> {
    fn resolve(&self, link: &Path) -> Result<(PathBuf, Location), Refused> {
        let target = real_path(link).map_err(Refused::Broken)?;
        match self.source.locate(&target) {
            Some(location) => Ok((target, location)),
            None => Err(Refused::Outside(target)),
        }
    }

    /// Reads the file a link leads to, while that stays inside.
    pub(super) fn follow_file(
        &self,
        worker: &mut Worker,
        link: &Path,
    ) -> Result<Facts, Option<Box<Diagnostic>>> {
        let (target, mut location) = self
            .resolve(link)
            .map_err(|refused| Some(Box::new(explain(link, &refused))))?;
        let limit = self.request.limits.file_bytes;
        let name = target.file_name().unwrap_or_default();
        location.below.pop();
        open_located::<F>(&location)
            .map_err(ReadFault::Io)
            .and_then(|folder| folder.read(name, limit, &mut worker.buffers))
            .map_err(|fault| self.explain(link, fault).map(Box::new))
    }

    /// Walks the folder a link leads to, while that stays inside and is not walked already.
    pub(super) fn follow_folder(&self, worker: &mut Worker, here: &Here, name: &OsStr) {
        // A skill's own files may be links to anything; they are looked at when they are read.
        if here.inside.is_some() {
            return;
        }
        let link = here.path.join(name);
        match self.resolve(&link) {
            Ok((target, location)) => {
                let Ok(folder) = open_located::<F>(&location) else {
                    return;
                };
                let mut hops = here.hops.clone();
                hops.extend(real_path(&here.path));
                if hops.iter().any(|hop| hop.starts_with(&target)) {
                    self.tell_loop(worker, &link, &target);
                } else if hops.len() > self.request.limits.links
                    || here.depth >= self.request.limits.depth
                {
                    self.too_deep(worker, &link);
                } else {
                    let here = Here {
                        path: link,
                        depth: here.depth + 1,
                        inside: None,
                        hops,
                        location: Some(location),
                        replaced: true,
                    };
                    self.folder(worker, folder, here);
                }
            }
            // A link to a single file is no skill; one to a missing file may have been.
            Err(Refused::Outside(target)) if !is_folder(&target) => {}
            Err(refused) => {
                let diagnostic = explain(&link, &refused);
                worker.push(&link, diagnostic);
            }
        }
    }

    fn tell_loop(&self, worker: &mut Worker, link: &Path, target: &Path) {
        self.tell(
            worker,
            &rules::link_loop::RULE,
            link,
            format!(
                "`{}` leads back to `{}`, which is already being searched",
                display_path(link),
                display_path(target)
            ),
            "remove the link",
        );
    }
}

/// Says that a link leads outside.
pub(super) fn outside(link: &Path, target: &Path) -> Diagnostic {
    explain(link, &Refused::Outside(target.to_path_buf()))
}

/// The folder whose links would have to be allowed: a linked file lies in it, a linked folder is it.
fn to_allow<'a>(link: &Path, target: &'a Path) -> &'a Path {
    let is_file = link
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    target.parent().filter(|_| is_file).unwrap_or(target)
}

fn explain(link: &Path, refused: &Refused) -> Diagnostic {
    let shown = display_path(link);
    match refused {
        Refused::Broken(error) => refusal(
            &rules::broken_link::RULE,
            format!("the link `{shown}` leads nowhere: {error}"),
            "point it at the skill again, or remove it",
        ),
        Refused::Outside(target) => refusal(
            &rules::symlink_outside::RULE,
            format!(
                "the link `{shown}` leads outside, to `{}`, and is not followed",
                display_path(target)
            ),
            format!(
                "allow links into `{}`, or copy the skill here",
                display_path(to_allow(link, target))
            ),
        ),
    }
}
