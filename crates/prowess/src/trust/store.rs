//! What the user has decided, by real path and by seal. It lives outside every repository.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{Seal, Trust, TrustDecision, TrustNone};
use crate::source::{Origin, Scope};

/// What was trusted: the files as they were then.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approval {
    /// Every file with its hash.
    pub seal: Seal,
    /// The skill's own file as it was read, to show what changed.
    pub text: String,
    /// Whether its scripts may run as well.
    pub run: bool,
}

/// What the user has said about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// This skill, while its files stay as they are.
    Trusted(Approval),
    /// Not this skill, or nothing below this folder, whatever becomes of it.
    Denied,
}

/// Trusts what the user named or installed, the skills the user has looked at, and whole folders
/// of the user's own.
///
/// Everything is known by its real path. What a repository says about itself, in a config or in
/// its `.git`, is never asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustStore {
    folders: BTreeSet<PathBuf>,
    entries: BTreeMap<PathBuf, Entry>,
}

impl TrustStore {
    /// Creates a store that trusts these folders as a whole, whatever changes in them. They are
    /// absolute paths without links.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            folders: folders.into_iter().collect(),
            entries: BTreeMap::new(),
        }
    }

    /// Trusts a folder and all that is or will be below it; says whether that is new.
    pub fn trust_folder(&mut self, folder: PathBuf) -> bool {
        self.folders.insert(folder)
    }

    /// The folders that are trusted as a whole, sorted.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }

    /// Sets what the user has said about a path.
    pub fn insert(&mut self, path: PathBuf, entry: Entry) {
        self.entries.insert(path, entry);
    }

    /// Denies a skill, or everything below a folder. It stays denied however it changes.
    pub fn deny(&mut self, path: PathBuf) {
        self.revoke(&path);
        self.insert(path, Entry::Denied);
    }

    /// Forgets everything about a path and what is below it; gives how many entries that were.
    pub fn revoke(&mut self, path: &Path) -> usize {
        let before = self.entries.len();
        self.entries.retain(|known, _| !known.starts_with(path));
        before - self.entries.len()
    }

    /// What the user has said, by path.
    pub fn entries(&self) -> impl Iterator<Item = (&Path, &Entry)> {
        self.entries
            .iter()
            .map(|(path, entry)| (path.as_path(), entry))
    }

    /// What was trusted at this path.
    pub fn approval(&self, path: &Path) -> Option<&Approval> {
        match self.entries.get(path)? {
            Entry::Trusted(approval) => Some(approval),
            Entry::Denied => None,
        }
    }

    /// What denies a path: itself, or a folder around it.
    pub fn denied_by<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.ancestors()
            .find(|above| self.entries.get(*above) == Some(&Entry::Denied))
    }

    fn denies(&self, path: &Path) -> bool {
        self.denied_by(path).is_some()
    }

    /// Whether this path lies in a folder that is trusted as a whole.
    fn trusts_all_of(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.folders.contains(above))
    }
}

impl Trust for TrustStore {
    fn decide(&self, origin: &Origin) -> TrustDecision {
        match (&origin.real_root, origin.scope) {
            (Some(root), Scope::Project) if self.denies(root) => TrustDecision::Denied,
            // A denied skill in it is still to be told apart from the others.
            (Some(root), Scope::Project)
                if self.trusts_all_of(root) && !self.denies_below(root) =>
            {
                TrustDecision::Trusted
            }
            _ => TrustNone.decide(origin),
        }
    }

    fn knows(&self, path: &Path) -> bool {
        !self.denies(path) && (self.approval(path).is_some() || self.trusts_all_of(path))
    }

    fn decide_skill(&self, path: &Path, seal: Option<&Seal>) -> TrustDecision {
        if self.denies(path) {
            TrustDecision::Denied
        } else if self.trusts_all_of(path) {
            TrustDecision::Trusted
        } else {
            match (self.approval(path), seal) {
                (Some(approval), Some(seal)) if approval.seal == *seal => TrustDecision::Trusted,
                (Some(_), _) => TrustDecision::Changed,
                (None, _) => TrustDecision::Ask,
            }
        }
    }
}

impl TrustStore {
    fn denies_below(&self, root: &Path) -> bool {
        let below = self.entries.range(root.to_path_buf()..);
        below
            .take_while(|(path, _)| path.starts_with(root))
            .any(|(_, entry)| *entry == Entry::Denied)
    }
}

#[cfg(test)]
mod tests;
