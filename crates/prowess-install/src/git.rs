//! The one place that starts `git`, in an environment that a repository has no say in.
//!
//! A repository's own config can name programs: a file system monitor, hooks, filters, a pager, an
//! editor, a credential helper, and what a remote is fetched with. The last needs no more than a
//! look at history: where an object is missing, `git` fetches it from a promisor remote by itself.
//! So nothing is taken over from the caller's environment, no config but the repository's is read,
//! and every setting of it that could start something is overruled.
//!
//! Fetching is the other way round: the repository is an empty one of our own, and what the user
//! has set is wanted, because proxies, certificates and credential helpers are there. Only the
//! protocols of the address are open, nobody is asked for a password, and time and size are
//! bounded.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
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

/// Variables for fetching, each by git 2.47's own pages. Messages are in English, so that they
/// can be understood where they are passed on.
const FETCH_VARIABLES: [(&str, &str); 11] = [
    ("GCM_INTERACTIVE", "never"),
    ("GIT_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("SSH_ASKPASS", "false"),
];

/// Settings for fetching that overrule the user's.
const FETCH_SETTINGS: [&str; 10] = [
    "core.alternateRefsCommand=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.version=2",
    "safe.bareRepository=explicit",
    "transfer.fsckObjects=true",
];

/// How often a running fetch is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// What a fetch may take over from the process that started it, and how much it may cost.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// Where programs are looked for.
    pub search_path: Option<OsString>,
    /// The variables that are passed on: home, proxies, the agent of ssh.
    pub variables: Vec<(OsString, OsString)>,
    /// How long one command may take.
    pub time: Duration,
    /// How many bytes a repository may have here.
    pub bytes: u64,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            search_path: None,
            variables: Vec::new(),
            time: Duration::from_secs(300),
            bytes: 1024 * 1024 * 1024,
        }
    }
}

/// One repository, and the way in which `git` is started for it.
#[derive(Debug)]
pub struct Git {
    folder: PathBuf,
    command: PathBuf,
    /// Set where something is fetched: what may be used for it, and the protocol.
    fetch: Option<(FetchOptions, &'static str)>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// No `git` in any folder where programs are looked for.
    #[error("there is no `git` here")]
    Missing,
    /// It could not be started or listened to.
    #[error("cannot run `git`")]
    Unusable(#[source] io::Error),
    /// It ended with an error.
    #[error("git says: {0}")]
    Refused(String),
    /// Its answer is longer than anybody wants to read.
    #[error("git answers with more than {0} bytes")]
    TooLong(u64),
    /// It took too long.
    #[error("git was not done after {0} seconds")]
    TooSlow(u64),
    /// The repository is larger than allowed.
    #[error("the repository has more than {0} bytes")]
    TooLarge(u64),
}

impl Git {
    /// Asks the repository of this folder with the first `git` of this search path, and changes
    /// nothing.
    pub fn new(folder: &Path, search_path: Option<&OsStr>) -> Result<Self, GitError> {
        Ok(Self {
            folder: folder.to_path_buf(),
            command: find(search_path)?,
            fetch: None,
        })
    }

    /// Fetches into the bare repository of this folder, from one kind of address only.
    pub(crate) fn fetching(
        folder: &Path,
        protocol: &'static str,
        options: &FetchOptions,
    ) -> Result<Self, GitError> {
        Ok(Self {
            folder: folder.to_path_buf(),
            command: find(options.search_path.as_deref())?,
            fetch: Some((options.clone(), protocol)),
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.command);
        command.env_clear();
        let settings: &[&str] = match &self.fetch {
            None => {
                command
                    .envs(VARIABLES)
                    .arg("--no-pager")
                    .arg("-C")
                    .arg(&self.folder);
                &SETTINGS
            }
            Some((options, protocol)) => {
                let variables = options.variables.iter().map(|(name, value)| (name, value));
                // One setting for downloads and for git, which knows only its own name for it.
                let authorities = variables.clone().find(|it| it.0 == "SSL_CERT_FILE");
                if let Some((_, file)) = authorities {
                    command.env("GIT_SSL_CAINFO", file);
                }
                command.envs(variables).envs(FETCH_VARIABLES);
                command.env("GIT_ALLOW_PROTOCOL", protocol);
                if let Some(path) = &options.search_path {
                    command.env("PATH", path);
                }
                command.arg("--no-pager").arg("--git-dir").arg(&self.folder);
                // Nothing is looked for around the working directory.
                command.current_dir(&self.folder);
                &FETCH_SETTINGS
            }
        };
        for setting in settings {
            command.args(["-c", setting]);
        }
        command
    }

    /// Runs a command of git on this input; gives what it prints, up to `most` bytes.
    pub fn run(&self, arguments: &[&str], input: &str, most: u64) -> Result<Vec<u8>, GitError> {
        let mut child = self
            .command()
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
        let done = AtomicBool::new(false);
        // All three flow at the same time, or both sides would wait for each other.
        let (read, stopped) = thread::scope(|scope| {
            scope.spawn(move || {
                // A `git` that went away says why by its exit code.
                let _ = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
            });
            scope.spawn(|| {
                let few = stderr.map(|stderr| stderr.take(4096));
                let _ = few.map(|mut few| few.read_to_end(&mut complaint));
            });
            let reader = scope.spawn(|| {
                let read = stdout.map(|stdout| stdout.take(most + 1).read_to_end(&mut answer));
                done.store(true, Ordering::Release);
                read.transpose()
            });
            let stopped = self.watch(&mut child, &done);
            (reader.join(), stopped)
        });
        if answer.len() as u64 > most {
            let _ = child.kill();
        }
        let status = child.wait().map_err(GitError::Unusable)?;
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        let read =
            read.unwrap_or_else(|_| Err(io::Error::other("the reader of its answer stopped")));
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

    /// Waits until the answer is there; ends a fetch that takes too long or too much.
    fn watch(&self, child: &mut Child, done: &AtomicBool) -> Option<GitError> {
        let (options, _) = self.fetch.as_ref()?;
        let started = Instant::now();
        let mut looked = started;
        while !done.load(Ordering::Acquire) {
            thread::sleep(Duration::from_millis(2));
            if started.elapsed() > options.time {
                let _ = child.kill();
                return Some(GitError::TooSlow(options.time.as_secs()));
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                if crate::disk::size_below(&self.folder) > options.bytes {
                    let _ = child.kill();
                    return Some(GitError::TooLarge(options.bytes));
                }
            }
        }
        None
    }
}

fn find(search_path: Option<&OsStr>) -> Result<PathBuf, GitError> {
    let folders = std::env::split_paths(search_path.unwrap_or_default());
    // A relative entry could name a program of the repository.
    let mut commands = folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(format!("git{}", std::env::consts::EXE_SUFFIX)));
    commands
        .find(|command| crate::disk::is_there(command))
        .ok_or(GitError::Missing)
}
