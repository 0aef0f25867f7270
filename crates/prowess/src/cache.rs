//! A start that does not wait: what was read before, kept in a folder of the user's.
//!
//! Every folder and every skill's file is looked at anew, and those whose stamps are the same are
//! not opened: their names and descriptions come from the cache at once, their text when somebody
//! asks for it. Trust, filters and overrides are never kept; they are decided with every load.
//!
//! A cache that is missing, damaged or of another version is made anew, so it can be deleted at
//! any time.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
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

mod field;
mod file;
mod finding;
mod index;
mod kept;
mod known;
mod record;
mod saved;
mod section;

use file::Unusable;
use known::Known;

pub(crate) use index::SavedIndex;
pub(crate) use kept::KeptSkill;

/// Grows with every change to what the files hold or how skills are read.
const FORMAT: u32 = 2;

/// Fewer skills are read as quickly as their cache.
const WORTH_IT: usize = 50;

/// A cache is written anew once more than one in so many skills had to be read beside it.
const OUT_OF_DATE: usize = 20;

/// For less than that a cache is written anew only so long after the last time: a start that finds
/// anything changed costs twice as much as one that does not, and writing a cache some more.
const PAUSE: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 60 });

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
        let mut told = Told::default();
        for (place, source) in sources.iter().enumerate() {
            // The decision comes first. Of a place that asks, what may be read differs from skill
            // to skill and from day to day, so nothing of it is kept.
            let trusted = options.trust.decide(source.origin()) == Decision::Trusted;
            let mut one = match cacheable(&**source).filter(|_| trusted) {
                Some(disk) => {
                    let key = key(disk, options);
                    let mut found = self.look(disk, options, &key, &mut told);
                    for skill in &mut found.skills {
                        judge(skill, Decision::Trusted, options);
                    }
                    found
                }
                None => {
                    let found = discover(std::slice::from_ref(source), options);
                    // What waits for trust is found and not opened.
                    let opened = found.skills.iter().filter(|skill| skill.hash().is_some());
                    told.read += opened.count();
                    found
                }
            };
            for skill in &mut one.skills {
                skill.source = place as u32;
            }
            if all.skills.is_empty() {
                all.skills = one.skills;
            } else {
                all.skills.append(&mut one.skills);
            }
            all.findings.extend(one.findings);
            all.origins.extend(one.origins);
            all.partial |= one.partial;
        }
        crate::discover::sort_findings(&mut all.findings);
        let mut catalog = Catalog::assemble(all, options);
        self.keep_index(&mut catalog, sources, options);
        CachedLoad {
            catalog,
            notes: told.notes,
            read: told.read,
        }
    }

    /// Looks at one source, with what is known of it.
    fn look(
        &self,
        disk: &DiskSource,
        options: &LoadOptions<'_>,
        key: &str,
        told: &mut Told,
    ) -> Discovery {
        let known = self.recall(disk, options, key, &mut told.notes);
        let origins = vec![Arc::clone(disk.origin())];
        // In most starts nothing changed; then nothing but skills is made of what was saved.
        if let Some(known) = known.as_ref().filter(|known| known.is_as_it_was(disk))
            && let Some((skills, findings)) = known.all()
        {
            return Discovery {
                skills,
                findings,
                origins,
                partial: false,
            };
        }
        let survey = self.look_again(known, disk, options, key, told);
        let partial = survey.is_partial();
        let (skills, findings) = survey.into_all();
        Discovery {
            skills,
            findings,
            origins,
            partial,
        }
    }

    /// What was saved of a source, where that can be used.
    fn recall(
        &self,
        disk: &DiskSource,
        options: &LoadOptions<'_>,
        key: &str,
        notes: &mut Vec<String>,
    ) -> Option<Known> {
        let path = self.path(key, "skills");
        let opened = file::open(&path, self.edition);
        match opened.and_then(|opened| Known::read(opened, key, disk, options.profile)) {
            Ok(known) => known,
            Err(Unusable::Damaged) => {
                notes.push(damaged(&path));
                None
            }
            Err(Unusable::Missing | Unusable::Foreign) => None,
        }
    }

    /// Looks at a source by what is known of it, and saves it where that is worth it.
    fn look_again(
        &self,
        known: Option<Known>,
        disk: &DiskSource,
        options: &LoadOptions<'_>,
        key: &str,
        told: &mut Told,
    ) -> Survey {
        let path = self.path(key, "skills");
        let known = known.and_then(|known| match known.survey() {
            Ok(survey) => Some((survey, known.age())),
            Err(_) => {
                told.notes.push(damaged(&path));
                None
            }
        });
        let (mut survey, age) = known.unwrap_or((Survey::default(), Duration::MAX));
        let difference = survey.look(disk, Decision::Trusted, options, Again::Stamps, false);
        told.read += difference.read;
        let count = survey.skills().count();
        let many = difference.read + difference.removed.len() > count / OUT_OF_DATE;
        let old = many || (difference.stamps && age >= PAUSE) || age == Duration::MAX;
        if old && count >= WORTH_IT && is_settled(&survey, count) {
            let parts = saved::parts(&survey, key);
            let kept = parts.and_then(|parts| file::write(&path, self.edition, &parts));
            if let Err(error) = kept {
                told.notes.push(format!(
                    "the cache `{}` cannot be written: {error}",
                    crate::display::display_path(&path)
                ));
            }
        }
        survey
    }

    /// Looks at a source that is trusted, for a catalog that follows it.
    #[cfg(feature = "watch")]
    pub(crate) fn survey(
        &self,
        disk: &DiskSource,
        options: &LoadOptions<'_>,
        told: &mut Told,
    ) -> Survey {
        let key = key(disk, options);
        let known = self.recall(disk, options, &key, &mut told.notes);
        self.look_again(known, disk, options, &key, told)
    }

    /// Keeps the index of a catalog of these sources, once somebody searches.
    pub(crate) fn keep_index(
        &self,
        catalog: &mut Catalog,
        sources: &[Box<dyn Source>],
        options: &LoadOptions<'_>,
    ) {
        if catalog.skills().len() < WORTH_IT {
            return;
        }
        let keys = sources.iter().map(|source| match source.as_disk() {
            Some(disk) => key(disk, options),
            None => format!("{:?}", source.origin()),
        });
        let keys: Vec<String> = keys.collect();
        let path = self.path(&keys.join("\n"), "index");
        catalog.keep_index(SavedIndex::new(path, self.edition));
    }

    fn path(&self, key: &str, ending: &str) -> PathBuf {
        let hash = Sha256::digest(key);
        let name = hash
            .first_chunk::<16>()
            .map_or(0, |it| u128::from_be_bytes(*it));
        self.folder.join(format!("{name:032x}.{ending}"))
    }
}

/// What there is to tell about a look beside what it found.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) notes: Vec<String>,
    pub(crate) read: usize,
}

/// The source as folders that can be kept, where it is that.
pub(crate) fn cacheable(source: &dyn Source) -> Option<&DiskSource> {
    let disk = source.as_disk().filter(|_| cfg!(unix))?;
    disk.real_root().is_some_and(is_folder).then_some(disk)
}

fn damaged(path: &Path) -> String {
    let path = crate::display::display_path(path);
    format!("the cache `{path}` is damaged and is made anew")
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

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> &Path {
    Path::new(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

/// Elsewhere nothing is cached, so nothing that is no text is lost.
#[cfg(not(unix))]
fn path(bytes: &[u8]) -> &Path {
    Path::new(std::str::from_utf8(bytes).unwrap_or_default())
}

#[cfg(test)]
mod tests;
