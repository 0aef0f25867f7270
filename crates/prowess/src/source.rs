//! Places that skills come from, and the files they yield.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use prowess_format::{Diagnostic, Position, Profile, Rule, Severity, Span};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use self::remote::Remote;
use crate::{display::display_path, limits::Limits, serial};

pub mod clients;
pub(crate) mod disk;
pub(crate) mod installed;
pub(crate) mod memory;
pub(crate) mod places;
pub(crate) mod plugin;
pub mod remote;

/// How near a place is to the task at hand; what stands first wins a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Named on the command line or by the host.
    Explicit,
    /// Checked in with the work.
    Project,
    /// Installed by the user for all work.
    User,
    /// Installed for everyone on the machine.
    System,
    /// Offered by a server; never hides a local skill.
    Remote,
}

impl Scope {
    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Project => "project",
            Self::User => "user",
            Self::System => "system",
            Self::Remote => "remote",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a skill came from; every skill of one source shares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// How near the place is.
    pub scope: Scope,
    /// A short word for people: a client's name, `dir`, a catalog's file name.
    pub label: String,
    /// The place as it was named.
    pub root: PathBuf,
    /// The same place, absolute and without links; `None` where it is not on disk.
    pub real_root: Option<PathBuf>,
    /// The repository around it. Links may lead anywhere inside.
    pub repository: Option<PathBuf>,
}

impl Origin {
    /// Creates an origin that is not on disk.
    pub fn new(scope: Scope, label: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self {
            scope,
            label: label.into(),
            root: root.into(),
            real_root: None,
            repository: None,
        }
    }

    /// A path below the root as an absolute path, where the place is on disk.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        match (&self.real_root, path.strip_prefix(&self.root)) {
            // A file named directly is its own root; joining nothing would add a slash.
            (Some(real), Ok(below)) if below.as_os_str().is_empty() => real.clone(),
            (Some(real), Ok(below)) => real.join(below),
            _ => path.to_path_buf(),
        }
    }
}

/// How a skill is laid out in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Layout {
    /// `<name>/SKILL.md`, with resources beside it.
    #[default]
    Folder,
    /// One Markdown file with frontmatter.
    Flat,
    /// A file such as `AGENTS.md`, which needs no frontmatter.
    Convention,
    /// A value without files: a line of a catalog, or something a host made.
    Record,
}

/// One file that looks like a skill, and its bytes or the reason there are none.
#[derive(Debug)]
pub struct SkillFile<'a> {
    /// Where it came from.
    pub origin: &'a Arc<Origin>,
    /// The path as it was found.
    pub path: PathBuf,
    /// How it is laid out.
    pub layout: Layout,
    /// What the file holds, or why it could not be read.
    pub contents: Result<&'a [u8], Diagnostic>,
    /// When it last changed, in Unix seconds.
    pub last_modified: Option<i64>,
    /// What was noticed about the file, apart from its text.
    pub notes: Vec<Diagnostic>,
    /// Where the skill's folder really is, when a link led there.
    pub location: Option<Location>,
    /// An id given by whoever made the skill; computed from the bytes otherwise.
    pub id: Option<String>,
}

/// A folder, told as a path below one that may be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// An absolute path without links.
    #[serde(with = "serial::path")]
    pub anchor: Arc<Path>,
    /// The way down from there.
    #[serde(with = "serial::path")]
    pub below: PathBuf,
}

/// A file that belongs to a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resource {
    /// The path below the skill's folder, with `/` between its parts. A name that cannot be shown
    /// is replaced by an id; the file is read by it.
    pub path: String,
    /// The path as the disk has it, escaped, where it holds an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its size in bytes.
    pub size: u64,
    /// Whether its owner may run it; `None` where the platform has no such bit.
    pub executable: Option<bool>,
}

/// Something noticed about a path while looking for skills.
///
/// It is shown as `path:line:column: severity[code]: message`, and serialized as `--json` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file or folder it is about.
    pub path: PathBuf,
    /// What was noticed.
    pub diagnostic: Diagnostic,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", display_path(&self.path), self.diagnostic)
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            path: String,
            #[serde(flatten)]
            diagnostic: &'a Diagnostic,
        }
        let shown = Shown {
            path: display_path(&self.path),
            diagnostic: &self.diagnostic,
        };
        shown.serialize(serializer)
    }
}

/// Findings as a cache holds them, for `#[serde(with)]`.
pub(crate) mod stored_findings {
    use super::{
        Deserialize, Deserializer, Diagnostic, Finding, PathBuf, Serialize, Serializer, serial,
    };

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "Finding")]
    struct Fields {
        #[serde(with = "serial::path")]
        path: PathBuf,
        #[serde(with = "serial::DiagnosticFields")]
        diagnostic: Diagnostic,
    }

    #[derive(Serialize)]
    struct Written<'a>(#[serde(with = "Fields")] &'a Finding);

    #[derive(Deserialize)]
    struct Read(#[serde(with = "Fields")] Finding);

    pub(crate) fn serialize<S: Serializer>(
        findings: &[Finding],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(findings.iter().map(Written))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Finding>, D::Error> {
        let read = <Vec<Read>>::deserialize(deserializer)?;
        Ok(read.into_iter().map(|Read(finding)| finding).collect())
    }
}

/// What a scan has to say beside the files it found.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// What was noticed about paths that are no skill.
    pub findings: Vec<Finding>,
    /// Whether a limit ended the scan before everything was seen.
    pub partial: bool,
}

