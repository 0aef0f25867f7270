//! `prowess check`: what is wrong with one file, a skill, a folder of skills or all of them.

use std::{
    path::{Path, PathBuf},
    slice,
};

use clap::{Args, ValueEnum};
use prowess::{
    DiskSource, Skill, Source,
    format::{Diagnostic, Profile, Severity},
};

use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    files,
    options::profile,
    places::Request,
    render::{HANG, diagnostic::render},
    session::Session,
};

mod fix;
mod github;
mod html;
mod json;
mod judge;
mod reference;
mod sarif;
pub(crate) mod settings;
mod summary;

use fix::Plan;
use judge::Checked;
use settings::{Baseline, Fingerprints, PathGlob, RuleLevel, Settings};

/// Say what is wrong with skills, where, and how to fix it
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Debug, Default, Args)]
pub(crate) struct Arguments {
    /// Files, skill folders or folders of skills; all skills that `list` knows when left out
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How strictly skills are judged
    #[arg(long, value_name = "PROFILE", value_parser = profile(), default_value = "standard")]
    profile: Profile,
    /// How findings are printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Fix what can be fixed by machine, in the files themselves
    #[arg(long)]
    fix: bool,
    /// Show what `--fix` would change and change nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Show hints too, and fix them with `--fix`; JSON and SARIF always hold them
    #[arg(long)]
    hints: bool,
    /// Set how much a rule matters: off, hint, warning or error (repeatable)
    #[arg(long, value_name = "CODE=LEVEL")]
    rule: Vec<RuleLevel>,
    /// Leave out files that match, seen from here (repeatable)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Report only what is not in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write what is found now into the baseline, and report nothing
    #[arg(long)]
    write_baseline: bool,
    /// Fail when there are more warnings than this
    #[arg(long, value_name = "N")]
    max_warnings: Option<usize>,
    /// Print errors only, and no summary
    #[arg(long, short)]
    quiet: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Human,
    /// One object.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations in a GitHub workflow.
    Github,
    /// One HTML file, in which nothing runs.
    Html,
}

/// Everything that was checked.
#[derive(Debug)]
struct Checks {
    skills: Vec<Checked>,
    /// What was noticed about paths that are no skill.
    others: Vec<Checked>,
    profile: Profile,
    partial: bool,
    settings: Settings,
}

impl Checks {
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Checked> {
        self.skills.iter_mut().chain(&mut self.others)
    }

    fn all(&self) -> impl Iterator<Item = &Checked> {
        self.skills.iter().chain(&self.others)
    }

