//! A seal over all files of a skill: what a user looked at, so that a change is seen.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::{Files, ResourceError, slashed};
use crate::{
    display::display_path,
    identity::ContentHash,
    limits::Limits,
    source::{
        Layout,
        disk::inside::{list_inside, read_whole},
    },
};

/// Every file of a skill with the hash of its bytes, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seal {
    files: Vec<SealedFile>,
}

/// One file of a seal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SealedFile {
    /// The path below the skill's folder, with `/` between its parts.
    pub path: String,
    /// The hash of its bytes.
    pub hash: ContentHash,
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
    #[error("`{skill}` has more files, bytes or folders than are looked at")]
    TooLarge {
        /// The skill's name.
        skill: String,
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
    /// Files with other bytes.
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
        Self { files }
    }

    /// The files, sorted by path.
    pub fn files(&self) -> &[SealedFile] {
        &self.files
    }

    /// One hash over all files: their paths and their bytes.
    pub fn hash(&self) -> ContentHash {
        let mut hasher = Sha256::new();
        for file in &self.files {
            // No path holds a NUL, so no two lists make the same bytes.
            hasher.update(file.path.as_bytes());
            hasher.update([0]);
            hasher.update(file.hash.as_bytes());
        }
        ContentHash::from_bytes(hasher.finalize().into())
    }

    /// The hash of one file; `None` where the seal has no such file.
    pub fn get(&self, path: &str) -> Option<ContentHash> {
        let at = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path));
        at.ok().map(|at| self.files[at].hash)
    }

    /// Whether these bytes may pass as this file: as that file's own, or, for a way through a
    /// link that the seal does not list, as those of any of its files.
    pub(crate) fn admits(&self, path: &str, hash: ContentHash) -> bool {
        match self.get(path) {
            Some(sealed) => sealed == hash,
            None => self.files.iter().any(|file| file.hash == hash),
        }
    }

    /// What became of the sealed files since.
    pub fn changes(&self, now: &Self) -> Changes {
        let mut changes = Changes::default();
        for file in &self.files {
            match now.get(&file.path) {
                None => changes.removed.push(file.path.clone()),
                Some(hash) if hash != file.hash => changes.altered.push(file.path.clone()),
                Some(_) => {}
            }
        }
        let new = now
            .files
            .iter()
            .filter(|file| self.get(&file.path).is_none());
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
        let own_file = SealedFile {
            path: display_path(Path::new(name)),
            hash: own,
        };
        match layout {
            Layout::Record => return Err(SealError::NotOnDisk { skill: skill() }),
            Layout::Flat | Layout::Convention => return Ok(Seal::new([own_file])),
            Layout::Folder => {}
        }
        let location = self.location()?;
        let (files, partial) =
            list_inside(location, limits).map_err(|source| self.unreadable(".", source))?;
        if partial {
            return Err(SealError::TooLarge { skill: skill() });
        }
        let mut sealed = vec![own_file];
        for file in files
            .iter()
            .filter(|file| file.path.as_path() != Path::new(name))
        {
            let path = slashed(&file.path);
            let bytes = read_whole(location, &file.path, limits.skill_bytes)
                .map_err(|fault| self.explain(&path, fault))?;
            sealed.push(SealedFile {
                path,
                hash: ContentHash::of(&bytes),
            });
        }
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
    fn a_link_is_sealed_by_what_it_leads_to() {
        let tree = Tree::new()
            .skill("skills/a")
            .file("skills/a/real.md", "one")
            .link("skills/a/link.md", "real.md")
            .link("skills/a/out.md", "/etc/hostname");
        let before = seal(&tree);
        let paths: Vec<_> = before.files().iter().map(|file| &*file.path).collect();
        assert_eq!(paths, ["SKILL.md", "link.md", "real.md"]);
        let tree = tree.file("skills/a/real.md", "two");
        assert_eq!(before.changes(&seal(&tree)).altered, ["link.md", "real.md"]);
    }
}
