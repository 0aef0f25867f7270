//! A start that does not wait: what was read before, kept in a folder of the user's.
//!
//! Every folder and every skill's file is looked at anew, and those whose stamps are the same are
//! not opened: their names and descriptions come from the cache at once, their text when somebody
//! asks for it. Trust, filters and overrides are never kept; they are decided with every load.
//!
//! A cache that is missing, damaged or of another version is made anew, so it can be deleted at
//! any time.

use std::{borrow::Cow, io, path::PathBuf, sync::Arc, time::Duration};

use prowess_format::Profile;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    catalog::{Catalog, SavedIndex},
    skill::{Record, SavedText, Skill, TextStore},
    source::{
        Origin,
        disk::tree::{FolderNode, FolderTree},
    },
    store::{self, Store, Unusable},
};

/// Fewer skills are read as quickly as their cache.
const WORTH_IT: usize = 50;

/// A cache is written anew once more than one in so many skills had to be read beside it.
const OUT_OF_DATE: usize = 20;

/// For less than that a cache is written anew only so long after the last time: a start that finds
/// anything changed costs twice as much as one that does not, and writing a cache some more.
const PAUSE: Duration = Duration::from_secs(60);

/// A folder with what was read before.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    edition: u64,
    pause: Duration,
}

/// What was saved of a source.
pub(crate) struct Recalled {
    /// Sorted by path.
    pub(crate) skills: Vec<Skill>,
    pub(crate) tree: FolderTree,
    /// How long ago it was saved.
    pub(crate) age: Duration,
}

/// A source as it is saved. The texts of its skills follow, one after the other.
#[derive(Serialize, Deserialize)]
struct SavedSource<'a, R, F> {
    /// What the scan depended on.
    key: &'a str,
    /// Each with the length of its text and its tokens.
    skills: Vec<(R, u32, u32)>,
    folders: Vec<F>,
}

impl TextStore for Store {
    fn text(&self, start: u64, length: usize) -> Option<Vec<u8>> {
        self.piece(start, length)
    }
}

impl Cache {
    /// Keeps what is read in this folder, which is made when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            edition: 0,
            pause: PAUSE,
        }
    }

    /// Tells builds apart that have one version: what another build saved is not used.
    #[must_use]
    pub fn edition(mut self, edition: u64) -> Self {
        self.edition = edition;
        self
    }

    /// Sets how long a cache stays in use although a few skills changed; a minute otherwise.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// What was saved of a source under this key.
    pub(crate) fn recall(
        &self,
        key: &str,
        origin: &Arc<Origin>,
        profile: Profile,
    ) -> Result<Recalled, Unusable> {
        let store = Arc::new(Store::open(&self.path(key), self.edition)?);
        let value = store.value()?;
        let saved: SavedSource<'_, Record, FolderNode> =
            postcard::from_bytes(&value).map_err(|_| Unusable::Damaged)?;
        if saved.key != key {
            return Err(Unusable::Foreign);
        }
        let mut start = 0;
        let skills = saved.skills.into_iter().map(|(record, length, tokens)| {
            let text = SavedText {
                store: Arc::clone(&store) as Arc<dyn TextStore>,
                start,
                length,
                profile,
            };
            start += u64::from(length);
            Skill::saved(Arc::clone(origin), record, tokens, text)
        });
        Ok(Recalled {
            skills: skills.collect(),
            tree: FolderTree::new(saved.folders),
            age: store.age(),
        })
    }

    /// Whether a look at a source is to be saved: how old is what is saved, how many skills had to
    /// be read beside it, and can other stamps be believed now?
    pub(crate) fn is_worth_saving(
        &self,
        tree: &FolderTree,
        age: Option<Duration>,
        changed: usize,
        stamps: bool,
    ) -> bool {
        let files = || tree.folders().flat_map(|folder| &folder.files);
        let count = files().count();
        let old = age.is_none_or(|age| stamps && age >= self.pause);
        if count < WORTH_IT || tree.is_partial() || !(old || changed > count / OUT_OF_DATE) {
            return false;
        }
        // What was written a moment ago cannot be known again by its stamp, and is not worth
        // saving yet.
        let settled = files().filter(|file| file.stamp.is_some()).count();
        count - settled <= count / OUT_OF_DATE
    }

    /// Saves a source.
    pub(crate) fn save(&self, key: &str, skills: &[Skill], tree: &FolderTree) -> io::Result<()> {
        let texts: Vec<Cow<'_, [u8]>> = skills.iter().map(Skill::text).collect();
        let saved = skills.iter().zip(&texts).map(|(skill, text)| {
            let length = u32::try_from(text.len()).unwrap_or_default();
            (skill.record(), length, skill.tokens() as u32)
        });
        let mut folders: Vec<&FolderNode> = tree.folders().collect();
        // Equal trees are equal bytes.
        folders.sort_unstable_by(|a, b| a.here.path.cmp(&b.here.path));
        let saved = SavedSource {
            key,
            skills: saved.collect(),
            folders,
        };
        store::write(&self.path(key), self.edition, &saved, &texts)
    }

    /// Keeps the index of a catalog of sources with these keys, once somebody searches.
    pub(crate) fn keep_index(&self, catalog: &mut Catalog, keys: &str) {
        if catalog.skills().len() >= WORTH_IT {
            let path = self.file(keys, "index");
            catalog.keep_index(SavedIndex::new(path, self.edition, OUT_OF_DATE));
        }
    }

    /// The file of a source.
    pub(crate) fn path(&self, key: &str) -> PathBuf {
        self.file(key, "skills")
    }

    fn file(&self, key: &str, ending: &str) -> PathBuf {
        let hash = Sha256::digest(key);
        let name = hash
            .first_chunk::<16>()
            .map_or(0, |it| u128::from_be_bytes(*it));
        self.folder.join(format!("{name:032x}.{ending}"))
    }
}

#[cfg(test)]
mod tests;
