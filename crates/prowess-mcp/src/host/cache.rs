//! Copies of what servers sent, outside of every folder that skills are looked for in.
//!
//! A copy is keyed by server and URI and is as untrusted as the server: it is compared with the
//! list at each access, as if it had just come.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{
    approvals::key,
    config::HostLimits,
    disk,
    entry::{Entry, FileDigest, Manifest},
    verify,
};

/// The form the list has now.
const VERSION: u32 = 1;

/// The list of a server, in its folder.
const LIST: &str = "list.json";

/// The copies of one server.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: PathBuf,
    server: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct ListCopy {
    version: u32,
    server: String,
    skills: Vec<Json>,
}

impl Cache {
    /// The copies of the server with this label at this place: another server that is given the
    /// label later has nothing to do with them.
    pub(super) fn new(folder: &Path, server: &str, place: &str) -> Self {
        Self {
            folder: folder.join(key(server, place)),
            server: server.to_owned(),
        }
    }

    /// Keeps a list, and forgets the files of skills that are gone from it.
    pub(super) fn keep_list(&self, entries: &[Entry]) -> io::Result<()> {
        let kept = ListCopy {
            version: VERSION,
            server: self.server.clone(),
            skills: entries.iter().map(to_json).collect(),
        };
        disk::write(&self.folder.join(LIST), &serde_json::to_vec(&kept)?)?;
        let uris = entries.iter().flat_map(|entry| match &entry.manifest {
            Manifest::Listed(files) => files.keys().collect(),
            Manifest::Dynamic => Vec::new(),
        });
        let known: HashSet<String> = uris.map(|uri| key(&self.server, uri)).collect();
        for name in disk::names(&self.folder)? {
            if name != LIST && !name.starts_with('.') && !known.contains(&name) {
                disk::remove(&self.folder.join(name))?;
            }
        }
        Ok(())
    }

    /// The list that was kept and its age; `None` where there is none that can be read.
    pub(super) fn list(&self, limits: &HostLimits) -> Option<(Vec<Entry>, Duration)> {
        let most = 2 * limits.list_bytes as u64;
        let (bytes, written) = disk::read(&self.folder.join(LIST), most).ok()??;
        let kept: ListCopy = serde_json::from_slice(&bytes).ok()?;
        if kept.version != VERSION || kept.server != self.server {
            return None;
        }
        let entries = kept.skills.iter();
        let entries = entries.filter_map(|entry| Entry::read(entry, limits).ok());
        Some((entries.collect(), age(written)))
    }

    /// Keeps a file that passed its checks.
    pub(super) fn keep_file(&self, uri: &str, bytes: &[u8]) -> io::Result<()> {
        disk::write(&self.folder.join(key(&self.server, uri)), bytes)
    }

    /// A copy that passes the checks now. One that does not is removed.
    pub(super) fn file(&self, uri: &str, listed: FileDigest) -> Option<(Vec<u8>, Duration)> {
        let path = self.folder.join(key(&self.server, uri));
        let found = match disk::read(&path, listed.size) {
            Ok(found) => found?,
            Err(_) => (Vec::new(), SystemTime::UNIX_EPOCH),
        };
        let (bytes, written) = found;
        if verify::file(listed, &bytes).is_err() {
            // It is of no use to anybody; where it cannot be removed it fails again next time.
            let _ = disk::remove(&path);
            return None;
        }
        Some((bytes, age(written)))
    }
}

/// The time since something was written. A clock that was set back makes it new.
fn age(written: SystemTime) -> Duration {
    SystemTime::now()
        .duration_since(written)
        .unwrap_or_default()
}

fn to_json(entry: &Entry) -> Json {
    let resources = match &entry.manifest {
        Manifest::Dynamic => Json::from("dynamic"),
        Manifest::Listed(files) => files
            .iter()
            .map(|(uri, file)| {
                let digest = prowess::ContentHash::from_bytes(file.digest);
                serde_json::json!({
                    "uri": uri, "digest": format!("sha256:{digest}"), "size": file.size,
                })
            })
            .collect(),
    };
    serde_json::json!({
        "uri": entry.uri, "frontmatter": entry.frontmatter, "resources": resources,
    })
}
