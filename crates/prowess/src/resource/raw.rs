//! A skill's files as bytes, under the names the disk gives them: for those who hand files on.

use std::path::{Path, PathBuf};

use super::{Files, ResourceError, slashed};
use crate::{
    display::display_path,
    identity::ContentHash,
    limits::Limits,
    source::disk::inside::{Reach, read_inside, survey_inside},
};

/// A file of a skill under its own name, which may be no text at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawFile {
    /// The path below the skill's folder.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// When it last changed, in Unix seconds.
    pub modified: i64,
}

/// Everything in a skill's folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawFiles {
    /// Every file, sorted by path, the skill's own among them.
    pub files: Vec<RawFile>,
    /// Every folder below the skill's own, empty ones too.
    pub folders: Vec<PathBuf>,
    /// Whether a limit cut the lists.
    pub partial: bool,
}

impl Files<'_> {
    /// Lists everything in the skill's folder.
    pub(crate) fn raw(&self, limits: &Limits) -> Result<RawFiles, ResourceError> {
        let survey = survey_inside(self.location()?, limits, Reach::Offered)
            .map_err(|source| self.unlisted(source))?;
        let files = survey.files.into_iter().map(|file| RawFile {
            path: file.path,
            size: file.facts.size,
            modified: file.facts.modified,
        });
        Ok(RawFiles {
            files: files.collect(),
            folders: survey.folders,
            partial: survey.partial,
        })
    }

    /// Reads a whole file.
    pub(crate) fn read_raw(&self, path: &Path, limits: &Limits) -> Result<Vec<u8>, ResourceError> {
        let location = self.location()?;
        let shown = || display_path(path);
        let most = usize::try_from(limits.resource_bytes).unwrap_or(usize::MAX);
        let (bytes, facts) =
            read_inside(location, path, 0, most).map_err(|fault| self.explain(&shown(), fault))?;
        if facts.size > limits.resource_bytes {
            return Err(ResourceError::TooLarge {
                path: shown(),
                size: facts.size,
                limit: limits.resource_bytes,
            });
        }
        Ok(bytes)
    }

    /// Reads a whole file for a model: one that was trusted and that hides nothing.
    pub(crate) fn serve_raw(&self, path: &Path, limits: &Limits) -> Result<Vec<u8>, ResourceError> {
        let bytes = self.read_raw(path, limits)?;
        let shown = slashed(path);
        if let Some(seal) = self.seal
            && !seal.admits(&shown, ContentHash::of(&bytes))
        {
            return Err(ResourceError::Changed { path: shown });
        }
        if str::from_utf8(&bytes).is_ok() {
            self.hides_nothing_in(&shown, &bytes)?;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::catalog::Catalog;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes its own folder")]
    fn files_and_empty_folders_are_listed_and_links_that_leave_are_not_read() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("skills/pdf");
        fs::create_dir_all(folder.join("empty")).unwrap();
        fs::create_dir_all(folder.join("refs")).unwrap();
        fs::write(
            folder.join("SKILL.md"),
            "---\nname: pdf\ndescription: PDF.\n---\n",
        )
        .unwrap();
        fs::write(folder.join("refs/a.bin"), [0, 159, 146, 150]).unwrap();
        fs::write(home.path().join("secret"), "secret").unwrap();
        let catalog = Catalog::from_dirs([home.path().join("skills")]);
        let skill = catalog.get("pdf").unwrap();
        let limits = Limits::default();
        let listed = skill.raw_files(&limits).unwrap();
        let paths: Vec<_> = listed.files.iter().map(|file| &*file.path).collect();
        assert_eq!(paths, [Path::new("SKILL.md"), Path::new("refs/a.bin")]);
        assert_eq!(listed.folders, [Path::new("empty"), Path::new("refs")]);
        let bytes = skill.read_raw(Path::new("refs/a.bin"), &limits).unwrap();
        assert_eq!(bytes, [0, 159, 146, 150]);
        for outside in ["../../secret", "/etc/hostname", "refs/../../pdf/SKILL.md"] {
            assert!(
                skill.read_raw(Path::new(outside), &limits).is_err(),
                "{outside}"
            );
        }
    }
}
