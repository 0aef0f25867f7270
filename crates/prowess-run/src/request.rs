//! What is to be run, and within which limits.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::Grant;

/// One script of a folder, its arguments, and what it may touch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The folder the script belongs to; all of it is readable, none of it writable.
    pub folder: PathBuf,
    /// The script's path inside the folder, such as `scripts/fill.py`.
    pub script: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What it reads on standard input.
    pub input: Input,
    /// What it may touch beside the two folders.
    pub grants: Vec<Grant>,
    /// Variables it sees beside the few that every run has.
    pub env: BTreeMap<String, String>,
    /// Where it writes.
    pub work: WorkFolder,
    /// How much of everything it gets.
    pub limits: Limits,
    /// Hears output as it comes, before it is cut.
    pub listener: Option<Listener>,
}

/// Hears what a run prints, as it prints it.
#[derive(Clone)]
pub struct Listener(pub(crate) Arc<Hear>);

type Hear = dyn Fn(Stream, &[u8]) + Send + Sync;

impl fmt::Debug for Listener {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Listener")
    }
}

/// One of a run's two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a run reads on standard input.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Input {
    /// Nothing: the end comes at once.
    #[default]
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
    /// What the host's own standard input gives.
    Inherit,
}

/// Where a run writes.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum WorkFolder {
    /// A new folder, removed when the run has ended.
    #[default]
    Temporary,
    /// A new folder that stays; [`crate::Answer::work`] names it.
    Kept,
    /// A folder that is there already, and stays.
    At(PathBuf),
}

/// How much of everything a run gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// From start to end. What runs longer is killed with all its children.
    pub time: Duration,
    /// Seconds on a processor, for each process.
    pub cpu_seconds: u64,
    /// Address space of each process. Node reserves several gigabytes that it never touches, so
    /// this is far above what [`Limits::data_bytes`] lets a process really use.
    pub address_bytes: u64,
    /// Heap and private pages of each process.
    pub data_bytes: u64,
    /// Processes and threads of the whole run.
    pub processes: u64,
    /// Size of each file it writes.
    pub file_bytes: u64,
    /// Size of everything below the work folder, looked at a few times a second.
    pub work_bytes: u64,
    /// Descriptors open at once, for each process.
    pub open_files: u64,
    /// How much of each output is kept; the rest is read, counted and dropped.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(60),
            cpu_seconds: 60,
            address_bytes: 64 << 30,
            data_bytes: 4 << 30,
            processes: 256,
            file_bytes: 1 << 30,
            work_bytes: 2 << 30,
            open_files: 1_024,
            output_bytes: 64 << 10,
        }
    }
}

impl Request {
    /// Asks for the script at `script` inside `folder`, without arguments and grants.
    pub fn new(folder: impl Into<PathBuf>, script: impl Into<PathBuf>) -> Self {
        Request {
            folder: folder.into(),
            script: script.into(),
            args: Vec::new(),
            input: Input::default(),
            grants: Vec::new(),
            env: BTreeMap::new(),
            work: WorkFolder::default(),
            limits: Limits::default(),
            listener: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Gives it something to read.
    #[must_use]
    pub fn input(mut self, input: Input) -> Self {
        self.input = input;
        self
    }

    /// Widens what it may touch.
    #[must_use]
    pub fn grant(mut self, grant: Grant) -> Self {
        self.grants.push(grant);
        self
    }

    /// Says where it writes.
    #[must_use]
    pub fn work(mut self, work: WorkFolder) -> Self {
        self.work = work;
        self
    }

    /// Sets its limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Hands on output as it comes.
    #[must_use]
    pub fn listener(mut self, hear: impl Fn(Stream, &[u8]) + Send + Sync + 'static) -> Self {
        self.listener = Some(Listener(Arc::new(hear)));
        self
    }

    /// Where the script lies.
    pub fn script_path(&self) -> PathBuf {
        self.folder.join(&self.script)
    }

    pub(crate) fn has_net(&self) -> bool {
        self.grants.contains(&Grant::Net)
    }

    pub(crate) fn granted_paths(&self, write: bool) -> impl Iterator<Item = &Path> {
        self.grants.iter().filter_map(move |grant| match grant {
            Grant::Read(path) if !write => Some(path.as_path()),
            Grant::Write(path) if write => Some(path.as_path()),
            _ => None,
        })
    }
}
