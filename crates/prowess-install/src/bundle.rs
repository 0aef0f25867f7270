//! Locked skills in one file, for machines without a network: their files and their part of the
//! lock, so that they arrive with their real sources and every byte can be held to its hash.

use std::io;

use crate::{
    archive::{ArchiveError, ArchiveLimits, read_archive},
    file_path::FilePath,
    lock::{Lock, LockError, LockedSkill},
    offer::{OfferError, OfferOptions, artifact},
    pack::pack_all,
    site::LOCK_FILE,
    source::{Place, Source},
    tree::{Mode, SkillFiles},
};

/// The folder of all files in it.
const SKILLS: &str = "skills";

/// Why a file is no bundle. Nothing of it is taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It cannot be had.
    #[error(transparent)]
    Offer(#[from] OfferError),
    /// It is an archive that is not taken.
    #[error("it is an archive that is not taken")]
    Archive(#[from] ArchiveError),
    /// It has no lock.
    #[error("it has no `{LOCK_FILE}`, so nothing in it can be verified")]
    NoLock,
    /// Its lock is damaged.
    #[error("its lock is damaged")]
    Lock(#[from] LockError),
    /// Files that are not those of its lock.
    #[error("the files of `{0}` in it are not those that its lock names")]
    Differs(String),
    /// A file that its lock does not name.
    #[error("`{}` in it belongs to no skill of its lock", prowess::display_text(.0))]
    Extra(String),
}

/// Packs skills with their entries in the lock: the same bytes for the same skills.
pub fn bundle(skills: &[(&LockedSkill, SkillFiles)]) -> io::Result<Vec<u8>> {
    let mut lock = Lock::default();
    let mut files: Vec<(String, Mode, &[u8])> = Vec::new();
    for (locked, of) in skills {
        lock.insert((*locked).clone());
        for (entry, bytes) in of.iter() {
            let path = format!("{SKILLS}/{}/{}", locked.folder, entry.path);
            files.push((path, entry.mode, bytes));
        }
    }
    let text = lock.to_text().map_err(io::Error::other)?;
    files.push((LOCK_FILE.to_owned(), Mode::Plain, text.as_bytes()));
    files.sort_by(|a, b| a.0.cmp(&b.0));
    pack_all(
        files
            .iter()
            .map(|(path, mode, bytes)| (path.as_str(), *mode, *bytes)),
    )
}

/// Opens a bundle and holds every file to its lock; `None` where the source is something else.
pub fn open_bundle(
    source: &Source,
    options: &OfferOptions,
) -> Option<Result<Vec<(LockedSkill, SkillFiles)>, BundleError>> {
    let name = match &source.place {
        Place::ArchiveFile(path) => path.to_string_lossy().into_owned(),
        Place::ArchiveUrl(url) => url.split('?').next().unwrap_or(url).to_owned(),
        _ => return None,
    };
    let is_bundle = name.to_ascii_lowercase().ends_with(".prowess-bundle");
    is_bundle.then(|| {
        let bytes = artifact(&source.place, options)?;
        read_bundle(&bytes, &options.archive)
    })
}

/// Reads a bundle: every file of it is one that its lock names, or nothing is taken.
pub fn read_bundle(
    bytes: &[u8],
    limits: &ArchiveLimits,
) -> Result<Vec<(LockedSkill, SkillFiles)>, BundleError> {
    let mut files = read_archive(bytes, limits)?;
    let at = files.iter().position(|it| it.0.as_str() == LOCK_FILE);
    let (_, _, text) = files.swap_remove(at.ok_or(BundleError::NoLock)?);
    let lock = Lock::from_text(&String::from_utf8_lossy(&text))?;
    let mut skills = Vec::new();
    for locked in lock.skills() {
        let differs = || BundleError::Differs(locked.folder.clone());
        let prefix = format!("{SKILLS}/{}/", locked.folder);
        let (own, others): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|it| it.0.as_str().starts_with(&prefix));
        files = others;
        let mut taken = Vec::new();
        for (path, mode, bytes) in own {
            let below = FilePath::new(&path.as_str()[prefix.len()..]).map_err(|_| differs())?;
            taken.push((below, mode, bytes));
        }
        let taken = SkillFiles::new(taken).map_err(|_| differs())?;
        if taken.tree().digest().to_string() != locked.digest {
            return Err(differs());
        }
        skills.push((locked.clone(), taken));
    }
    match files.first() {
        Some(extra) => Err(BundleError::Extra(extra.0.to_string())),
        None => Ok(skills),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn skill(folder: &str, text: &str) -> (LockedSkill, SkillFiles) {
        let file = |path: &str, mode, text: &str| {
            (FilePath::new(path).unwrap(), mode, text.as_bytes().to_vec())
        };
        let files = SkillFiles::new(vec![
            file("SKILL.md", Mode::Plain, text),
            file("scripts/go.sh", Mode::Run, "echo\r\n"),
        ])
        .unwrap();
        let mut locked = LockedSkill {
            folder: folder.to_owned(),
            name: None,
            source: "https://github.com/acme/skills.git".to_owned(),
            reference: Some("refs/heads/main".to_owned()),
            pinned: false,
            commit: Some("0".repeat(40)),
            artifact: None,
            path: folder.to_owned(),
            clients: Vec::new(),
            digest: String::new(),
            files: Vec::new(),
            extra: BTreeMap::new(),
        };
        locked.set_tree(files.tree());
        (locked, files)
    }

    fn packed(skills: &[(LockedSkill, SkillFiles)]) -> Vec<u8> {
        let skills: Vec<_> = skills.iter().map(|it| (&it.0, it.1.clone())).collect();
        bundle(&skills).unwrap()
    }

    #[test]
    fn what_is_bundled_comes_back_with_its_lock() {
        let skills = vec![skill(".claude/skills/b", "b"), skill("a", "a")];
        let bytes = packed(&skills);
        let back = read_bundle(&bytes, &ArchiveLimits::default()).unwrap();
        assert_eq!(back, skills);
        assert_eq!(packed(&back), bytes);
    }

    #[test]
    fn a_bundle_with_other_files_than_its_lock_names_is_refused() {
        let told = |bytes: &[u8]| {
            let error = read_bundle(bytes, &ArchiveLimits::default()).unwrap_err();
            error.to_string()
        };
        let (locked, _) = skill("a", "a");
        let (_, other) = skill("a", "other");
        assert_eq!(
            told(&packed(&[(locked.clone(), other)])),
            "the files of `a` in it are not those that its lock names"
        );
        let alone = pack_all([("skills/a/SKILL.md", Mode::Plain, b"".as_slice())].into_iter());
        assert_eq!(
            told(&alone.unwrap()),
            "it has no `prowess.lock`, so nothing in it can be verified"
        );
        let lock = Lock::default().to_text().unwrap();
        let more = pack_all(
            [
                ("prowess.lock", Mode::Plain, lock.as_bytes()),
                ("x", Mode::Plain, b"".as_slice()),
            ]
            .into_iter(),
        );
        assert_eq!(
            told(&more.unwrap()),
            "`x` in it belongs to no skill of its lock"
        );
    }
}
