//! One skill's files: nothing outside its folder is listed, opened or read.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    io,
    path::{Component, Path, PathBuf},
};

use super::{
    handle::{Buffers, Facts, Folder, Kind, NativeFolder, ReadFault},
    names::is_history,
    open::open_located,
};
use crate::{limits::Limits, source::Location};

/// Links followed on the way to one file. Real skills have one.
const HOPS: usize = 8;

/// Why a path inside a skill could not be opened.
#[derive(Debug)]
pub(crate) enum InsideFault {
    /// It leaves the skill's folder.
    Outside,
    /// The file itself could not be read.
    Read(ReadFault),
}

impl From<io::Error> for InsideFault {
    fn from(error: io::Error) -> Self {
        Self::Read(ReadFault::Io(error))
    }
}

/// Which of a skill's files are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those that are handed out: not what a version control system keeps.
    Offered,
    /// Whatever a program that works in the folder could use.
    Everything,
}

impl Reach {
    fn covers(self, name: &OsStr) -> bool {
        self == Self::Everything || !is_history(&name.to_ascii_lowercase())
    }
}

/// A file below a skill's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InsideFile {
    /// From the skill's folder.
    pub(crate) path: PathBuf,
    pub(crate) facts: Facts,
}

/// Lists the files of a skill, sorted; `true` where a limit cut the list.
pub(crate) fn list_inside(
    location: &Location,
    limits: &Limits,
) -> io::Result<(Vec<InsideFile>, bool)> {
    list_inside_by::<NativeFolder>(location, limits)
}

fn list_inside_by<F: Folder>(
    location: &Location,
    limits: &Limits,
) -> io::Result<(Vec<InsideFile>, bool)> {
    let survey = survey_inside_by::<F>(location, limits, Reach::Offered)?;
    Ok((survey.files, survey.partial))
}

/// What is below a skill's folder and is no file and no folder.
#[derive(Debug)]
pub(crate) enum Oddity {
    /// A link to a folder of the skill, to nothing, or round in a circle.
    Link(PathBuf),
    /// A link that leads out of the skill.
    Outside,
    /// A pipe, a socket, a device.
    Special,
    /// A folder, or a link, that the system does not let us look at.
    Unreadable(io::Error),
}

/// Everything below a skill's folder.
#[derive(Debug)]
pub(crate) struct Survey {
    /// The files, sorted.
    pub(crate) files: Vec<InsideFile>,
    /// The folders, empty ones too, sorted; the skill's own is not among them.
    pub(crate) folders: Vec<PathBuf>,
    /// What is neither, in no order.
    pub(crate) oddities: Vec<(PathBuf, Oddity)>,
    /// Whether a limit cut the lists.
    pub(crate) partial: bool,
}

/// Lists the files and the folders of a skill.
pub(crate) fn survey_inside(
    location: &Location,
    limits: &Limits,
    reach: Reach,
) -> io::Result<Survey> {
    survey_inside_by::<NativeFolder>(location, limits, reach)
}

fn survey_inside_by<F: Folder>(
    location: &Location,
    limits: &Limits,
    reach: Reach,
) -> io::Result<Survey> {
    let root: F = open_located(location)?;
    let mut list = List {
        location,
        limits,
        reach,
        buffers: Buffers::default(),
        survey: Survey {
            files: Vec::new(),
            folders: Vec::new(),
            oddities: Vec::new(),
            partial: false,
        },
        bytes: 0,
    };
    list.folder(&root, Path::new(""), 0)?;
    let mut survey = list.survey;
    survey.files.sort_by(|a, b| a.path.cmp(&b.path));
    survey.folders.sort();
    Ok(survey)
}

struct List<'a> {
    location: &'a Location,
    limits: &'a Limits,
    reach: Reach,
    buffers: Buffers,
    survey: Survey,
    bytes: u64,
}

