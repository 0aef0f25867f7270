//! `prowess trust`: which of a project's skills may reach a model.

use std::{
    collections::HashSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use prowess::{
    Catalog, Scope, Skill, TrustDecision, TrustStore, display_path, display_text,
    trust::{Changes, Entry, SealError},
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    files,
    nearest::{did_you_mean, nearest},
    places::Request,
    render::{self, count, line, list as words, safe_lines},
    session::Session,
    trust,
};

/// Let a project's skills reach a model as they are now, or take that back
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A project's folder, or one of its skills by name or path; all of the project around the
    /// working directory when left out
    #[arg(value_name = "PATH|NAME")]
    what: Option<String>,
    /// Show what is new or changed since it was trusted, and trust nothing
    #[arg(long, conflicts_with_all = ["list", "revoke", "deny"])]
    diff: bool,
    /// List what is trusted and what is denied
    #[arg(long, conflicts_with_all = ["what", "revoke", "deny"])]
    list: bool,
    /// Forget what was decided
    #[arg(long, conflicts_with = "deny")]
    revoke: bool,
    /// Never use it, however it changes
    #[arg(long)]
    deny: bool,
    /// Print the list as JSON
    #[arg(long, requires = "list")]
    json: bool,
}

/// What `trust --list --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    projects: Vec<String>,
    skills: Vec<Row>,
    store: Option<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    path: String,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    if arguments.list {
        return list(arguments, session);
    }
    let named = Named::find(arguments, session)?;
    // Held until the new store is written.
    let _turn = if arguments.diff {
        None
    } else {
        Some(trust::turn(&session.environment)?)
    };
    let mut store = trust::read(&session.environment)?;
    if arguments.revoke {
        return revoke(&mut store, &named, session);
    }
    if arguments.deny {
        let shown = display_path(&named.path);
        store.deny(named.path);
        trust::write(&store, &session.environment)?;
        let text =
            format!("`{shown}` is denied: nothing of it reaches a model, however it changes\n");
        session.output.message(&text);
        session
            .output
            .hint("`prowess trust --revoke` takes that back");
        return Ok(Exit::Fine);
    }
    let skills: Vec<&Skill> = named.skills().collect();
    if skills.is_empty() {
        let shown = display_path(&named.path);
        return Err(
            Failure::no_match(format!("no skills of a project are in `{shown}`"))
                .hint("only a project's skills wait for trust; `prowess list` shows what is here"),
        );
    }
    if arguments.diff {
        return diff(&store, &skills, session);
    }
    approve(&mut store, &skills, session)
}

/// What the command is about: one path, and the skills that may be meant by it.
struct Named {
    path: PathBuf,
    catalog: Catalog,
}

impl Named {
    fn find(arguments: &Arguments, session: &mut Session) -> Result<Self, Failure> {
        let path = arguments.what.as_deref().map(Path::new);
        let real = path.and_then(|path| files::real_path(path).ok());
        if let Some(real) = &real
            && session.options.root.is_none()
        {
            // A project is searched from inside, wherever the command was started.
            let folder = real.ancestors().find(|above| files::is_folder(above));
            session.options.root = folder.map(Path::to_path_buf);
            session.config.conventions.value.get_or_insert(false);
        }
        let catalog = session.load(&Request {
            look_at_untrusted: true,
            ..Request::default()
        })?;
        let path = match (&arguments.what, real) {
            (None, _) => session
                .places()
                .project()
                .pop()
                .ok_or_else(|| Failure::new("cannot tell which project this is"))?,
            (Some(_), Some(real)) => seat(&catalog, real),
            (Some(name), None) => match waiting(&catalog).find(|skill| skill.name() == name) {
                Some(skill) => skill.real_path().unwrap_or_default(),
                // What is gone can still be forgotten.
                None if arguments.revoke => session.environment.working_directory.join(name),
                None => return Err(unknown(name, &catalog)),
            },
        };
        Ok(Self { path, catalog })
    }

