//! Every source of a live catalog, as it was last seen.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    cache::{Cache, Told, cacheable},
    catalog::LoadOptions,
    discover::{Discovery, judge, requesting},
    skill::Skill,
    source::{
        Finding, Origin, Source,
        disk::{DiskSource, seen::Dirty},
    },
    survey::{Again, Difference, Survey},
    trust::Decision,
};

/// One source.
#[derive(Debug)]
pub(super) struct Root {
    origin: Arc<Origin>,
    place: Decision,
    seen: Seen,
}

#[derive(Debug)]
enum Seen {
    Disk(DiskSource, Survey),
    /// A source that can only be asked for everything.
    Other(Vec<Skill>, Vec<Finding>, bool),
}

impl Root {
    /// Reads a source; what is known of it from before, or from a cache, is not read again.
    pub(super) fn open(
        source: &dyn Source,
        options: &LoadOptions<'_>,
        cache: Option<&Cache>,
        before: &mut Vec<Root>,
        told: &mut Told,
    ) -> Self {
        // The decision comes first, as in every load.
        let place = options.trust.decide(source.origin());
        let origin = Arc::clone(source.origin());
        let Some(disk) = source.as_disk() else {
            let seen = ask(source, place, options, told);
            return Self {
                origin,
                place,
                seen,
            };
        };
        let known = before.iter().position(|root| root.is(disk));
        let known = known.map(|at| before.swap_remove(at));
        // Of a place that is not trusted some files are unread, and which ones the user may have
        // decided anew.
        let known = known.filter(|it| (it.place, place) == (Decision::Trusted, Decision::Trusted));
        let kept = cache.filter(|_| place == Decision::Trusted && cacheable(source).is_some());
        let survey = match (known.map(|it| it.seen), kept) {
            (Some(Seen::Disk(_, mut survey)), _) => {
                told.read += survey.look(disk, place, options, Again::Stamps, true).read;
                survey
            }
            (_, Some(cache)) => cache.survey(disk, options, told),
            _ => {
                let mut survey = Survey::default();
                told.read += survey.look(disk, place, options, Again::Stamps, true).read;
                survey
            }
        };
        Self {
            origin,
            place,
            seen: Seen::Disk(disk.clone(), survey),
        }
    }

    fn is(&self, disk: &DiskSource) -> bool {
        matches!(&self.seen, Seen::Disk(own, _) if own == disk)
    }

    /// Looks at everything again; `None` for a source that is only read as a whole.
    pub(super) fn look(&mut self, options: &LoadOptions<'_>) -> Option<Difference> {
        match &mut self.seen {
            Seen::Disk(disk, survey) => {
                Some(survey.look(disk, self.place, options, Again::Stamps, true))
            }
            Seen::Other(..) => None,
        }
    }

    /// Looks at what was announced.
    pub(super) fn look_at(
        &mut self,
        options: &LoadOptions<'_>,
        dirty: &Dirty,
    ) -> Option<Difference> {
        let Seen::Disk(disk, survey) = &mut self.seen else {
            return None;
        };
        let announced = dirty.keys().filter(|path| survey.folder(path).is_some());
        let announced: Vec<PathBuf> = announced.cloned().collect();
        let again = match announced.len() {
            0 => return None,
            1 => Again::Events(dirty),
            // Folders looked at one by one, by name, could be of two kinds if one above them is
            // swapped meanwhile. A look from the root down sees one kind.
            _ => Again::Stamps,
        };
        let mut difference = survey.look(disk, self.place, options, again, true);
        // What is no skill's own file has no stamp here, and was announced all the same.
        difference.folders.extend(announced);
        Some(difference)
    }

    pub(super) fn survey(&self) -> Option<&Survey> {
        match &self.seen {
            Seen::Disk(_, survey) => Some(survey),
            Seen::Other(..) => None,
        }
    }

    /// Skills to judge again, because something in their folders may have changed: where a place
    /// asks, a skill is trusted by all of its files, not by the one that was read.
    pub(super) fn touched(&self, difference: &Difference) -> Vec<Skill> {
        let Some(survey) = self.survey().filter(|_| self.place == Decision::Ask) else {
            return Vec::new();
        };
        let mut homes: Vec<&Path> = Vec::new();
        for path in &difference.folders {
            let seen = survey.folder(path);
            let inside = seen.and_then(|seen| seen.here.inside.as_deref());
            homes.push(inside.unwrap_or(path));
        }
        // A folder of a skill that is gone was a file of it, too.
        let above = difference
            .gone
            .iter()
            .flat_map(|path| path.ancestors().skip(1));
        homes.extend(above.filter(|path| survey.folder(path).is_some()));
        homes.sort();
        homes.dedup();
        let files = homes.into_iter().filter_map(|path| survey.folder(path));
        files
            .flat_map(|folder| folder.files.iter().filter_map(|file| file.skill.clone()))
            .collect()
    }

    /// The folder or file it is opened at, where that is on disk, also one that is not there.
    pub(super) fn place(&self) -> Option<PathBuf> {
        let Seen::Disk(..) = &self.seen else {
            return None;
        };
        let real = self.origin.real_root.as_ref();
        Some(real.unwrap_or(&self.origin.root).clone())
    }

    /// A skill of this source as part of a catalog, in which the source has this place.
    pub(super) fn placed(
        &self,
        mut skill: Skill,
        place: usize,
        options: &LoadOptions<'_>,
    ) -> Skill {
        skill.source = place as u32;
        judge(&mut skill, self.place, options);
        skill
    }
}

fn ask(source: &dyn Source, place: Decision, options: &LoadOptions<'_>, told: &mut Told) -> Seen {
    let skills = Mutex::new(Vec::new());
    let scan = requesting(place, options, |request| {
        source.scan(request, &|file| {
            let mut skill = Skill::read(file, options.profile);
            if let Some(remote) = source.remote(skill.path()) {
                skill.set_remote(remote);
            }
            let mut skills = skills.lock().unwrap_or_else(PoisonError::into_inner);
            skills.push(skill);
        })
    });
    let skills = skills.into_inner().unwrap_or_else(PoisonError::into_inner);
    told.read += skills.len();
    Seen::Other(skills, scan.findings, scan.partial)
}

/// Everything the sources hold, to be made a catalog.
pub(super) fn discovery(roots: &[Root], options: &LoadOptions<'_>) -> Discovery {
    let mut all = Discovery {
        findings: findings(roots),
        partial: is_partial(roots),
        ..Discovery::default()
    };
    for (place, root) in roots.iter().enumerate() {
        let placed = |skill: &Skill| root.placed(skill.clone(), place, options);
        match &root.seen {
            Seen::Disk(_, survey) => all.skills.extend(survey.skills().map(placed)),
            Seen::Other(skills, ..) => all.skills.extend(skills.iter().map(placed)),
        }
        all.origins.push(Arc::clone(&root.origin));
    }
    all
}

/// What was noticed about paths that are no skill, in the order of every load.
pub(super) fn findings(roots: &[Root]) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for root in roots {
        match &root.seen {
            Seen::Disk(_, survey) => all.extend(survey.findings().cloned()),
            Seen::Other(_, findings, _) => all.extend(findings.iter().cloned()),
        }
    }
    crate::discover::sort_findings(&mut all);
    all
}

pub(super) fn is_partial(roots: &[Root]) -> bool {
    roots.iter().any(|root| match &root.seen {
        Seen::Disk(_, survey) => survey.is_partial(),
        Seen::Other(.., partial) => *partial,
    })
}
