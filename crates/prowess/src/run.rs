//! A skill's scripts, run exactly as they were looked at.
//!
//! Nothing here decides that a script may run: that is the host's, by [`RunPolicy`] and by what
//! its user approved. What this gives is the set of bytes that the decision was about: [`Staged`]
//! reads every file of a skill once, seals what it read, and lays those very bytes out in a
//! folder of their own. A file that is swapped after the look is not what runs.

use std::{
    future::Future,
    path::{Component, Path, PathBuf},
    pin::Pin,
    task::{Context, Poll},
};

mod check;

pub use check::check_scripts;
pub use prowess_run::{
    Answer, Cancel, Confinement, Denial, Grant, GrantError, Input, Interpreter, InterpreterError,
    Limits as RunLimits, Request, Run, RunError, Runner, Sandbox, Search, Stop, Stream, Unconfined,
    WorkFolder, interpreter_for, interpreter_of, is_script_name, launcher,
};
use serde::Serialize;
use tempfile::TempDir;
use tracing::Span;

use crate::{
    identity::ContentHash,
    limits::Limits,
    observe::{self, source_uri},
    resource::{ResourceError, slashed},
    skill::Skill,
    source::remote::{FetchError, Remote},
    trust::{Seal, SealError, SealedFile, SealedKind, TrustStore},
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
    /// It is on a server, and its files cannot be had or nobody let its scripts run.
    #[error(transparent)]
    Remote(#[from] FetchError),
    /// It has no folder of its own: a single file, or a record of a catalog.
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
    skill: String,
    uri: String,
    /// Whether these files were given out because a person approved that their scripts run.
    approved: bool,
}

impl Staged {
    /// Reads every file of a skill once and lays out what was read. The files of a skill on a
    /// server are fetched and checked, where the user let its scripts run.
    pub fn new(skill: &Skill, limits: &Limits) -> Result<Self, StageError> {
        let (seal, files) = match skill.remote() {
            Some(remote) => fetched(remote)?,
            None => local(skill, limits)?,
        };
        let unwritten = |source| StageError::Write {
            skill: skill.name().to_owned(),
            source,
        };
        let folder = tempfile::Builder::new()
            .prefix("prowess-skill-")
            .tempdir()
            .map_err(unwritten)?;
        for (path, bytes) in files {
            let plain = |part| matches!(part, Component::Normal(_));
            if path.components().all(plain) {
                lay_out(&folder.path().join(&path), &bytes).map_err(unwritten)?;
            }
        }
        Ok(Self {
            folder,
            seal,
            skill: skill.name().to_owned(),
            uri: source_uri(skill),
            approved: skill.remote().is_some(),
        })
    }

    /// The skill's name.
    pub fn skill(&self) -> &str {
        &self.skill
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

    /// Starts a run of [`Staged::request`], inside a span that names what runs. The copy stays
    /// until the run has ended.
    pub fn start(self, runner: &dyn Runner, request: Request) -> Result<ScriptRun, RunError> {
        let script = slashed(&request.script);
        let span = observe::run(&observe::RunStart {
            skill: &self.skill,
            uri: &self.uri,
            script: &script,
            seal: &self.seal.hash().to_string(),
            hash: &self.hash_of(&script),
        });
        let started = span.in_scope(|| runner.start(request));
        let run = started.inspect_err(|error| observe::run_failed(&span, error))?;
        Ok(ScriptRun {
            run,
            script,
            staged: self,
            span,
        })
    }

    fn hash_of(&self, script: &str) -> String {
        let hash = self.seal.get(script.trim_start_matches("./"));
        hash.map(|hash| hash.to_string()).unwrap_or_default()
    }

    /// Whether a person let scripts of exactly these files run: by an earlier yes to a run, or for
    /// a skill on a server by an approval without which its files are not given out. Trust that
    /// lets a model read the skill is not enough.
    pub fn is_approved(&self, skill: &Skill, store: &TrustStore) -> bool {
        if self.approved {
            return true;
        }
        let approval = skill
            .real_path()
            .and_then(|path| store.approval(&path).cloned());
        approval.is_some_and(|approval| approval.run && approval.seal == self.seal)
    }

    /// Remembers that a person let scripts of exactly these files run. What is denied stays so.
    pub fn approve(&self, skill: &Skill, store: &mut TrustStore) {
        let denied = skill
            .real_path()
            .is_some_and(|path| store.denied_by(&path).is_some());
        if !denied {
            store.approve_sealed(skill, self.seal.clone(), true);
        }
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

/// The files of a skill that is here, as they are now.
fn local(skill: &Skill, limits: &Limits) -> Result<(Seal, Vec<StagedFile>), StageError> {
    if skill.directory().is_none() {
        return Err(StageError::NoFolder {
            skill: skill.name().to_owned(),
        });
    }
    let seal = skill.seal(limits)?;
    // What was trusted when the catalog was made, and is something else by now.
    if let Some(path) = skill.strays_from(&seal) {
        return Err(StageError::Changed { path });
    }
    let mut files = Vec::new();
    for file in skill.raw_files(limits)?.files {
        let shown = slashed(&file.path);
        let bytes = skill.read_raw(&file.path, limits)?;
        if seal.get(&shown) != Some(ContentHash::of(&bytes)) {
            return Err(StageError::Changed { path: shown });
        }
        files.push((file.path, bytes));
    }
    Ok((seal, files))
}

/// The files of a skill on a server, as they were approved.
fn fetched(remote: &Remote) -> Result<(Seal, Vec<StagedFile>), StageError> {
    let files = remote.fetch.files_to_run(&remote.uri)?;
    let seal = Seal::new(files.iter().map(|file| SealedFile {
        path: slashed(Path::new(&file.path)),
        hash: ContentHash::of(&file.bytes),
        kind: SealedKind::File,
    }));
    let files = files.into_iter().map(|it| (it.path.into(), it.bytes));
    Ok((seal, files.collect()))
}

/// A path below the skill's folder, and the bytes.
type StagedFile = (PathBuf, Vec<u8>);

/// A script that runs: waited for by [`ScriptRun::wait`] or by `.await`, ended with all it
/// started by dropping it.
#[derive(Debug)]
#[must_use = "a run that is dropped is killed"]
pub struct ScriptRun {
    run: Run,
    script: String,
    // After the run, so that the copy goes when nothing uses it any more.
    staged: Staged,
    span: Span,
}

impl ScriptRun {
    /// Waits for the end.
    pub fn wait(self) -> Result<RunRecord, RunError> {
        let Self {
            run,
            script,
            staged,
            span,
        } = self;
        let ended = span.in_scope(|| run.wait());
        ended_with(ended, &script, &staged, &span)
    }

    /// The skill whose script runs.
    pub fn skill(&self) -> &str {
        self.staged.skill()
    }

    /// A handle that ends the run from elsewhere.
    pub fn canceller(&self) -> Cancel {
        self.run.canceller()
    }
}

impl Future for ScriptRun {
    type Output = Result<RunRecord, RunError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = Pin::new(&mut self.run).poll(context);
        ended.map(|ended| ended_with(ended, &self.script, &self.staged, &self.span))
    }
}

fn ended_with(
    ended: Result<Answer, RunError>,
    script: &str,
    staged: &Staged,
    span: &Span,
) -> Result<RunRecord, RunError> {
    match ended {
        Ok(answer) => {
            observe::ran(span, answer.shell_code(), answer.denied.len());
            Ok(RunRecord::new(staged, script, answer))
        }
        Err(error) => {
            observe::run_failed(span, &error);
            Err(error)
        }
    }
}

/// What ran and what came of it, as data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunRecord {
    /// The skill.
    pub skill: String,
    /// The script, as a path below the skill's folder.
    pub script: String,
    /// The hash over all files of the skill, as they were when it ran.
    pub seal: String,
    /// The hash of the script.
    pub hash: String,
    /// How it ended.
    pub stop: Stop,
    /// The exit status a shell would give.
    pub code: i32,
    /// What it printed on standard output, as far as it was kept.
    pub stdout: String,
    /// What it printed on standard error, as far as it was kept.
    pub stderr: String,
    /// How many bytes of each were not kept.
    pub dropped: DroppedBytes,
    /// How long it ran.
    pub milliseconds: u64,
    /// What it was refused, as far as it said so itself.
    pub denied: Vec<Denial>,
    /// The work folder, where it stays.
    pub work: Option<PathBuf>,
    /// What confined it, weakest links named.
    pub confinement: Vec<String>,
}

/// Bytes of a run's outputs that were read and not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DroppedBytes {
    /// Of standard output.
    pub stdout: u64,
    /// Of standard error.
    pub stderr: u64,
}

impl RunRecord {
    fn new(staged: &Staged, script: &str, answer: Answer) -> Self {
        Self {
            skill: staged.skill.clone(),
            script: script.to_owned(),
            seal: staged.seal.hash().to_string(),
            hash: staged.hash_of(script),
            code: answer.shell_code(),
            stop: answer.stop,
            stdout: String::from_utf8_lossy(&answer.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&answer.stderr).into_owned(),
            dropped: DroppedBytes {
                stdout: answer.dropped.0,
                stderr: answer.dropped.1,
            },
            milliseconds: u64::try_from(answer.time.as_millis()).unwrap_or(u64::MAX),
            denied: answer.denied,
            work: answer.work,
            confinement: answer.confinement,
        }
    }

    /// The grants that would allow what it was refused, each once.
    pub fn grants(&self) -> Vec<&str> {
        let mut grants: Vec<&str> = Vec::new();
        for grant in self.denied.iter().filter_map(|it| it.grant.as_deref()) {
            if !grants.contains(&grant) {
                grants.push(grant);
            }
        }
        grants
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

    #[expect(clippy::disallowed_methods, reason = "a test lays out its own files")]
    fn catalog(files: &[(&str, &str)]) -> (TempDir, Catalog) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
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
        // To be read is not to be run.
        store.approve(skill, &limits).unwrap();
        let staged = Staged::new(skill, &limits).unwrap();
        assert!(!staged.is_approved(skill, &store));
        staged.approve(skill, &mut store);
        assert!(staged.is_approved(skill, &store));
        // Trust in the same files takes nothing back.
        store.approve(skill, &limits).unwrap();
        assert!(staged.is_approved(skill, &store));
        #[expect(clippy::disallowed_methods, reason = "a test adds a file of its own")]
        fs::write(folder.path().join("a/new.txt"), "x").unwrap();
        assert!(
            !Staged::new(skill, &limits)
                .unwrap()
                .is_approved(skill, &store)
        );
    }
}
