//! A web site that publishes its skills below `/.well-known/`, by an index.
//!
//! Form 0.2.0 names one artifact a skill, with its digest; an artifact with another digest is not
//! taken. Form 0.1.0, still served, names loose files without any: what comes is locked and marked
//! as not verified. An entry that breaks a rule costs that entry and one note.

use prowess::ContentHash;
use prowess_format::SkillName;
use reqwest::Url;
use serde::Deserialize;

use super::OfferError;
use crate::{
    archive::{ArchiveLimits, read_archive},
    disk::SkillLimits,
    file_path::FilePath,
    tree::{Mode, SkillFiles},
    web::{Answer, Web, WebError},
};

/// What an index of form 0.2.0 says it is.
pub(crate) const INDEX_SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// So many entries of an index are read.
const MOST_ENTRIES: usize = 10_000;

/// The skills that a site publishes.
#[derive(Debug)]
pub(super) struct WellKnown {
    web: Web,
    entries: Vec<Entry>,
    archive: ArchiveLimits,
}

#[derive(Debug)]
struct Entry {
    name: String,
    artifact: Artifact,
}

#[derive(Debug)]
enum Artifact {
    /// The `SKILL.md` itself, with its digest where there is one.
    Text(Url, Option<String>),
    /// An archive with the `SKILL.md` at its top.
    Archive(Url, String),
    /// Loose files below an address.
    Files(Url, Vec<FilePath>),
}

#[derive(Deserialize)]
struct Index {
    #[serde(rename = "$schema")]
    schema: Option<String>,
    skills: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Entry02 {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    url: String,
    digest: String,
}

#[derive(Deserialize)]
struct Entry01 {
    name: String,
    files: Vec<String>,
}

impl WellKnown {
    /// Reads the index of a site; what is wrong with single entries comes as notes.
    pub(super) fn open(
        web: Web,
        archive: ArchiveLimits,
    ) -> Result<(Self, Vec<String>), OfferError> {
        let place = web.named().clone();
        // An address of one `SKILL.md` needs no index.
        if place.path().to_ascii_lowercase().ends_with(".md") {
            let mut parts = place.path_segments().into_iter().flatten().rev();
            let name = parts.nth(1).filter(|it| !it.is_empty());
            let name = name.or(place.host_str()).unwrap_or_default().to_owned();
            let artifact = Artifact::Text(place, None);
            let entries = vec![Entry { name, artifact }];
            let notes = vec!["the site gives no digest, so what comes is not verified".to_owned()];
            let site = Self {
                web,
                entries,
                archive,
            };
            return Ok((site, notes));
        }
        let answer = index(&web)?;
        let (entries, notes) = read(&answer)?;
        let site = Self {
            web,
            entries,
            archive,
        };
        Ok((site, notes))
    }

    /// Every skill by its name.
    pub(super) fn skills(&self) -> Vec<(String, Option<String>)> {
        let skill = |it: &Entry| {
            let digest = match &it.artifact {
                Artifact::Text(_, digest) => digest.clone(),
                Artifact::Archive(_, digest) => Some(digest.clone()),
                Artifact::Files(..) => None,
            };
            (it.name.clone(), digest)
        };
        self.entries.iter().map(skill).collect()
    }

    /// Gets the files of these skills, each artifact held to its digest before it is looked into.
    pub(super) fn fetch(
        &self,
        names: &[&str],
        limits: SkillLimits,
    ) -> Result<Vec<SkillFiles>, OfferError> {
        names.iter().map(|name| self.files(name, limits)).collect()
    }