    /// The skills of projects at or below the path.
    fn skills(&self) -> impl Iterator<Item = &Skill> {
        waiting(&self.catalog).filter(|skill| {
            let real = skill.real_path();
            real.is_some_and(|real| real.starts_with(&self.path))
        })
    }
}

/// A skill's own file stands for the skill.
fn seat(catalog: &Catalog, real: PathBuf) -> PathBuf {
    let of_file = waiting(catalog).find(|skill| skill.absolute_path() == real);
    of_file.and_then(Skill::real_path).unwrap_or(real)
}

/// The skills that wait for trust unless someone gives it.
fn waiting(catalog: &Catalog) -> impl Iterator<Item = &Skill> {
    let skills = catalog.skills().iter();
    skills.filter(|skill| skill.origin().scope == Scope::Project)
}

fn unknown(name: &str, catalog: &Catalog) -> Failure {
    let near = nearest(name, waiting(catalog).map(Skill::name));
    let step = did_you_mean(&near).unwrap_or_else(|| {
        "only a project's skills wait for trust; `prowess list` shows them".to_owned()
    });
    Failure::no_match(format!(
        "no folder and no skill of a project is called `{name}`"
    ))
    .hint(step)
}

fn approve(
    store: &mut TrustStore,
    skills: &[&Skill],
    session: &mut Session,
) -> Result<Exit, Failure> {
    let names = Names::new(skills);
    let (mut trusted, mut failed) = (0, 0);
    // Nothing is called trusted before that is written down.
    let mut report = String::new();
    for skill in skills {
        let before = approval_text(store, skill);
        let name = names.of(skill, session);
        let known = before.is_some();
        let path = skill.real_path().unwrap_or_default();
        let outdated = store
            .approval(&path)
            .is_some_and(|it| it.seal.is_outdated());
        // A denial is sticky: only one for this very skill gives way, and only when it is named.
        if let Some(denied) = store.denied_by(&path)
            && (denied != path || skills.len() > 1)
        {
            let shown = display_path(denied);
            // Writing to a string does not fail.
            let _ = writeln!(
                report,
                "{name} stays denied; `prowess trust --revoke {shown}` changes that"
            );
            continue;
        }
        match store.approve(skill, &session.config.limits) {
            Ok(changes) => {
                trusted += 1;
                if outdated && changes.is_empty() {
                    // Writing to a string does not fail.
                    let _ = writeln!(report, "{name} is trusted again");
                } else {
                    report += &approved(&name, &changes, known);
                }
                if known && !changes.is_empty() {
                    report += &text_diff(before.as_deref().unwrap_or_default(), skill, session);
                }
            }
            Err(error) => {
                failed += 1;
                report += &refused(&name, &error, session);
            }
        }
    }
    trust::write(store, &session.environment)?;
    session.output.message(&report);
    if trusted > 0 {
        session.output.hint(&format!(
            "{} may reach a model until its files change; `prowess trust --revoke` takes that back",
            if trusted == 1 {
                "it".to_owned()
            } else {
                format!("each of the {trusted}")
            }
        ));
    }
    Ok(Exit::found(failed > 0 || trusted == 0))
}

/// Why the files of a skill that was trusted by an earlier version ask again.
const OUTDATED: &str = "was trusted by an earlier version, which did not look at links, at which \
                        files may be run and at `.git`, `.hg` and `.svn`";

/// Says that a skill's files cannot be trusted one by one, and what can be done.
fn refused(name: &str, error: &SealError, session: &Session) -> String {
    let failure = Failure::new(format!("{name} cannot be trusted")).because(error);
    let failure = match error {
        SealError::Outside { .. } => failure
            .hint("put the file itself there, or trust the whole project with `[trust] projects`"),
        SealError::TooLarge { .. } => failure.hint(
            "take out what is no part of it, or trust the whole project with `[trust] projects`",
        ),
        _ => failure,
    };
    failure.render(session.output.message_paint)
}

/// How skills are named to whoever decides about them: with the folder where a name repeats.
struct Names(HashSet<String>);

