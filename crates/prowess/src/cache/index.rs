//! The index of a catalog, kept for the next start and read when somebody searches.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use super::{
    OUT_OF_DATE, WORTH_IT,
    file::{self, Parts, checksum},
};
use crate::{
    catalog::{Text, build},
    identity::ContentHash,
    index::{Change, Index},
    skill::Skill,
};

/// Bytes of a document's key: half of its hash, and its name.
const KEY: usize = 24;

/// The sections of its file: the keys of all documents, and the index.
const KEYS: usize = 0;
const INDEX: usize = 1;

/// Where the index of a catalog is kept.
#[derive(Debug, Clone)]
pub(crate) struct SavedIndex {
    path: Arc<PathBuf>,
    edition: u64,
}

impl SavedIndex {
    pub(super) fn new(path: PathBuf, edition: u64) -> Self {
        Self {
            path: Arc::new(path),
            edition,
        }
    }

    /// The index of these skills: as it was kept, with what is new, or built.
    pub(crate) fn index(&self, skills: &[&Skill], threads: usize) -> Index {
        let keys: Vec<[u8; KEY]> = skills.iter().map(|skill| key(skill)).collect();
        let (index, fresh) = match self.read() {
            Some((index, known)) if known == keys => return index,
            Some((index, known)) => derived(&index, &known, &keys, skills),
            None => (build(skills, threads), usize::MAX),
        };
        if keys.len() >= WORTH_IT && fresh > keys.len() / OUT_OF_DATE {
            self.write(&index, &keys);
        }
        index
    }

    fn read(&self) -> Option<(Index, Vec<[u8; KEY]>)> {
        let opened = file::open(&self.path, self.edition).ok()?;
        let keys = opened.section(KEYS).ok()?;
        let (keys, _) = keys.as_chunks::<KEY>();
        let index = Index::from_vouched(opened.section(INDEX).ok()?).ok()?;
        (index.len() == keys.len()).then(|| (index, keys.to_vec()))
    }

    fn write(&self, index: &Index, keys: &[[u8; KEY]]) {
        let mut parts = Parts::default();
        parts.sections[KEYS] = keys.as_flattened().to_vec();
        parts.sections[INDEX] = index.to_bytes();
        if let Err(error) = file::write(&self.path, self.edition, &parts) {
            tracing::warn!(%error, "the index cannot be kept for the next start");
        }
    }
}

/// The index with what is new, and how much that was.
fn derived(
    index: &Index,
    known: &[[u8; KEY]],
    keys: &[[u8; KEY]],
    skills: &[&Skill],
) -> (Index, usize) {
    let mut places: HashMap<&[u8; KEY], u32> = known.iter().zip(0..).collect();
    let kept: Vec<Option<u32>> = keys.iter().map(|key| places.remove(key)).collect();
    let texts: Vec<Option<Text<'_>>> = skills
        .iter()
        .zip(&kept)
        .map(|(skill, kept)| kept.is_none().then(|| Text::of(skill)))
        .collect();
    let changes: Vec<Change<'_>> = kept
        .iter()
        .zip(&texts)
        .filter_map(|(kept, text)| match kept {
            Some(place) => Some(Change::Keep(*place)),
            None => Some(Change::Read(text.as_ref()?.entry())),
        })
        .collect();
    let fresh = kept.iter().filter(|kept| kept.is_none()).count();
    let gone = (known.len() + fresh).saturating_sub(keys.len());
    (index.derive(&changes), fresh + gone)
}

/// Equal for skills of which the index reads the same.
fn key(skill: &Skill) -> [u8; KEY] {
    let mut key = [0; KEY];
    let hash = match skill.remote() {
        // Of a remote skill the index reads what its server says, and not the file that is told.
        Some(_) => Some(ContentHash::of(skill.document().text().as_bytes())),
        None => skill.hash(),
    };
    if let Some(hash) = hash {
        key[..16].copy_from_slice(&hash.as_bytes()[..16]);
    }
    let name = checksum(skill.name().as_bytes());
    key[16..].copy_from_slice(&name.to_le_bytes());
    key
}

#[cfg(test)]
mod tests {
    use prowess_format::Profile;

    use super::*;
    use crate::{Fetch, FetchError, Fetched, Layout, Origin, Remote, Resource, Scope, SkillFile};

    #[derive(Debug)]
    struct Nobody;

    impl Fetch for Nobody {
        fn skill(&self, _: &str) -> Result<Fetched, FetchError> {
            unreachable!("an index fetches nothing")
        }

        fn files(&self, _: &str) -> Result<Vec<Resource>, FetchError> {
            unreachable!("an index fetches nothing")
        }

        fn file(&self, _: &str, _: &str) -> Result<Vec<u8>, FetchError> {
            unreachable!("an index fetches nothing")
        }
    }

    #[test]
    fn a_digest_that_a_server_tells_is_no_key() {
        let skill = |description: &str| {
            let text = format!("---\nname: pdf\ndescription: {description}\n---\n");
            let file = SkillFile {
                origin: &Arc::new(Origin::new(Scope::Remote, "acme", "acme")),
                path: "skill://pdf/SKILL.md".into(),
                layout: Layout::Record,
                contents: Ok(text.as_bytes()),
                last_modified: None,
                notes: Vec::new(),
                location: None,
                id: None,
            };
            let mut skill = Skill::read(file, Profile::Lenient);
            skill.set_remote(Remote {
                server: "acme".to_owned(),
                uri: "skill://pdf/SKILL.md".to_owned(),
                approved: false,
                withheld: Vec::new(),
                verified: true,
                age: None,
                hash: Some(ContentHash::of(b"the same for both")),
                size: None,
                fetch: Arc::new(Nobody),
            });
            skill
        };
        let (one, two) = (skill("Fills forms."), skill("Makes tea."));
        assert_eq!(one.hash(), two.hash());
        assert_ne!(key(&one), key(&two));
        assert_eq!(key(&one), key(&skill("Fills forms.")));
    }
}
