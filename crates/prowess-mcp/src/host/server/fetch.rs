//! Fetches skills and files from a server, and lets nothing through that fails a check.

use std::sync::Arc;

use base64::Engine as _;
use prowess::{RemoteFile, display_text};
use serde_json::{Value as Json, json};

use super::{Inner, LoadedSkill, SkillRecord};
use crate::host::{
    approvals::Extent,
    connect::{Contents, RequestError},
    entry::{Entry, Manifest},
    fault::{Check, Fault},
    verify,
};

impl Inner {
    /// The skill as it is held, after listing where nobody has listed yet.
    pub(super) async fn skill(&self, uri: &str) -> Result<SkillRecord, Fault> {
        let listing = self.list().await;
        let held = self.held().get(uri).cloned();
        let Some(held) = held else {
            let down = listing.entries.is_empty().then(|| listing.faults.first());
            return Err(match down.flatten() {
                Some(fault) => fault.clone(),
                None => Fault::Unknown {
                    label: self.label(),
                    uri: display_text(uri),
                },
            });
        };
        Ok(held)
    }

    pub(super) async fn load(&self, uri: &str) -> Result<LoadedSkill, Fault> {
        let held = self.skill(uri).await?;
        let bytes = self.bytes(&held, uri).await?;
        let document = match verify::frontmatter(&held.entry.frontmatter, &bytes) {
            Ok(document) => document,
            Err(check) => return Err(self.failed(&held.entry, uri, check).await),
        };
        // Asked again: it may have been given or taken back since the list came.
        let approved = self.approved(&held.entry, &mut Vec::new());
        Ok(LoadedSkill {
            entry: held.entry,
            bytes,
            document,
            approved,
            age: held.age,
        })
    }

    pub(super) async fn read(&self, uri: &str, path: &str) -> Result<Vec<u8>, Fault> {
        let held = self.skill(uri).await?;
        match held.entry.file(path) {
            Some(file) => self.bytes(&held, &file).await,
            None => {
                let folder = uri.strip_suffix("/SKILL.md").unwrap_or(uri);
                let asked = format!("{folder}/{path}");
                Err(self.failed(&held.entry, &asked, Check::Unlisted).await)
            }
        }
    }

    /// Every file of a skill, each as it was listed.
    pub(super) async fn files(&self, held: &SkillRecord) -> Result<Vec<RemoteFile>, Fault> {
        let mut files = Vec::new();
        for (uri, path) in held.entry.paths() {
            let bytes = self.bytes(held, &uri).await?;
            files.push(RemoteFile { path, bytes });
        }
        Ok(files)
    }

    pub(super) async fn files_to_run(&self, uri: &str) -> Result<Vec<RemoteFile>, Fault> {
        let held = self.skill(uri).await?;
        // Asked now: it may have been given or taken back since the list came. The files that
        // are fetched are those of the very entry that was asked about.
        if self.approved(&held.entry, &mut Vec::new()) != Some(Extent::Scripts) {
            return Err(Fault::NotToRun {
                label: self.label(),
                name: display_text(held.entry.name()),
            });
        }
        self.files(&held).await
    }

    /// The bytes of a file of the list, checked: a copy where one passes, else from the server.
    pub(super) async fn bytes(&self, held: &SkillRecord, uri: &str) -> Result<Vec<u8>, Fault> {
        let listed = match &held.entry.manifest {
            Manifest::Dynamic => None,
            Manifest::Listed(files) => match files.get(uri) {
                Some(listed) => Some(*listed),
                None => return Err(self.failed(&held.entry, uri, Check::Unlisted).await),
            },
        };
        if let (Some(cache), Some(listed)) = (&self.cache, listed)
            && let Some((bytes, _)) = cache.file(uri, listed)
        {
            return Ok(bytes);
        }
        let contents = self.fetch(uri).await?;
        let checked = take(contents, uri).and_then(|bytes| match listed {
            Some(listed) => verify::file(listed, &bytes).map(|()| bytes),
            None if bytes.len() as u64 > self.options.limits.skill_bytes => Err(Check::Form {
                reason: "it is larger than a skill may be".to_owned(),
            }),
            None => Ok(bytes),
        });
        let bytes = match checked {
            Ok(bytes) => bytes,
            Err(check) => return Err(self.failed(&held.entry, uri, check).await),
        };
        if let (Some(cache), Some(_)) = (&self.cache, listed)
            && let Err(error) = cache.keep_file(uri, &bytes)
        {
            // The file is good all the same; it will be fetched again.
            tracing::warn!(server = self.config.label, %error, "cannot keep a copy");
        }
        Ok(bytes)
    }

    /// Reads a resource; once more where the connection turned out to be a dead one.
    pub(super) async fn fetch(&self, uri: &str) -> Result<Vec<Contents>, Fault> {
        loop {
            let (connection, used_before) = self.connection().await?;
            let fault = match connection.read(uri).await {
                Ok(contents) => return Ok(contents),
                Err(RequestError::Answer(why)) => {
                    return Err(Fault::Server {
                        label: self.label(),
                        reason: format!("does not give `{}`: {why}", display_text(uri)),
                        help: "list the skills again".to_owned(),
                    });
                }
                Err(RequestError::Lost(fault)) => fault,
            };
            let ended = !connection.is_open();
            self.drop_connection(&fault).await;
            if !(used_before && ended) {
                return Err(fault);
            }
            self.connection.lock().await.down = None;
        }
    }

    /// After a failed check: asks the server what it says about the skill now. Other files than
    /// before take an approval back.
    pub(super) async fn failed(&self, entry: &Entry, uri: &str, check: Check) -> Fault {
        let changed = self.refresh(entry).await;
        tracing::warn!(
            server = self.config.label,
            uri,
            ?check,
            changed,
            "a check failed"
        );
        Fault::Check {
            label: self.label(),
            uri: display_text(uri),
            check,
            changed,
        }
    }

    pub(super) async fn refresh(&self, entry: &Entry) -> bool {
        let Ok((connection, _)) = self.connection().await else {
            return false;
        };
        let answer = connection
            .ask("skills/get", json!({"uri": entry.uri}))
            .await;
        let Ok(answer) = answer else {
            return false;
        };
        let skill = answer.get("skill").unwrap_or(&Json::Null);
        let fresh = match Entry::read(skill, &self.options.limits) {
            Ok(fresh) if fresh.uri == entry.uri => fresh,
            _ => return false,
        };
        let changed = fresh.manifest != entry.manifest;
        if changed && let Some(approvals) = &self.approvals {
            self.revoke(approvals, &entry.uri);
        }
        let held = SkillRecord {
            approved: self.approved(&fresh, &mut Vec::new()),
            entry: Arc::new(fresh),
            age: None,
        };
        self.held().insert(entry.uri.clone(), held);
        changed
    }
}

/// The bytes of the file that was asked for.
fn take(contents: Vec<Contents>, asked: &str) -> Result<Vec<u8>, Check> {
    let content = contents.into_iter().find(|content| content.uri == asked);
    match content.map(|content| (content.text, content.blob)) {
        Some((Some(text), _)) => Ok(text.into_bytes()),
        Some((None, Some(blob))) => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(blob);
            bytes.map_err(|_| Check::Form {
                reason: "it is no base64".to_owned(),
            })
        }
        _ => Err(Check::Answer),
    }
}
