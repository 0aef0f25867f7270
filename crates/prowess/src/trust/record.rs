//! The store as text, and back.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Approval, Entry, Seal, SealedFile, SealedKind, TrustStore};
use crate::identity::ContentHash;

/// The form the text has now.
const VERSION: u32 = 3;

/// The form before: its seals looked at less. What was denied by it stays denied, and what was
/// trusted asks again.
const BEFORE: u32 = 2;

/// A text that is no store. Nothing is trusted by it, and nothing should be written over it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadStore {
    /// It is damaged.
    #[error("the text is damaged")]
    Damaged(#[source] serde_json::Error),
    /// Another version of this library wrote it.
    #[error("it has the form {found}, and this version reads {VERSION}")]
    Version {
        /// The form it says it has.
        found: u32,
    },
    /// A path is no text, so it cannot be written down.
    #[error("`{path}` cannot be written down: it is no text")]
    NotText {
        /// The path, safe to show.
        path: String,
    },
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    entries: Vec<Line>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    path: PathBuf,
    decision: Word,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<File>,
    /// Whether its seal looked at less than seals do now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    outdated: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    /// Whether its scripts may run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    run: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Trusted,
    Denied,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    path: String,
    hash: ContentHash,
    #[serde(default, skip_serializing_if = "is_plain")]
    kind: SealedKind,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_plain(kind: &SealedKind) -> bool {
    *kind == SealedKind::File
}

impl TrustStore {
    /// Reads what [`TrustStore::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, BadStore> {
        let Version { version } = serde_json::from_str(text).map_err(BadStore::Damaged)?;
        if version != VERSION && version != BEFORE {
            return Err(BadStore::Version { found: version });
        }
        let stored: Stored = serde_json::from_str(text).map_err(BadStore::Damaged)?;
        let mut store = Self::default();
        for line in stored.entries {
            let files = line.files.into_iter().map(|file| SealedFile {
                path: file.path,
                hash: file.hash,
                kind: file.kind,
            });
            let outdated = version == BEFORE || line.outdated;
            let entry = match line.decision {
                Word::Trusted => Entry::Trusted(Approval {
                    seal: if outdated {
                        Seal::outdated(files)
                    } else {
                        Seal::new(files)
                    },
                    text: line.text,
                    run: line.run,
                }),
                Word::Denied => Entry::Denied,
            };
            store.insert(line.path, entry);
        }
        Ok(store)
    }

    /// Writes down what the user has said. Folders that are trusted as a whole are not among it:
    /// they stand in the user's config.
    pub fn to_json(&self) -> Result<String, BadStore> {
        let mut entries = Vec::new();
        for (path, entry) in self.entries() {
            if path.to_str().is_none() {
                return Err(BadStore::NotText {
                    path: crate::display_path(path),
                });
            }
            let (decision, approval) = match entry {
                Entry::Trusted(approval) => (Word::Trusted, Some(approval)),
                Entry::Denied => (Word::Denied, None),
            };
            let sealed = approval.map_or(&[][..], |approval| approval.seal.files());
            entries.push(Line {
                path: path.to_path_buf(),
                decision,
                files: sealed
                    .iter()
                    .map(|file| File {
                        path: file.path.clone(),
                        hash: file.hash,
                        kind: file.kind,
                    })
                    .collect(),
                outdated: approval.is_some_and(|it| it.seal.is_outdated()),
                text: approval.map(|it| it.text.clone()).unwrap_or_default(),
                run: approval.is_some_and(|it| it.run),
            });
        }
        let stored = Stored {
            version: VERSION,
            entries,
        };
        serde_json::to_string_pretty(&stored).map_err(BadStore::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::{Trust as _, TrustDecision};

    #[test]
    fn what_was_written_is_read_back() {
        let mut store = TrustStore::default();
        store.deny("/p/other".into());
        let file = SealedFile {
            path: "SKILL.md".to_owned(),
            hash: ContentHash::of(b"x"),
            kind: SealedKind::Executable,
        };
        store.insert(
            "/p/skills/a".into(),
            Entry::Trusted(Approval {
                seal: Seal::new([file]),
                text: "x".to_owned(),
                run: true,
            }),
        );
        let text = store.to_json().unwrap();
        assert_eq!(TrustStore::from_json(&text).unwrap(), store);
    }

    #[test]
    fn a_damaged_or_foreign_store_is_no_store() {
        for text in [
            "",
            "{\"version\":3,",
            "{\"version\":3,\"entries\":[],\"all\":true}",
            "{\"version\":3,\"entries\":[{\"path\":\"/p\",\"decision\":\"trusted\",\"files\":[{\"path\":\"a\",\"hash\":\"xy\"}]}]}",
        ] {
            assert!(
                matches!(TrustStore::from_json(text), Err(BadStore::Damaged(_))),
                "{text}"
            );
        }
        let newer = TrustStore::from_json("{\"version\":9,\"later\":1}");
        assert!(matches!(newer, Err(BadStore::Version { found: 9 })));
    }

    #[test]
    fn of_the_form_before_denials_stay_and_trust_asks_again() {
        let text = r#"{"version":2,"entries":[
            {"path":"/p/a","decision":"trusted","text":"x","files":[{"path":"SKILL.md",
             "hash":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}]},
            {"path":"/p/b","decision":"denied"}]}"#;
        let store = TrustStore::from_json(text).unwrap();
        let now = Seal::new([SealedFile {
            path: "SKILL.md".to_owned(),
            hash: ContentHash::of(b"x"),
            kind: SealedKind::File,
        }]);
        let decide = |store: &TrustStore| {
            ["/p/a", "/p/b"].map(|path| store.decide_skill(path.as_ref(), Some(&now)))
        };
        let expected = [TrustDecision::Changed, TrustDecision::Denied];
        assert_eq!(decide(&store), expected);
        // Written down in the form of now, it still asks.
        let again = TrustStore::from_json(&store.to_json().unwrap()).unwrap();
        assert_eq!(decide(&again), expected);
    }
}
