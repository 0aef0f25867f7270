//! What the sources of locked skills have by now, and what becomes of edits made here.

use std::collections::BTreeMap;

use crate::{
    lock::LockedSkill,
    merge::merge,
    offer::{Offer, OfferError, OfferOptions},
    restore::restore,
    site::Turn,
    source::{Reference, Source},
    store::Store,
    tree::SkillFiles,
};

/// What the source of a locked skill has by now.
#[derive(Debug)]
pub enum Upstream {
    /// The very same files; the commit may be another one.
    Same,
    /// Nobody asked: it is to stay where it is.
    Pinned,
    /// The source does not have it any more.
    Gone,
    /// Other files.
    Newer(Box<Update>),
    /// The source could not be asked.
    Failed(OfferError),
}

/// A new version of one skill.
#[derive(Debug)]
pub struct Update {
    /// Its entry in the lock afterwards.
    pub locked: LockedSkill,
    /// The locked files, where they are still to be had.
    pub old: Option<SkillFiles>,
    /// The files of the new version.
    pub new: SkillFiles,
    /// What becomes of edits made here.
    pub edits: Edits,
}

/// Edits that were made here since the locked version.
#[derive(Debug, PartialEq, Eq)]
pub enum Edits {
    /// None.
    None,
    /// They go together with the new version: these files.
    Merged(SkillFiles),
    /// They do not, in these files; the skill is left alone.
    Conflict(Vec<String>),
}

impl Update {
    /// The files to install; `None` where the skill is left alone.
    pub fn files(&self) -> Option<&SkillFiles> {
        match &self.edits {
            Edits::None => Some(&self.new),
            Edits::Merged(files) => Some(files),
            Edits::Conflict(_) => None,
        }
    }
}

/// Asks each source once what it has by now, in the order of the skills. A source that fails does
/// not stop the others.
pub fn upstream(
    turn: &Turn<'_>,
    skills: &[&LockedSkill],
    store: &Store,
    options: &OfferOptions,
) -> Vec<Upstream> {
    let mut found: Vec<Option<Upstream>> = skills.iter().map(|_| None).collect();
    let mut sources: BTreeMap<(&str, Option<&str>), Vec<usize>> = BTreeMap::new();
    for (at, skill) in skills.iter().enumerate() {
        // A commit that no ref led to was named by hand, so it stays.
        if skill.pinned || (skill.reference.is_none() && skill.commit.is_some()) {
            found[at] = Some(Upstream::Pinned);
        } else {
            let from = (skill.source.as_str(), skill.reference.as_deref());
            sources.entry(from).or_default().push(at);
        }
    }
    for ((from, reference), places) in sources {
        let wanted: Vec<&LockedSkill> = places.iter().map(|&at| skills[at]).collect();
        match open(from, reference, options) {
            Ok(mut offer) => {
                for (at, skill) in places.into_iter().zip(wanted) {
                    let state = newer(turn, &mut offer, skill, store, options);
                    found[at] = Some(state.unwrap_or_else(Upstream::Failed));
                }
            }
            Err(error) => {
                // One cause, told once: the others of this source have failed with it.
                let mut places = places.into_iter();
                if let Some(at) = places.next() {
                    found[at] = Some(Upstream::Failed(error));
                }
                for at in places {
                    let again = OfferError::Unanswered(from.to_owned());
                    found[at] = Some(Upstream::Failed(again));
                }
            }
        }
    }
    found
        .into_iter()
        .map(|it| it.unwrap_or(Upstream::Pinned))
        .collect()
}

fn open(from: &str, reference: Option<&str>, options: &OfferOptions) -> Result<Offer, OfferError> {
    let mut source =
        Source::parse(from, &|_| false).map_err(|_| OfferError::Unsupported(from.to_owned()))?;
    source.reference = reference.map(|it| Reference::Name(it.to_owned()));
    Offer::open(&source, options)
}

fn newer(
    turn: &Turn<'_>,
    offer: &mut Offer,
    skill: &LockedSkill,
    store: &Store,
    options: &OfferOptions,
) -> Result<Upstream, OfferError> {
    if offer.origin.commit.is_some() && offer.origin.commit == skill.commit {
        return Ok(Upstream::Same);
    }
    // Where it was, or where its name is now.
    let there = offer.skills.iter().find(|it| it.path == skill.path);
    let there = match there.cloned() {
        Some(there) => there,
        None => match offer.named(skill.name())?.as_slice() {
            [one] => one.clone(),
            _ => return Ok(Upstream::Gone),
        },
    };
    let artifact = there.artifact(&offer.origin);
    if artifact.is_some() && artifact == skill.artifact {
        return Ok(Upstream::Same);
    }
    let new = offer.fetch(&[&there.path])?.swap_remove(0);
    let mut locked = LockedSkill {
        // A lock that another installer's was read into may name no ref yet.
        reference: skill.reference.clone().or(offer.origin.reference.clone()),
        commit: offer.origin.commit.clone(),
        artifact,
        path: there.path,
        ..skill.clone()
    };
    locked.set_tree(new.tree());
    if locked.digest == skill.digest {
        return Ok(Upstream::Same);
    }
    let old = old_files(skill, store, options);
    let edits = edits(turn, skill, old.as_ref(), &new);
    Ok(Upstream::Newer(Box::new(Update {
        locked,
        old,
        new,
        edits,
    })))
}

/// The locked files: from the store, else from the locked commit.
fn old_files(skill: &LockedSkill, store: &Store, options: &OfferOptions) -> Option<SkillFiles> {
    restore(&[skill], store, options).ok()?.pop()
}

fn edits(
    turn: &Turn<'_>,
    skill: &LockedSkill,
    old: Option<&SkillFiles>,
    new: &SkillFiles,
) -> Edits {
    let here = match turn.installed(&skill.folder) {
        Ok(None) => return Edits::None,
        Ok(Some(here)) => here,
        // What cannot be read cannot be brought together with anything.
        Err(_) => return Edits::Conflict(vec![".".to_owned()]),
    };
    let digest = here.tree().digest().to_string();
    if digest == skill.digest || here == *new {
        return Edits::None;
    }
    match old {
        Some(old) => match merge(old, &here, new) {
            Ok(merged) => Edits::Merged(merged),
            Err(conflicts) => Edits::Conflict(conflicts),
        },
        None => Edits::Conflict(vec![".".to_owned()]),
    }
}
