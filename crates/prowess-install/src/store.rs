//! The bytes of every installed file, by their hash, shared by all projects of a user.
//!
//! It makes `sync` work without a network and gives `update` the text from before. What is read
//! is hashed again, so a damaged entry is one that is not there.

use std::{
    io,
    path::{Path, PathBuf},
};

use prowess::{Access, ContentHash};

use crate::{
    disk,
    tree::{SkillFiles, Tree, TreeError},
};

/// A folder of files named by the hash of their bytes.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in this folder; it is made when something is put there.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, hash: ContentHash) -> PathBuf {
        let hex = hash.to_string();
        self.folder.join("sha256").join(&hex[..2]).join(&hex[2..])
    }

    /// Keeps these files.
    pub fn put(&self, files: &SkillFiles) -> io::Result<()> {
        for (entry, bytes) in files.iter() {
            let path = self.path(entry.hash);
            if !disk::is_there(&path) || self.get(entry.hash, entry.size).is_none() {
                disk::write(&path, bytes, Access::Private)?;
            }
        }
        Ok(())
    }

    /// The bytes of this hash.
    pub fn get(&self, hash: ContentHash, size: u64) -> Option<Vec<u8>> {
        let bytes = disk::read(&self.path(hash), size).ok()?;
        (ContentHash::of(&bytes) == hash).then_some(bytes)
    }

    /// All files of a tree; `None` where one is missing.
    pub fn files(&self, tree: &Tree) -> Option<SkillFiles> {
        let mut files = Vec::new();
        for entry in tree.entries() {
            files.push((
                entry.path.clone(),
                entry.mode,
                self.get(entry.hash, entry.size)?,
            ));
        }
        let files: Result<SkillFiles, TreeError> = SkillFiles::new(files);
        files.ok()
    }
}
