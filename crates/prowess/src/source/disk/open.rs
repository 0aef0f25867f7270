//! From a name in a folder to a skill file: which file counts, its bytes, or why there are none.
//!
//! Links are followed while they stay where the user expects skills to be, and refused beyond. What
//! was checked cannot be swapped before it is used (TOCTOU): every step from the folder that allows
//! a link opens one name in a folder that is already open, as `openat` does, and refuses links.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use prowess_format::{Diagnostic, rules};

use super::{
    DiskSource,
    handle::{Buffers, Facts, Folder, Kind, ReadFault},
    is_folder,
    names::{SKILL_FILE, is_convention},
    real_path,
    walk::{Here, Walk, Worker},
};
use crate::{
    display::{display_path, display_text},
    source::{Layout, Location, SkillFile, note, refusal},
};

/// So many Markdown files beside skill folders are looked at; a folder with more holds something
/// else.
const LOOSE_FILES: usize = 100;

impl<F: Folder> Walk<'_, F> {
    /// Reads the folder's own skill; says whether there is one.
    pub(super) fn skills(
        &self,
        worker: &mut Worker,
        folder: &F,
        here: &Here,
        mut names: Vec<(OsString, Kind)>,
    ) -> bool {
        // A file before something else, the exact name before another spelling.
        names.sort_by_key(|(name, kind)| {
            let is_file = matches!(kind, Kind::File | Kind::Link);
            (!is_file, name != SKILL_FILE, name.clone())
        });
        let mut names = names.into_iter();
        let Some((name, kind)) = names.next() else {
            return false;
        };
        if let Some(skill) = &here.inside {
            self.report_nested(worker, skill, &here.path.join(&name));
            return false;
        }
        for (other, _) in names {
            let path = here.path.join(&other);
            self.report(
                worker,
                &rules::file_name::RULE,
                &path,
                format!(
                    "`{}` is passed over: `{}` beside it is the skill's file",
                    display_path(&path),
                    display_text(&name.to_string_lossy())
                ),
                "remove one of the two",
            );
        }
        let mut notes = Vec::new();
        if name != SKILL_FILE {
            notes.extend(note(
                &rules::file_name::RULE,
                self.request.profile,
                format!(
                    "most clients do not find `{}`",
                    display_text(&name.to_string_lossy())
                ),
                "rename the file to `SKILL.md`",
            ));
        }
        self.skill(worker, folder, here, (&name, kind), Layout::Folder, notes)
    }

    /// Reads the single files the layout asks for.
    pub(super) fn files(
        &self,
        worker: &mut Worker,
        folder: &F,
        here: &Here,
        names: Vec<(OsString, Kind)>,
    ) {
        if here.inside.is_some() {
            return;
        }
        match self.source.layout {
            // What waits for trust is not opened, not even to see how it starts.
            Layout::Folder if !self.request.gate.is_open() => {}
            Layout::Folder => {
                for (name, kind) in names.into_iter().take(LOOSE_FILES) {
                    if kind == Kind::File {
                        self.report_loose(worker, folder, &here.path.join(&name), &name);
                    }
                }
            }
            layout => {
                for (name, kind) in names {
                    self.skill(worker, folder, here, (&name, kind), layout, Vec::new());
                }
            }
        }
    }

    /// Reads the single file the source names.
    pub(super) fn named_file(&self, worker: &mut Worker, folder: &F, here: &Here, name: &OsStr) {
        if super::names::is_skill_file(name) {
            self.skills(
                worker,
                folder,
                here,
                vec![(name.to_os_string(), Kind::File)],
            );
        } else {
            let layout = if is_convention(name, true) {
                Layout::Convention
            } else {
                Layout::Flat
            };
            self.skill(worker, folder, here, (name, Kind::File), layout, Vec::new());
        }
    }

    /// Reads one file and hands it on; says whether it was there.
    fn skill(
        &self,
        worker: &mut Worker,
        folder: &F,
        here: &Here,
        (name, kind): (&OsStr, Kind),
        layout: Layout,
        mut notes: Vec<Diagnostic>,
    ) -> bool {
        if kind == Kind::File && self.is_unchanged(worker, folder, here, name) {
            return true;
        }
        let path = here.path.join(name);
        let limit = self.request.limits.file_bytes;
        let outcome = match kind {
            _ if !self.may_open(here, name, layout) => Err(Some(Box::new(unopened(&path)))),
            Kind::Link => self.follow_file(worker, &path),
            _ => read_patiently(folder, name, limit, &mut worker.buffers)
                .map_err(|fault| self.explain(&path, fault).map(Box::new)),
        };
        if self.prior.is_some() {
            let facts = outcome.as_ref().ok();
            self.remember_file(worker, &path, (name, kind), facts);
        }
        let (contents, last_modified) = match outcome {
            Ok(facts) => {
                self.note_facts(&path, facts, &mut notes);
                let bytes = worker.buffers.bytes(facts.size as usize);
                (Ok(bytes), Some(facts.modified))
            }
            Err(Some(reason)) => (Err(*reason), None),
            Err(None) => {
                // It was listed and is gone: the list is out of date.
                worker.unsettled = true;
                worker.files.pop();
                return false;
            }
        };
        (self.visit)(SkillFile {
            origin: &self.source.origin,
            path,
            layout,
            contents,
            last_modified,
            notes,
            location: here.location.clone(),
            id: None,
        });
        true
    }

    /// Whether the skill may be opened, by its real path.
    fn may_open(&self, here: &Here, name: &OsStr, layout: Layout) -> bool {
        let gate = self.request.gate;
        gate.is_open()
            || self.real_path(here).is_some_and(|folder| {
                gate.admits(&if layout == Layout::Folder {
                    folder
                } else {
                    folder.join(name)
                })
            })
    }

    /// Says why a file was not read; `None` for one that was gone before it could be.
    pub(super) fn explain(&self, path: &Path, fault: ReadFault) -> Option<Diagnostic> {
        let file = display_path(path);
        Some(match fault {
            ReadFault::Io(error) if error.kind() == io::ErrorKind::NotFound => return None,
            ReadFault::Io(error) => refusal(
                &rules::unreadable_file::RULE,
                format!("`{file}` cannot be read: {error}"),
                "give yourself the right to read it",
            ),
            ReadFault::Unsteady => refusal(
                &rules::unreadable_file::RULE,
                format!("`{file}` changes faster than it can be read"),
                "try again when nothing writes to it",
            ),
            ReadFault::NotRegular(what) => refusal(
                &rules::not_regular_file::RULE,
                format!("`{file}` is {what}, not a file with text"),
                "put a regular file in its place",
            ),
            ReadFault::Link => refusal(
                &rules::symlink_outside::RULE,
                format!("`{file}` became a link while it was read, and is not followed"),
                "try again when nothing writes to it",
            ),
            ReadFault::TooLarge(size) => refusal(
                &rules::file_too_large::RULE,
                format!(
                    "`{file}` has {size} bytes and is not read: the limit is {}",
                    self.request.limits.file_bytes
                ),
                "move most of the text into `references/`",
            ),
        })
    }

    fn note_facts(&self, path: &Path, facts: Facts, notes: &mut Vec<Diagnostic>) {
        let profile = self.request.profile;
        if facts.foreign {
            notes.extend(note(
                &rules::hard_link::RULE,
                profile,
                format!(
                    "`{}` belongs to someone else and can be changed under another name",
                    display_path(path)
                ),
                "replace it by a copy of your own",
            ));
        }
        if facts.size > self.request.limits.large_file_bytes as u64 {
            notes.extend(note(
                &rules::large_file::RULE,
                profile,
                format!(
                    "`{}` has {} bytes, far more than other skills",
                    display_path(path),
                    facts.size
                ),
                "move most of the text into `references/`",
            ));
        }
    }

    fn report_nested(&self, worker: &mut Worker, skill: &Path, path: &Path) {
        self.report(
            worker,
            &rules::nested_skill::RULE,
            path,
            format!(
                "`{}` is a file of the skill in `{}`, not a skill of its own",
                display_path(path),
                display_path(skill)
            ),
            "move it below a folder called `skills` to offer it on its own",
        );
    }

    /// Reports files that were probably meant to be the folder's skill.
    pub(super) fn report_misnamed(&self, worker: &mut Worker, here: &Here, names: &[OsString]) {
        if here.inside.is_some() || self.source.layout == Layout::Convention {
            return;
        }
        for name in names {
            let path = here.path.join(name);
            self.report(
                worker,
                &rules::file_name::RULE,
                &path,
                format!(
                    "`{}` is not loaded: the file of a skill is called `SKILL.md`",
                    display_path(&path)
                ),
                "rename the file to `SKILL.md`",
            );
        }
    }

    /// Reports a Markdown file with frontmatter that lies beside skill folders.
    fn report_loose(&self, worker: &mut Worker, folder: &F, path: &Path, name: &OsStr) {
        let starts_with_fence = folder
            .read_at(name, 0, 3)
            .is_ok_and(|(start, _)| start == b"---" || start == b"+++");
        if starts_with_fence {
            self.report(
                worker,
                &rules::loose_file::RULE,
                path,
                format!(
                    "`{}` is not loaded: a skill has a folder of its own",
                    display_path(path)
                ),
                format!(
                    "move it to `{}`",
                    display_path(&path.with_extension("").join(SKILL_FILE))
                ),
            );
        }
    }
}

