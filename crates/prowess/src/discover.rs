//! From sources to skills: every file is read, parsed and hashed where it is found.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
};

use crate::{
    catalog::LoadOptions,
    skill::Skill,
    source::{Finding, Gate, Origin, Progress, ScanRequest, SkillFile, Source},
    trust::Decision,
};

/// Everything the sources yielded, in no order yet.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The skills, readable or not.
    pub skills: Vec<Skill>,
    /// What was noticed about other paths.
    pub findings: Vec<Finding>,
    /// One origin for each source, in their order.
    pub origins: Vec<Arc<Origin>>,
    /// Whether a limit ended a scan.
    pub partial: bool,
}

/// Scans every source and reads what it yields.
pub fn discover(sources: &[Box<dyn Source>], options: &LoadOptions<'_>) -> Discovery {
    let mut discovery = Discovery::default();
    for (index, source) in sources.iter().enumerate() {
        // The decision comes first: a place is judged before anything in it is opened.
        let place = options.trust.decide(source.origin());
        let skills = Mutex::new(Vec::new());
        let scan = requesting(place, options, |request| {
            source.scan(request, &|file: SkillFile<'_>| {
                let mut skill = Skill::read(file, options.profile);
                if let Some(remote) = source.remote(skill.path()) {
                    skill.set_remote(remote);
                }
                skill.source = index as u32;
                judge(&mut skill, place, options);
                request.progress.skills.fetch_add(1, Ordering::Relaxed);
                skills
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(skill);
            })
        });
        discovery
            .skills
            .append(&mut skills.into_inner().unwrap_or_else(PoisonError::into_inner));
        discovery.findings.extend(scan.findings);
        discovery.partial |= scan.partial;
        discovery.origins.push(Arc::clone(source.origin()));
    }
    // Threads finish in any order; a reader sees one.
    sort_findings(&mut discovery.findings);
    discovery
}

/// Asks a place that was judged so for its skills. Where it is not trusted, only what the user
/// has looked at before is opened, unless all is to be shown.
pub(crate) fn requesting<T>(
    place: Decision,
    options: &LoadOptions<'_>,
    scan: impl FnOnce(&ScanRequest<'_>) -> T,
) -> T {
    let idle = Progress::default();
    let may_open = |path: &Path| place == Decision::Ask && options.trust.knows(path);
    let gate = if place == Decision::Trusted || options.look_at_untrusted {
        Gate::open()
    } else {
        Gate::ask(&may_open)
    };
    scan(&ScanRequest {
        limits: &options.limits,
        profile: options.profile,
        threads: options.threads(),
        progress: options.progress.unwrap_or(&idle),
        gate,
    })
}

/// Settles whether a skill may reach a model: by its place, or else by its own files.
pub(crate) fn judge(skill: &mut Skill, place: Decision, options: &LoadOptions<'_>) {
    if let Some(hash) = skill.hash()
        && options.filter.hidden.contains(&hash)
    {
        skill.allow_hidden(options.profile);
    }
    skill.decision = place;
    skill.seal = None;
    if place != Decision::Ask {
        return;
    }
    let Some(path) = skill.real_path() else {
        return;
    };
    // Only a skill that was trusted once is worth reading whole.
    let known = options.trust.knows(&path);
    let seal = known
        .then(|| skill.seal(&options.limits).ok())
        .flatten()
        .map(Arc::new);
    skill.decision = options.trust.decide_skill(&path, seal.as_deref());
    if skill.decision == Decision::Trusted {
        skill.seal = seal;
    }
}

/// Puts findings into the order every reader sees.
pub(crate) fn sort_findings(findings: &mut [Finding]) {
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
}

fn key(finding: &Finding) -> (&PathBuf, &'static str, &str) {
    let diagnostic = &finding.diagnostic;
    (&finding.path, diagnostic.code, &diagnostic.message)
}
