//! `prowess add`: skills from elsewhere, shown before they arrive and locked to the byte.

use clap::Args;
use prowess_install::{
    Item, LockedSkill, Offer, OfferedSkill, Origin, Outcome, Reference, Site, SkillFiles, Source,
    WantedSource, add_to_manifest, change_for, open_bundle, plan, plan_locked,
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    install::{self, Preview, To},
    render::{count, line},
    session::Session,
};

/// Install skills from a repository, a folder, an archive or a web site, and lock every byte
///
/// Shows first what would come: files, sizes, the tools and hooks a skill asks for, and what
/// `check` finds. The canonical copy goes to `.agents/skills/NAME`; clients that look elsewhere
/// and have a folder here get a link (`--client a,b` names them). What is added is trusted with
/// exactly these files.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(crate) struct Arguments {
    /// `owner/repo`, `owner/repo/path`, an address with `https://`, `ssh://` or `file://` and
    /// maybe `#ref`, a folder with `./`, an archive (`.zip`, `.skill`, `.tar.gz`, `.tar.zst`) or a `.prowess-bundle`
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Only this skill, by name, by its path in the source, or as `PLUGIN:NAME` (`PLUGIN:*` for all
    /// of a plugin); can be repeated
    #[arg(long, value_name = "NAME")]
    skill: Vec<String>,
    /// Every skill of the source
    #[arg(long, conflicts_with = "skill")]
    all: bool,
    /// Whose skills they become
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
    /// Take this tag, branch or commit, and let `update` leave it there
    #[arg(long, value_name = "REF")]
    pin: Option<String>,
    /// Show what would come, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Install without being asked
    #[arg(long, short)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `add --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<Preview>,
    /// Whether they are installed now.
    installed: bool,
    notes: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(arguments.to, session)?;
    let mut source = install::source(&arguments.source, &site, session)?;
    let text = install::source_text(&arguments.source, &source);
    let text = match &arguments.pin {
        Some(_) if source.reference.is_some() => {
            return Err(
                Failure::usage("`--pin` names a ref, and the source names one too")
                    .hint("leave one of them out"),
            );
        }
        Some(pin) => {
            source.reference = Some(Reference::Name(pin.clone()));
            format!("{text}#{pin}")
        }
        None => text,
    };
    let options = install::offer_options(&site, false, session);
    let goods = match open_bundle(&source, &options) {
        Some(bundle) => Goods::Bundle(of_bundle(bundle?, &arguments.skill)?),
        None => {
            let mut offer = install::open(&source, &options, session)?;
            let wanted = wanted(arguments, &source, &offer)?;
            let fetched = install::fetch(&mut offer, wanted.as_deref())?;
            Goods::Offer {
                origin: offer.origin,
                fetched,
                pinned: arguments.pin.is_some(),
            }
        }
    };
    let order = Order { site: &site, goods };
    let items = order.plan()?;
    let previews: Result<Vec<Preview>, Failure> = items
        .iter()
        .map(|item| install::preview(item, session))
        .collect();
    let mut output = Output {
        skills: previews?,
        installed: false,
        notes: Vec::new(),
    };
    if !arguments.json {
        let texts: Vec<String> = output.skills.iter().map(Preview::text).collect();
        session.output.data(&texts.join("\n"))?;
        session.output.finish()?;
    }
    let changes = items
        .iter()
        .filter(|it| it.outcome != Outcome::Same)
        .count();
    if arguments.dry_run {
        if arguments.json {
            session.output.json(&output)?;
        } else {
            let text = format!(
                "nothing was changed; {} would be\n",
                count(changes, "skill")
            );
            session.output.message(&text);
        }
        return Ok(Exit::Fine);
    }
    if changes > 0 && !arguments.yes {
        let question = format!("install {}?", count(changes, "skill"));
        if !install::confirm(&question, session)? {
            session.output.message("nothing was changed\n");
            return Ok(Exit::Findings);
        }
    }
    output.notes = order.install(&order.wishes(&text, &items, arguments.all), session)?;
    output.installed = true;
    if arguments.json {
        session.output.json(&output)?;
    } else {
        report(&items, &output.notes, &site, session);
    }
    Ok(Exit::Fine)
}

/// The skills that are asked for; `None` for all.
fn wanted(
    arguments: &Arguments,
    source: &Source,
    offer: &Offer,
) -> Result<Option<Vec<String>>, Failure> {
    let shown = line(&offer.origin.source);
    if offer.skills.is_empty() {
        if let Some(name) = arguments
            .skill
            .first()
            .filter(|_| !offer.elsewhere.is_empty())
        {
            return Ok(Some(vec![name.clone()]));
        }
        let elsewhere: Vec<String> = offer
            .elsewhere
            .iter()
            .take(20)
            .map(|it| format!("`{}`", line(&it.name)))
            .collect();
        let hint = match elsewhere.as_slice() {
            [] => "a skill is a folder with a `SKILL.md`".to_owned(),
            names => format!(
                "its plugins lie elsewhere, and `--skill NAME` says where: {}",
                names.join(", ")
            ),
        };
        return Err(Failure::no_match(format!("`{shown}` has no skills")).hint(hint));
    }
    let mut names = arguments.skill.clone();
    names.extend(source.skill.clone());
    if arguments.all {
        return Ok(None);
    }
    if names.is_empty() && offer.skills.len() > 1 {
        return Err(Failure::usage(format!(
            "`{shown}` has {}: {}",
            count(offer.skills.len(), "skill"),
            install::names(offer)
        ))
        .hint(if offer.skills.iter().any(|it| it.plugin.is_some()) {
            "name those you want with `--skill NAME`, those of a plugin with `--skill 'PLUGIN:*'`, or take `--all`"
        } else {
            "name those you want with `--skill NAME`, or take `--all`"
        }));
    }
    Ok((!names.is_empty()).then_some(names))
}