/// Says that a file waits for trust.
fn unopened(path: &Path) -> Diagnostic {
    refusal(
        &rules::untrusted::RULE,
        format!("`{}` is not opened: it is not trusted", display_path(path)),
        "look at it, then trust it",
    )
}

/// Reads a file. One that is replaced while we look is there again a moment later, or gone for good.
fn read_patiently<F: Folder>(
    folder: &F,
    name: &OsStr,
    limit: usize,
    buffers: &mut Buffers,
) -> Result<Facts, ReadFault> {
    match folder.read(name, limit, buffers) {
        Err(ReadFault::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
            folder.read(name, limit, buffers)
        }
        outcome => outcome,
    }
}

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

/// Opens a folder that was located, step by step, so that the way cannot be bent after it was
/// checked.
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
            .map_err(|refused| Some(Box::new(explain_link(link, &refused))))?;
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
        if self.is_out_of_time(worker) {
            return;
        }
        let link = here.path.join(name);
        match self.resolve(&link) {
            Ok((target, location)) => {
                let Ok(folder) = open_located::<F>(&location) else {
                    return;
                };
                let mut hops = here.hops.clone();
                hops.extend(self.real_path(here));
                if hops.iter().any(|hop| hop.starts_with(&target)) {
                    self.report_loop(worker, &link, &target);
                } else if hops.len() > self.request.limits.links
                    || here.depth >= self.request.limits.depth
                {
                    self.too_deep(worker, &link);
                } else {
                    let again = !self.reaches_first(&target);
                    if again && !here.hops.is_empty() {
                        return self.report_reached(worker, &link, &target);
                    }
                    let here = Here {
                        path: link,
                        depth: here.depth + 1,
                        inside: None,
                        hops,
                        location: Some(location),
                        again,
                        replaced: true,
                    };
                    self.folder(worker, folder, here);
                }
            }
            // A link to a single file is no skill; one to a missing file may have been.
            Err(Refused::Outside(target)) if !is_folder(&target) => {}
            Err(refused) => {
                let diagnostic = explain_link(&link, &refused);
                worker.push(&link, diagnostic);
            }
        }
    }

    fn report_loop(&self, worker: &mut Worker, link: &Path, target: &Path) {
        self.report(
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

impl<F: Folder> Walk<'_, F> {
    /// Says that a folder is searched by another way. Nothing of it is lost but that path.
    pub(super) fn report_reached(&self, worker: &mut Worker, path: &Path, target: &Path) {
        self.report(
            worker,
            &rules::link_loop::RULE,
            path,
            format!(
                "`{}` leads to `{}`, which is searched by another way already",
                display_path(path),
                display_path(target)
            ),
            "remove the link",
        );
    }
}

/// Says that a link leads outside.
pub(super) fn outside(link: &Path, target: &Path) -> Diagnostic {
    explain_link(link, &Refused::Outside(target.to_path_buf()))
}

/// The folder whose links would have to be allowed: a linked file lies in it, a linked folder is it.
fn to_allow<'a>(link: &Path, target: &'a Path) -> &'a Path {
    let is_file = link
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    target.parent().filter(|_| is_file).unwrap_or(target)
}

fn explain_link(link: &Path, refused: &Refused) -> Diagnostic {
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