impl List<'_> {
    fn folder<F: Folder>(&mut self, folder: &F, below: &Path, depth: usize) -> io::Result<()> {
        let mut entries = Vec::new();
        let room = self.limits.skill_files.saturating_sub(self.count());
        let mut cut = false;
        folder.entries(&mut self.buffers, &mut |name, kind| {
            cut = entries.len() > room;
            entries.push((name.to_os_string(), kind));
            !cut
        })?;
        self.survey.partial |= cut;
        // The order of the disk would make a cut list differ from machine to machine.
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, kind) in entries {
            if !self.reach.covers(&name) {
                continue;
            }
            let path = below.join(&name);
            match kind {
                Kind::Folder if depth >= self.limits.skill_depth => self.survey.partial = true,
                Kind::Folder => {
                    let child = folder.child(&name).inspect(|_| {
                        self.survey.folders.push(path.clone());
                    });
                    let listed = child.and_then(|child| self.folder(&child, &path, depth + 1));
                    // A folder of a skill that may not be read hides only itself.
                    if let Err(error) = listed {
                        self.note(path, Oddity::Unreadable(error));
                    }
                }
                Kind::File => match folder.facts(&name) {
                    Ok((Kind::File, facts)) => self.add(path, facts),
                    // Something else by now, or gone.
                    Ok(_) => self.note(path, Oddity::Special),
                    Err(error) => self.note(path, Oddity::Unreadable(error)),
                },
                Kind::Link => match facts_inside::<F>(self.location, &path, self.reach) {
                    Ok(facts) => self.add(path, facts),
                    Err(InsideFault::Outside) => self.note(path, Oddity::Outside),
                    Err(InsideFault::Read(_)) => {
                        let oddity = match folder.link_target(&name) {
                            Ok(target) => Oddity::Link(target),
                            Err(error) => Oddity::Unreadable(error),
                        };
                        self.note(path, oddity);
                    }
                },
                Kind::Special => self.note(path, Oddity::Special),
            }
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.survey.files.len() + self.survey.oddities.len()
    }

    fn add(&mut self, path: PathBuf, facts: Facts) {
        let bytes = self.bytes.saturating_add(facts.size);
        if self.count() >= self.limits.skill_files || bytes > self.limits.skill_bytes {
            self.survey.partial = true;
            return;
        }
        self.bytes = bytes;
        self.survey.files.push(InsideFile { path, facts });
    }

    fn note(&mut self, path: PathBuf, oddity: Oddity) {
        if self.count() >= self.limits.skill_files {
            self.survey.partial = true;
        } else {
            self.survey.oddities.push((path, oddity));
        }
    }
}

/// Reads a part of a file of a skill.
pub(crate) fn read_inside(
    location: &Location,
    path: &Path,
    offset: u64,
    count: usize,
) -> Result<(Vec<u8>, Facts), InsideFault> {
    let (folder, name) = find_inside::<NativeFolder>(location, path, Reach::Offered)?;
    folder
        .read_at(&name, offset, count)
        .map_err(InsideFault::Read)
}

/// Reads a whole file of a skill, of at most `limit` bytes.
pub(crate) fn read_whole(
    location: &Location,
    path: &Path,
    limit: u64,
    reach: Reach,
) -> Result<(Vec<u8>, Facts), InsideFault> {
    read_whole_by::<NativeFolder>(location, path, limit, reach)
}

fn read_whole_by<F: Folder>(
    location: &Location,
    path: &Path,
    limit: u64,
    reach: Reach,
) -> Result<(Vec<u8>, Facts), InsideFault> {
    let (folder, name) = find_inside::<F>(location, path, reach)?;
    let mut buffers = Buffers::default();
    let facts = folder
        .read(&name, limit as usize, &mut buffers)
        .map_err(InsideFault::Read)?;
    Ok((buffers.bytes(facts.size as usize).to_vec(), facts))
}

/// Opens the folder that holds a file of a skill, and gives the name it has there.
pub(crate) fn open_inside(
    location: &Location,
    path: &Path,
) -> Result<(NativeFolder, OsString), InsideFault> {
    find_inside(location, path, Reach::Offered)
}

/// What a path inside a skill leads to, without opening it.
fn facts_inside<F: Folder>(
    location: &Location,
    path: &Path,
    reach: Reach,
) -> Result<Facts, InsideFault> {
    let (folder, name) = find_inside::<F>(location, path, reach)?;
    match folder.facts(&name)? {
        (Kind::File, facts) => Ok(facts),
        _ => Err(InsideFault::Read(ReadFault::Link)),
    }
}

/// Finds the folder and the name a path leads to, following links as long as they stay inside.
///
/// Every step opens one name in a folder that is already open, and never follows a link by
/// itself. A link's text is read and walked in the same way, and `..` goes back to a folder we
/// hold. So whatever is swapped meanwhile, no step can leave the skill.
fn find_inside<F: Folder>(
    location: &Location,
    path: &Path,
    reach: Reach,
) -> Result<(F, OsString), InsideFault> {
    let mut folders: Vec<F> = vec![open_located(location)?];
    let mut parts = VecDeque::new();
    push_front(&mut parts, path)?;
    let mut hops = 0;
    while let Some(part) = parts.pop_front() {
        let Some(folder) = folders.last() else {
            return Err(InsideFault::Outside);
        };
        if part == ".." {
            folders.pop();
            continue;
        }
        // No list names what a version control system keeps, and addresses with tokens stand there.
        if !reach.covers(&part) {
            return Err(io::Error::from(io::ErrorKind::NotFound).into());
        }
        let (kind, _) = folder.facts(&part)?;
        match kind {
            Kind::Link => {
                hops += 1;
                if hops > HOPS {
                    return Err(io::Error::from(io::ErrorKind::QuotaExceeded).into());
                }
                let target = folder.link_target(&part)?;
                push_front(&mut parts, &target)?;
            }
            Kind::Folder if !parts.is_empty() => {
                let child = folder.child(&part)?;
                folders.push(child);
            }
            _ if parts.is_empty() => {
                return folders
                    .pop()
                    .map(|folder| (folder, part))
                    .ok_or(InsideFault::Outside);
            }
            _ => return Err(io::Error::from(io::ErrorKind::NotFound).into()),
        }
    }
    if folders.is_empty() {
        return Err(InsideFault::Outside);
    }
    // A way that ends with `..` ends at a folder.
    Err(InsideFault::Read(ReadFault::NotRegular("a folder")))
}