/// How far a scan has come, to be watched from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Files and folders seen.
    pub entries: AtomicUsize,
    /// Skills read.
    pub skills: AtomicUsize,
    /// Set this to end the scan early; what was found so far is kept, marked partial.
    pub stop: AtomicBool,
}

impl Progress {
    /// Whether someone asked to end the scan.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What the scans of one load have done so far, all sources together: their limits hold for the
/// load, so that many sources take no longer than one.
#[derive(Debug)]
pub struct Effort {
    pub(crate) started: Instant,
    /// Files and folders seen.
    pub(crate) entries: AtomicUsize,
    /// Files and folders looked at again because a second link leads to them.
    pub(crate) repeats: AtomicUsize,
}

impl Effort {
    /// Starts the clock.
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
            entries: AtomicUsize::new(0),
            repeats: AtomicUsize::new(0),
        }
    }

    /// How many files and folders may still be looked at.
    pub(crate) fn room(&self, limits: &Limits) -> usize {
        let seen = self.entries.load(Ordering::Relaxed);
        limits.entries.saturating_sub(seen)
    }
}

/// Says which skills may be opened, by the real path of a folder or a single file.
#[derive(Clone, Copy, Default)]
pub struct Gate<'a>(Option<&'a (dyn Fn(&Path) -> bool + Sync)>);

impl<'a> Gate<'a> {
    /// Lets every skill be opened.
    pub fn open() -> Self {
        Self(None)
    }

    /// Asks before a skill is opened.
    pub fn ask(may_open: &'a (dyn Fn(&Path) -> bool + Sync)) -> Self {
        Self(Some(may_open))
    }

    /// Whether every skill may be opened.
    pub fn is_open(&self) -> bool {
        self.0.is_none()
    }

    /// Whether this skill may be opened.
    pub fn admits(&self, path: &Path) -> bool {
        self.0.is_none_or(|may_open| may_open(path))
    }
}

impl fmt::Debug for Gate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_open() {
            "Gate(open)"
        } else {
            "Gate(ask)"
        })
    }
}

/// What a scan is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct ScanRequest<'a> {
    /// How much may be looked at.
    pub limits: &'a Limits,
    /// Decides how much findings matter.
    pub profile: Profile,
    /// How many threads may look.
    pub threads: usize,
    /// Where to tell how far it is.
    pub progress: &'a Progress,
    /// What this load has done before, which counts against its limits.
    pub effort: &'a Effort,
    /// Which skills may be opened. The others are told by their place, unread.
    pub gate: Gate<'a>,
}

/// A place that yields skill files.
pub trait Source: Send + Sync {
    /// Where its skills come from.
    fn origin(&self) -> &Arc<Origin>;

    /// Hands every skill file to `visit`, in any order and from several threads at once, so that
    /// a file is parsed and hashed while its bytes are still at hand.
    fn scan(&self, request: &ScanRequest<'_>, visit: &(dyn Fn(SkillFile<'_>) + Sync)) -> Scan;

    /// The source as folders on disk, where it is that: those can be watched, and looked at again
    /// for the price of what changed. The argument keeps it within this crate.
    #[doc(hidden)]
    fn as_disk(&self, _: within::Crate) -> Option<&disk::DiskSource> {
        None
    }

    /// What is known of the skill at this path, where the skill is somewhere else.
    fn remote(&self, _path: &Path) -> Option<Remote> {
        None
    }
}

/// A public type that nobody outside can name, so that a method which asks for one is ours alone.
pub(crate) mod within {
    #[derive(Debug, Clone, Copy)]
    pub struct Crate;
}

/// Creates a diagnostic about a file as a whole; `None` where the profile lets it pass.
pub(crate) fn note(
    rule: &'static Rule,
    profile: Profile,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Option<Diagnostic> {
    rule.levels
        .severity(profile)
        .map(|severity| about_file(rule, severity, message.into(), help.into()))
}

/// Creates the diagnostic that says why a file was not read. No profile lets that pass.
pub(crate) fn refusal(
    rule: &'static Rule,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    about_file(rule, Severity::Error, message.into(), help.into())
}

fn about_file(
    rule: &'static Rule,
    severity: Severity,
    message: String,
    help: String,
) -> Diagnostic {
    Diagnostic {
        code: rule.code,
        severity,
        span: Span::at(0),
        position: Position { line: 1, column: 1 },
        message,
        help: Some(help),
        fix: None,
    }
}
