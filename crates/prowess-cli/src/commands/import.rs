//! `prowess import`: skills that another installer brought, locked as they are.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use prowess_install::{
    Change, Import, ImportOptions, ImportState, ImportedSkill, Owner, Record, Site,
    add_to_manifest, import, read_records,
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    files,
    install::{self, To},
    progress::Wait,
    render::{count, line},
    session::Session,
};

/// A lock with more bytes was not written by an installer.
const MOST_LOCK: u64 = 4 * 1024 * 1024;

/// Lock the skills that `npx skills` or `gh skill` brought, as they lie here
///
/// Reads `skills-lock.json` in the project, `.skill-lock.json` of the user (`--to user`), and what
/// gh wrote into each `SKILL.md`. Says of every skill what that proves and what not, asks its
/// source for the commit, and writes `prowess.lock` and the config. No skill is moved or changed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Whose skills
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
    /// Ask no source; commits stay unknown
    #[arg(long)]
    offline: bool,
    /// Show what would be locked, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `import --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<Row>,
    /// Whether the lock has them now.
    imported: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// `ready`, `locked` before, `missing` or `refused`.
    state: &'static str,
    /// The file that says where it came from.
    record: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    clients: Vec<String>,
    proved: Vec<String>,
    unproved: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(arguments.to, session)?;
    let records = records(&site, session)?;
    let turn = site.turn()?;
    let lock = site.read_lock()?;
    let offer = install::offer_options(&site, arguments.offline, session);
    let environment = session.places().library_environment();
    let options = ImportOptions {
        clients: &session.config.clients,
        environment: &environment,
        offer: &offer,
    };
    let message = || "asking the sources of what is here".to_owned();
    let wait = Wait::new(session.environment.stderr_terminal, message);
    let imports = import(&turn, &site, &lock, records, &options);
    drop(wait);
    let mut output = Output {
        skills: imports.iter().map(row).collect(),
        imported: false,
    };
    if !arguments.json {
        let texts: Vec<String> = output.skills.iter().map(Row::text).collect();
        session.output.data(&texts.join("\n"))?;
        session.output.finish()?;
    }
    let ready: Vec<&ImportedSkill> = imports.iter().filter_map(ready).collect();
    if !arguments.dry_run && !ready.is_empty() {
        let store = install::store(session)?;
        let path = install::manifest_path(&site, session);
        let mut text = install::manifest_text(&path)?;
        let mut after = lock.clone();
        for skill in &ready {
            store.put(&skill.files).map_err(|error| {
                Failure::new("cannot keep the files in the store").because(&error)
            })?;
            text = add_to_manifest(&text, &skill.wanted)
                .map_err(|error| install::bad_manifest(&path, &error))?;
            after.insert(skill.locked.clone());
        }
        turn.apply(&Change {
            lock: Some(after),
            manifest: Some((path, text)),
            ..Change::default()
        })?;
        output.imported = true;
    }
    drop(turn);
    let left = |it: &Import| matches!(it.state, ImportState::Missing | ImportState::Refused(_));
    let findings = imports.iter().any(|it| left(it) || it.unanswered);
    if arguments.json {
        session.output.json(&output)?;
    } else {
        report(arguments, &output, ready.len(), &site, session);
    }
    Ok(Exit::found(findings))
}

/// What the locks of other installers say; one that cannot be read stops everything.
fn records(site: &Site, session: &Session) -> Result<Vec<Record>, Failure> {
    let mut records: Vec<Record> = Vec::new();
    for path in foreign_locks(site, session) {
        if !files::is_there(&path) {
            continue;
        }
        let shown = session.environment.shorten(&path);
        let bad = |error: &(dyn std::error::Error + 'static)| {
            Failure::new(format!("cannot read `{shown}`"))
                .because(error)
                .hint(
                    "nothing was changed; fix it with the installer that wrote it, or move it away",
                )
        };
        let text = files::read_text(&path, MOST_LOCK).map_err(|error| bad(&error))?;
        let file = match site.owner {
            Owner::Project => name(&path),
            Owner::User => shown.clone(),
        };
        for record in read_records(&text, &file).map_err(|error| bad(&error))? {
            if !records.iter().any(|it| it.name == record.name) {
                records.push(record);
            }
        }
    }
    Ok(records)
}

