//! `check --fix`: makes the fixes that keep their promise, and writes whole files or nothing.
//!
//! What a fix may change in its own file is held by [`prowess::format::fix`]. Here it is held to
//! the other skills: no fix gives a skill a name that another one has.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use prowess::{
    DiskSource, Layout, Skill, Source,
    format::{Diagnostic, Fix, FixResult, Profile, Severity, fix, parse, redact, rules},
};
use similar::TextDiff;

use super::{Checked, Checks};
use crate::{exit::Failure, files, places::Request, render::safe_lines, session::Session};

/// What `--fix` would do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    files: Vec<FixedFile>,
    /// How many findings would be gone.
    pub(super) findings: usize,
    /// What cannot be fixed though a fix was offered: the file, and why.
    refused: Vec<(PathBuf, String)>,
}

/// One file as it would be.
#[derive(Debug)]
struct FixedFile {
    path: PathBuf,
    skill: Skill,
    old: String,
    text: String,
}

impl Plan {
    /// How many files would be changed.
    pub(super) fn files(&self) -> usize {
        self.files.len()
    }

    /// Tries every fix, down to the findings that matter least, and changes nothing.
    pub(super) fn make(
        checks: &Checks,
        least: Severity,
        only: Option<&str>,
        session: &mut Session,
    ) -> Self {
        let mut plan = Self::default();
        let mut names = Names::of(checks);
        let mut seen = BTreeSet::new();
        for checked in &checks.skills {
            let wanted = |it: &Diagnostic| only.is_none_or(|code| it.code == code);
            let offered = |it: &Diagnostic| it.fix.is_some() && it.severity <= least && wanted(it);
            let (Some(skill), Some(old)) = (&checked.skill, checked.text()) else {
                continue;
            };
            // Lines of a catalog and files without frontmatter are not ours to write.
            if !checked.diagnostics.iter().any(offered)
                || matches!(skill.layout(), Layout::Record | Layout::Convention)
            {
                continue;
            }
            let file = skill.absolute_path();
            // A file that several folders lead to is fixed once.
            if !seen.insert(real(&file)) {
                continue;
            }
            if let Err(error) = skill.may_rewrite(old) {
                plan.refused.push((checked.path.clone(), error.to_string()));
                continue;
            }
            let fixed = plan.fixed(
                checked, skill, old, least, &wanted, checks, &mut names, session,
            );
            for (diagnostic, reason) in &fixed.refused {
                let why = format!("{}: {reason}", diagnostic.code);
                plan.refused.push((checked.path.clone(), why));
            }
            if !fixed.made.is_empty() {
                plan.findings += fixed.made.len();
                plan.files.push(FixedFile {
                    path: checked.path.clone(),
                    skill: skill.clone(),
                    old: old.to_owned(),
                    text: fixed.text,
                });
            }
        }
        plan
    }

    /// The fixes of one file, without a name that another skill has.
    #[expect(clippy::too_many_arguments, reason = "one call, split for reading")]
    fn fixed(
        &mut self,
        checked: &Checked,
        skill: &Skill,
        old: &str,
        least: Severity,
        wanted: &dyn Fn(&Diagnostic) -> bool,
        checks: &Checks,
        names: &mut Names,
        session: &mut Session,
    ) -> FixResult {
        let folder = prowess::folder_of(skill, &session.config.limits);
        let file_name = skill.path().file_name().unwrap_or_default();
        let file_name = file_name.to_string_lossy();
        let try_fixes = |named: bool| {
            fix(old, &file_name, folder.as_ref(), checks.profile, |it| {
                let level = checks.settings.level(it, &checked.path, Some(old));
                level.is_some_and(|severity| severity <= least)
                    && wanted(it)
                    && (named || !names_skill(it))
            })
        };
        let fixed = try_fixes(true);
        let name_of = |text: &str| {
            parse(text, Profile::Lenient)
                .document
                .name()
                .map(str::to_owned)
        };
        let (before, after) = (name_of(old), name_of(&fixed.text));
        let Some(name) = after.filter(|after| before.as_ref() != Some(after)) else {
            return fixed;
        };
        names.add_beside(skill, session);
        match names.other(&name, skill) {
            None => {
                names.add(&name, skill);
                fixed
            }
            Some(other) => {
                let other = session.environment.shorten(&other);
                let why = format!("another skill is called `{name}`: {other}");
                self.refused.push((checked.path.clone(), why));
                try_fixes(false)
            }
        }
    }

