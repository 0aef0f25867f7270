//! From sources to skills: every file is read, parsed and hashed where it is found.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
};

use crate::{
    catalog::LoadOptions,
    skill::Skill,
    source::{Finding, Origin, Progress, ScanRequest, SkillFile, Source},
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
    let idle = Progress::default();
    let progress = options.progress.unwrap_or(&idle);
    let request = ScanRequest {
        limits: &options.limits,
        profile: options.profile,
        threads: options.threads(),
        progress,
    };
    let mut discovery = Discovery::default();
    for (index, source) in sources.iter().enumerate() {
        // The decision comes first: a place may be judged before anything in it is opened.
        let trusted = options.trust.decide(source.origin()) == Decision::Trusted;
        let skills = Mutex::new(Vec::new());
        let scan = source.scan(&request, &|file: SkillFile<'_>| {
            let mut skill = Skill::read(file, options.profile);
            if let Some(remote) = source.remote(skill.path()) {
                skill.set_remote(remote);
            }
            skill.source = index as u32;
            skill.trusted = trusted;
            progress.skills.fetch_add(1, Ordering::Relaxed);
            skills
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(skill);
        });
        discovery
            .skills
            .append(&mut skills.into_inner().unwrap_or_else(PoisonError::into_inner));
        discovery.findings.extend(scan.findings);
        discovery.partial |= scan.partial;
        discovery.origins.push(Arc::clone(source.origin()));
    }
    // Threads finish in any order; a reader sees one.
    discovery.findings.sort_by(|a, b| key(a).cmp(&key(b)));
    discovery
}

fn key(finding: &Finding) -> (&PathBuf, &'static str, &str) {
    let diagnostic = &finding.diagnostic;
    (&finding.path, diagnostic.code, &diagnostic.message)
}
