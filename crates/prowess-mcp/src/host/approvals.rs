//! Which skills of which servers their user approved, bound to the very files that were shown.
//!
//! Each approval is a file of its own, so two programs that approve at once do not undo each
//! other, and a crash touches no other approval.

use std::{
    io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use prowess::ContentHash;
use serde::{Deserialize, Serialize};

use super::{disk, entry::Entry};

/// The form the files have now.
const VERSION: u32 = 1;

/// An approval with more bytes than this was not written by this program.
const MOST_BYTES: u64 = 64 * 1024;

/// One approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    version: u32,
    /// The server's label.
    pub server: String,
    /// The skill's URI.
    pub uri: String,
    /// The skill's name.
    pub name: String,
    /// The hash of its files, by URI, digest and size.
    pub manifest: String,
    /// The hash of its frontmatter as the server told it.
    pub frontmatter: String,
    /// Whether its scripts may run.
    #[serde(default)]
    pub run: bool,
    /// When it was given, in Unix seconds.
    pub approved_at: u64,
}

/// The approvals a user gave.
#[derive(Debug, Clone)]
pub struct Approvals {
    folder: PathBuf,
}

/// How far an approval goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Extent {
    /// Every field of the skill is in effect.
    Fields,
    /// And its scripts may run.
    Scripts,
}

/// What an approval says about a skill as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It was not approved.
    None,
    /// These very files were approved, so far.
    Approved(Extent),
    /// Other files were approved.
    Changed,
}

impl Approvals {
    /// The approvals in this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Approves a skill as it is listed; `false` where its files are not listed, so that there
    /// is nothing to bind an approval to.
    pub fn approve(&self, server: &str, entry: &Entry, extent: Extent) -> io::Result<bool> {
        let Some(manifest) = entry.manifest_hash() else {
            return Ok(false);
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let approval = Approval {
            version: VERSION,
            server: server.to_owned(),
            uri: entry.uri.clone(),
            name: entry.name().to_owned(),
            manifest,
            frontmatter: entry.fields_hash(),
            run: extent == Extent::Scripts,
            approved_at: now.map_or(0, |now| now.as_secs()),
        };
        let text = serde_json::to_string_pretty(&approval)?;
        disk::write(
            &self.path(server, &entry.uri),
            format!("{text}\n").as_bytes(),
        )?;
        Ok(true)
    }

    /// Takes an approval back; whether there was one.
    pub fn revoke(&self, server: &str, uri: &str) -> io::Result<bool> {
        disk::remove(&self.path(server, uri))
    }

    /// What was approved about this skill. An approval that cannot be read counts as none.
    pub fn standing(&self, server: &str, entry: &Entry) -> Standing {
        let Ok(Some(approval)) = read(&self.path(server, &entry.uri)) else {
            return Standing::None;
        };
        if approval.server != server || approval.uri != entry.uri {
            return Standing::None;
        }
        if Some(approval.manifest) != entry.manifest_hash() {
            Standing::Changed
        } else if approval.frontmatter == entry.fields_hash() {
            Standing::Approved(if approval.run {
                Extent::Scripts
            } else {
                Extent::Fields
            })
        } else {
            // Equal files with other fields: the list lies, and nothing is in effect by it.
            Standing::None
        }
    }

    /// Every approval, by server and URI.
    pub fn all(&self) -> io::Result<Vec<Approval>> {
        let mut all = Vec::new();
        for name in disk::names(&self.folder)? {
            let path = self.folder.join(name);
            if path.extension().is_some_and(|it| it == "json") {
                all.extend(read(&path)?);
            }
        }
        all.sort_by(|a, b| (&a.server, &a.uri).cmp(&(&b.server, &b.uri)));
        Ok(all)
    }

    fn path(&self, server: &str, uri: &str) -> PathBuf {
        self.folder.join(format!("{}.json", key(server, uri)))
    }
}

/// One approval; `None` where there is none.
fn read(path: &Path) -> io::Result<Option<Approval>> {
    let Some((bytes, _)) = disk::read(path, MOST_BYTES)? else {
        return Ok(None);
    };
    let approval: Approval = serde_json::from_slice(&bytes)?;
    if approval.version != VERSION {
        return Err(io::Error::other("a newer version of this program wrote it"));
    }
    Ok(Some(approval))
}

/// A name for what belongs to one URI of one server. Labels have no NUL, so no two share it.
pub(super) fn key(server: &str, uri: &str) -> String {
    ContentHash::of(format!("{server}\0{uri}").as_bytes()).to_string()
}
