//! A start that does not wait: what was read before, kept in a folder of the user's.
//!
//! Every folder and every skill's file is looked at anew, and those whose stamps are the same are
//! not opened: their names and descriptions come from the cache at once, their text when somebody
//! asks for it. Trust, filters and overrides are never kept; they are decided with every load.
//!
//! A cache that is missing, damaged or of another version is made anew, so it can be deleted at
//! any time.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::{
    catalog::{Catalog, LoadOptions},
    discover::{Discovery, discover, judge},
    source::{
        Source,
        disk::{DiskSource, is_folder, real_path},
    },
    survey::{Again, Survey},
    trust::Decision,
};

mod file;
mod index;
mod saved;

use saved::Known;

pub(crate) use file::Texts;
pub(crate) use index::SavedIndex;

/// Grows with every change to what the files hold or how skills are read.
const FORMAT: u32 = 1;

/// Fewer skills are read as quickly as their cache.
const WORTH_IT: usize = 50;

/// A cache is written anew once more than one in so many skills had to be read beside it.
const OUT_OF_DATE: usize = 20;

/// A folder with what was read before.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    edition: u64,
}

/// A catalog, and what became of its cache.
#[derive(Debug)]
pub struct CachedLoad {
    /// The catalog, the same as without a cache.
    pub catalog: Catalog,
    /// What a person may want to know: a cache that was damaged, or could not be written.
    pub notes: Vec<String>,
    /// How many skills were read from their own files.
    pub read: usize,
}

impl Cache {
    /// Keeps what is read in this folder, which is made when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            edition: 0,
        }
    }

    /// Tells builds apart that have one version: what another build saved is not used.
    #[must_use]
    pub fn edition(mut self, edition: u64) -> Self {
        self.edition = edition;
        self
    }

    /// Loads every skill of these sources, reading only what changed since the last time.
    ///
    /// Never fails as a whole, like [`Catalog::assemble`]; what is broken is in the catalog.
    pub fn load(&self, sources: &[Box<dyn Source>], options: &LoadOptions<'_>) -> CachedLoad {
        let mut all = Discovery::default();
        let (mut notes, mut keys, mut read) = (Vec::new(), Vec::new(), 0);
        for (place, source) in sources.iter().enumerate() {
            // The decision comes first. Of a place that asks, what may be read differs from skill
            // to skill and from day to day, so nothing of it is kept.
            let trusted = options.trust.decide(source.origin()) == Decision::Trusted;
            let disk = source
                .as_disk()
                .filter(|disk| trusted && cfg!(unix) && disk.real_root().is_some_and(is_folder));
            let one = match disk {
                Some(disk) => {
                    let mut found = self.look(disk, options, &mut keys, &mut read, &mut notes);
                    for skill in &mut found.skills {
                        judge(skill, Decision::Trusted, options);
                    }
                    found
                }
                None => {
                    let found = discover(std::slice::from_ref(source), options);
                    // What waits for trust is found and not opened.
                    let opened = found.skills.iter().filter(|skill| skill.hash().is_some());
                    read += opened.count();
                    keys.push(format!("{:?}", source.origin()));
                    found
                }
            };
            all.skills.extend(one.skills.into_iter().map(|mut skill| {
                skill.source = place as u32;
                skill
            }));
            all.findings.extend(one.findings);
            all.origins.extend(one.origins);
            all.partial |= one.partial;
        }
        crate::discover::sort_findings(&mut all.findings);
        let mut catalog = Catalog::assemble(all, options);
        if catalog.skills().len() >= WORTH_IT {
            let path = self.path(&keys.join("\n"), "index");
            catalog.keep_index(SavedIndex::new(path, self.edition));
        }
        CachedLoad {
            catalog,
            notes,
            read,
        }
    }

    /// Looks at one source, with what is known of it.
    fn look(
        &self,
        disk: &DiskSource,
        options: &LoadOptions<'_>,
        keys: &mut Vec<String>,
        read: &mut usize,
        notes: &mut Vec<String>,
    ) -> Discovery {
        let key = key(disk, options);
        let path = self.path(&key, "skills");
        let known = match file::open(&path, self.edition) {
            Ok(opened) => saved::known(&opened, &key, disk, options.profile),
            Err(file::Unusable::Damaged) => {
                notes.push(format!(
                    "the cache `{}` is damaged and is made anew",
                    crate::display::display_path(&path)
                ));
                None
            }
            Err(file::Unusable::Missing | file::Unusable::Foreign) => None,
        };
        keys.push(key.clone());
        let origins = vec![Arc::clone(disk.origin())];
        let fresh = known.is_none();
        let mut survey = match known {
            Some(Known::Same(skills, findings)) => {
                return Discovery {
                    skills,
                    findings,
                    origins,
                    partial: false,
                };
            }
            Some(Known::Old(survey)) => survey,
            None => Survey::default(),
        };
        let difference = survey.look(disk, Decision::Trusted, options, Again::Stamps, false);
        *read += difference.read;
        let count = survey.skills().count();
        let old = difference.read + difference.removed.len() > count / OUT_OF_DATE;
        if (fresh || old) && count >= WORTH_IT && is_settled(&survey, count) {
            let parts = saved::parts(&survey, &key);
            let kept = parts.and_then(|parts| file::write(&path, self.edition, &parts));
            if let Err(error) = kept {
                notes.push(format!(
                    "the cache `{}` cannot be written: {error}",
                    crate::display::display_path(&path)
                ));
            }
        }
        Discovery {
            skills: survey.skills().cloned().collect(),
            findings: survey.findings().cloned().collect(),
            partial: survey.is_partial(),
            origins,
        }
    }

    fn path(&self, key: &str, ending: &str) -> PathBuf {
        let hash = Sha256::digest(key);
        let name = hash
            .first_chunk::<16>()
            .map_or(0, |it| u128::from_be_bytes(*it));
        self.folder.join(format!("{name:032x}.{ending}"))
    }
}

/// Everything a scan depends on, apart from what lies on disk.
fn key(disk: &DiskSource, options: &LoadOptions<'_>) -> String {
    #[derive(Serialize)]
    struct Key {
        source: String,
        working_directory: Option<PathBuf>,
        profile: &'static str,
        limits: String,
    }
    let relative = disk.origin().root.is_relative();
    let key = Key {
        source: format!("{disk:?}"),
        working_directory: real_path(Path::new(".")).ok().filter(|_| relative),
        profile: options.profile.as_str(),
        limits: format!("{:?}", options.limits),
    };
    serde_json::to_string(&key).unwrap_or_default()
}

/// Whether nearly all that was seen can be known again by its stamp. What was written a moment ago
/// cannot, and is not worth keeping yet.
fn is_settled(survey: &Survey, count: usize) -> bool {
    let files = survey.folders().flat_map(|folder| &folder.files);
    let settled = files.filter(|file| file.stamp.is_some()).count();
    !survey.is_partial() && count.saturating_sub(settled) <= count / OUT_OF_DATE
}

#[cfg(test)]
mod tests;