    /// How the files would differ.
    pub(super) fn diff(&self, session: &Session) -> String {
        self.files.iter().map(|file| file.diff(session)).collect()
    }

    /// Why what was offered is left out.
    pub(super) fn refusals(&self) -> impl Iterator<Item = &str> {
        self.refused.iter().map(|(_, reason)| &**reason)
    }

    /// Writes the files, or shows how they would differ.
    pub(super) fn run(&self, dry_run: bool, session: &mut Session) -> Result<(), Failure> {
        for file in &self.files {
            if dry_run {
                session.output.data(&shown(&file.diff(session), session))?;
            } else {
                file.skill.rewrite(&file.old, &file.text).map_err(|error| {
                    let path = session.environment.shorten(&file.path);
                    Failure::new(format!("cannot write `{path}`")).because(&error)
                })?;
            }
        }
        for (path, reason) in &self.refused {
            let path = session.environment.shorten(path);
            let hint = format!("`{path}` is not fixed: {reason}");
            session.output.hint(&hint);
        }
        Ok(())
    }
}

impl FixedFile {
    /// How it would differ.
    fn diff(&self, session: &Session) -> String {
        let path = session.environment.shorten(&self.path);
        let diff = TextDiff::from_lines(&*self.old, &self.text);
        let diff = diff.unified_diff().header(&path, &path).to_string();
        // A diff is passed on for a second look; keys in it are not.
        redact(&diff).into_owned()
    }
}

/// The fix of a finding as a report may tell it: one with a key in its text is not told, and is made
/// by `--fix` all the same.
pub(super) fn told(diagnostic: &Diagnostic) -> Option<&Fix> {
    let plain = |text: &str| matches!(redact(text), Cow::Borrowed(_));
    let fix = diagnostic.fix.as_ref()?;
    (plain(&fix.title) && fix.edits.iter().all(|edit| plain(&edit.text))).then_some(fix)
}

/// Whether a fix gives the skill another name.
fn names_skill(diagnostic: &Diagnostic) -> bool {
    let rules = [
        &rules::invalid_name::RULE,
        &rules::name_differs_from_folder::RULE,
        &rules::missing_name::RULE,
    ];
    rules.iter().any(|rule| rule.code == diagnostic.code)
}

/// The names that are taken, and by which files.
#[derive(Debug, Default)]
struct Names {
    files: BTreeMap<String, BTreeSet<PathBuf>>,
    looked_at: BTreeSet<PathBuf>,
}

impl Names {
    fn of(checks: &Checks) -> Self {
        let mut names = Self::default();
        for skill in checks.skills.iter().filter_map(|it| it.skill.as_ref()) {
            names.add(skill.name(), skill);
        }
        names
    }

    fn add(&mut self, name: &str, skill: &Skill) {
        let files = self.files.entry(name.to_lowercase()).or_default();
        files.insert(real(&skill.absolute_path()));
    }

    /// Adds the skills in the folders beside this one: the user may have named this one alone.
    fn add_beside(&mut self, skill: &Skill, session: &mut Session) {
        let folder = skill.directory();
        let Some(beside) = folder.as_deref().and_then(Path::parent) else {
            return;
        };
        if self.looked_at.insert(beside.to_path_buf()) {
            let sources: [Box<dyn Source>; 1] = [Box::new(DiskSource::new(beside))];
            let request = Request {
                look_at_untrusted: true,
                fresh: true,
                local: true,
                ..Request::default()
            };
            for other in session.load_from(&sources, &request).skills() {
                self.add(other.name(), other);
            }
        }
    }

    /// Another file whose skill has this name.
    fn other(&self, name: &str, skill: &Skill) -> Option<PathBuf> {
        let own = real(&skill.absolute_path());
        let files = self.files.get(&name.to_lowercase())?;
        files.iter().find(|file| **file != own).cloned()
    }
}

fn real(path: &Path) -> PathBuf {
    files::real_path(path).unwrap_or_else(|_| path.to_path_buf())
}

/// A terminal gets nothing that disturbs it; a pipe gets a diff that can be applied, unless a key was
/// left out of it.
fn shown(diff: &str, session: &Session) -> String {
    if session.environment.stdout_terminal {
        safe_lines(diff)
    } else {
        diff.to_owned()
    }
}