impl Names {
    fn new(skills: &[&Skill]) -> Self {
        let repeated = super::list::repeated(skills.iter().copied());
        Self(repeated.into_iter().map(str::to_owned).collect())
    }

    fn of(&self, skill: &Skill, session: &Session) -> String {
        let name = line(skill.name());
        if !self.0.contains(skill.name()) {
            return format!("`{name}`");
        }
        let folder = skill.path().parent().unwrap_or(skill.path());
        format!("`{name}` in `{}`", session.environment.shorten(folder))
    }
}

/// Shows what `trust` would accept.
fn diff(store: &TrustStore, skills: &[&Skill], session: &mut Session) -> Result<Exit, Failure> {
    let names = Names::new(skills);
    let mut waits = 0;
    for skill in skills {
        let Some(path) = skill.real_path() else {
            continue;
        };
        let name = names.of(skill, session);
        let seal = match skill.seal(&session.config.limits) {
            Ok(seal) => seal,
            Err(error) => {
                waits += 1;
                session.output.message(&refused(&name, &error, session));
                continue;
            }
        };
        let before = store.approval(&path);
        let outdated = before.is_some_and(|before| before.seal.is_outdated());
        let changes = match before {
            Some(before) => before.seal.changes(&seal),
            None => prowess::Seal::default().changes(&seal),
        };
        if changes.is_empty() && !outdated {
            continue;
        }
        waits += 1;
        if outdated {
            session.output.data(&format!("{name} {OUTDATED}\n"))?;
        }
        let text = match before {
            Some(_) if changes.is_empty() => String::new(),
            before => pending(&name, &changes, before.is_some()),
        };
        session.output.data(&text)?;
        let text = before.map_or("", |before| before.text.as_str()).to_owned();
        let diff = text_diff(&text, skill, session);
        session.output.data(&diff)?;
    }
    session.output.finish()?;
    if waits == 0 {
        session.output.message("everything is as it was trusted\n");
        return Ok(Exit::Fine);
    }
    session.output.hint(&format!(
        "{} for trust; `prowess trust` gives it, `prowess trust --deny NAME` refuses it for good",
        if waits == 1 {
            "1 skill waits".to_owned()
        } else {
            format!("{} wait", count(waits, "skill"))
        }
    ));
    Ok(Exit::Findings)
}

/// What changed in a skill since it was trusted (`ui-trust.json`).
#[derive(Debug, Serialize)]
pub(super) struct Since {
    trusted: bool,
    decision: &'static str,
    /// Whether there is anything to compare with.
    known: bool,
    /// Whether what it is compared with was made by a version that looked at less.
    outdated: bool,
    altered: Vec<String>,
    added: Vec<String>,
    removed: Vec<String>,
    /// The change of the skill's own file.
    diff: String,
}

/// Tells what changed in a skill since it was trusted.
pub(super) fn since(skill: &Skill, session: &Session) -> Since {
    let store = session.places().trusted().unwrap_or_default();
    let path = skill.real_path();
    let before = path.as_deref().and_then(|path| store.approval(path));
    let now = skill.seal(&session.config.limits);
    let changes = match (before, &now) {
        (Some(before), Ok(now)) => before.seal.changes(now),
        _ => Changes::default(),
    };
    Since {
        trusted: skill.is_trusted(),
        decision: skill.decision().as_str(),
        known: before.is_some(),
        outdated: before.is_some_and(|it| it.seal.is_outdated()),
        diff: before.map_or_else(String::new, |it| text_diff(&it.text, skill, session)),
        altered: changes.altered,
        added: changes.added,
        removed: changes.removed,
    }
}

fn approval_text(store: &TrustStore, skill: &Skill) -> Option<String> {
    let approval = store.approval(&skill.real_path()?)?;
    Some(approval.text.clone())
}

