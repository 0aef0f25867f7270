//! A server as a place that skills come from.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess::{
    ContentHash, Fetch, FetchError, FetchedSkill, Layout, Origin, Remote, RemoteFile, Resource,
    Scan, ScanRequest, Scope, SkillFile, Source,
};

use super::{
    approvals::Extent,
    entry::Manifest,
    server::{Server, SkillRecord},
};

/// The skills of one server.
#[derive(Debug)]
pub(super) struct ServerSource {
    origin: Arc<Origin>,
    server: Server,
}

impl ServerSource {
    pub(super) fn new(server: &Server) -> Self {
        let origin = Origin::new(Scope::Remote, server.label(), server.place());
        Self {
            origin: Arc::new(origin),
            server: server.clone(),
        }
    }
}

impl Source for ServerSource {
    fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    fn scan(&self, _request: &ScanRequest<'_>, visit: &(dyn Fn(SkillFile<'_>) + Sync)) -> Scan {
        let listing = self.server.list_blocking();
        for entry in &listing.entries {
            let Some(held) = self.server.held(&entry.uri) else {
                continue;
            };
            let text = held.entry.text(held.approved.is_some(), "");
            visit(SkillFile {
                origin: &self.origin,
                path: PathBuf::from(&entry.uri),
                layout: Layout::Record,
                contents: Ok(text.as_bytes()),
                last_modified: None,
                notes: Vec::new(),
                location: None,
                id: None,
            });
        }
        let faults = listing.faults.iter();
        Scan {
            findings: faults.map(|it| it.finding(&self.origin.root)).collect(),
            partial: listing.partial,
        }
    }

    fn remote(&self, path: &Path) -> Option<Remote> {
        let held = self.server.held(path.to_str()?)?;
        Some(remote(&self.server, &held))
    }
}

fn remote(server: &Server, held: &SkillRecord) -> Remote {
    let own = held.entry.own();
    Remote {
        server: server.label().to_owned(),
        uri: held.entry.uri.clone(),
        approved: held.approved.is_some(),
        run: held.approved == Some(Extent::Scripts),
        withheld: if held.approved.is_some() {
            Vec::new()
        } else {
            held.entry.withheld()
        },
        verified: !matches!(held.entry.manifest, Manifest::Dynamic),
        age: held.age,
        hash: own.map(|own| ContentHash::from_bytes(own.digest)),
        size: own.map(|own| own.size),
        fetch: Arc::new(ServerFetch(server.clone())),
    }
}

/// Fetches from one server and from no other: a skill holds the one it came from.
#[derive(Debug)]
struct ServerFetch(Server);

impl Fetch for ServerFetch {
    fn skill(&self, uri: &str) -> Result<FetchedSkill, FetchError> {
        let loaded = self.0.load_blocking(uri)?;
        let held = SkillRecord {
            entry: Arc::clone(&loaded.entry),
            approved: loaded.approved,
            age: loaded.age,
        };
        let instructions = loaded.document.instructions();
        Ok(FetchedSkill {
            text: loaded.entry.text(loaded.approved.is_some(), instructions),
            remote: Remote {
                hash: Some(ContentHash::of(&loaded.bytes)),
                size: Some(loaded.bytes.len() as u64),
                ..remote(&self.0, &held)
            },
        })
    }

    fn files(&self, uri: &str) -> Result<Vec<Resource>, FetchError> {
        let held = self.0.held(uri);
        Ok(held.map_or_else(Vec::new, |held| held.entry.files()))
    }

    fn file(&self, uri: &str, path: &str) -> Result<Vec<u8>, FetchError> {
        Ok(self.0.read_blocking(uri, path)?)
    }

    fn files_to_run(&self, uri: &str) -> Result<Vec<RemoteFile>, FetchError> {
        Ok(self.0.files_to_run_blocking(uri)?)
    }
}