fn name(path: &Path) -> String {
    let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
    name.unwrap_or_default()
}

/// Where `npx skills` and `gh skill` keep their locks.
fn foreign_locks(site: &Site, session: &Session) -> Vec<PathBuf> {
    match site.owner {
        Owner::Project => vec![site.root.join("skills-lock.json")],
        Owner::User => {
            let state = session.environment.xdg_state_home.iter();
            state
                .map(|it| it.join("skills/.skill-lock.json"))
                .chain([site.root.join(".agents/.skill-lock.json")])
                .collect()
        }
    }
}

fn ready(import: &Import) -> Option<&ImportedSkill> {
    match &import.state {
        ImportState::Ready(skill) => Some(skill),
        _ => None,
    }
}

fn row(import: &Import) -> Row {
    let locked = ready(import).map(|it| &it.locked);
    let (state, message) = match &import.state {
        ImportState::Ready(_) => ("ready", None),
        ImportState::Locked(_) => ("locked", None),
        ImportState::Missing => ("missing", None),
        ImportState::Refused(reason) => ("refused", Some(reason.clone())),
    };
    let folder = match &import.state {
        ImportState::Locked(folder) => Some(folder.clone()),
        _ => locked.map(|it| it.folder.clone()),
    };
    let record = &import.record;
    Row {
        name: locked.map_or(&*record.name, |it| it.name()).to_owned(),
        state,
        record: record.file.clone(),
        folder,
        source: locked.map(|it| it.source.clone()).or(record.source.clone()),
        reference: locked.map_or(record.reference.clone(), |it| it.reference.clone()),
        commit: locked.and_then(|it| it.commit.clone()),
        path: locked.map_or(record.path.clone(), |it| Some(it.path.clone())),
        digest: locked.map(|it| it.digest.clone()),
        clients: locked.map(|it| it.clients.clone()).unwrap_or_default(),
        proved: import.proved.clone(),
        unproved: import.unproved.clone(),
        message,
    }
}

impl Row {
    /// As a person reads it.
    fn text(&self) -> String {
        let name = line(&self.name);
        let record = line(&self.record);
        match self.state {
            "locked" => return format!("{name}: locked already\n"),
            "missing" => return format!("{name}: named in `{record}`, and not here\n"),
            "refused" => {
                let why = self.message.as_deref().unwrap_or_default();
                return format!("{name}: cannot be locked: {}\n", line(why));
            }
            _ => {}
        }
        let source = self.source.as_deref().unwrap_or_default();
        let path = self.path.as_deref().filter(|it| !it.is_empty());
        let path = path.map(|it| format!(" {it}")).unwrap_or_default();
        let mut text = format!(
            "{name}: from {}, says `{record}`\n",
            line(&format!("{source}{path}"))
        );
        for told in &self.proved {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  proved      {}", line(told));
        }
        for told in &self.unproved {
            let _ = writeln!(text, "  not proved  {}", line(told));
        }
        text
    }
}

fn report(
    arguments: &Arguments,
    output: &Output,
    ready: usize,
    site: &Site,
    session: &mut Session,
) {
    if output.skills.is_empty() {
        let text = "no record of `npx skills` or `gh skill` is here\n";
        session.output.message(text);
        return;
    }
    let lock = session.environment.shorten(&site.lock);
    if output.imported {
        let text = format!(
            "locked {} in `{lock}`; no file of theirs was changed\n",
            count(ready, "skill")
        );
        session.output.message(&text);
        if install::waits_for_trust(site, session) {
            session
                .output
                .hint("look at them, then let them reach a model with `prowess trust`");
        }
    } else if arguments.dry_run {
        let text = format!(
            "nothing was changed; {} would be locked\n",
            count(ready, "skill")
        );
        session.output.message(&text);
    } else {
        session.output.message("nothing was changed\n");
    }
}
