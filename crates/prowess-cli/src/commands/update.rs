//! `prowess update`: what the sources have by now, as a diff, and then here.

use std::{collections::BTreeSet, fmt::Write as _};

use clap::Args;
use prowess_install::{
    Change, Edits, Lock, LockedSkill, Mode, Site, SkillFiles, Turn, Update, Upstream, upstream,
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    install::{self, To},
    render::{self, byte_size, count, line, safe_lines},
    session::Session,
};

/// So many lines of one file's diff are shown; `--json` has all of them.
const MOST_LINES: usize = 200;

/// Bring the skills that `add` installed to what their sources have now
///
/// Shows first what would change, as a diff of instructions, scripts and files, and the tools that
/// are asked for anew. What was changed here is kept by a three-way merge where it fits the new
/// version; a skill where it does not is left alone and named. A pinned skill stays where it is.
/// With `--yes`, a skill that changes its tools, hooks or scripts is installed and waits for
/// `prowess trust`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only these skills, by folder, name or `owner/name`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Update without being asked
    #[arg(long, short)]
    yes: bool,
    /// Whose skills
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `update --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<Row>,
    /// Whether the new versions are installed now.
    updated: bool,
}

/// One skill beside what its source has.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) folder: String,
    /// `same`, `pinned`, `gone`, `newer`, `merged`, `conflict` or `failed`.
    pub(super) state: &'static str,
    pub(super) source: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<String>,
    pub(super) have: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<Version>,
    changes: Vec<FileChange>,
    /// Tools that the new version asks for and the old one did not.
    tools: Vec<String>,
    /// Whether tools, hooks or scripts are others than before.
    asks_again: bool,
    /// Files where edits made here and the new version do not go together.
    conflicts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Version {
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    digest: String,
}

impl Version {
    fn of(skill: &LockedSkill) -> Self {
        Self {
            commit: skill.commit.clone(),
            digest: skill.digest.clone(),
        }
    }

    /// The commit or the digest, short.
    pub(super) fn short(&self) -> String {
        install::short_id(self.commit.as_deref().unwrap_or(&self.digest)).to_owned()
    }
}

#[derive(Debug, Serialize)]
struct FileChange {
    path: String,
    /// `added`, `removed`, `changed` or `mode`.
    change: &'static str,
    /// As lines with `+` and `-`, where both are texts; keys are left out.
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    size: u64,
    script: bool,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(arguments.to, session)?;
    let turn = site.turn()?;
    let lock = site.read_lock()?;
    let found = look(&arguments.names, &site, &turn, &lock, session)?;
    let mut output = Output {
        skills: rows(&found, session)?,
        updated: false,
    };
    if !arguments.json {
        show(&output.skills, session)?;
    }
    let ready: Vec<&Update> = found.iter().filter_map(|it| ready(&it.1)).collect();
    if !arguments.dry_run && !ready.is_empty() {
        let question = format!("update {}?", count(ready.len(), "skill"));
        if !arguments.yes && !install::confirm(&question, session)? {
            session.output.message("nothing was changed\n");
            return Ok(Exit::Findings);
        }
        apply(&turn, &lock, &ready, session)?;
        drop(turn);
        output.updated = true;
        // What was changed here was not shown, and with `--yes` nobody looked.
        let asked_again = |it: &&Update| {
            let mut rows = output.skills.iter();
            let row = rows.find(|row| row.folder == it.locked.folder);
            matches!(it.edits, Edits::Merged(_))
                || (arguments.yes && row.is_some_and(|row| row.asks_again))
        };
        let (waiting, trusted): (Vec<&Update>, Vec<&Update>) =
            ready.iter().copied().partition(asked_again);
        trust(&site, &trusted, session)?;
        if !arguments.json {
            report(&ready, &waiting, &site, session);
        }
    } else if arguments.dry_run && !arguments.json {
        let text = format!(
            "nothing was changed; {} would be\n",
            count(ready.len(), "skill")
        );
        session.output.message(&text);
    }
    let has = |state: &str| output.skills.iter().any(|it| it.state == state);
    let exit = match (has("failed"), has("conflict") || has("gone")) {
        (true, _) => Exit::Failed,
        (_, true) => Exit::Findings,
        _ => Exit::Fine,
    };
    if arguments.json {
        session.output.json(&output)?;
    }
    Ok(exit)
}

/// Asks the sources of the chosen skills.
pub(super) fn look(
    names: &[String],
    site: &Site,
    turn: &Turn<'_>,
    lock: &Lock,
    session: &Session,
) -> Result<Vec<(LockedSkill, Upstream)>, Failure> {
    let chosen = install::chosen(lock, names)?;
    let store = install::store(session)?;
    let options = install::offer_options(site, false, session);
    let found = upstream(turn, &chosen, &store, &options);
    Ok(chosen.into_iter().cloned().zip(found).collect())
}

/// The update that can be made without losing anything.
fn ready(found: &Upstream) -> Option<&Update> {
    match found {
        Upstream::Newer(update) if update.files().is_some() => Some(update),
        _ => None,
    }
}

/// Each skill beside what its source has.
pub(super) fn rows(
    found: &[(LockedSkill, Upstream)],
    session: &Session,
) -> Result<Vec<Row>, Failure> {
    let row = |(skill, found): &(LockedSkill, Upstream)| -> Result<Row, Failure> {
        let mut row = Row {
            name: skill.name().to_owned(),
            folder: skill.folder.clone(),
            state: "same",
            source: skill.source.clone(),
            reference: skill.reference.clone(),
            have: Version::of(skill),
            new: None,
            changes: Vec::new(),
            tools: Vec::new(),
            asks_again: false,
            conflicts: Vec::new(),
            message: None,
        };
        match found {
            Upstream::Same => {}
            Upstream::Pinned => row.state = "pinned",
            Upstream::Gone => row.state = "gone",
            Upstream::Failed(error) => {
                row.state = "failed";
                let (message, _) = Failure::from(error).told();
                row.message = Some(message);
            }
            Upstream::Newer(update) => fill(&mut row, update, session)?,
        }
        Ok(row)
    };
    found.iter().map(row).collect()
}

fn fill(row: &mut Row, update: &Update, session: &Session) -> Result<(), Failure> {
    row.state = match &update.edits {
        Edits::None => "newer",
        Edits::Merged(_) => "merged",
        Edits::Conflict(files) => {
            row.conflicts.clone_from(files);
            "conflict"
        }
    };
    row.new = Some(Version::of(&update.locked));
    row.changes = changes(update.old.as_ref(), &update.new);
    let judge = |files: &SkillFiles| install::judge(&update.locked.folder, files, session);
    let before = update
        .old
        .as_ref()
        .map(judge)
        .transpose()?
        .unwrap_or_default();
    let after = judge(&update.new)?;
    row.tools = after
        .tools
        .iter()
        .filter(|it| !before.tools.contains(it))
        .cloned()
        .collect();
    row.asks_again = !row.tools.is_empty()
        || before.hooks != after.hooks
        || row
            .changes
            .iter()
            .any(|it| it.script && it.change != "removed");
    Ok(())
}

/// What is other than before, file by file.
fn changes(old: Option<&SkillFiles>, new: &SkillFiles) -> Vec<FileChange> {
    let paths: BTreeSet<&str> = old
        .into_iter()
        .chain([new])
        .flat_map(SkillFiles::iter)
        .map(|(entry, _)| entry.path.as_str())
        .collect();
    let mut changes = Vec::new();
    for path in paths {
        let before = old.and_then(|it| Some((it.tree().get(path)?, it.get(path)?)));
        let after = new.tree().get(path).zip(new.get(path));
        let change = match (before, after) {
            (None, Some(_)) => "added",
            (Some(_), None) => "removed",
            (Some(a), Some(b)) if a.1 != b.1 => "changed",
            (Some(a), Some(b)) if a.0.mode != b.0.mode => "mode",
            _ => continue,
        };
        let bytes = |it: Option<(&_, &'_ [u8])>| it.map(|it| it.1.to_vec()).unwrap_or_default();
        let entry = after.or(before).map(|it| it.0);
        changes.push(FileChange {
            path: path.to_owned(),
            change,
            diff: diff(&bytes(before), &bytes(after)),
            size: entry.map_or(0, |it| it.size),
            script: path.starts_with("scripts/") || entry.is_some_and(|it| it.mode == Mode::Run),
        });
    }
    changes
}

/// The lines that differ; nothing where one side is no text.
fn diff(before: &[u8], after: &[u8]) -> String {
    let (Ok(before), Ok(after)) = (str::from_utf8(before), str::from_utf8(after)) else {
        return String::new();
    };
    render::diff(before, after, None)
}

fn show(rows: &[Row], session: &mut Session) -> Result<(), Failure> {
    let mut text = String::new();
    for row in rows.iter().filter(|it| it.new.is_some()) {
        if !text.is_empty() {
            text.push('\n');
        }
        describe(row, &mut text);
    }
    session.output.data(&text)?;
    session.output.finish()?;
    for row in rows {
        let name = line(&row.name);
        match row.state {
            "gone" => session.output.warning(&format!(
                "`{}` does not have `{name}` any more; it stays as it is",
                line(&row.source)
            )),
            "failed" => {
                let why = row.message.as_deref().unwrap_or_default();
                session
                    .output
                    .warning(&format!("`{name}` was not looked at: {}", line(why)));
            }
            "conflict" => session.output.warning(&format!(
                "`{name}` was changed here in {} too, so it is left alone",
                row.conflicts
                    .iter()
                    .map(|it| format!("`{}`", line(it)))
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
            _ => {}
        }
    }
    if rows.iter().all(|it| matches!(it.state, "same" | "pinned")) {
        let pinned = rows.iter().filter(|it| it.state == "pinned").count();
        let text = match (rows.len(), pinned) {
            (0, _) => "nothing is installed here\n".to_owned(),
            (all, 0) => format!("{}, none has a new version\n", count(all, "skill")),
            (all, some) => format!(
                "{}, none has a new version, {some} pinned\n",
                count(all, "skill")
            ),
        };
        session.output.message(&text);
    }
    Ok(())
}

fn describe(row: &Row, text: &mut String) {
    let new = row.new.as_ref().map(Version::short).unwrap_or_default();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}: {} to {new}", line(&row.name), row.have.short());
    let _ = writeln!(text, "  from      {}", line(&row.source));
    if !row.tools.is_empty() {
        let tools: Vec<String> = row.tools.iter().map(|it| line(it)).collect();
        let _ = writeln!(text, "  asks for  {}, and did not before", tools.join(", "));
    }
    if row.state == "merged" {
        let _ = writeln!(text, "  edits     what was changed here is kept");
    }
    for change in &row.changes {
        let script = if change.script { ", a script" } else { "" };
        let _ = writeln!(
            text,
            "  {:<8}  {} ({}{script})",
            change.change,
            line(&change.path),
            byte_size(change.size)
        );
        let diff = safe_lines(&change.diff);
        for shown in diff.lines().take(MOST_LINES) {
            let _ = writeln!(text, "{}", format!("    {shown}").trim_end());
        }
        let more = diff.lines().count().saturating_sub(MOST_LINES);
        if more > 0 {
            let _ = writeln!(
                text,
                "    and {}; `--json` has all",
                count(more, "more line")
            );
        }
    }
}

fn apply(
    turn: &Turn<'_>,
    lock: &Lock,
    ready: &[&Update],
    session: &Session,
) -> Result<(), Failure> {
    let store = install::store(session)?;
    let mut lock = lock.clone();
    let mut change = Change::default();
    for update in ready {
        let Some(files) = update.files() else {
            continue;
        };
        store
            .put(&update.new)
            .map_err(|error| install::no_store(&error))?;
        change
            .install
            .push((update.locked.folder.clone(), files.clone()));
        lock.insert(update.locked.clone());
    }
    change.lock = Some(lock);
    Ok(turn.apply(&change)?)
}

fn trust(site: &Site, updates: &[&Update], session: &mut Session) -> Result<(), Failure> {
    let folders: Vec<&str> = updates.iter().map(|it| it.locked.folder.as_str()).collect();
    install::trust_installed(site, &folders, session)
}

fn report(ready: &[&Update], waiting: &[&Update], site: &Site, session: &mut Session) {
    for update in ready {
        let folder = session
            .environment
            .shorten(&site.folder(&update.locked.folder));
        let kept = if matches!(update.edits, Edits::Merged(_)) {
            ", with what was changed here"
        } else {
            ""
        };
        let text = format!(
            "updated `{}` in `{folder}`{kept}\n",
            line(update.locked.name())
        );
        session.output.message(&text);
    }
    if install::waits_for_trust(site, session) {
        for update in waiting {
            let why = match update.edits {
                Edits::Merged(_) => "has changes of its own here",
                _ => "has other tools, hooks or scripts than before",
            };
            session.output.hint(&format!(
                "`{0}` {why}: `prowess trust {0}` lets it reach a model",
                line(update.locked.name())
            ));
        }
    }
}
