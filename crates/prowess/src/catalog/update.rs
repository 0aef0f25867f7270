//! The next snapshot, for the price of what changed.

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

use super::{
    Catalog,
    search::{Search, Text},
};
use crate::{index::Change, skill::Skill, source::Finding};

/// What is new in a snapshot.
#[derive(Debug, Default)]
pub(crate) struct Update {
    /// The readings of skills that are gone; see [`Skill::reading`].
    pub(crate) removed: HashSet<usize>,
    pub(crate) added: Vec<Skill>,
    /// Everything that was noticed about other paths, sorted.
    pub(crate) findings: Vec<Finding>,
    pub(crate) partial: bool,
}

impl Catalog {
    /// The snapshot after this one, of the same sources. What is not named is not read again,
    /// neither from disk nor for the index.
    pub(crate) fn updated(&self, update: Update) -> Self {
        let Update {
            removed,
            mut added,
            findings,
            partial,
        } = update;
        let stays = |skill: &&Skill| removed.is_empty() || !removed.contains(&skill.reading());
        let kept: Vec<Skill> = self.skills.iter().filter(stays).cloned().collect();
        added.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        let mut next = Self {
            skills: merged(kept, added),
            findings,
            partial,
            origins: self.origins.clone(),
            filter: self.filter.clone(),
            profile: self.profile,
            by_id: OnceLock::new(),
            by_path: OnceLock::new(),
            search: OnceLock::new(),
            saved: self.saved.clone(),
            threads: self.threads,
        };
        next.resolve();
        next.take_index(self);
        next
    }

    /// Derives the index from that of another snapshot, where that has one.
    pub(crate) fn take_index(&mut self, before: &Self) {
        let Some(old) = before.search.get() else {
            return;
        };
        let documents: HashMap<usize, u32> = old
            .positions
            .iter()
            .zip(0..)
            .map(|(&at, document)| (before.skills[at as usize].reading(), document))
            .collect();
        let positions = self.searchable();
        let skills = || positions.iter().map(|&at| &self.skills[at as usize]);
        // A reading that answers under two names at once is read again for the second.
        let mut taken = HashSet::new();
        let known: Vec<Option<u32>> = skills()
            .map(|skill| documents.get(&skill.reading()).copied())
            .map(|document| document.filter(|&it| taken.insert(it)))
            .collect();
        let texts: Vec<Option<Text<'_>>> = skills()
            .zip(&known)
            .map(|(skill, known)| known.is_none().then(|| Text::of(skill)))
            .collect();
        let changes: Vec<Change<'_>> = known
            .iter()
            .zip(&texts)
            .filter_map(|(known, text)| match (known, text) {
                (Some(document), _) => Some(Change::Keep(*document)),
                (None, text) => Some(Change::Read(text.as_ref()?.entry())),
            })
            .collect();
        let index = old.index.derive(&changes);
        drop(changes);
        drop(texts);
        // The cell was empty: this snapshot is still ours alone.
        let _ = self.search.set(Search { index, positions });
    }
}

fn order(skill: &Skill) -> (&str, &std::path::Path, u32) {
    (skill.name(), skill.path(), skill.source)
}

/// Two sorted lists as one.
fn merged(one: Vec<Skill>, other: Vec<Skill>) -> Vec<Skill> {
    if other.is_empty() {
        return one;
    }
    let mut all = Vec::with_capacity(one.len() + other.len());
    let mut others = other.into_iter().peekable();
    for skill in one {
        while let Some(next) = others.next_if(|next| order(next) < order(&skill)) {
            all.push(next);
        }
        all.push(skill);
    }
    all.extend(others);
    all
}
