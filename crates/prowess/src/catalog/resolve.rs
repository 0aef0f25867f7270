//! Decides for every skill of a snapshot what becomes of it.

use std::{
    cmp::Reverse,
    collections::HashMap,
    path::{Path, PathBuf},
};

use prowess_format::{Profile, rules};

use super::{Catalog, Filter, OnError, Override, Precedence, order};
use crate::{
    display::display_path,
    select::same_tag,
    skill::{HiddenBy, Skill, State},
    source::{Layout, Scope, note},
    trust::TrustDecision,
};

/// Where a skill stands when names collide; the least wins.
///
/// Within one source a file wins over a link to it, then the one whose folder has its name, then
/// the shallower one, then the order of paths: all the same on every machine and with any number
/// of threads.
fn precedence(skill: &Skill, explicit: Precedence) -> impl Ord + '_ {
    let scope = skill.origin().scope;
    // Later explicit folders win, unless the host wants it otherwise; elsewhere the nearer folder is named first.
    let (later, earlier) = match scope {
        Scope::Explicit if explicit == Precedence::Last => (Some(Reverse(skill.source)), 0),
        _ => (None, skill.source),
    };
    let depth = skill.path().components().count();
    let folder = skill.path().parent().and_then(Path::file_name);
    let misplaced = folder.is_none_or(|folder| folder != skill.name());
    (
        scope,
        later,
        earlier,
        skill.location().is_some(),
        misplaced,
        depth,
        skill.path(),
    )
}

impl Catalog {
    /// Sorts the skills and gives each its state.
    pub(super) fn resolve(&mut self) {
        self.skills.append(&mut self.mirrors);
        self.skills.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        self.fold_mirrors();
        let refuse = self.on_error == OnError::Refuse;
        for skill in &mut self.skills {
            skill.notes.clear();
            skill.state = match skill.state {
                State::Broken => State::Broken,
                _ if refuse && skill.has_error() => State::Broken,
                _ if !skill.is_trusted() => State::Untrusted,
                _ => State::Active,
            };
        }
        let mut start = 0;
        while start < self.skills.len() {
            let name = self.skills[start].name();
            let count = self.skills[start..]
                .iter()
                .take_while(|skill| skill.name() == name)
                .count();
            self.resolve_name(start, start + count);
            start += count;
        }
        self.resolve_confusable();
        for skill in &mut self.skills {
            if skill.state == State::Active
                && let Some(by) = hidden_by(skill, &self.filter)
            {
                skill.state = State::Hidden(by);
            }
        }
    }

    /// Keeps one skill for each real file, with the other paths that lead to it. Installers put a
    /// skill into one client's folder and links to it into others.
    fn fold_mirrors(&mut self) {
        for skill in &mut self.skills {
            skill.also_at.clear();
        }
        if !self.may_meet_twice() {
            return;
        }
        let mut places: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (at, skill) in self.skills.iter().enumerate() {
            if let Some(path) = skill.real_path() {
                places.entry(path).or_default().push(at);
            }
        }
        let mut mirrors = vec![false; self.skills.len()];
        for group in places.into_values().filter(|group| group.len() > 1) {
            // What is trusted by one place is not hidden by a link to it from another.
            let rank = |at: usize| {
                let skill = &self.skills[at];
                (
                    !skill.is_trusted(),
                    skill.location().is_some(),
                    precedence(skill, self.precedence),
                )
            };
            let Some(&own) = group.iter().min_by(|&&a, &&b| rank(a).cmp(&rank(b))) else {
                continue;
            };
            let others = group.iter().filter(|&&at| at != own);
            let mut paths: Vec<PathBuf> = Vec::new();
            for &at in others {
                mirrors[at] = true;
                paths.push(self.skills[at].path().to_path_buf());
            }
            paths.sort();
            paths.dedup();
            let skill = &mut self.skills[own];
            paths.retain(|path| path != skill.path());
            skill.also_at = paths;
        }
        let mut is_mirror = mirrors.into_iter();
        let folded = self
            .skills
            .extract_if(.., |_| is_mirror.next().unwrap_or_default());
        self.mirrors.extend(folded);
    }

    /// Whether one file may have been found by two paths: by a link, or because one place lies in
    /// another.
    fn may_meet_twice(&self) -> bool {
        let mut roots: Vec<&Path> = self
            .origins
            .iter()
            .filter_map(|it| it.real_root.as_deref())
            .collect();
        // Sorted by their parts, what lies in a folder follows it.
        roots.sort();
        roots.windows(2).any(|it| it[1].starts_with(it[0]))
            || self.skills.iter().any(|skill| skill.location().is_some())
    }

    /// Gives one of the skills `start..end` their common name.
    fn resolve_name(&mut self, start: usize, end: usize) {
        let group = &mut self.skills[start..end];
        if let [skill] = group
            && skill.state == State::Active
        {
            return;
        }
        let winner = (0..group.len())
            .filter(|&at| group[at].state == State::Active)
            .min_by(|&a, &b| {
                let of = |at: usize| precedence(&group[at], self.precedence);
                of(a).cmp(&of(b))
            });
        for at in 0..group.len() {
            match group[at].state {
                State::Active if Some(at) != winner => {
                    if let Some(winner) = winner {
                        let shadow = shadow_note(&group[at], &group[winner], self.profile);
                        group[at].notes.extend(shadow);
                        group[at].state = State::Shadowed { by: start + winner };
                    }
                }
                State::Untrusted => {
                    let note = untrusted_note(&group[at], self.profile);
                    group[at].notes.extend(note);
                }
                _ => {}
            }
        }
    }
}