fn revoke(store: &mut TrustStore, named: &Named, session: &mut Session) -> Result<Exit, Failure> {
    // In full: `.` says little in a list of what is trusted.
    let shown = display_path(&named.path);
    match store.revoke(&named.path) {
        0 => Err(
            Failure::no_match(format!("nothing was decided about `{shown}`"))
                .hint("`prowess trust --list` shows what was"),
        ),
        number => {
            trust::write(store, &session.environment)?;
            let text = format!(
                "{} about `{shown}` {} forgotten\n",
                count(number, "decision"),
                if number == 1 { "is" } else { "are" }
            );
            session.output.message(&text);
            Ok(Exit::Fine)
        }
    }
}

fn list(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let store = session.places().trusted()?;
    let projects: Vec<String> = store.folders().map(display_path).collect();
    let rows: Vec<Row> = store
        .entries()
        .map(|(path, entry)| Row::new(path, entry))
        .collect();
    if arguments.json {
        let store = trust::store_path(&session.environment);
        session.output.json(&Output {
            projects,
            skills: rows,
            store: store.map(|path| display_path(&path)),
        })?;
        return Ok(Exit::Fine);
    }
    for row in &rows {
        let files = row.files.map(|files| format!("  {}", count(files, "file")));
        let text = format!(
            "{:<8} {}{}\n",
            row.decision,
            row.path,
            files.unwrap_or_default()
        );
        session.output.data(&text)?;
    }
    for project in &projects {
        session
            .output
            .data(&format!("trusted  {project}  all of it, by the config\n"))?;
    }
    session.output.finish()?;
    if projects.is_empty() && rows.is_empty() {
        session.output.message("no project is trusted\n");
    }
    Ok(Exit::Fine)
}

impl Row {
    fn new(path: &Path, entry: &Entry) -> Self {
        let approval = match entry {
            Entry::Trusted(approval) => Some(approval),
            Entry::Denied => None,
        };
        Self {
            path: display_path(path),
            decision: approval
                .map_or(TrustDecision::Denied, |_| TrustDecision::Trusted)
                .as_str(),
            hash: approval.map(|it| it.seal.hash().to_string()),
            files: approval.map(|it| it.seal.files().len()),
        }
    }
}

/// Counts of a change, as a sentence has them.
fn counted(changes: &Changes) -> String {
    let parts = [
        (changes.altered.len(), "altered"),
        (changes.added.len(), "added"),
        (changes.removed.len(), "removed"),
    ];
    let text: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{} {word}", count(number, "file")))
        .collect();
    words(&text)
}

/// Says what was trusted.
fn approved(name: &str, changes: &Changes, known: bool) -> String {
    if changes.is_empty() {
        return format!("{name} is trusted already\n");
    }
    if known {
        return format!(
            "{name} is trusted again: {}\n{}",
            counted(changes),
            changed_files(changes)
        );
    }
    format!("{name} is trusted with {}\n", what(changes))
}

/// Says what waits for trust.
fn pending(name: &str, changes: &Changes, known: bool) -> String {
    if known {
        format!(
            "{name} changed since it was trusted: {}\n{}",
            counted(changes),
            changed_files(changes)
        )
    } else {
        format!(
            "{name} is new: {}\n{}",
            what(changes),
            changed_files(changes)
        )
    }
}

fn what(changes: &Changes) -> String {
    count(changes.added.len(), "file")
}

/// One line for each file that differs.
fn changed_files(changes: &Changes) -> String {
    let mut text = String::new();
    let kinds = [
        ("altered", &changes.altered),
        ("added", &changes.added),
        ("removed", &changes.removed),
    ];
    for (word, paths) in kinds {
        for path in paths {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {word:<8} {}", display_text(path));
        }
    }
    text
}

/// The change of the skill's own file, safe to show; nothing where it is the same.
fn text_diff(before: &str, skill: &Skill, session: &Session) -> String {
    let now = skill.document().text();
    if before == now || before.is_empty() {
        return String::new();
    }
    let path = session.environment.shorten(skill.path());
    let (old, new) = (
        format!("{path} as it was trusted"),
        format!("{path} as it is"),
    );
    safe_lines(&render::diff(before, now, Some((&old, &new))))
}
