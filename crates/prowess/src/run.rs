//! A skill's scripts, run exactly as they were looked at.
//!
//! Nothing here decides that a script may run: that is the host's, by [`RunPolicy`] and by what
//! its user approved. What this gives is the set of bytes that the decision was about: [`Staged`]
//! reads every file of a skill once, seals what it read, and lays those very bytes out in a
//! folder of their own. A file that is swapped after the look is not what runs.

use std::path::{Component, Path, PathBuf};

pub use prowess_run::{
    Answer, Cancel, Confinement, Denial, Grant, GrantError, Input, Interpreter, InterpreterError,
    Limits as RunLimits, Request, Run, RunError, Runner, Sandbox, Search, Stop, Stream, Unconfined,
    WorkFolder, interpreter_of, launcher,
};
use tempfile::TempDir;

use crate::{
    identity::ContentHash,
    limits::Limits,
    resource::{ResourceError, slashed},
    skill::Skill,
    trust::{Seal, SealError, SealedFile, TrustStore},
};

/// Who says that a script may run. From narrow to wide: a project's config can only lower it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum RunPolicy {
    /// Nothing runs.
    Never,
    /// A person is asked each time.
    #[default]
    Ask,
    /// What a person approved runs again without a question, while every file is as it was.
    Trusted,
}

impl RunPolicy {
    /// Every policy, from narrow to wide.
    pub const ALL: [Self; 3] = [Self::Never, Self::Ask, Self::Trusted];

    /// The word in a config.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Ask => "ask",
            Self::Trusted => "trusted",
        }
    }
}

impl std::str::FromStr for RunPolicy {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|policy| policy.as_str() == word);
        known.ok_or_else(|| format!("`{word}` is none of never, ask, trusted"))
    }
}

/// Why a skill's files could not be laid out to run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// Its files could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// One of its files could not be read.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// It has no folder of its own: a single file, a record of a catalog, or a skill of a server.
    #[error("`{skill}` has no folder, so it has no scripts")]
    NoFolder {
        /// The skill's name.
        skill: String,
    },
    /// A file changed while it was read.
    #[error("`{path}` changed while it was read")]
    Changed {
        /// The file.
        path: String,
    },
    /// The copy could not be written.
    #[error("cannot lay out the files of `{skill}`")]
    Write {
        /// The skill's name.
        skill: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
}

/// A skill's files as they were sealed, in a folder of their own that goes away with this value.
#[derive(Debug)]
pub struct Staged {
    folder: TempDir,
    seal: Seal,
}

impl Staged {
    /// Reads every file of a skill once and lays out what was read.
    pub fn new(skill: &Skill, limits: &Limits) -> Result<Self, StageError> {
        if skill.remote().is_some() || skill.directory().is_none() {
            return Err(StageError::NoFolder {
                skill: skill.name().to_owned(),
            });
        }
        let seal = skill.seal(limits)?;
        let unwritten = |source| StageError::Write {
            skill: skill.name().to_owned(),
            source,
        };
        let folder = tempfile::Builder::new()
            .prefix("prowess-skill-")
            .tempdir()
            .map_err(unwritten)?;
        for file in skill.raw_files(limits)?.files {
            let shown = slashed(&file.path);
            let bytes = skill.read_raw(&file.path, limits)?;
            if seal.get(&shown) != Some(ContentHash::of(&bytes)) {
                return Err(StageError::Changed { path: shown });
            }
            let plain = |part| matches!(part, Component::Normal(_));
            if file.path.components().all(plain) {
                lay_out(&folder.path().join(&file.path), &bytes).map_err(unwritten)?;
            }
        }
        Ok(Self { folder, seal })
    }

    /// What was laid out: every file with its hash.
    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    /// The folder that holds the copy.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks for one of its scripts.
    pub fn request(&self, script: impl Into<PathBuf>) -> Request {
        Request::new(self.folder(), script)
    }

    /// Whether a person approved exactly these files.
    pub fn is_approved(&self, skill: &Skill, store: &TrustStore) -> bool {
        let approval = skill
            .real_path()
            .and_then(|path| store.approval(&path).cloned());
        approval.is_some_and(|approval| approval.seal == self.seal)
    }

    /// The files that a program known here runs, by path.
    pub fn scripts(&self, search: &Search) -> Vec<&str> {
        let files = self
            .seal
            .files()
            .iter()
            .map(|file: &SealedFile| file.path.as_str());
        files
            .filter(|path| Path::new(path).extension() != Some("md".as_ref()))
            .filter(|path| {
                let found = interpreter_of(&self.folder().join(path), search);
                matches!(found, Ok(_) | Err(InterpreterError::Missing { .. }))
            })
            .collect()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "writes a private copy into a new folder, which nobody else reads"
)]
fn lay_out(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, bytes)?;
    // The copy keeps no modes: what starts with `#!` can be called by its path.
    #[cfg(unix)]
    if bytes.starts_with(b"#!") {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Catalog, DiskSource, LoadOptions, Source};

    fn catalog(files: &[(&str, &str)]) -> (TempDir, Catalog) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a test lays out its own files")]
            fs::write(path, text).unwrap();
        }
        let source = DiskSource::new(folder.path());
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
        (folder, catalog)
    }

    const SKILL: &str = "---\nname: a\ndescription: Counts words. Use when asked.\n---\n# A\n";

    #[test]
    fn what_was_sealed_is_what_lies_in_the_copy() {
        let (folder, catalog) = catalog(&[
            ("a/SKILL.md", SKILL),
            ("a/scripts/run.py", "print(1)\n"),
            ("a/data.csv", "1,2\n"),
        ]);
        let skill = catalog.get("a").unwrap();
        let staged = Staged::new(skill, &Limits::default()).unwrap();
        assert_eq!(staged.scripts(&Search::new(None)), ["scripts/run.py"]);

        #[expect(clippy::disallowed_methods, reason = "a test changes its own file")]
        fs::write(folder.path().join("a/scripts/run.py"), "print(2)\n").unwrap();
        #[expect(clippy::disallowed_methods, reason = "a test reads its own file")]
        let copy = fs::read_to_string(staged.folder().join("scripts/run.py")).unwrap();
        assert_eq!(copy, "print(1)\n");
    }

    #[test]
    fn an_approval_holds_for_all_files_and_no_others() {
        let (folder, catalog) = catalog(&[("a/SKILL.md", SKILL), ("a/run.sh", "echo 1\n")]);
        let skill = catalog.get("a").unwrap();
        let limits = Limits::default();
        let mut store = TrustStore::default();
        assert!(
            !Staged::new(skill, &limits)
                .unwrap()
                .is_approved(skill, &store)
        );
        store.approve(skill, &limits).unwrap();
        assert!(
            Staged::new(skill, &limits)
                .unwrap()
                .is_approved(skill, &store)
        );
        #[expect(clippy::disallowed_methods, reason = "a test adds a file of its own")]
        fs::write(folder.path().join("a/new.txt"), "x").unwrap();
        assert!(
            !Staged::new(skill, &limits)
                .unwrap()
                .is_approved(skill, &store)
        );
    }
}
