//! One source on disk, as it was last seen: its folders, its skills, and what is new since.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{
    catalog::LoadOptions,
    discover::requesting,
    skill::{Skill, State},
    source::{
        Finding, SkillFile,
        disk::{
            DiskSource,
            seen::{Dirty, FileSeen, FolderSeen, Look, Trusting},
        },
    },
    trust::Decision,
};

/// What was seen of one source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Survey {
    folders: HashMap<PathBuf, FolderSeen>,
    /// Skills that lie in no folder of the source: a source may be a single file.
    loose: Vec<Skill>,
    /// What was noticed, apart from the lists of folders.
    findings: Vec<Finding>,
    partial: bool,
}

/// How much of what is known to believe.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Again<'a> {
    /// Everything is looked at, and what has another stamp is read.
    Stamps,
    /// What was announced is read.
    #[cfg_attr(
        not(feature = "watch"),
        expect(dead_code, reason = "only a live catalog hears of events")
    )]
    Events(&'a Dirty),
}

/// What a look changed.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Readings of files that are gone or were read anew; see [`Skill::reading`].
    pub(crate) removed: HashSet<usize>,
    /// Skills that are new or were read anew.
    pub(crate) added: Vec<Skill>,
    /// Folders that were listed.
    pub(crate) folders: Vec<PathBuf>,
    /// Folders that are gone.
    pub(crate) gone: Vec<PathBuf>,
    /// Whether something else was noticed than before.
    pub(crate) findings: bool,
    /// Whether something can be known by another stamp now than before.
    pub(crate) stamps: bool,
    /// How many files were read.
    pub(crate) read: usize,
}

impl Difference {
    #[cfg(feature = "watch")]
    pub(crate) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty() && !self.findings
    }
}

impl Difference {
    /// Adds everything there is, where nothing was known.
    fn start(&mut self, folders: &HashMap<PathBuf, FolderSeen>) {
        for (path, folder) in folders {
            let skills = folder.files.iter().filter_map(|file| file.skill.clone());
            self.added.extend(skills);
            self.findings |= !folder.findings.is_empty();
            self.folders.push(path.clone());
        }
    }
}

impl Survey {
    /// What is known of a folder.
    pub(crate) fn folder(&self, path: &Path) -> Option<&FolderSeen> {
        self.folders.get(path)
    }

