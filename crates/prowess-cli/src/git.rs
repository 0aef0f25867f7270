//! The one place that starts `git`, in an environment that a repository has no say in.
//!
//! A repository's own config can name programs: a file system monitor, hooks, filters, a pager, an
//! editor, a credential helper, and what a remote is fetched with. The last needs no more than a
//! look at history: where an object is missing, `git` fetches it from a promisor remote by itself.
//! So nothing is taken over from the caller's environment, no config but the repository's is read,
//! and every setting of it that could start something is overruled. Whatever needs a network adds
//! the protocols it wants here, and the user's own config, where proxies and credentials are.

use std::{
    ffi::OsStr,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

/// Variables, each by git 2.47's own pages. `GIT_ALLOW_PROTOCOL` overrules any config, where
/// `protocol.allow` would yield to the repository's `protocol.file.allow`; it also stops the fetch
/// of a git before 2.45, which does not know `GIT_NO_LAZY_FETCH`.
const VARIABLES: [(&str, &str); 11] = [
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ASKPASS", "false"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_EDITOR", "false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Settings that overrule the repository's. Who owns the folder does not matter: the user trusts
/// the project, and nothing in it is run.
const SETTINGS: [&str; 9] = [
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "credential.helper=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "safe.directory=*",
];

/// A repository that is asked and never changed.
#[derive(Debug)]
pub(crate) struct Git {
    folder: PathBuf,
    command: PathBuf,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("there is no `git` here")]
    Missing,
    #[error("cannot run `git`")]
    Unusable(#[source] io::Error),
    #[error("git says: {0}")]
    Refused(String),
    #[error("git answers with more than {0} bytes")]
    TooLong(u64),
}

impl Git {
    /// Asks the repository of this folder with the first `git` of this search path.
    pub(crate) fn new(folder: &Path, search_path: Option<&OsStr>) -> Result<Self, GitError> {
        let folders = std::env::split_paths(search_path.unwrap_or_default());
        // A relative entry could name a program of the repository.
        let mut commands = folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(format!("git{}", std::env::consts::EXE_SUFFIX)));
        Ok(Self {
            folder: folder.to_path_buf(),
            command: commands
                .find(|command| crate::files::is_there(command))
                .ok_or(GitError::Missing)?,
        })
    }

    /// Runs a command of git on this input; gives what it prints, up to `most` bytes.
    pub(crate) fn run(
        &self,
        arguments: &[&str],
        input: &str,
        most: u64,
    ) -> Result<Vec<u8>, GitError> {
        let mut command = Command::new(&self.command);
        command.env_clear().envs(VARIABLES);
        command.arg("--no-pager").arg("-C").arg(&self.folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(GitError::Unusable)?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut answer = Vec::new();
        let mut complaint = Vec::new();
        // All three flow at the same time, or both sides would wait for each other.
        let read = thread::scope(|scope| {
            scope.spawn(move || {
                // A `git` that went away says why by its exit code.
                let _ = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
            });
            scope.spawn(|| {
                let few = stderr.map(|stderr| stderr.take(4096));
                let _ = few.map(|mut few| few.read_to_end(&mut complaint));
            });
            let read = stdout.map(|stdout| stdout.take(most + 1).read_to_end(&mut answer));
            if answer.len() as u64 > most {
                let _ = child.kill();
            }
            read.transpose()
        });
        let status = child.wait().map_err(GitError::Unusable)?;
        read.map_err(GitError::Unusable)?;
        if answer.len() as u64 > most {
            return Err(GitError::TooLong(most));
        }
        if !status.success() {
            let complaint = String::from_utf8_lossy(&complaint);
            return Err(GitError::Refused(complaint.trim().to_owned()));
        }
        Ok(answer)
    }
}
