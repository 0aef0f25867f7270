//! The next snapshot, for the price of what changed.

use std::{collections::HashSet, sync::OnceLock};

use super::{Catalog, saved::follow, search::Search};
use crate::{skill::Skill, source::Finding};

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
        let reading = |skills: &[Skill], at: u32| skills[at as usize].reading();
        let old_positions = old.positions.iter();
        let old_keys: Vec<usize> = old_positions
            .map(|&at| reading(&before.skills, at))
            .collect();
        let positions = self.searchable();
        let keys: Vec<usize> = positions
            .iter()
            .map(|&at| reading(&self.skills, at))
            .collect();
        let skills = positions.iter().map(|&at| &self.skills[at as usize]);
        let skills: Vec<&Skill> = skills.collect();
        let (index, _) = follow(&old.index, &old_keys, &keys, &skills);
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