    /// Every folder, in no order.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &FolderSeen> {
        self.folders.values()
    }

    /// Whether a limit ended the last look early.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial
    }

    /// Every skill, in no order.
    pub(crate) fn skills(&self) -> impl Iterator<Item = &Skill> {
        let files = self.folders.values().flat_map(|folder| &folder.files);
        let in_folders = files.filter_map(|file| file.skill.as_ref());
        in_folders.chain(&self.loose)
    }

    /// Everything that was noticed about other paths, in no order.
    #[cfg(feature = "watch")]
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        let of_folders = self.folders.values().flat_map(|folder| &folder.findings);
        of_folders.chain(&self.findings)
    }

    /// Every skill and everything that was noticed, in no order.
    pub(crate) fn into_all(self) -> (Vec<Skill>, Vec<Finding>) {
        let (mut skills, mut findings) = (self.loose, self.findings);
        skills.reserve(self.folders.len());
        for folder in self.folders.into_values() {
            skills.extend(folder.files.into_iter().filter_map(|file| file.skill));
            findings.extend(folder.findings);
        }
        (skills, findings)
    }

    /// A survey with room for so many folders.
    pub(crate) fn with_capacity(folders: usize) -> Self {
        Self {
            folders: HashMap::with_capacity(folders),
            ..Self::default()
        }
    }

    /// Puts back what was saved.
    pub(crate) fn restore(&mut self, folder: FolderSeen) {
        self.folders.insert(folder.here.path.clone(), folder);
    }

    /// Looks at the source again, which was judged so. With `keep`, a skill whose file broke stays as it was.
    pub(crate) fn look(
        &mut self,
        source: &DiskSource,
        place: Decision,
        options: &LoadOptions<'_>,
        again: Again<'_>,
        keep: bool,
    ) -> Difference {
        // A scan that was cut short does not know what it did not see.
        let known = !self.partial && !self.folders.is_empty();
        let trusting = match again {
            _ if !known => Trusting::Nothing,
            Again::Stamps => Trusting::Stamps(self),
            Again::Events(dirty) => Trusting::Events(self, dirty),
        };
        let read = AtomicUsize::new(0);
        let mut look = requesting(place, options, |request| {
            source.look(request, trusting, &|file: SkillFile<'_>| {
                read.fetch_add(1, Ordering::Relaxed);
                Some(Skill::read(file, options.profile))
            })
        });
        for folder in &mut look.folders {
            let Some(known) = self.folders.get(&folder.here.path) else {
                continue;
            };
            for file in &mut folder.files {
                let old = known.files.iter().find(|old| old.name == file.name);
                let old = old.and_then(|old| old.skill.as_ref());
                if let (Some(skill), Some(old)) = (&mut file.skill, old) {
                    take_over(skill, old, keep);
                }
            }
        }
        Difference {
            read: read.into_inner(),
            ..self.apply(look, known)
        }
    }

    /// Takes over what a scan saw.
    fn apply(&mut self, look: Look, known: bool) -> Difference {
        let mut difference = Difference::default();
        if !known {
            let old: Vec<usize> = self.skills().map(Skill::reading).collect();
            difference.removed.extend(old);
            difference.gone.extend(self.folders.drain().map(|it| it.0));
            difference.findings = !self.findings.is_empty() || !look.findings.is_empty();
            self.findings.clear();
        }
        self.partial = look.partial;
        let mut fresh: HashMap<PathBuf, FolderSeen> = HashMap::with_capacity(look.folders.len());
        for folder in look.folders {
            // Of one that was looked at twice in one go, the second look counts.
            fresh.insert(folder.here.path.clone(), folder);
        }
        difference
            .removed
            .extend(self.loose.iter().map(Skill::reading));
        self.loose = look.loose.into_iter().filter_map(|it| it.skill).collect();
        difference.added.extend(self.loose.iter().cloned());
        for path in &look.failed {
            // Its folder is looked at again next time: nothing tells when this one can be entered.
            let above = path.parent();
            if let Some(parent) = above.and_then(|it| fresh.get_mut(it)) {
                parent.stamp = None;
            } else if let Some(parent) = above.and_then(|it| self.folders.get_mut(it)) {
                parent.stamp = None;
            }
            if !fresh.contains_key(path) {
                self.forget(path, &mut difference);
            }
        }
        if self.folders.is_empty() {
            difference.start(&fresh);
            self.folders = fresh;
        } else {
            self.replace(fresh, &mut difference);
        }
        for finding in look.findings {
            difference.findings = true;
            let near = finding.path.ancestors().skip(1);
            let home = near
                .into_iter()
                .find(|path| self.folders.contains_key(*path));
            match home
                .map(Path::to_path_buf)
                .and_then(|it| self.folders.get_mut(&it))
            {
                Some(folder) => folder.findings.push(finding),
                None => self.findings.push(finding),
            }
        }
        difference
    }

    fn replace(&mut self, fresh: HashMap<PathBuf, FolderSeen>, difference: &mut Difference) {
        let mut gone = Vec::new();
        for (path, folder) in &fresh {
            let Some(old) = self.folders.get(path) else {
                continue;
            };
            let left = old.folders.iter().filter(|it| !folder.folders.contains(it));
            gone.extend(left.map(|name| path.join(name)));
        }
        for path in gone {
            if !fresh.contains_key(&path) {
                self.forget(&path, difference);
            }
        }
        for (path, folder) in fresh {
            let old = self.folders.remove(&path);
            let old_files = old.as_ref().map_or(&[][..], |old| &old.files);
            for file in old_files {
                let kept = folder.files.iter().any(|new| same_skill(new, file));
                if !kept {
                    difference
                        .removed
                        .extend(file.skill.as_ref().map(Skill::reading));
                }
            }
            for file in &folder.files {
                let kept = old_files.iter().any(|old| same_skill(old, file));
                if !kept {
                    difference.added.extend(file.skill.clone());
                }
            }
            let before = old.as_ref().and_then(|old| old.stamp);
            difference.stamps |= folder.stamp.is_some() && folder.stamp != before;
            for file in folder.files.iter().filter(|file| file.stamp.is_some()) {
                let same = |old: &FileSeen| old.name == file.name && old.stamp == file.stamp;
                difference.stamps |= !old_files.iter().any(same);
            }
            let before = old.as_ref().map_or(&[][..], |old| &old.findings);
            difference.findings |= before != folder.findings;
            difference.folders.push(path.clone());
            self.folders.insert(path, folder);
        }
    }

    /// Forgets a folder and all below it.
    fn forget(&mut self, path: &Path, difference: &mut Difference) {
        let Some(folder) = self.folders.remove(path) else {
            return;
        };
        let files = folder.files.iter();
        difference
            .removed
            .extend(files.filter_map(|file| Some(file.skill.as_ref()?.reading())));
        difference.findings |= !folder.findings.is_empty();
        for name in &folder.folders {
            self.forget(&path.join(name), difference);
        }
        difference.gone.push(path.to_path_buf());
    }
}

/// Takes the skill from before, where the file reads the same or may not break it.
fn take_over(skill: &mut Skill, old: &Skill, keep: bool) {
    if old.shares_content(skill) {
        return;
    }
    if old.stale.is_none() && old.reads_like(skill) {
        *skill = old.clone();
    } else if keep && skill.state() == State::Broken && old.state() != State::Broken {
        *skill = old.kept_instead_of(skill);
    }
}

fn same_skill(one: &FileSeen, other: &FileSeen) -> bool {
    one.name == other.name
        && match (&one.skill, &other.skill) {
            (Some(one), Some(other)) => one.shares_content(other) && one.stale == other.stale,
            _ => false,
        }
}
