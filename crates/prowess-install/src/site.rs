//! A place where skills are installed: a project or the user's home.
//!
//! The canonical copy of a skill is `.agents/skills/NAME`; clients that read elsewhere get a link.
//! Every change goes the same way: new folders and files are written beside the old ones and brought
//! to the disk, then a journal says what is about to happen, then folders change their names, the
//! lock last. Whoever is killed before the journal leaves the old state; after it, the next
//! command finishes the work, so the new one. The journal is the user's own file outside of every
//! project, so no repository can bring one.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use prowess::{Access, Client, ContentHash, user_paths};
use serde::{Deserialize, Serialize};

use crate::{
    disk::{self, FolderError, STAGE, SkillLimits},
    lock::{Lock, LockError, LockedSkill},
    tree::SkillFiles,
};

/// The folder of all canonical copies.
const SKILLS: &str = ".agents/skills";

/// The folder beside it where new ones are made; one file system, and no client looks there.
const BESIDE: &str = ".agents";

/// The name of the lock.
pub const LOCK_FILE: &str = "prowess.lock";

/// A lock with more bytes was not written by this program.
const MOST_LOCK: u64 = 64 * 1024 * 1024;

/// How long to wait for another command.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often to look whether it is done.
const LOOK: Duration = Duration::from_millis(20);

/// Whose skills they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A project's, beside the code.
    Project,
    /// The user's.
    User,
}

