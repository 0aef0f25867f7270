//! `prowess check`: what is wrong with one file, a skill, a folder of skills or all of them.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use prowess::{
    DiskSource, Source,
    format::{Diagnostic, Profile, Severity},
};

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
mod json;
mod judge;
mod reference;
mod sarif;
mod summary;

pub(crate) use judge::judge_text;

use judge::Checked;

/// Say what is wrong with skills, where, and how to fix it
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Debug, Args)]
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
}

/// Everything that was checked.
#[derive(Debug)]
struct Checks {
    skills: Vec<Checked>,
    /// What was noticed about paths that are no skill.
    others: Vec<Checked>,
    profile: Profile,
    partial: bool,
}

impl Checks {
    fn all(&self) -> impl Iterator<Item = &Checked> {
        self.skills.iter().chain(&self.others)
    }

    fn count(&self, severity: Severity) -> usize {
        self.all()
            .flat_map(|checked| &checked.diagnostics)
            .filter(|diagnostic| diagnostic.severity == severity)
            .count()
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let format = if arguments.json {
        Format::Json
    } else {
        arguments.format
    };
    let mut checks = check(arguments, session)?;
    let mut fixed = 0;
    if arguments.fix {
        // A hint is a matter of taste, so it is fixed only on request.
        let least = if arguments.hints {
            Severity::Hint
        } else {
            Severity::Warning
        };
        fixed = fix::run(&checks, least, arguments.dry_run, session)?;
        if fixed > 0 && !arguments.dry_run {
            // What is told from here on is about the files as they are now.
            checks = check(arguments, session)?;
        }
    }
    let found = checks.count(Severity::Error) > 0;
    let hints = checks.count(Severity::Hint);
    let for_people = matches!(format, Format::Human | Format::Github);
    let least = match (arguments.quiet, for_people && !arguments.hints) {
        (true, _) => Severity::Error,
        (false, true) => Severity::Warning,
        (false, false) => Severity::Hint,
    };
    for checked in checks.skills.iter_mut().chain(&mut checks.others) {
        checked
            .diagnostics
            .retain(|diagnostic| diagnostic.severity <= least);
    }
    // What was noticed about other paths only matters where something is left to tell.
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
    }
    session.output.finish()?;
    if !arguments.quiet {
        let summary = summary::summary(&checks, hints, fixed, arguments, session);
        session.output.message(&summary);
    }
    Ok(if found || checks.skills.is_empty() {
        Exit::Findings
    } else {
        Exit::Fine
    })
}

/// Loads and judges what was named, or everything.
fn check(arguments: &Arguments, session: &mut Session) -> Result<Checks, Failure> {
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
    for checked in checks.all() {
        let path = session.environment.shorten(&checked.path);
        for diagnostic in &checked.diagnostics {
            let text = checked.text();
            let told = render(diagnostic, &path, text, paint, columns.min(120));
            session.output.prose(&told, HANG)?;
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