/// Puts the parts of a path before those still to go.
fn push_front(parts: &mut VecDeque<OsString>, path: &Path) -> Result<(), InsideFault> {
    for part in path.components().rev() {
        match part {
            Component::Normal(name) => parts.push_front(name.to_os_string()),
            Component::ParentDir => parts.push_front("..".into()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(InsideFault::Outside),
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        fs,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
        thread,
    };

    use super::{super::portable::PortableFolder, *};
    use crate::testing::Tree;

    fn tree() -> Tree {
        Tree::new()
            .file("skill/a.md", "inside")
            .file("skill/deep/b.md", "inside")
            .link("skill/in.md", "deep/b.md")
            .link("skill/folder", "deep")
            .link("skill/out.md", "../secret.md")
            .link("skill/abs.md", "/etc/hostname")
            .link("skill/up", "..")
            .link("skill/loop", "loop")
            .file("skill/.git/config", "token")
            .file("skill/deep/.hg/hgrc", "token")
            .link("skill/innocent.md", ".git/config")
            .file("secret.md", "outside")
    }

    fn location(tree: &Tree) -> Location {
        Location {
            anchor: Arc::from(tree.root()),
            below: "skill".into(),
        }
    }

    fn reads<F: Folder>(tree: &Tree, path: &str) -> Option<String> {
        let path = Path::new(path);
        let read = read_whole_by::<F>(&location(tree), path, 1_000, Reach::Offered);
        let (bytes, _) = read.ok()?;
        String::from_utf8(bytes).ok()
    }

    #[test]
    fn both_kinds_of_handles_stay_inside() {
        let tree = tree();
        for path in ["a.md", "in.md", "folder/b.md", "./deep/../a.md"] {
            assert_eq!(
                reads::<NativeFolder>(&tree, path).as_deref(),
                Some("inside"),
                "{path}"
            );
            assert_eq!(
                reads::<PortableFolder>(&tree, path).as_deref(),
                Some("inside"),
                "{path}"
            );
        }
        for path in [
            "out.md",
            "abs.md",
            "up/secret.md",
            "../secret.md",
            "loop",
            "deep",
            "no",
            ".git/config",
            "deep/.hg/hgrc",
            "innocent.md",
        ] {
            assert_eq!(reads::<NativeFolder>(&tree, path), None, "{path}");
            assert_eq!(reads::<PortableFolder>(&tree, path), None, "{path}");
        }
        let listed = |list: io::Result<(Vec<InsideFile>, bool)>| {
            let (files, _) = list.unwrap();
            files.into_iter().map(|file| file.path).collect::<Vec<_>>()
        };
        let limits = Limits::default();
        let native = listed(list_inside_by::<NativeFolder>(&location(&tree), &limits));
        assert_eq!(native, ["a.md", "deep/b.md", "in.md"].map(PathBuf::from));
        assert_eq!(
            native,
            listed(list_inside_by::<PortableFolder>(&location(&tree), &limits))
        );
    }

    /// Row 35 in its short form; `cargo xtask swap` runs it a million times.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test swaps its own folders")]
    fn a_folder_swapped_for_a_link_never_leads_outside() {
        let tree = Tree::new()
            .file("skill/deep/b.md", "inside")
            .file("other/b.md", "outside");
        let other = tree.at("other");
        let tree = tree.link("elsewhere", other);
        let (deep, aside, link) = (
            tree.at("skill/deep"),
            tree.at("aside"),
            tree.at("elsewhere"),
        );
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::rename(&deep, &aside).and_then(|()| fs::rename(&link, &deep));
                    let _ = fs::rename(&deep, &link).and_then(|()| fs::rename(&aside, &deep));
                }
            });
            let escapes = (0..20_000)
                .filter(|_| reads::<NativeFolder>(&tree, "deep/b.md").as_deref() == Some("outside"))
                .count();
            done.store(true, Ordering::Relaxed);
            assert_eq!(escapes, 0);
        });
    }
}