/// The skills of a bundle that are wanted.
fn of_bundle(
    all: Vec<(LockedSkill, SkillFiles)>,
    names: &[String],
) -> Result<Vec<(LockedSkill, SkillFiles)>, Failure> {
    let is = |it: &LockedSkill, name: &String| it.folder == *name || it.is_wanted_as(name);
    if let Some(name) = names
        .iter()
        .find(|name| !all.iter().any(|it| is(&it.0, name)))
    {
        let has: Vec<String> = all
            .iter()
            .map(|it| format!("`{}`", line(&it.0.folder)))
            .collect();
        return Err(
            Failure::no_match(format!("the bundle has no skill `{}`", line(name)))
                .hint(format!("it has {}", has.join(", "))),
        );
    }
    let wanted = all
        .into_iter()
        .filter(|it| names.is_empty() || names.iter().any(|name| is(&it.0, name)));
    Ok(wanted.collect())
}

/// What is to be installed, and where it goes.
struct Order<'a> {
    site: &'a Site,
    goods: Goods,
}

enum Goods {
    /// What a source offers.
    Offer {
        origin: Origin,
        fetched: Vec<(OfferedSkill, SkillFiles)>,
        pinned: bool,
    },
    /// Skills that come with their entries in a lock.
    Bundle(Vec<(LockedSkill, SkillFiles)>),
}

impl Order<'_> {
    /// What would become of each. Nobody waits meanwhile.
    fn plan(&self) -> Result<Vec<Item>, Failure> {
        let turn = self.site.turn()?;
        self.plan_in(&turn)
    }

    fn plan_in(&self, turn: &prowess_install::Turn<'_>) -> Result<Vec<Item>, Failure> {
        let lock = self.site.read_lock()?;
        let items = match &self.goods {
            Goods::Offer {
                origin,
                fetched,
                pinned,
            } => plan(turn, self.site, &lock, origin, fetched.clone(), *pinned)?,
            Goods::Bundle(skills) => plan_locked(turn, self.site, &lock, skills.clone())?,
        };
        Ok(items)
    }

    /// What the config says afterwards.
    fn wishes(&self, source: &str, items: &[Item], all: bool) -> Vec<WantedSource> {
        match &self.goods {
            Goods::Offer {
                fetched, pinned, ..
            } => {
                // By the path where the name alone would mean two.
                let both = items.iter().zip(fetched);
                let names = both.map(|(it, (offered, _))| {
                    if offered.has_namesake {
                        offered.path.clone()
                    } else {
                        it.locked.name().to_owned()
                    }
                });
                vec![WantedSource {
                    source: source.to_owned(),
                    skills: (!all).then(|| names.collect()),
                    pinned: *pinned,
                }]
            }
            Goods::Bundle(_) => items
                .iter()
                .map(|it| WantedSource::of(&it.locked))
                .collect(),
        }
    }

    /// Installs, in one step; gives what is worth saying.
    fn install(
        &self,
        wishes: &[WantedSource],
        session: &mut Session,
    ) -> Result<Vec<String>, Failure> {
        let places = install::clients(self.site, session)?;
        let store = install::store(session)?;
        let turn = self.site.turn()?;
        // Somebody else may have been here while the question was open.
        let items = self.plan_in(&turn)?;
        let lock = self.site.read_lock()?;
        let (mut change, notes) = change_for(&turn, &lock, &items, &places, &store)
            .map_err(|error| install::no_store(&error))?;
        let path = install::manifest_path(self.site, session);
        let mut text = install::manifest_text(&path)?;
        for wanted in wishes {
            text = add_to_manifest(&text, wanted)
                .map_err(|error| install::bad_manifest(&path, &error))?;
        }
        // A bundle's skills keep the clients that their lock names.
        for item in items.iter().filter(|it| !it.locked.clients.is_empty()) {
            let (links, _) = install::missing_links(self.site, &turn, &item.locked, session);
            let links = links.into_iter().filter(|it| !change.link.contains(it));
            let links: Vec<_> = links.collect();
            change.link.extend(links);
        }
        change.manifest = Some((path, text));
        turn.apply(&change)?;
        drop(turn);
        let folders: Vec<&str> = items.iter().map(|it| it.locked.folder.as_str()).collect();
        install::trust_installed(self.site, &folders, session)?;
        Ok(notes)
    }
}

fn report(items: &[Item], notes: &[String], site: &Site, session: &mut Session) {
    for note in notes {
        session.output.warning(note);
    }
    for item in items {
        let folder = session
            .environment
            .shorten(&site.folder(&item.locked.folder));
        let name = line(item.locked.name());
        let text = match item.outcome {
            Outcome::New => format!("installed `{name}` in `{folder}`\n"),
            Outcome::Adopted => format!("`{name}` was in `{folder}` already and is locked now\n"),
            Outcome::Same => format!("`{name}` is installed already\n"),
            Outcome::Replaced => format!("replaced `{name}` in `{folder}`\n"),
        };
        session.output.message(&text);
    }
    let lock = session.environment.shorten(&site.lock);
    let config = session
        .environment
        .shorten(&install::manifest_path(site, session));
    let hint = format!(
        "commit `{config}` and `{lock}`, so that `prowess sync` gives others the same files"
    );
    session.output.hint(&hint);
}
