//! Every file of a skill with its digest and size, worked out once and again when it changed.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use prowess::{ContentHash, Limits, RawFile, Skill};
use serde_json::{Value as Json, json};

use super::refusal::{MAX_BYTES, MAX_FILES, Refusal};
use crate::uri::{SKILL_FILE, below};

/// A file that changed within so many seconds of being hashed may have changed again in the same
/// second, which its time would not show.
const UNSETTLED_SECONDS: i64 = 2;

/// The files of one skill.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The skill's own file first, the others by path.
    pub(crate) files: Vec<File>,
    /// The folders below the skill's own: address and path.
    pub(crate) folders: Vec<(String, PathBuf)>,
    by_uri: HashMap<String, usize>,
}

/// One file of a skill.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) uri: String,
    /// Below the skill's folder.
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) digest: ContentHash,
    modified: i64,
    settled: bool,
}

impl Manifest {
    /// The file at this address.
    pub(crate) fn file(&self, uri: &str) -> Option<&File> {
        self.by_uri.get(uri).map(|&at| &self.files[at])
    }

    /// The set as an entry shows it.
    pub(crate) fn to_json(&self) -> Json {
        let rows = self.files.iter().map(|file| {
            json!({
                "uri": file.uri,
                "digest": format!("sha256:{}", file.digest),
                "size": file.size,
            })
        });
        Json::Array(rows.collect())
    }
}

/// How new a manifest has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The folder is looked at; files that did not change are not read again.
    Current,
    /// One that was made for the same text of the skill will do.
    Cached,
}

type Outcome = Result<Arc<Manifest>, Refusal>;

/// Every manifest made so far.
#[derive(Debug, Default)]
pub(crate) struct Manifests {
    known: Mutex<HashMap<PathBuf, CachedManifest>>,
}

#[derive(Debug, Clone)]
struct CachedManifest {
    hash: Option<ContentHash>,
    base: String,
    outcome: Outcome,
}

impl Manifests {
    /// The manifest of a skill whose folder has this address.
    pub(crate) fn get(&self, skill: &Skill, base: &str, age: Freshness) -> Outcome {
        if age == Freshness::Cached
            && let Some(outcome) = self.peek(skill, base)
        {
            return outcome;
        }
        let key = skill.absolute_path();
        let known = self.lock().get(&key).cloned();
        let known = known.filter(|known| known.base == base);
        let earlier = known.and_then(|known| known.outcome.ok());
        let outcome = make(skill, base, earlier.as_deref()).map(Arc::new);
        let known = CachedManifest {
            hash: skill.hash(),
            base: base.to_owned(),
            outcome: outcome.clone(),
        };
        self.lock().insert(key, known);
        outcome
    }

    /// What was made for this text of the skill, if anything was.
    pub(crate) fn peek(&self, skill: &Skill, base: &str) -> Option<Outcome> {
        let all = self.lock();
        let known = all.get(&skill.absolute_path())?;
        (known.base == base && known.hash == skill.hash()).then(|| known.outcome.clone())
    }

    /// Forgets the manifests of skills that are gone.
    pub(crate) fn keep(&self, wanted: impl Fn(&Path) -> bool) {
        self.lock().retain(|path, _| wanted(path));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, CachedManifest>> {
        // Whole values go in and out, so the map is sound even after a panic.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lists and hashes what is new. The skill's own file is the one the catalog holds, so that
/// entry, digest and text always belong together.
pub(super) fn make(
    skill: &Skill,
    base: &str,
    earlier: Option<&Manifest>,
) -> Result<Manifest, Refusal> {
    let text = skill.document().text();
    let own = File {
        uri: format!("{base}/{SKILL_FILE}"),
        path: skill
            .path()
            .file_name()
            .map(PathBuf::from)
            .unwrap_or_default(),
        size: text.len() as u64,
        digest: skill
            .hash()
            .unwrap_or_else(|| ContentHash::of(text.as_bytes())),
        modified: 0,
        settled: true,
    };
    let limits = Limits {
        resource_bytes: MAX_BYTES,
        ..Limits::default()
    };
    // A skill that is a single file or a value has only its own.
    let listed = match skill.directory() {
        None => prowess::RawFiles::default(),
        Some(_) => skill
            .raw_files(&limits)
            .map_err(|error| Refusal::Unreadable {
                reason: error.to_string(),
            })?,
    };
    let others: Vec<&RawFile> = listed
        .files
        .iter()
        .filter(|file| file.path != own.path)
        .collect();
    let count = others.len() + 1;
    if count > MAX_FILES {
        return Err(Refusal::TooManyFiles { count });
    }
    let bytes = others.iter().map(|file| file.size).sum::<u64>() + own.size;
    if bytes > MAX_BYTES {
        return Err(Refusal::TooLarge { bytes });
    }
    if listed.partial {
        return Err(Refusal::Unlisted);
    }
    let mut files = vec![own];
    for file in others {
        files.push(hashed(skill, base, file, earlier, &limits)?);
    }
    let by_uri = files
        .iter()
        .enumerate()
        .map(|(at, file)| (file.uri.clone(), at))
        .collect();
    let folders = listed
        .folders
        .into_iter()
        .map(|path| (below(base, &path), path))
        .collect();
    Ok(Manifest {
        files,
        folders,
        by_uri,
    })
}

fn hashed(
    skill: &Skill,
    base: &str,
    file: &RawFile,
    earlier: Option<&Manifest>,
    limits: &Limits,
) -> Result<File, Refusal> {
    let uri = below(base, &file.path);
    let same =
        |known: &&File| known.settled && known.size == file.size && known.modified == file.modified;
    if let Some(known) = earlier.and_then(|earlier| earlier.file(&uri)).filter(same) {
        return Ok(known.clone());
    }
    let now = seconds(SystemTime::now());
    let bytes = skill
        .read_raw(&file.path, limits)
        .map_err(|error| Refusal::Unreadable {
            reason: error.to_string(),
        })?;
    Ok(File {
        uri,
        path: file.path.clone(),
        // The bytes that were hashed count, should the file have grown since it was listed.
        size: bytes.len() as u64,
        digest: ContentHash::of(&bytes),
        modified: file.modified,
        settled: now - file.modified > UNSETTLED_SECONDS && bytes.len() as u64 == file.size,
    })
}

fn seconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs().cast_signed())
}