    fn files(&self, name: &str, limits: SkillLimits) -> Result<SkillFiles, OfferError> {
        let refuse = |reason: String| OfferError::Skill {
            path: name.to_owned(),
            reason,
        };
        let entry = self.entries.iter().find(|it| it.name == name);
        let entry = entry.ok_or_else(|| refuse("the site does not have it any more".to_owned()))?;
        let get = |url: &Url, digest: Option<&String>| -> Result<Vec<u8>, OfferError> {
            let bytes = self.web.get(url)?.bytes;
            let found = format!("sha256:{}", ContentHash::of(&bytes));
            match digest {
                Some(digest) if *digest != found => Err(refuse(format!(
                    "the index promises {digest}, and `{url}` has {found}"
                ))),
                _ => Ok(bytes),
            }
        };
        let plain = |path: &str, bytes| -> Result<_, OfferError> {
            let path = FilePath::new(path).map_err(|error| refuse(error.to_string()))?;
            Ok((path, Mode::Plain, bytes))
        };
        let files = match &entry.artifact {
            Artifact::Text(url, digest) => vec![plain("SKILL.md", get(url, digest.as_ref())?)?],
            Artifact::Archive(url, digest) => {
                let bytes = get(url, Some(digest))?;
                read_archive(&bytes, &self.archive).map_err(|source| OfferError::Archive {
                    place: url.to_string(),
                    source,
                })?
            }
            Artifact::Files(base, paths) => {
                let mut files = Vec::new();
                for path in paths {
                    let url = below(base, path).ok_or_else(|| refuse("no address".to_owned()))?;
                    files.push((path.clone(), Mode::Plain, get(&url, None)?));
                }
                files
            }
        };
        let bytes: u64 = files.iter().map(|it| it.2.len() as u64).sum();
        if files.len() > limits.files || bytes > limits.bytes {
            return Err(refuse(format!(
                "it has more than {} files or {} bytes",
                limits.files, limits.bytes
            )));
        }
        SkillFiles::new(files).map_err(|source| OfferError::Files {
            path: name.to_owned(),
            source,
        })
    }
}

/// Asks for the index where it may lie, the newer name first. Only the folder that was named is
/// asked: the index of a whole site is another one than that of a part.
fn index(web: &Web) -> Result<Answer, OfferError> {
    let mut base = web.named().clone();
    base.set_query(None);
    let path = base.path().trim_end_matches('/').to_owned() + "/";
    base.set_path(&path);
    let mut asked = Vec::new();
    for name in ["agent-skills", "skills"] {
        let Ok(url) = base.join(&format!(".well-known/{name}/index.json")) else {
            continue;
        };
        match web.get(&url) {
            Err(error) if error.is_missing() => asked.push(url.to_string()),
            other => return Ok(other?),
        }
    }
    Err(OfferError::NoIndex {
        place: web.named().to_string(),
        asked,
    })
}

fn read(answer: &Answer) -> Result<(Vec<Entry>, Vec<String>), OfferError> {
    let bad = |reason: String| OfferError::Index {
        url: answer.url.to_string(),
        reason,
    };
    let index: Index =
        serde_json::from_slice(&answer.bytes).map_err(|error| bad(error.to_string()))?;
    if index.skills.len() > MOST_ENTRIES {
        return Err(bad(format!("it has more than {MOST_ENTRIES} entries")));
    }
    let mut notes = Vec::new();
    let verified = match index.schema.as_deref() {
        Some(INDEX_SCHEMA) => true,
        None => {
            notes.push(
                "the index is of form 0.1.0, which has no digests: what comes is not verified"
                    .to_owned(),
            );
            false
        }
        Some(other) => return Err(bad(format!("its form `{other}` is not known"))),
    };
    let mut entries: Vec<Entry> = Vec::new();
    for (at, value) in index.skills.into_iter().enumerate() {
        let name = value.get("name").and_then(|it| it.as_str());
        let name = name.map_or_else(|| format!("number {}", at + 1), |it| format!("`{it}`"));
        let entry = if verified {
            entry_02(value, &answer.url)
        } else {
            entry_01(value, &answer.url)
        };
        match entry {
            Ok(entry) if entries.iter().any(|it| it.name == entry.name) => {
                notes.push(format!("the entry {name} is there twice; the first counts"));
            }
            Ok(entry) => entries.push(entry),
            Err(reason) => notes.push(format!("the entry {name} is left out: {reason}")),
        }
    }
    Ok((entries, notes))
}

fn entry_02(value: serde_json::Value, index: &Url) -> Result<Entry, String> {
    let entry: Entry02 = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let name = own_name(entry.name)?;
    let hex = entry.digest.strip_prefix("sha256:").unwrap_or_default();
    let is_hex = |it: u8| matches!(it, b'0'..=b'9' | b'a'..=b'f');
    if hex.len() != 64 || !hex.bytes().all(is_hex) {
        return Err("its `digest` is not `sha256:` and 64 small hex digits".to_owned());
    }
    let url = index.join(&entry.url).map_err(|error| error.to_string())?;
    let artifact = match entry.kind.as_str() {
        "skill-md" => Artifact::Text(url, Some(entry.digest)),
        "archive" => Artifact::Archive(url, entry.digest),
        other => return Err(format!("its type `{other}` is not known")),
    };
    Ok(Entry { name, artifact })
}

fn entry_01(value: serde_json::Value, index: &Url) -> Result<Entry, String> {
    let entry: Entry01 = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let name = own_name(entry.name)?;
    let paths = entry.files.iter().map(|it| FilePath::new(it));
    let paths: Result<Vec<FilePath>, _> = paths.collect();
    let paths = paths.map_err(|error| error.to_string())?;
    let base = index
        .join(&format!("{name}/"))
        .map_err(|error| error.to_string())?;
    let artifact = Artifact::Files(base, paths);
    Ok(Entry { name, artifact })
}

fn own_name(name: String) -> Result<String, String> {
    match SkillName::new(&name) {
        Ok(_) => Ok(name),
        Err(error) => Err(error.to_string()),
    }
}

/// The address of a file below another; each part is data, never a step.
fn below(base: &Url, path: &FilePath) -> Option<Url> {
    let mut url = base.clone();
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .extend(path.as_str().split('/'));
    Some(url)
}

impl From<WebError> for OfferError {
    fn from(source: WebError) -> Self {
        Self::Web(source)
    }
}