/// A place where skills are installed.
#[derive(Debug, Clone)]
pub struct Site {
    /// Whose it is.
    pub owner: Owner,
    /// The project, or the home.
    pub root: PathBuf,
    /// The lock.
    pub lock: PathBuf,
    /// A folder of the user's own for what is remembered about this site.
    pub state: PathBuf,
    /// How much of a skill is looked at.
    pub limits: SkillLimits,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// The lock cannot be read. It is never written over.
    #[error("cannot read the lock `{path}`")]
    Unreadable {
        /// The lock.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The lock is damaged. It is never written over.
    #[error("the lock `{path}` is damaged or of another version, and is left as it is")]
    Damaged {
        /// The lock.
        path: String,
        /// Where and why.
        #[source]
        source: LockError,
    },
    /// Another command is at work.
    #[error("another command is changing the skills in `{path}`")]
    Busy {
        /// The site.
        path: String,
    },
    /// A folder on the way leads out of the project.
    #[error("`{path}` leads out of the project")]
    LeadsOut {
        /// The folder.
        path: String,
    },
    /// Something is there that nobody installed.
    #[error("`{path}` is there already and was not installed by prowess")]
    Foreign {
        /// The folder.
        path: String,
    },
    /// What a killed command began cannot be finished.
    #[error("a command that was interrupted cannot be finished")]
    Unfinished {
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A folder of a skill cannot be read.
    #[error("cannot read `{path}`")]
    Folder {
        /// The folder.
        path: String,
        /// Why.
        #[source]
        source: FolderError,
    },
    /// Writing failed; everything is as it was.
    #[error("cannot change the skills in `{path}`; nothing was changed")]
    Unwritable {
        /// The site.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// What is about to change.
#[derive(Debug, Default)]
pub struct Change {
    /// Folders to be put in place, new or over the installed ones.
    pub install: Vec<(String, SkillFiles)>,
    /// Folders to be taken away.
    pub remove: Vec<String>,
    /// Links for clients: where, to which folder.
    pub link: Vec<(PathBuf, String)>,
    /// Links of clients to be taken away.
    pub unlink: Vec<PathBuf>,
    /// The lock afterwards.
    pub lock: Option<Lock>,
    /// Another file to be written with it, in the lock's folder: the manifest.
    pub manifest: Option<(PathBuf, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    stage: PathBuf,
    install: Vec<(String, String)>,
    remove: Vec<String>,
    link: Vec<(PathBuf, String)>,
    unlink: Vec<PathBuf>,
    /// The manifest and the lock, in this order: with the lock, everything before it counts.
    files: Vec<StagedFile>,
}

/// A file that is written and waits beside its place.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StagedFile {
    staged: PathBuf,
    place: PathBuf,
    hash: ContentHash,
}

/// A step of a change that was made, and what takes it back.
enum Step {
    /// A folder or a file has another place now.
    Moved(PathBuf, PathBuf),
    /// Two folders or two files have each other's place.
    Swapped(PathBuf, PathBuf),
    /// A link was made.
    Linked(PathBuf),
    /// A link to this target was taken away.
    Unlinked(PathBuf, PathBuf),
}

impl Step {
    /// Gives a folder or a file its place, in exchange for what is there.
    fn put(staged: &Path, place: &Path) -> io::Result<Self> {
        let (from, to) = (staged.to_path_buf(), place.to_path_buf());
        if disk::is_there(place) {
            disk::swap(staged, place)?;
            Ok(Self::Swapped(from, to))
        } else {
            disk::place(staged, place)?;
            Ok(Self::Moved(from, to))
        }
    }

    /// Takes it back, as far as the disk lets us: the error that led here is the one to report.
    fn undo(&self) {
        let _ = match self {
            Self::Moved(from, to) => disk::place(to, from),
            Self::Swapped(one, other) => disk::swap(one, other),
            Self::Linked(path) => disk::remove_file(path),
            Self::Unlinked(path, target) => disk::link(target, path),
        };
    }
}

impl Site {
    /// A site with its state in a folder of the user's; each root has one of its own there.
    pub fn new(owner: Owner, root: &Path, lock: PathBuf, state: &Path) -> Self {
        let key = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_string();
        Self {
            owner,
            root: root.to_path_buf(),
            lock,
            state: state.join("install").join(&key[..16]),
            limits: SkillLimits::default(),
        }
    }

    /// Where the canonical copy of a skill lies, by its `folder` in the lock.
    pub fn folder(&self, name: &str) -> PathBuf {
        if name.contains('/') {
            self.root.join(name)
        } else {
            self.root.join(SKILLS).join(name)
        }
    }

    /// Where a client looks that does not look at the canonical copies; `None` where it does.
    pub fn client_folder(
        &self,
        client: &Client,
        environment: &prowess::Environment,
    ) -> Option<PathBuf> {
        let shared = self.root.join(SKILLS);
        let all: Vec<PathBuf> = match self.owner {
            Owner::Project => client
                .project
                .iter()
                .map(|it| self.root.join(&it.path))
                .collect(),
            Owner::User => client
                .user
                .iter()
                .flat_map(|it| user_paths(&it.path, environment))
                .collect(),
        };
        if all.contains(&shared) {
            None
        } else {
            all.into_iter().next()
        }
    }

    /// Whether a client has a folder of its own here, so that it is probably used.
    pub fn has_client(&self, folder: &Path) -> bool {
        let below = folder.strip_prefix(&self.root).ok();
        let first = below.and_then(|it| it.components().next());
        first.is_some_and(|it| {
            let hidden = it.as_os_str().as_encoded_bytes().starts_with(b".");
            hidden && disk::is_real_folder(&self.root.join(it))
        })
    }

    /// Reads the lock, after what a killed command began is finished; an empty one where there is
    /// none.
    pub fn read_lock(&self) -> Result<Lock, SiteError> {
        // Whoever has a turn has finished it, and does not wait for itself here.
        if disk::has_bytes(&self.turn_file()) || disk::is_there(&self.journal()) {
            drop(self.turn()?);
        }
        let path = prowess::display_path(&self.lock);
        match disk::read_text(&self.lock, MOST_LOCK) {
            Ok(None) => Ok(Lock::default()),
            Ok(Some(text)) => {
                Lock::from_text(&text).map_err(|source| SiteError::Damaged { path, source })
            }
            Err(source) => Err(SiteError::Unreadable { path, source }),
        }
    }

    /// Waits until no other command is at work here, and finishes what a killed one began.
    pub fn turn(&self) -> Result<Turn<'_>, SiteError> {
        self.turn_within(PATIENCE)
    }

    fn turn_within(&self, patience: Duration) -> Result<Turn<'_>, SiteError> {
        let unwritable = |source| SiteError::Unwritable {
            path: prowess::display_path(&self.state),
            source,
        };
        let file = disk::open_lock(&self.turn_file()).map_err(unwritable)?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if started.elapsed() < patience => {
                    thread::sleep(LOOK);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(SiteError::Busy {
                        path: prowess::display_path(&self.root),
                    });
                }
                // Some file systems know no locks.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    break;
                }
                Err(TryLockError::Error(error)) => return Err(unwritable(error)),
            }
        }
        let turn = Turn { site: self, file };
        turn.recover()?;
        Ok(turn)
    }

    fn turn_file(&self) -> PathBuf {
        self.state.join("turn")
    }

    fn journal(&self) -> PathBuf {
        self.state.join("journal.json")
    }
}

