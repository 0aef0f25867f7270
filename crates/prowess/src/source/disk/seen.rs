//! What a scan saw of each folder, so that the next one reads only what changed.
//!
//! A file is taken for unchanged when its *stamp* is the same: device, inode, size, and both of
//! its times to the nanosecond. The time of the last change of the inode cannot be set by a
//! program, so a file whose `mtime` was put back still differs. What was touched shortly before
//! it was looked at is not trusted at all: it could be written again within one tick of a clock.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::walk::Here;
use crate::{skill::Skill, source::Finding, survey::Survey};

/// Some file systems count in steps of two seconds. Those that tests run on are finer.
const SETTLED_NANOSECONDS: i64 = if cfg!(test) {
    50_000_000
} else {
    2_000_000_000
};

/// What tells one version of a file or a folder from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// Nanoseconds since 1970, like all times here.
    pub(crate) modified: i64,
    pub(crate) changed: i64,
}

impl Stamp {
    /// The stamp, unless it could stand for two versions when it was taken at `now`.
    pub(crate) fn settled(self, now: i64) -> Option<Self> {
        let touched = self.modified.max(self.changed);
        (touched < now.saturating_sub(SETTLED_NANOSECONDS)).then_some(self)
    }
}

/// The time, as stamps count it.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as i64)
}

/// One folder, as it was seen.
#[derive(Debug, Clone)]
pub(crate) struct FolderSeen {
    /// Device and inode, where the platform has them.
    pub(crate) place: Option<(u64, u64)>,
    /// `None` where the times of the folder do not vouch for its list.
    pub(crate) stamp: Option<Stamp>,
    /// Where it is, and what was known on the way there.
    pub(crate) here: Here,
    /// The folders in it that were walked, links to folders among them.
    pub(crate) folders: Vec<OsString>,
    /// The skills in it.
    pub(crate) files: Vec<FileSeen>,
    /// What was noticed about other paths in it.
    pub(crate) findings: Vec<Finding>,
    /// Real folders that hold what links among its files lead to.
    pub(crate) targets: Vec<PathBuf>,
}

/// One skill's file, as it was seen.
#[derive(Debug, Clone)]
pub(crate) struct FileSeen {
    pub(crate) name: OsString,
    /// `None` where it must be read again in any case.
    pub(crate) stamp: Option<Stamp>,
    /// What was read.
    pub(crate) skill: Option<Skill>,
}

/// Names that changed, by the folder they are in. A folder without names is looked at again.
pub(crate) type Dirty = HashMap<PathBuf, HashSet<OsString>>;

/// How to use what was seen before.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trusting<'a> {
    /// Nothing is known.
    Nothing,
    /// What has the same stamp is the same.
    Stamps(&'a Survey),
    /// What is not named here is the same.
    Events(&'a Survey, &'a Dirty),
}

impl<'a> Trusting<'a> {
    pub(super) fn folder(self, path: &Path) -> Option<&'a FolderSeen> {
        match self {
            Self::Nothing => None,
            Self::Stamps(survey) | Self::Events(survey, _) => survey.folder(path),
        }
    }

    /// Whether a change of this name in this folder was announced.
    pub(super) fn is_dirty(self, folder: &Path, name: &std::ffi::OsStr) -> bool {
        match self {
            Self::Events(_, dirty) => dirty.get(folder).is_some_and(|names| names.contains(name)),
            _ => false,
        }
    }
}

/// What a scan saw that was not known before.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// Folders that were listed. Those of which nothing is said here are as they were.
    pub(crate) folders: Vec<FolderSeen>,
    /// Files that lie in no folder of the source: a source may be a single file.
    pub(crate) loose: Vec<FileSeen>,
    /// Folders that could not be entered.
    pub(crate) failed: Vec<PathBuf>,
    /// What was noticed beside the lists of folders.
    pub(crate) findings: Vec<Finding>,
    /// Whether a limit ended the scan.
    pub(crate) partial: bool,
}
