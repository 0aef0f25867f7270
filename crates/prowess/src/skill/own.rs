//! A skill's own file, read and written again where it was found.
//!
//! Every step from the source's root opens one name in a folder that is already open, so that a
//! folder swapped for a link meanwhile leads nothing elsewhere (TOCTOU).

use std::{ffi::OsString, io, path::Path};

use super::Skill;
use crate::source::{
    Layout,
    disk::{
        handle::{Buffers, Folder as _, NativeFolder, ReadFault},
        inside::{InsideFault, open_inside},
    },
};

/// Why a skill's own file is not read or written again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnFileError {
    /// It is a value, or somewhere else.
    #[error("it is not on disk")]
    NotOnDisk,
    /// A link leads to another place than its folder.
    #[error("it is a link that leads out of the skill")]
    Outside,
    /// It is not what it was when it was read.
    #[error("it changed while it was checked")]
    Changed,
    /// The system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<InsideFault> for OwnFileError {
    fn from(fault: InsideFault) -> Self {
        match fault {
            InsideFault::Outside => Self::Outside,
            InsideFault::Read(fault) => fault.into(),
        }
    }
}

impl From<ReadFault> for OwnFileError {
    fn from(fault: ReadFault) -> Self {
        match fault {
            ReadFault::Link => Self::Outside,
            ReadFault::NotRegular(kind) => {
                io::Error::other(format!("it is {kind}, not a file")).into()
            }
            ReadFault::TooLarge(_) | ReadFault::Unsteady => Self::Changed,
            ReadFault::Io(error) => error.into(),
        }
    }
}

impl Skill {
    /// Reads its own file again, up to so many bytes.
    pub fn reread(&self, most: usize) -> Result<Vec<u8>, OwnFileError> {
        let (folder, name) = self.own_file()?;
        read(&folder, &name, most)
    }

    /// Whether its own file still is this text, so that it may be written.
    pub fn may_rewrite(&self, old: &str) -> Result<(), OwnFileError> {
        let (folder, name) = self.own_file()?;
        same(&folder, &name, old)
    }

    /// Writes its own file whole or not at all, where it still is the text from before.
    pub fn rewrite(&self, old: &str, new: &str) -> Result<(), OwnFileError> {
        let (folder, name) = self.own_file()?;
        same(&folder, &name, old)?;
        Ok(folder.replace(&name, new.as_bytes())?)
    }

    fn own_file(&self) -> Result<(NativeFolder, OsString), OwnFileError> {
        if self.layout() == Layout::Record || self.remote().is_some() {
            return Err(OwnFileError::NotOnDisk);
        }
        let location = self.own_location().ok_or(OwnFileError::NotOnDisk)?;
        let name = self.path().file_name().unwrap_or_default();
        Ok(open_inside(&location, Path::new(name))?)
    }
}

fn read(folder: &NativeFolder, name: &OsString, most: usize) -> Result<Vec<u8>, OwnFileError> {
    let mut buffers = Buffers::default();
    let facts = folder.read(name, most, &mut buffers)?;
    Ok(buffers.bytes(facts.size as usize).to_vec())
}

fn same(folder: &NativeFolder, name: &OsString, old: &str) -> Result<(), OwnFileError> {
    if read(folder, name, old.len())? == old.as_bytes() {
        Ok(())
    } else {
        Err(OwnFileError::Changed)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use crate::{Catalog, testing::Tree};

    fn rewrite(tree: &Tree, root: &str) -> String {
        let catalog = Catalog::from_dirs([tree.at(root)]);
        let skill = &catalog.skills()[0];
        let old = skill.document().text().to_owned();
        match skill.rewrite(&old, &format!("{old}more\n")) {
            Ok(()) => "written".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
    fn a_file_is_written_where_it_was_found_or_not_at_all() {
        let tree = Tree::new().skill("skills/a").skill("theirs/b");
        assert_eq!(rewrite(&tree, "skills"), "written");
        let text = fs::read_to_string(tree.at("skills/a/SKILL.md")).unwrap();
        assert!(text.ends_with("more\n"));
        // A file reached by a link to its folder is written there; the link stays.
        let tree = tree.link("linked/c", "../skills/a");
        assert_eq!(rewrite(&tree, "linked/c"), "written");
        assert!(
            fs::symlink_metadata(tree.at("linked/c"))
                .unwrap()
                .is_symlink()
        );
        let tree = tree.link("inside/real", "a").file("inside/a/text", "");
        fs::rename(tree.at("skills/a/SKILL.md"), tree.at("inside/a/text")).unwrap();
        let tree = tree.link("inside/a/SKILL.md", "text");
        assert_eq!(rewrite(&tree, "inside/a"), "written");
        assert!(
            fs::symlink_metadata(tree.at("inside/a/SKILL.md"))
                .unwrap()
                .is_symlink()
        );
        let catalog = Catalog::from_dirs([tree.at("theirs")]);
        let skill = catalog.get("b").unwrap();
        let old = skill.document().text().to_owned();
        let tree = tree.file("theirs/b/SKILL.md", "other");
        let told = skill.rewrite(&old, "new").unwrap_err().to_string();
        assert_eq!(told, "it changed while it was checked");
        fs::remove_file(tree.at("theirs/b/SKILL.md")).unwrap();
        let tree = tree.file("elsewhere.md", &old);
        let tree = tree.link("theirs/b/SKILL.md", "../../elsewhere.md");
        let told = skill.rewrite(&old, "new").unwrap_err().to_string();
        assert_eq!(told, "it is a link that leads out of the skill");
        assert_eq!(fs::read_to_string(tree.at("elsewhere.md")).unwrap(), old);
    }

    /// Row 72 for `check --fix`: the skill's folder is swapped for a link to one with the same
    /// text while the file is written.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
    fn row_72_no_swap_leads_a_fix_elsewhere() {
        let tree = Tree::new().skill("skills/a").skill("home/a");
        let (own, away, home) = (tree.at("skills/a"), tree.at("away"), tree.at("home/a"));
        let catalog = Catalog::from_dirs([tree.at("skills")]);
        let skill = catalog.get("a").unwrap();
        let old = skill.document().text().to_owned();
        let done = AtomicBool::new(false);
        let mut written = 0;
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::rename(&own, &away);
                    let _ = symlink(&home, &own);
                    let _ = fs::remove_file(&own);
                    let _ = fs::rename(&away, &own);
                }
            });
            let (mut from, mut to) = (old.clone(), format!("{old}one\n"));
            let mut tries = 0;
            // A machine with much to do may stop the other thread while the link is there.
            while tries < 2_000 || (written == 0 && tries < 2_000_000) {
                tries += 1;
                if skill.rewrite(&from, &to).is_ok() {
                    written += 1;
                    std::mem::swap(&mut from, &mut to);
                } else {
                    thread::yield_now();
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        assert!(written > 0, "the file was never there");
        assert_eq!(fs::read_to_string(home.join("SKILL.md")).unwrap(), old);
        assert_eq!(
            fs::read_dir(home).unwrap().count(),
            1,
            "nothing is left there"
        );
    }
}