/// The right to change a site, for as long as this is held.
#[derive(Debug)]
pub struct Turn<'a> {
    site: &'a Site,
    /// Locked, and not empty while something is being changed.
    file: File,
}

impl Turn<'_> {
    /// Finishes what a killed command began, and takes away what it left.
    fn recover(&self) -> Result<(), SiteError> {
        let unfinished = |source| SiteError::Unfinished { source };
        let journal = self.site.journal();
        if let Some(text) = disk::read_text(&journal, 4 * MOST_LOCK).map_err(unfinished)? {
            // It is written whole, so it is read whole.
            let journal: Journal =
                serde_json::from_str(&text).map_err(|error| unfinished(error.into()))?;
            self.finish(&journal, true).map_err(unfinished)?;
        }
        self.clear().map_err(unfinished)
    }

    /// Takes away what lies beside its place, once nothing is left to be finished.
    fn clear(&self) -> io::Result<()> {
        let beside = self.site.root.join(BESIDE);
        let of_lock = self.site.lock.parent().unwrap_or(&beside);
        for folder in [&beside, of_lock] {
            let names = disk::names(folder)?;
            for name in names.iter().filter(|it| it.starts_with(STAGE)) {
                disk::remove(&folder.join(name))?;
            }
        }
        self.file.set_len(0)
    }

    /// Makes a change as a whole: all of it or nothing.
    pub fn apply(&self, change: &Change) -> Result<(), SiteError> {
        let unwritable = |source| self.unwritable(source);
        self.file.set_len(1).map_err(unwritable)?;
        let journal = self.prepare(change);
        let applied = journal.and_then(|it| self.finish(&it, false).map_err(unwritable));
        // What stays is taken away by the next command. While there is a journal, that command
        // needs the stage to see what is done.
        if !disk::is_there(&self.site.journal()) {
            let _ = self.clear();
        }
        applied
    }

    fn unwritable(&self, source: io::Error) -> SiteError {
        SiteError::Unwritable {
            path: prowess::display_path(&self.site.root),
            source,
        }
    }

    /// Writes the new folders and files beside the old ones, then the journal: from here on the
    /// work is finished by whoever comes next. All that needs room on the disk is done by then.
    fn prepare(&self, change: &Change) -> Result<Journal, SiteError> {
        let shared = self.site.root.join(SKILLS);
        disk::create_folders(&shared).map_err(|source| self.unwritable(source))?;
        self.stays_inside(&shared)?;
        let folders = change.install.iter().map(|it| &it.0).chain(&change.remove);
        for name in folders.filter(|it| it.contains('/')) {
            let place = self.site.folder(name);
            let parent = place.parent().unwrap_or(&place);
            disk::create_folders(parent).map_err(|source| self.unwritable(source))?;
            self.stays_inside(parent)?;
        }
        self.stage(change).map_err(|source| self.unwritable(source))
    }

    fn stage(&self, change: &Change) -> io::Result<Journal> {
        let beside = self.site.root.join(BESIDE);
        let stage = tempfile::Builder::new().prefix(STAGE).tempdir_in(&beside)?;
        for (name, files) in &change.install {
            disk::write_folder(&stage.path().join(name), files.iter())?;
        }
        disk::sync_folder(stage.path());
        let lock = change.lock.as_ref().map(Lock::to_text);
        let lock = lock.transpose().map_err(io::Error::other)?;
        let lock = lock.map(|text| (self.site.lock.clone(), text));
        let mut kept = Vec::new();
        let mut files = Vec::new();
        for (place, text) in change.manifest.iter().chain(&lock) {
            let staged = disk::write_beside(place, text.as_bytes())?;
            files.push(StagedFile {
                staged: staged.to_path_buf(),
                place: place.clone(),
                hash: ContentHash::of(text.as_bytes()),
            });
            kept.push(staged);
        }
        let journal = Journal {
            stage: stage.path().to_path_buf(),
            install: change
                .install
                .iter()
                .map(|(name, files)| (name.clone(), files.tree().digest().to_string()))
                .collect(),
            remove: change.remove.clone(),
            link: change.link.clone(),
            unlink: change.unlink.clone(),
            files,
        };
        let text = serde_json::to_vec(&journal)?;
        disk::write(&self.site.journal(), &text, Access::Private)?;
        let _ = stage.keep();
        for staged in kept {
            staged.keep().map_err(|error| error.error)?;
        }
        Ok(journal)
    }

    /// A project's own links must not lead our files elsewhere; a user's are the user's.
    fn stays_inside(&self, folder: &Path) -> Result<(), SiteError> {
        let leads_out = || SiteError::LeadsOut {
            path: prowess::display_path(folder),
        };
        if self.site.owner == Owner::User {
            return Ok(());
        }
        match (disk::real(&self.site.root), disk::real(folder)) {
            (Ok(root), Ok(folder)) if folder.starts_with(&root) => Ok(()),
            _ => Err(leads_out()),
        }
    }

    /// Does what a journal says. `again` where somebody may have done a part of it.
    fn finish(&self, journal: &Journal, again: bool) -> io::Result<()> {
        let mut done: Vec<Step> = Vec::new();
        let finished = self.finish_steps(journal, again, &mut done);
        if finished.is_err() {
            // Everything as it was, and nothing left to be finished.
            done.iter().rev().for_each(Step::undo);
        }
        if finished.is_ok() || !again {
            let removed = disk::remove_file(&self.site.journal());
            disk::sync_folder(&self.site.state);
            if again {
                removed?;
            }
        }
        finished
    }

    fn finish_steps(&self, journal: &Journal, again: bool, done: &mut Vec<Step>) -> io::Result<()> {
        let shared = self.site.root.join(SKILLS);
        for (name, digest) in &journal.install {
            let staged = journal.stage.join(name);
            // A folder that is not the new one any more has had its turn.
            let is_new = || {
                disk::read_folder(&staged, self.site.limits)
                    .is_ok_and(|it| it.tree().digest().to_string() == *digest)
            };
            if !again || is_new() {
                done.push(Step::put(&staged, &self.site.folder(name))?);
            }
        }
        for name in &journal.remove {
            let gone = format!(".removed-{}", name.replace('/', "-"));
            let gone = journal.stage.join(gone);
            let place = self.site.folder(name);
            if disk::is_there(&place) && !disk::is_there(&gone) {
                disk::create_folders(&journal.stage)?;
                done.push(Step::put(&place, &gone)?);
            }
        }
        disk::sync_folder(&shared);
        for path in &journal.unlink {
            if let Some(target) = disk::link_target(path) {
                disk::remove_file(path)?;
                done.push(Step::Unlinked(path.clone(), target));
            }
        }
        for (path, name) in &journal.link {
            if !disk::is_there(path) {
                self.make_link(path, &shared.join(name))?;
                done.push(Step::Linked(path.clone()));
            }
        }
        for file in &journal.files {
            let is_new = || {
                disk::read(&file.staged, MOST_LOCK)
                    .is_ok_and(|bytes| ContentHash::of(&bytes) == file.hash)
            };
            if again && !is_new() {
                continue;
            }
            if disk::is_real_folder(&file.place) {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            done.push(Step::put(&file.staged, &file.place)?);
            file.place.parent().map(disk::sync_folder);
        }
        Ok(())
    }

    /// A relative link, which stays right when the project moves.
    fn make_link(&self, path: &Path, target: &Path) -> io::Result<()> {
        let parent = path.parent().unwrap_or(path);
        disk::create_folders(parent)?;
        let relative = match (
            parent.strip_prefix(&self.site.root),
            target.strip_prefix(&self.site.root),
        ) {
            (Ok(from), Ok(to)) => from
                .components()
                .map(|_| Path::new(".."))
                .collect::<PathBuf>()
                .join(to),
            _ => target.to_path_buf(),
        };
        disk::link(&relative, path)
    }

    /// The skill that lies in a folder, where one does.
    pub fn installed(&self, folder: &str) -> Result<Option<SkillFiles>, SiteError> {
        let path = self.site.folder(folder);
        if !disk::is_there(&path) {
            return Ok(None);
        }
        let files = disk::read_folder(&path, self.site.limits);
        files.map(Some).map_err(|source| SiteError::Folder {
            path: prowess::display_path(&path),
            source,
        })
    }

    /// Whether this link is ours: it leads to the canonical copy.
    pub fn is_own_link(&self, path: &Path, skill: &LockedSkill) -> bool {
        let (Ok(to), Ok(own)) = (
            disk::real(path),
            disk::real(&self.site.folder(&skill.folder)),
        ) else {
            return false;
        };
        disk::link_target(path).is_some() && to == own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{file_path::FilePath, tree::Mode};

    fn files(text: &str) -> SkillFiles {
        let path = FilePath::new("SKILL.md").unwrap();
        SkillFiles::new(vec![(path, Mode::Plain, text.as_bytes().to_vec())]).unwrap()
    }

    fn site(folder: &Path) -> Site {
        let root = folder.join("project");
        disk::create_folders(&root).unwrap();
        let lock = root.join(LOCK_FILE);
        Site::new(Owner::Project, &root, lock, &folder.join("state"))
    }

    fn text(site: &Site, name: &str) -> Option<String> {
        disk::read_text(&site.folder(name).join("SKILL.md"), 1024).unwrap()
    }

    fn change(site: &Site) -> Change {
        Change {
            install: vec![
                ("old".to_owned(), files("new")),
                ("new".to_owned(), files("new")),
            ],
            remove: vec!["gone".to_owned()],
            link: vec![(site.root.join(".claude/skills/new"), "new".to_owned())],
            unlink: vec![site.root.join(".claude/skills/gone")],
            lock: Some(Lock::default()),
            manifest: Some((site.root.join("prowess.toml"), "# new\n".to_owned())),
        }
    }

    /// A project with two installed skills and a link.
    fn before(site: &Site) {
        let first = Change {
            install: vec![
                ("old".to_owned(), files("old")),
                ("gone".to_owned(), files("gone")),
            ],
            link: vec![(site.root.join(".claude/skills/gone"), "gone".to_owned())],
            manifest: Some((site.root.join("prowess.toml"), "# old\n".to_owned())),
            ..Change::default()
        };
        site.turn().unwrap().apply(&first).unwrap();
    }

    /// What a reader of the project sees.
    fn seen(site: &Site) -> [Option<String>; 6] {
        let link = |name: &str| {
            disk::link_target(&site.root.join(".claude/skills").join(name))
                .map(|it| it.display().to_string())
        };
        [
            text(site, "old"),
            text(site, "new"),
            text(site, "gone"),
            link("new"),
            link("gone"),
            disk::read_text(&site.root.join("prowess.toml"), 1024).unwrap(),
        ]
    }

    #[test]
    fn a_change_is_made_whole() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        before(&site);
        site.turn().unwrap().apply(&change(&site)).unwrap();
        let new = Some("new".to_owned());
        let link = Some("../../.agents/skills/new".to_owned());
        let manifest = Some("# new\n".to_owned());
        assert_eq!(seen(&site), [new.clone(), new, None, link, None, manifest]);
        assert_eq!(disk::names(&site.root.join(BESIDE)).unwrap(), ["skills"]);
    }

    #[test]
    fn a_change_that_fails_at_its_last_step_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        before(&site);
        let all = seen(&site);
        // Where the lock should go there is a folder.
        disk::create_folders(&site.lock).unwrap();
        site.turn().unwrap().apply(&change(&site)).unwrap_err();
        assert_eq!(seen(&site), all);
        assert_eq!(disk::names(&site.root.join(BESIDE)).unwrap(), ["skills"]);
        assert!(!disk::is_there(&site.journal()));
    }

    /// The first steps of a journal.
    fn first(journal: &Journal, mut steps: usize) -> Journal {
        fn take<T: Clone>(all: &[T], steps: &mut usize) -> Vec<T> {
            let taken = all.len().min(*steps);
            *steps -= taken;
            all[..taken].to_vec()
        }
        Journal {
            stage: journal.stage.clone(),
            install: take(&journal.install, &mut steps),
            remove: take(&journal.remove, &mut steps),
            unlink: take(&journal.unlink, &mut steps),
            link: take(&journal.link, &mut steps),
            files: take(&journal.files, &mut steps),
        }
    }

    /// Whoever was killed after the journal was written is finished by the next command, after
    /// any number of steps.
    #[test]
    fn what_a_killed_command_began_is_finished() {
        for steps in 0..=7 {
            let folder = tempfile::tempdir().unwrap();
            let site = site(folder.path());
            before(&site);
            let turn = site.turn().unwrap();
            let change = change(&site);
            let journal = turn.prepare(&change).unwrap();
            turn.finish_steps(&first(&journal, steps), false, &mut Vec::new())
                .unwrap();
            drop(turn);
            drop(site.turn().unwrap());
            let new = Some("new".to_owned());
            assert_eq!(
                [text(&site, "old"), text(&site, "new"), text(&site, "gone")],
                [new.clone(), new, None],
                "after {steps} steps"
            );
            assert!(disk::is_there(&site.lock));
            assert_eq!(disk::names(&site.root.join(BESIDE)).unwrap(), ["skills"]);
        }
    }
}
