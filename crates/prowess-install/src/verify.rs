//! Every installed byte against the lock.

use std::{
    collections::HashMap,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use prowess::{Access, ContentHash};
use serde::{Deserialize, Serialize};

use crate::{
    disk::{self, ListedFile, SkillLimits, Stamp},
    lock::LockedSkill,
    site::Site,
};

/// A file that changed within this time of being hashed may change again within one tick of the
/// file system's clock, so its stamp proves nothing yet.
const SETTLE_NANOS: i64 = 1_000_000_000;

/// The stamps of a hundred thousand files fit.
const MOST_STAMPS: u64 = 64 * 1024 * 1024;

/// How a file differs from the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Differs {
    /// Other bytes.
    Changed,
    /// Not there.
    Missing,
    /// There, and not in the lock.
    Extra,
    /// May be run and should not be, or the other way round.
    Mode,
    /// A link or something else that is no plain file.
    Odd,
}

impl Differs {
    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Mode => "mode",
            Self::Odd => "odd",
        }
    }
}

/// One file that differs from the lock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The path below the skill's folder; `.` for the folder itself.
    pub path: String,
    /// How it differs.
    pub differs: Differs,
}

/// What files were when they were last hashed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Stamps {
    files: HashMap<String, Known>,
    #[serde(skip)]
    changed: bool,
    /// Whether every byte is read, whatever the stamps say.
    #[serde(skip)]
    pub distrust: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    size: u64,
    stamp: Stamp,
    hash: ContentHash,
}

impl Stamps {
    /// Reads what was remembered; nothing where that is damaged.
    pub fn read(site: &Site) -> Self {
        let text = disk::read_text(&site.state.join("stamps.json"), MOST_STAMPS)
            .ok()
            .flatten();
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// Remembers it for the next time. It can be made again, so a failure is none.
    pub fn write(&self, site: &Site) {
        if self.changed
            && let Ok(text) = serde_json::to_vec(self)
        {
            let _ = disk::write(&site.state.join("stamps.json"), &text, Access::Private);
        }
    }

    fn hash(&mut self, folder: &Path, file: &ListedFile) -> std::io::Result<ContentHash> {
        let path = folder.join(&file.path);
        let key = path.to_string_lossy().into_owned();
        if !self.distrust
            && let Some(known) = self.files.get(&key)
            && known.size == file.size
            && known.stamp == file.stamp
        {
            return Ok(known.hash);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let now = now
            .and_then(|it| i64::try_from(it.as_nanos()).ok())
            .unwrap_or(0);
        let (hash, size) = disk::hash(folder, file)?;
        let settled = file.stamp.changed.max(file.stamp.modified) < now - SETTLE_NANOS;
        if settled && size == file.size {
            self.files.insert(
                key,
                Known {
                    size,
                    stamp: file.stamp,
                    hash,
                },
            );
            self.changed = true;
        }
        Ok(hash)
    }
}

/// Compares an installed skill with its entry in the lock; nothing where it is exactly that.
pub fn verify(
    folder: &Path,
    skill: &LockedSkill,
    limits: SkillLimits,
    stamps: &mut Stamps,
) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut tell = |path: &str, differs| {
        found.push(Difference {
            path: path.to_owned(),
            differs,
        });
    };
    let Ok(tree) = skill.tree() else {
        tell(".", Differs::Changed);
        return found;
    };
    let listing = if disk::is_real_folder(folder) {
        disk::list(folder, limits).ok()
    } else {
        None
    };
    let Some(listing) = listing else {
        let there = disk::is_there(folder);
        tell(
            ".",
            if there {
                Differs::Odd
            } else {
                Differs::Missing
            },
        );
        return found;
    };
    for (path, _) in &listing.odd {
        tell(path, Differs::Odd);
    }
    for entry in tree.entries() {
        let at = listing
            .files
            .binary_search_by(|it| it.path.as_str().cmp(entry.path.as_str()));
        let Some(file) = at.ok().map(|at| &listing.files[at]) else {
            if !listing
                .odd
                .iter()
                .any(|(path, _)| path == entry.path.as_str())
            {
                tell(entry.path.as_str(), Differs::Missing);
            }
            continue;
        };
        if file.size != entry.size || stamps.hash(folder, file).ok() != Some(entry.hash) {
            tell(entry.path.as_str(), Differs::Changed);
        } else if cfg!(unix) && file.mode != entry.mode {
            tell(entry.path.as_str(), Differs::Mode);
        }
    }
    for file in listing
        .files
        .iter()
        .filter(|it| tree.get(&it.path).is_none())
    {
        tell(&file.path, Differs::Extra);
    }
    found.sort();
    found
}

/// Where a link or a copy for a client should be and is not, or is not what it should be.
pub fn client_differs(place: &Path, folder: &Path) -> bool {
    match (disk::real(place), disk::real(folder)) {
        (Ok(place), Ok(folder)) => place != folder,
        _ => true,
    }
}
