//! The files that a lock names: from the store, else from where they came.

use std::collections::BTreeMap;

use crate::{
    lock::LockedSkill,
    offer::{Offer, OfferError, OfferOptions},
    source::{Reference, Source, SourceError},
    store::Store,
    tree::SkillFiles,
};

/// Why a locked skill is not to be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The lock names no source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The source does not give it.
    #[error(transparent)]
    Offer(#[from] OfferError),
    /// The source has other files by now.
    #[error("`{source_name}` does not have the files of `{folder}` any more that the lock names")]
    Differs {
        /// The skill's folder.
        folder: String,
        /// Where it came from.
        source_name: String,
    },
}

/// Gets the files of these skills. Nothing is fetched that is in the store, and each source is
/// asked once.
pub fn restore(
    skills: &[&LockedSkill],
    store: &Store,
    options: &OfferOptions,
) -> Result<Vec<SkillFiles>, RestoreError> {
    let mut found: Vec<Option<SkillFiles>> = skills
        .iter()
        .map(|it| it.tree().ok().and_then(|tree| store.files(&tree)))
        .collect();
    let mut missing: BTreeMap<(&str, Option<&str>), Vec<usize>> = BTreeMap::new();
    for (at, skill) in skills.iter().enumerate() {
        if found[at].is_none() {
            let from = (skill.source.as_str(), skill.commit.as_deref());
            missing.entry(from).or_default().push(at);
        }
    }
    for ((from, commit), places) in missing {
        let mut source = Source::parse(from, &|_| false)?;
        source.reference = commit.map(|it| Reference::Locked(it.to_owned()));
        let mut offer = Offer::open(&source, options)?;
        let paths: Vec<&str> = places.iter().map(|&at| skills[at].path.as_str()).collect();
        for (&at, files) in places.iter().zip(offer.fetch(&paths)?) {
            if files.tree().digest().to_string() != skills[at].digest {
                return Err(RestoreError::Differs {
                    folder: skills[at].folder.clone(),
                    source_name: from.to_owned(),
                });
            }
            found[at] = Some(files);
        }
    }
    Ok(found.into_iter().flatten().collect())
}
