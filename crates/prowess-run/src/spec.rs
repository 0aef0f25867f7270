//! What the host tells its launcher, and what it hears back.

use std::{ffi::OsString, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::Limits;

/// Everything a launcher has to know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Spec {
    /// The interpreter, its arguments, the script and the script's arguments.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    /// The work folder: where the script starts, writable, nothing in it executable.
    pub work: PathBuf,
    /// Readable and executable: interpreters and libraries.
    pub programs: Vec<PathBuf>,
    /// Readable, not executable by path: the skill, what is granted, what libraries ask for.
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    pub net: bool,
    /// Whether namespaces are tried at all.
    pub namespaces: bool,
    /// Goes on where the kernel lacks something, instead of refusing.
    pub best_effort: bool,
    pub limits: Limits,
}

/// What a launcher reports, a line each.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Report {
    /// A layer is in place, or said not to be.
    Layer(String),
    /// The script has started.
    Started,
    /// A step failed; the script did not run.
    Failed(String),
    /// It cannot be done on this machine; the script did not run.
    Unsupported(String),
    /// The script ended by itself.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
}
