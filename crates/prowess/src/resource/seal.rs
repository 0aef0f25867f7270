//! A seal over all that is in a skill's folder: what a user looked at, so that a change is seen.
//!
//! It covers more than what is handed out: a skill's text can name any file beside it to a tool,
//! also one that a version control system keeps. What lies outside could change unseen, so a
//! skill with a link that leads there is not sealed at all.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Files, ResourceError, slashed};
use crate::{
    display::{display_path, display_text},
    identity::ContentHash,
    limits::Limits,
    source::{
        Layout,
        disk::{
            handle::Facts,
            inside::{Oddity, Reach, read_whole, survey_inside},
        },
    },
};

/// Every file of a skill with the hash of its bytes, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seal {
    files: Vec<SealedFile>,
    outdated: bool,
}

/// One file of a seal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SealedFile {
    /// The path below the skill's folder, with `/` between its parts.
    pub path: String,
    /// The hash of its bytes, or of where a link leads.
    pub hash: ContentHash,
    /// What it is.
    pub kind: SealedKind,
}

/// What a seal says of an entry beside its bytes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SealedKind {
    /// A file, or a link to one inside the skill.
    #[default]
    File,
    /// The same with the right to be run.
    Executable,
    /// A link to a folder inside the skill, or to nothing there.
    Link,
    /// A pipe, a socket, a device: nothing to read.
    Special,
}

impl SealedKind {
    fn of(facts: &Facts) -> Self {
        match facts.executable {
            Some(true) => Self::Executable,
            _ => Self::File,
        }
    }
}

/// Why a skill cannot be sealed. What cannot be sealed cannot be trusted by its files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// It is a value, not files.
    #[error("`{skill}` is not on disk, so it has no files to trust")]
    NotOnDisk {
        /// The skill's name.
        skill: String,
    },
    /// Its own file could not be read.
    #[error("the file of `{skill}` was not read, so there is nothing to trust")]
    NotRead {
        /// The skill's name.
        skill: String,
    },
    /// It has more files than are looked at.
    #[error(
        "`{skill}` has more files, bytes or folders than are looked at; what `.git` and the like \
         hold counts too"
    )]
    TooLarge {
        /// The skill's name.
        skill: String,
    },
    /// A link leads to where a change would not be seen.
    #[error("the link `{path}` leads out of `{skill}`, where a change would not be seen")]
    Outside {
        /// The skill's name.
        skill: String,
        /// The link, safe to show.
        path: String,
    },
    /// One of its files could not be read.
    #[error(transparent)]
    Unreadable(#[from] ResourceError),
}

/// What is different between two seals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Files that are new.
    pub added: Vec<String>,
    /// Files that are gone.
    pub removed: Vec<String>,
    /// Files with other bytes, and those that became something else or may now be run.
    pub altered: Vec<String>,
}

impl Changes {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.altered.is_empty()
    }
}

impl Seal {
    /// Seals these files.
    pub fn new(files: impl IntoIterator<Item = SealedFile>) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort();
        Self {
            files,
            outdated: false,
        }
    }

    /// A seal of a version before, which knew the bytes of the files that are handed out, and
    /// nothing of links, of the right to run, and of what a version control system keeps.
    pub(crate) fn outdated(files: impl IntoIterator<Item = SealedFile>) -> Self {
        Self {
            outdated: true,
            ..Self::new(files)
        }
    }

    /// Whether a version before made it, which looked at less. It is equal to no seal made now, so
    /// what was trusted by it asks again.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// The files, sorted by path.
    pub fn files(&self) -> &[SealedFile] {
        &self.files
    }

    /// One hash over all files: their paths, their bytes and what they are.
    pub fn hash(&self) -> ContentHash {
        let mut hasher = Sha256::new();
        for file in &self.files {
            // No path holds a NUL, so no two lists make the same bytes.
            hasher.update(file.path.as_bytes());
            hasher.update([0]);
            hasher.update(file.hash.as_bytes());
            hasher.update([file.kind as u8]);
        }
        ContentHash::from_bytes(hasher.finalize().into())
    }

    /// The hash of one file; `None` where the seal has no such file.
    pub fn get(&self, path: &str) -> Option<ContentHash> {
        self.file(path).map(|file| file.hash)
    }

    fn file(&self, path: &str) -> Option<&SealedFile> {
        let at = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path));
        at.ok().map(|at| &self.files[at])
    }

    /// Whether these bytes may pass as this file: as that file's own, or, for a way through a
    /// link that the seal does not list, as those of any of its files.
    pub(crate) fn admits(&self, path: &str, hash: ContentHash) -> bool {
        let admits = |file: &SealedFile| {
            matches!(file.kind, SealedKind::File | SealedKind::Executable) && file.hash == hash
        };
        match self.file(path) {
            Some(file) => admits(file),
            None => self.files.iter().any(admits),
        }
    }

    /// What became of the sealed files since.
    pub fn changes(&self, now: &Self) -> Changes {
        let mut changes = Changes::default();
        for file in &self.files {
            match now.file(&file.path) {
                None => changes.removed.push(file.path.clone()),
                Some(it) if it.hash != file.hash || (it.kind != file.kind && !self.outdated) => {
                    changes.altered.push(file.path.clone());
                }
                Some(_) => {}
            }
        }
        let new = now
            .files
            .iter()
            .filter(|file| self.file(&file.path).is_none());
        changes.added.extend(new.map(|file| file.path.clone()));
        changes
    }
}