fn shadow_note(
    loser: &Skill,
    winner: &Skill,
    profile: Profile,
) -> Option<prowess_format::Diagnostic> {
    if is_meant(loser, winner) {
        return None;
    }
    let name = loser.name().escape_debug();
    let [scope, winning_scope] = [loser.origin().scope, winner.origin().scope];
    let path = display_path(winner.path());
    if loser.hash() == winner.hash() {
        return note(
            &rules::duplicate::RULE,
            profile,
            format!("the {scope} skill `{name}` is a copy of `{path}` and is listed once"),
            "remove one of the two",
        );
    }
    note(
        &rules::shadowed::RULE,
        profile,
        format!(
            "the {scope} skill `{name}` is hidden by the {winning_scope} skill of the same name at `{path}`"
        ),
        "rename one of the two to use both",
    )
}

/// Whether two skills of one name are how people lay skills out, and nobody has to do anything.
fn is_meant(loser: &Skill, winner: &Skill) -> bool {
    let [from, by] = [loser.origin(), winner.origin()];
    // A copy for another client, in the same project or at home.
    let mirrored =
        loser.hash() == winner.hash() && from.scope == by.scope && from.label != by.label;
    // The skill of a package beside that of the whole repository: each is meant for its own place.
    let packaged = loser.source == winner.source && package(loser.path()) != package(winner.path());
    // What a repository publishes from `skills` beside what a client reads there from `.client/skills`.
    let published = loser.source == winner.source
        && (client_folder(loser.path()).is_none() != client_folder(winner.path()).is_none()
            || loser.hash() == winner.hash()
                && client_folder(loser.path()) != client_folder(winner.path()));
    // Of several `AGENTS.md` the nearest counts.
    let conventions = [loser, winner]
        .iter()
        .all(|it| it.layout() == Layout::Convention);
    mirrored || packaged || published || conventions
}

/// The folder whose skills these are: that around the last `skills`, or around the client's folder
/// in which that lies. `None` where no folder is called so.
fn package(path: &Path) -> Option<&Path> {
    match client_folder(path) {
        Some(client) => client.parent(),
        None => skills_folder(path)?.parent(),
    }
}

/// The client's folder in which a skill lies, such as `.claude`.
fn client_folder(path: &Path) -> Option<&Path> {
    let around = skills_folder(path)?.parent()?;
    let name = around.file_name()?.as_encoded_bytes();
    name.starts_with(b".").then_some(around)
}

/// The last folder called `skills` around a skill.
fn skills_folder(path: &Path) -> Option<&Path> {
    let mut above = path.ancestors().skip(2);
    above.find(|it| it.file_name().is_some_and(|name| name == "skills"))
}

fn untrusted_note(skill: &Skill, profile: Profile) -> Option<prowess_format::Diagnostic> {
    let origin = skill.origin();
    let who = format!(
        "the {} skill `{}` is not given to a model",
        origin.scope,
        skill.name().escape_debug()
    );
    match skill.decision() {
        TrustDecision::Changed => {
            return note(
                &rules::changed_skill::RULE,
                profile,
                format!("{who}: its files changed since it was trusted"),
                "look at what changed, then trust it again",
            );
        }
        TrustDecision::Denied => {
            return note(
                &rules::untrusted::RULE,
                profile,
                format!("{who}: it was denied"),
                "take the denial back to use it",
            );
        }
        TrustDecision::Ask | TrustDecision::Trusted => {}
    }
    let folder = origin.repository.as_ref().or(origin.real_root.as_ref());
    note(
        &rules::untrusted::RULE,
        profile,
        format!("{who}: its project is not trusted"),
        format!(
            "look at it, then trust `{}`",
            display_path(folder.unwrap_or(&origin.root))
        ),
    )
}

fn hidden_by(skill: &Skill, filter: &Filter) -> Option<HiddenBy> {
    let allowed = |names: &Vec<String>| names.iter().any(|name| name == skill.name());
    let decided = filter.overrides.get(skill.name());
    if !filter.enabled {
        Some(HiddenBy::Disabled)
    } else if !filter.allowed.as_ref().is_none_or(allowed) {
        Some(HiddenBy::Names)
    } else if !filter.tags.is_empty() && !has_any_tag(skill, &filter.tags) {
        Some(HiddenBy::Tags)
    } else if decided == Some(&Override::Off) {
        Some(HiddenBy::Off)
    } else if skill.asks_for_manual() {
        Some(HiddenBy::Itself)
    } else if decided == Some(&Override::Manual) {
        Some(HiddenBy::Manual)
    } else {
        None
    }
}

fn has_any_tag(skill: &Skill, wanted: &[String]) -> bool {
    let mut tags = skill.tags().into_iter();
    tags.any(|tag| wanted.iter().any(|wanted| same_tag(wanted, tag)))
}