    fn count(&self, severity: Severity) -> usize {
        self.all().map(|checked| checked.count(severity)).sum()
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let format = if arguments.json {
        Format::Json
    } else {
        arguments.format
    };
    let settings = settings(arguments, session)?;
    let mut checks = check(arguments, &settings, session)?;
    if arguments.write_baseline {
        return write_baseline(&checks, session);
    }
    let for_people = matches!(format, Format::Human | Format::Github);
    // A hint is a matter of taste, so it is fixed only on request.
    let least = if arguments.hints {
        Severity::Hint
    } else {
        Severity::Warning
    };
    let mut plan = Plan::default();
    if arguments.fix || for_people && !arguments.quiet {
        plan = Plan::make(&checks, least, None, session);
    }
    if arguments.fix {
        plan.run(arguments.dry_run, session)?;
        if plan.files() > 0 && !arguments.dry_run {
            // What is reported from here on is about the files as they are now.
            checks = check(arguments, &settings, session)?;
        }
    }
    let warnings = checks.count(Severity::Warning);
    let too_many = settings.max_warnings.is_some_and(|most| warnings > most);
    let found = checks.count(Severity::Error) > 0;
    let hints = checks.count(Severity::Hint);
    let least = match (arguments.quiet, for_people && !arguments.hints) {
        (true, _) => Severity::Error,
        (false, true) => Severity::Warning,
        (false, false) => Severity::Hint,
    };
    for checked in checks.all_mut() {
        checked
            .diagnostics
            .retain(|diagnostic| diagnostic.severity <= least);
    }
    // What was noticed about other paths only matters where something is left to say.
    checks
        .others
        .retain(|checked| !checked.diagnostics.is_empty());
    match format {
        Format::Human if arguments.dry_run => {}
        Format::Human => human(&checks, session)?,
        Format::Json => session.output.json(&json::output(&checks))?,
        Format::Sarif => session.output.json(&sarif::output(&checks, session))?,
        Format::Github => {
            let text = github::output(&checks, session);
            session.output.data(&text)?;
        }
        Format::Html => {
            let text = html::output(&checks, session);
            session.output.data(&text)?;
        }
    }
    session.output.finish()?;
    if !arguments.quiet {
        let summary = summary::summary(&checks, hints, &plan, arguments, session);
        session.output.message(&summary);
    }
    if too_many && !arguments.quiet {
        let most = settings.max_warnings.unwrap_or_default();
        let message = format!("{warnings} warnings are more than the {most} allowed");
        session.output.hint(&message);
    }
    Ok(Exit::found(found || too_many || checks.skills.is_empty()))
}

/// What `check --json` prints about one skill that was loaded under the profile `standard`.
pub(super) fn json_of(skill: &Skill, session: &Session) -> Result<String, Failure> {
    let checks = check_loaded(slice::from_ref(skill), session)?;
    serde_json::to_string(&json::output(&checks))
        .map_err(|error| Failure::new("cannot write JSON").because(&error))
}

/// How many findings each skill has, those left out that have none (`ui-findings.json`).
#[derive(Debug, Serialize)]
pub(super) struct FindingCounts {
    skills: Vec<FindingCount>,
}

#[derive(Debug, Serialize)]
struct FindingCount {
    path: String,
    error: usize,
    warning: usize,
    hint: usize,
}

/// Counts what `check` finds in skills that were loaded under the profile `standard`.
pub(super) fn count_of(skills: &[Skill], session: &Session) -> Result<FindingCounts, Failure> {
    let checks = check_loaded(skills, session)?;
    let found = checks.skills.iter().filter(|it| !it.diagnostics.is_empty());
    Ok(FindingCounts {
        skills: found
            .map(|it| FindingCount {
                path: prowess::display_path(&it.path),
                error: it.count(Severity::Error),
                warning: it.count(Severity::Warning),
                hint: it.count(Severity::Hint),
            })
            .collect(),
    })
}

/// Judges skills that were loaded under the profile `standard`, as the config says.
fn check_loaded(skills: &[Skill], session: &Session) -> Result<Checks, Failure> {
    let mut checks = Checks {
        skills: judge::judge_all(skills, Profile::Standard, session),
        others: Vec::new(),
        profile: Profile::Standard,
        partial: false,
        settings: Settings::default(),
    };
    let settings = session.config.check.clone();
    let baseline = settings.baseline.as_deref();
    let baseline = baseline.map(Baseline::read).transpose()?;
    apply(&mut checks, &settings, baseline.as_ref(), session);
    Ok(checks)
}

/// What `check --fix PATH` did, or would do.
#[derive(Debug, Serialize)]
pub(super) struct Edit {
    /// How the file would differ, or differs.
    pub(super) diff: String,
    /// How many findings are gone with that.
    pub(super) findings: usize,
    /// Why what was offered is left out.
    pub(super) refused: Vec<String>,
    /// Whether the file was written.
    pub(super) written: bool,
}

/// Fixes one file, by every rule or by one; or only says how.
pub(super) fn fix_one(
    path: &Path,
    code: Option<&str>,
    write: bool,
    session: &mut Session,
) -> Result<Edit, Failure> {
    let checks = check_one(path, session)?;
    let least = if code.is_some() {
        Severity::Hint
    } else {
        Severity::Warning
    };
    let plan = Plan::make(&checks, least, code, session);
    if write {
        plan.run(false, session)?;
    }
    Ok(Edit {
        diff: plan.diff(session),
        findings: plan.findings,
        refused: plan.refusals().map(str::to_owned).collect(),
        written: write && plan.files() > 0,
    })
}

fn check_one(path: &Path, session: &mut Session) -> Result<Checks, Failure> {
    let arguments = Arguments {
        paths: vec![path.to_path_buf()],
        profile: Profile::Standard,
        ..Arguments::default()
    };
    let settings = settings(&arguments, session)?;
    check(&arguments, &settings, session)
}

/// What the config says about rules, and the command line over it.
fn settings(arguments: &Arguments, session: &Session) -> Result<Settings, Failure> {
    let mut settings = session.config.check.clone();
    settings.add(&arguments.rule);
    for glob in &arguments.exclude {
        let here = &session.environment.working_directory;
        settings
            .exclude
            .push(PathGlob::new(glob, here).map_err(Failure::usage)?);
    }
    settings.baseline = arguments.baseline.clone().or(settings.baseline);
    settings.max_warnings = arguments.max_warnings.or(settings.max_warnings);
    if arguments.write_baseline && settings.baseline.is_none() {
        return Err(Failure::usage(
            "`--write-baseline` needs `--baseline FILE`, or `[check] baseline` in a config",
        ));
    }
    Ok(settings)
}

fn write_baseline(checks: &Checks, session: &mut Session) -> Result<Exit, Failure> {
    let Some(path) = &checks.settings.baseline else {
        return Ok(Exit::Usage);
    };
    let mut baseline = Baseline::default();
    for checked in checks.all() {
        let place = Place::of(&checked.path, session).path;
        let mut prints = Fingerprints::default();
        for diagnostic in &checked.diagnostics {
            let text = checked.text().unwrap_or_default();
            baseline.add(&place, diagnostic, prints.next(&place, diagnostic, text));
        }
    }
    let count = baseline.write(path)?;
    let path = session.environment.shorten(path);
    let message = format!("`{path}` holds {count} findings, which are not reported again\n");
    session.output.message(&message);
    Ok(Exit::Fine)
}

/// Where a file lies, said the same way from every working directory.
struct Place {
    /// What the path is seen from, where that is no project.
    base: Option<&'static str>,
    /// The path, with `/` between its parts.
    path: String,
    /// The folder that is left out.
    root: PathBuf,
}

impl Place {
    fn of(path: &Path, session: &Session) -> Self {
        let real = files::real_path(path)
            .unwrap_or_else(|_| session.environment.working_directory.join(path));
        let here = || {
            let here = &session.environment.working_directory;
            Some(files::real_path(here).unwrap_or_else(|_| here.clone()))
        };
        let home = || files::real_path(session.environment.home.as_deref()?).ok();
        let bases = [
            (None, session.places().repository_of(&real)),
            (None, here()),
            (Some("HOME"), home()),
        ];
        for (base, root) in bases {
            if let Some(root) = root
                && let Ok(below) = real.strip_prefix(&root)
            {
                let path = prowess::display_path(below);
                return Self { base, path, root };
            }
        }
        let below: PathBuf = real.components().skip(1).collect();
        Self {
            base: Some("ROOT"),
            path: prowess::display_path(&below),
            root: PathBuf::from("/"),
        }
    }
}

/// Loads and judges what was named, or everything.
fn check(
    arguments: &Arguments,
    settings: &Settings,
    session: &mut Session,
) -> Result<Checks, Failure> {
    // Whether a project is trusted says nothing about its files, and the answer in CI, where
    // nothing is, has to be that of the author.
    let trust = std::mem::replace(&mut session.options.trust, true);
    let checks = judge_all(arguments, session);
    session.options.trust = trust;
    let mut checks = checks?;
    let baseline = match &settings.baseline {
        Some(path) if !arguments.write_baseline => Some(Baseline::read(path)?),
        _ => None,
    };
    apply(&mut checks, settings, baseline.as_ref(), session);
    Ok(checks)
}

/// Leaves out what the settings and the baseline do not want to hear.
fn apply(checks: &mut Checks, settings: &Settings, baseline: Option<&Baseline>, session: &Session) {
    checks.settings = settings.clone();
    checks.skills.retain(|it| !settings.excludes(&it.path));
    checks.others.retain(|it| !settings.excludes(&it.path));
    for checked in checks.skills.iter_mut().chain(&mut checks.others) {
        let text = checked.text().unwrap_or_default().to_owned();
        settings.apply(&mut checked.diagnostics, &checked.path, Some(&text));
        if let Some(baseline) = baseline {
            let place = Place::of(&checked.path, session).path;
            let mut prints = Fingerprints::default();
            checked
                .diagnostics
                .retain(|it| !baseline.holds(&prints.next(&place, it, &text)));
        }
    }
}

fn judge_all(arguments: &Arguments, session: &mut Session) -> Result<Checks, Failure> {
    let by_reference = arguments.profile == Profile::SkillsRef;
    let mut paths: Vec<&Path> = arguments.paths.iter().map(PathBuf::as_path).collect();
    let mut refused = Vec::new();
    if by_reference {
        paths.retain(|path| {
            let verdict = reference::refuses(path);
            let taken = verdict.is_none();
            refused.extend(verdict);
            taken
        });
    }
    let request = Request {
        profile: arguments.profile,
        look_at_untrusted: true,
        fresh: true,
        local: true,
        ..Request::default()
    };
    let catalog = if arguments.paths.is_empty() {
        session.load(&request)?
    } else {
        session.load_from(&sources(&paths, session)?, &request)
    };
    let mut checks = judge::checks(&catalog, arguments.profile, session);
    if by_reference {
        for path in paths {
            if !checks.skills.iter().any(|it| it.path.starts_with(path)) {
                refused.push(reference::without_skill(path));
            }
        }
    }
    checks.skills.append(&mut refused);
    Ok(checks)
}

/// The places that were named.
fn sources(paths: &[&Path], session: &Session) -> Result<Vec<Box<dyn Source>>, Failure> {
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for path in paths {
        let real = files::real_path(path).map_err(|error| {
            Failure::new(format!("cannot check `{}`", path.display())).because(&error)
        })?;
        let source = DiskSource::new(*path).repository(session.places().repository_of(&real));
        let links = session.options.allow_link.iter();
        let links = links.chain(session.config.links.iter().map(|named| &named.path));
        sources.push(Box::new(links.fold(source, DiskSource::allow)));
    }
    Ok(sources)
}

fn human(checks: &Checks, session: &mut Session) -> Result<(), Failure> {
    let (paint, columns) = (session.output.paint, session.output.columns);
    // Errors first, all of one skill together: what decides comes before what can wait.
    let mut all: Vec<&Checked> = checks.all().collect();
    all.sort_by_key(|checked| checked.diagnostics.iter().map(|it| it.severity).min());
    for checked in all {
        let path = session.environment.shorten(&checked.path);
        let mut diagnostics: Vec<&Diagnostic> = checked.diagnostics.iter().collect();
        // The reference has an order of its own.
        if checks.profile != Profile::SkillsRef {
            diagnostics.sort_by_key(|it| (it.severity, it.position));
        }
        for diagnostic in diagnostics {
            let text = checked.text();
            let drawn = render(diagnostic, &path, text, paint, columns.min(120));
            session.output.prose(&drawn, HANG)?;
            session.output.data("\n")?;
        }
    }
    Ok(())
}

/// A finding and its step on one line.
fn with_step(diagnostic: &Diagnostic) -> String {
    let Diagnostic { message, help, .. } = diagnostic;
    match help {
        Some(help) if message.ends_with('?') => format!("{message} {help}"),
        Some(help) => format!("{message}; {help}"),
        None => message.clone(),
    }
}
