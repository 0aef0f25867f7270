//! The index of a catalog, kept for the next start and read when somebody searches; and the index
//! of the next snapshot, made from the last one.

use std::{borrow::Cow, collections::HashMap, hash::Hash, path::PathBuf, sync::Arc};

use prowess_search::{Index, index::Change};
use serde::{Deserialize, Serialize};

use super::build;
use crate::{
    identity::ContentHash,
    skill::Skill,
    store::{self, Store},
};

/// Where the index of a catalog is kept.
#[derive(Debug, Clone)]
pub(crate) struct SavedIndex {
    path: Arc<PathBuf>,
    edition: u64,
    /// It is written anew once more than one in so many documents differ.
    out_of_date: usize,
}

/// What the index reads of a skill is the same for equal keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Key<'a> {
    name: Cow<'a, str>,
    hash: Option<ContentHash>,
}

impl SavedIndex {
    pub(crate) fn new(path: PathBuf, edition: u64, out_of_date: usize) -> Self {
        Self {
            path: Arc::new(path),
            edition,
            out_of_date,
        }
    }

    /// The index of these skills: as it was kept, with what is new, or built.
    pub(super) fn index(&self, skills: &[&Skill], threads: usize) -> Index {
        let keys: Vec<Key<'_>> = skills.iter().map(|skill| key(skill)).collect();
        let (index, differ) = match self.read() {
            Some((index, known)) if known == keys => return index,
            Some((index, known)) => follow(&index, &known, &keys, skills),
            None => (build(skills, threads), usize::MAX),
        };
        if differ > keys.len() / self.out_of_date {
            let written = store::write(&self.path, self.edition, &keys, &[index.to_bytes()]);
            if let Err(error) = written {
                tracing::warn!(%error, "the index cannot be kept for the next start");
            }
        }
        index
    }

    fn read(&self) -> Option<(Index, Vec<Key<'static>>)> {
        let store = Store::open(&self.path, self.edition).ok()?;
        let keys: Vec<Key<'static>> = postcard::from_bytes(&store.value().ok()?).ok()?;
        let index = Index::from_vouched(store.blob().ok()?).ok()?;
        (index.len() == keys.len()).then_some((index, keys))
    }
}

/// The index of `skills`, which have these keys, from that of documents which had `old_keys`; and
/// how many differ. A document is kept where its key is known, and read otherwise.
pub(super) fn follow<K: Hash + Eq>(
    old: &Index,
    old_keys: &[K],
    keys: &[K],
    skills: &[&Skill],
) -> (Index, usize) {
    let mut documents: HashMap<&K, u32> = old_keys.iter().zip(0..).collect();
    // A key that stands twice is read again for the second.
    let known: Vec<Option<u32>> = keys.iter().map(|key| documents.remove(key)).collect();
    let changes: Vec<Change<'_>> = skills
        .iter()
        .zip(&known)
        .map(|(skill, known)| match known {
            Some(document) => Change::Keep(*document),
            None => Change::Read(skill.entry()),
        })
        .collect();
    let fresh = known.iter().filter(|known| known.is_none()).count();
    let gone = (old_keys.len() + fresh).saturating_sub(keys.len());
    (old.derive(&changes), fresh + gone)
}

fn key(skill: &Skill) -> Key<'_> {
    Key {
        name: Cow::Borrowed(skill.name()),
        hash: match skill.remote() {
            // Of a remote skill the index reads what its server says, and not the file behind it.
            Some(_) => Some(ContentHash::of(skill.document().text().as_bytes())),
            None => skill.hash(),
        },
    }
}

#[cfg(test)]
mod tests {
    use prowess_format::Profile;

    use super::*;
    use crate::{
        Fetch, FetchError, FetchedSkill, Layout, Origin, Remote, Resource, Scope, SkillFile,
    };

    #[derive(Debug)]
    struct Nobody;

    impl Fetch for Nobody {
        fn skill(&self, _: &str) -> Result<FetchedSkill, FetchError> {
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
                run: false,
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