impl Files<'_> {
    /// Reads every file and seals them; the skill's own counts by the hash it was loaded with.
    pub(crate) fn seal(
        &self,
        layout: Layout,
        own: Option<ContentHash>,
        limits: &Limits,
    ) -> Result<Seal, SealError> {
        let skill = || self.skill.to_owned();
        let own = own.ok_or_else(|| SealError::NotRead { skill: skill() })?;
        let name = self.own.file_name().unwrap_or_default();
        let mut own_file = SealedFile {
            path: display_path(Path::new(name)),
            hash: own,
            kind: SealedKind::File,
        };
        match layout {
            Layout::Record => return Err(SealError::NotOnDisk { skill: skill() }),
            Layout::Flat | Layout::Convention => return Ok(Seal::new([own_file])),
            Layout::Folder => {}
        }
        let location = self.location()?;
        let survey = survey_inside(location, limits, Reach::Everything)
            .map_err(|source| self.unreadable(".", source))?;
        if survey.partial {
            return Err(SealError::TooLarge { skill: skill() });
        }
        let is_own = |path: &Path| path == Path::new(name);
        let mut sealed = Vec::new();
        for file in survey.files {
            if is_own(&file.path) {
                own_file.kind = SealedKind::of(&file.facts);
                continue;
            }
            let path = slashed(&file.path);
            let read = read_whole(location, &file.path, limits.skill_bytes, Reach::Everything);
            let (bytes, facts) = read.map_err(|fault| self.explain(&path, fault))?;
            sealed.push(SealedFile {
                path,
                hash: ContentHash::of(&bytes),
                kind: SealedKind::of(&facts),
            });
        }
        for (path, oddity) in survey.oddities {
            // It was read and hashed when the skill was loaded, wherever it lies.
            if is_own(&path) {
                continue;
            }
            let path = slashed(&path);
            let (bytes, kind) = match oddity {
                Oddity::Link(target) => (
                    target.into_os_string().into_encoded_bytes(),
                    SealedKind::Link,
                ),
                Oddity::Special => (Vec::new(), SealedKind::Special),
                Oddity::Outside => {
                    return Err(SealError::Outside {
                        skill: display_text(self.skill),
                        path,
                    });
                }
                Oddity::Unreadable(error) => return Err(self.unreadable(&path, error).into()),
            };
            sealed.push(SealedFile {
                path,
                hash: ContentHash::of(&bytes),
                kind,
            });
        }
        sealed.push(own_file);
        Ok(Seal::new(sealed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalog, testing::Tree};

    fn seal(tree: &Tree) -> Seal {
        let catalog = Catalog::from_dirs([tree.at("skills")]);
        catalog.skills()[0].seal(&Limits::default()).unwrap()
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test removes its own file")]
    fn every_file_counts_and_changes_are_told_by_name() {
        let tree = Tree::new()
            .skill("skills/a")
            .file("skills/a/gone.md", "x")
            .file("skills/a/references/same.md", "x")
            .file("skills/a/scripts/run.sh", "echo one");
        let before = seal(&tree);
        assert_eq!(before, seal(&tree));
        let tree = tree
            .file("skills/a/scripts/run.sh", "echo two")
            .file("skills/a/new.md", "");
        std::fs::remove_file(tree.at("skills/a/gone.md")).unwrap();
        let after = seal(&tree);
        assert_ne!(before.hash(), after.hash());
        let changes = before.changes(&after);
        assert_eq!(changes.added, ["new.md"]);
        assert_eq!(changes.removed, ["gone.md"]);
        assert_eq!(changes.altered, ["scripts/run.sh"]);
    }

    #[test]
    fn a_skill_too_large_to_be_looked_at_is_not_sealed() {
        let tree = Tree::new().skill("skills/a").file("skills/a/b", "x");
        let catalog = Catalog::from_dirs([tree.at("skills")]);
        let limits = Limits {
            skill_files: 1,
            ..Limits::default()
        };
        assert!(matches!(
            catalog.skills()[0].seal(&limits),
            Err(SealError::TooLarge { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test removes its own link")]
    fn a_link_is_sealed_by_what_it_leads_to() {
        let tree = Tree::new()
            .skill("skills/a")
            .file("skills/a/real.md", "one")
            .file("skills/a/deep/b.md", "b")
            .file("skills/a/other/b.md", "c")
            .link("skills/a/link.md", "real.md")
            .link("skills/a/folder", "deep")
            .link("skills/a/nowhere", "later");
        let before = seal(&tree);
        let paths: Vec<_> = before.files().iter().map(|file| &*file.path).collect();
        assert_eq!(
            paths,
            [
                "SKILL.md",
                "deep/b.md",
                "folder",
                "link.md",
                "nowhere",
                "other/b.md",
                "real.md"
            ]
        );
        let tree = tree.file("skills/a/real.md", "two");
        assert_eq!(before.changes(&seal(&tree)).altered, ["link.md", "real.md"]);
        // Both folders were looked at, and still: another text is run by the same words.
        let before = seal(&tree);
        std::fs::remove_file(tree.at("skills/a/folder")).unwrap();
        let tree = tree.link("skills/a/folder", "other");
        assert_eq!(before.changes(&seal(&tree)).altered, ["folder"]);
    }

    #[cfg(unix)]
    #[test]
    fn row_71_a_link_that_leads_out_is_not_sealed() {
        let targets = [
            "../b/run.sh",
            "..",
            "deep/../..",
            "../a/real.md",
            "../nowhere",
        ];
        let around = targets.map(|target| format!("../{target}"));
        let absolute = ["/etc/hostname", "/nowhere"];
        let cases = targets
            .iter()
            .map(|target| ("out", *target))
            .chain(around.iter().map(|target| (".svn/out", target.as_str())))
            .chain(absolute.map(|target| ("out", target)));
        for (link, target) in cases {
            let tree = Tree::new()
                .skill("skills/a")
                .file("skills/a/real.md", "")
                .file("skills/a/deep/b.md", "")
                .file("skills/b/run.sh", "")
                .link(&format!("skills/a/{link}"), target);
            let catalog = Catalog::from_dirs([tree.at("skills/a")]);
            let sealed = catalog.skills()[0].seal(&Limits::default());
            let told = sealed.unwrap_err().to_string();
            let expected = format!("the link `{link}` leads out of `a`");
            assert!(told.starts_with(&expected), "{target}: {told}");
        }
    }

    #[test]
    fn row_71_what_version_control_keeps_is_sealed_and_not_handed_out() {
        let tree = Tree::new()
            .skill("skills/a")
            .file("skills/a/.svn/run.sh", "echo one")
            .file("skills/a/deep/.hg/run.sh", "echo one")
            .file("skills/a/.git", "gitdir: ../../.git/modules/a");
        let before = seal(&tree);
        let catalog = Catalog::from_dirs([tree.at("skills")]);
        let offered = catalog.skills()[0].resources(&Limits::default()).unwrap();
        assert_eq!(offered.files, []);
        let tree = tree
            .file("skills/a/.svn/run.sh", "echo two")
            .file("skills/a/deep/.hg/run.sh", "echo two")
            .file("skills/a/.git", "gitdir: ../../.git/modules/b");
        assert_eq!(
            before.changes(&seal(&tree)).altered,
            [".git", ".svn/run.sh", "deep/.hg/run.sh"]
        );
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test sets modes")]
    fn row_71_the_run_bit_and_folders_that_cannot_be_listed_count() {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let tree = Tree::new()
            .skill("skills/a")
            .file("skills/a/run.sh", "echo")
            .file("skills/a/deep/b.md", "b");
        let before = seal(&tree);
        mode(&tree.at("skills/a/run.sh"), 0o755);
        mode(&tree.at("skills/a/SKILL.md"), 0o755);
        let after = seal(&tree);
        assert_eq!(before.changes(&after).altered, ["SKILL.md", "run.sh"]);
        assert_ne!(before.hash(), after.hash());
        // What may be entered and not listed: its scripts can be run by name.
        mode(&tree.at("skills/a/deep"), 0o311);
        let catalog = Catalog::from_dirs([tree.at("skills")]);
        let sealed = catalog.skills()[0].seal(&Limits::default());
        // The superuser lists it all the same.
        if std::fs::read_dir(tree.at("skills/a/deep")).is_err() {
            assert!(matches!(sealed, Err(SealError::Unreadable(_))));
        }
        mode(&tree.at("skills/a/deep"), 0o755);
    }
}
