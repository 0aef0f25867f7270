//! Judges each skill by every rule, its folder included.

use std::{num::NonZeroUsize, path::PathBuf, thread};

use prowess::{
    Catalog, Limits, Skill, check, check_plugins,
    format::{Diagnostic, Profile, Severity, rules},
    run::{Search, check_scripts},
};

use super::{Checks, reference, settings::Settings};
use crate::session::Session;

/// Fewer skills are judged faster than a thread starts.
const WORTH_A_THREAD: usize = 64;

/// One file and what is wrong with it.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    /// The file as it was found.
    pub(super) path: PathBuf,
    /// The skill; `None` for a path that is none.
    pub(super) skill: Option<Skill>,
    /// What is wrong, in the order of its places.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// The skill's name.
    pub(super) fn name(&self) -> Option<&str> {
        self.skill.as_ref().map(Skill::name)
    }

    /// What the file says; `None` where it could not be read as text.
    pub(super) fn text(&self) -> Option<&str> {
        let text = self.skill.as_ref()?.document().text();
        (!text.is_empty()).then_some(text)
    }

    /// How many findings matter this much.
    pub(super) fn count(&self, severity: Severity) -> usize {
        let all = self.diagnostics.iter();
        all.filter(|it| it.severity == severity).count()
    }

    /// Whether there is no error.
    pub(super) fn is_valid(&self) -> bool {
        self.count(Severity::Error) == 0
    }
}

/// Judges every skill of a catalog.
pub(super) fn checks(catalog: &Catalog, profile: Profile, session: &Session) -> Checks {
    let mut skills = judge_all(catalog.skills(), profile, session);
    skills.sort_by(|a, b| a.path.cmp(&b.path));
    let mut others: Vec<Checked> = Vec::new();
    // The reference looks at skills alone.
    let plugins = match profile {
        Profile::SkillsRef => Vec::new(),
        _ => check_plugins(catalog, profile),
    };
    for finding in catalog.findings().iter().chain(&plugins) {
        let diagnostic = finding.diagnostic.clone();
        match others.last_mut() {
            Some(last) if last.path == finding.path => last.diagnostics.push(diagnostic),
            _ => others.push(Checked {
                path: finding.path.clone(),
                skill: None,
                diagnostics: vec![diagnostic],
            }),
        }
    }
    Checks {
        skills,
        others,
        profile,
        partial: catalog.is_partial(),
        settings: Settings::default(),
    }
}

/// Judges skills side by side: each looks at its own folder, and most of the time is waiting.
pub(super) fn judge_all(skills: &[Skill], profile: Profile, session: &Session) -> Vec<Checked> {
    let limits = &session.config.limits;
    let threads = session
        .options
        .threads
        .or(thread::available_parallelism().ok());
    let share = skills.len().div_ceil(threads.map_or(1, NonZeroUsize::get));
    let search = Search::new(session.environment.search_path.as_deref());
    let judge_some = |some: &[Skill]| -> Vec<Checked> {
        some.iter()
            .map(|skill| judge(skill, profile, limits, &search))
            .collect()
    };
    if share < WORTH_A_THREAD {
        return judge_some(skills);
    }
    thread::scope(|scope| {
        let shares = skills.chunks(share);
        let workers: Vec<_> = shares
            .map(|some| scope.spawn(move || judge_some(some)))
            .collect();
        let judged = workers.into_iter().map(|worker| match worker.join() {
            Ok(judged) => judged,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        judged.flatten().collect()
    })
}

fn judge(skill: &Skill, profile: Profile, limits: &Limits, search: &Search) -> Checked {
    let mut diagnostics = if profile == Profile::SkillsRef && skill.hash().is_some() {
        reference::judge(skill)
    } else {
        let mut found = check(skill, profile, limits);
        found.extend(check_scripts(skill, profile, limits, search));
        found.sort_by_key(|it| it.span);
        found
    };
    // Trust is about the place; nothing is wrong with the skill.
    diagnostics.retain(|diagnostic| diagnostic.code != rules::untrusted::RULE.code);
    // The library knows a file from the skill's folder; a shell stands elsewhere.
    for diagnostic in &mut diagnostics {
        if diagnostic.code == rules::script_not_executable::RULE.code
            && let (Some(help), Some(folder)) = (&mut diagnostic.help, skill.path().parent())
        {
            let below = format!("chmod +x {}/", prowess::display_path(folder));
            *help = help.replacen("chmod +x ", &below, 1);
        }
    }
    Checked {
        path: skill.path().to_path_buf(),
        skill: Some(skill.clone()),
        diagnostics,
    }
}
