//! `prowess sync`: the disk as the lock has it.

use clap::Args;
use prowess_install::{
    Change, Difference, Differs, Item, Lock, LockedSkill, Site, Stamps, Turn, WantedSource,
    change_for, plan, read_manifest, restore, verify,
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    install::{self, To},
    render::{count, line},
    session::Session,
};

/// Make the installed skills what the lock says, to the byte
///
/// What is missing is put back: from the store of this machine, else from the locked commit of
/// its source. What the config wants and the lock does not have yet is added. A skill that was
/// changed here is left alone and named, unless `--force` is given.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(crate) struct Arguments {
    /// Fail where the config and the lock differ, and never change the lock
    #[arg(long)]
    frozen: bool,
    /// Fetch nothing
    #[arg(long)]
    offline: bool,
    /// Put changed files back too; what was changed here is lost
    #[arg(long)]
    force: bool,
    /// Whose skills
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `sync --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<Row>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    folder: String,
    /// `same`, `restored`, `added` or `edited`.
    state: &'static str,
    differences: Vec<Difference>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(arguments.to, session)?;
    let turn = site.turn()?;
    let lock = site.read_lock()?;
    let wishes = Wishes::read(&site, &lock, session)?;
    if arguments.frozen {
        wishes.hold(&site, session)?;
    }
    let mut output = Output {
        skills: Vec::new(),
        notes: wishes.notes(),
    };
    let mut change = restore_missing(arguments, &site, &turn, &lock, &mut output, session)?;
    let mut added = Vec::new();
    if !arguments.frozen && !wishes.missing.is_empty() {
        let (more, items) = add_missing(arguments, &site, &turn, &lock, &wishes, session)?;
        output.notes.extend(more.1);
        change.install.extend(more.0.install);
        change.link.extend(more.0.link);
        change.lock = more.0.lock;
        added = items;
    }
    output.skills.extend(added.iter().map(|it| Row {
        name: it.locked.name().to_owned(),
        folder: it.locked.folder.clone(),
        state: "added",
        differences: Vec::new(),
    }));
    if change.lock.is_some() || !change.install.is_empty() || !change.link.is_empty() {
        turn.apply(&change)?;
    }
    drop(turn);
    let edited = output.skills.iter().any(|it| it.state == "edited");
    if arguments.json {
        session.output.json(&output)?;
    } else {
        report(&output, &site, session);
    }
    Ok(Exit::found(edited))
}

/// What puts back the locked files that are not there.
fn restore_missing(
    arguments: &Arguments,
    site: &Site,
    turn: &Turn<'_>,
    lock: &Lock,
    output: &mut Output,
    session: &Session,
) -> Result<Change, Failure> {
    let mut stamps = Stamps::read(site);
    let mut gone: Vec<&LockedSkill> = Vec::new();
    for skill in lock.skills() {
        let folder = site.folder(&skill.folder);
        let differences = verify(&folder, skill, site.limits, &mut stamps);
        // A file that is not there loses nobody's work.
        let edited = differences.iter().any(|it| it.differs != Differs::Missing);
        let state = match (differences.is_empty(), edited && !arguments.force) {
            (true, _) => "same",
            (_, true) => "edited",
            _ => "restored",
        };
        if state == "restored" {
            gone.push(skill);
        }
        output.skills.push(Row {
            name: skill.name().to_owned(),
            folder: skill.folder.clone(),
            state,
            differences,
        });
    }
    stamps.write(site);
    let options = install::offer_options(site, arguments.offline, session);
    let store = install::store(session)?;
    let files = restore(&gone, &store, &options)?;
    let mut change = Change::default();
    for (skill, files) in gone.iter().zip(files) {
        // Without a store the next time costs a fetch, and nothing else.
        let _ = store.put(&files);
        change.install.push((skill.folder.clone(), files));
    }
    for skill in lock.skills() {
        let (links, notes) = install::missing_links(site, turn, skill, session);
        change.link.extend(links);
        output.notes.extend(notes);
    }
    Ok(change)
}

type Added = ((Change, Vec<String>), Vec<Item>);

/// What brings the skills that are wanted and not locked yet.
fn add_missing(
    arguments: &Arguments,
    site: &Site,
    turn: &Turn<'_>,
    lock: &Lock,
    wishes: &Wishes,
    session: &mut Session,
) -> Result<Added, Failure> {
    let options = install::offer_options(site, arguments.offline, session);
    let (mut lock, mut items) = (lock.clone(), Vec::new());
    for (wanted, names) in &wishes.missing {
        let source = install::source(&wanted.source, site, session)?;
        let mut offer = install::open(&source, &options, session)?;
        let fetched = install::fetch(&mut offer, names.as_deref())?;
        let planned = plan(turn, site, &lock, &offer.origin, fetched, wanted.pinned)?;
        for item in planned {
            lock.insert(item.locked.clone());
            items.push(item);
        }
    }
    let places = install::clients(site, session)?;
    let store = install::store(session)?;
    let change = change_for(turn, &lock, &items, &places, &store)
        .map_err(|error| install::no_store(&error))?;
    Ok((change, items))
}

/// The config beside the lock.
struct Wishes {
    /// What is wanted and not locked, with the names that are missing; `None` for all.
    missing: Vec<(WantedSource, Option<Vec<String>>)>,
    /// The folders of skills that are locked and not wanted.
    unwanted: Vec<String>,
}

impl Wishes {
    fn read(site: &Site, lock: &Lock, session: &Session) -> Result<Self, Failure> {
        let path = install::manifest_path(site, session);
        let text = install::manifest_text(&path)?;
        let all = read_manifest(&text).map_err(|error| install::bad_manifest(&path, &error))?;
        let mut wishes = Self {
            missing: Vec::new(),
            unwanted: Vec::new(),
        };
        let mut met: Vec<&str> = Vec::new();
        for wanted in all {
            let source = install::source(&wanted.source, site, session)?;
            let of = install::locked_of(lock, &source);
            match &wanted.skills {
                None => {
                    met.extend(of.iter().map(|it| it.folder.as_str()));
                    if of.is_empty() {
                        wishes.missing.push((wanted, None));
                    }
                }
                Some(names) => {
                    let has = |it: &LockedSkill| names.iter().any(|name| it.is_wanted_as(name));
                    met.extend(of.iter().filter(|it| has(it)).map(|it| it.folder.as_str()));
                    let lacks = |name: &&String| !of.iter().any(|it| it.is_wanted_as(name));
                    let left: Vec<String> = names.iter().filter(lacks).cloned().collect();
                    if !left.is_empty() {
                        wishes.missing.push((wanted, Some(left)));
                    }
                }
            }
        }
        let unwanted = lock.skills().iter().map(|it| it.folder.as_str());
        let unwanted = unwanted.filter(|it| !met.contains(it));
        wishes.unwanted = unwanted.map(str::to_owned).collect();
        Ok(wishes)
    }

    /// Fails where config and lock are not of one mind.
    fn hold(&self, site: &Site, session: &Session) -> Result<(), Failure> {
        let mut faults: Vec<String> = Vec::new();
        for (wanted, names) in &self.missing {
            let what = names
                .as_deref()
                .map_or("all".to_owned(), |it| it.join(", "));
            faults.push(format!(
                "`{}` ({}) is not locked",
                line(&wanted.source),
                line(&what)
            ));
        }
        faults.extend(self.notes());
        if faults.is_empty() {
            return Ok(());
        }
        let (lock, config) = (
            session.environment.shorten(&site.lock),
            session
                .environment
                .shorten(&install::manifest_path(site, session)),
        );
        Err(Failure::no_match(format!(
            "`{config}` and `{lock}` differ: {}",
            faults.join("; ")
        ))
        .hint("nothing was changed; run `prowess sync` without `--frozen`, then commit both"))
    }

    fn notes(&self) -> Vec<String> {
        let note = |it: &String| {
            let name = line(it);
            format!(
                "`{name}` is locked and no longer wanted; `prowess remove {name}` takes it away"
            )
        };
        self.unwanted.iter().map(note).collect()
    }
}

fn report(output: &Output, site: &Site, session: &mut Session) {
    for note in &output.notes {
        session.output.warning(note);
    }
    for row in &output.skills {
        let folder = session.environment.shorten(&site.folder(&row.folder));
        let name = line(&row.name);
        match row.state {
            "restored" => {
                let text = format!("put back `{name}` in `{folder}`\n");
                session.output.message(&text);
            }
            "added" => {
                let text = format!("installed `{name}` in `{folder}`\n");
                session.output.message(&text);
            }
            "edited" => {
                let text = format!("`{name}` was changed here and is left alone\n");
                session.output.message(&text);
                for it in &row.differences {
                    let text = format!("  {:<8} {}\n", it.differs.as_str(), line(&it.path));
                    session.output.message(&text);
                }
            }
            _ => {}
        }
    }
    let same = output.skills.iter().filter(|it| it.state == "same").count();
    if same == output.skills.len() {
        let text = match same {
            0 => "nothing is locked here, and nothing is wanted\n".to_owned(),
            _ => format!("{} as locked\n", count(same, "skill")),
        };
        session.output.message(&text);
    }
    if output.skills.iter().any(|it| it.state == "edited") {
        session
            .output
            .hint("`prowess sync --force` puts the locked files back");
    }
    let come = |it: &Row| matches!(it.state, "restored" | "added");
    if install::waits_for_trust(site, session) && output.skills.iter().any(come) {
        session
            .output
            .hint("look at what came, then let it reach a model with `prowess trust`");
    }
}
