//! `prowess remove`: what `add` brought goes again, and nothing else.

use clap::Args;
use prowess_install::{
    Change, Lock, LockedSkill, Site, Stamps, read_manifest, remove_from_manifest, verify,
};

use crate::{
    exit::{Exit, Failure},
    install::{self, To},
    render::line,
    session::Session,
};

/// Take away skills that `add` brought: files, links, lock and config
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skills, by folder, name or `owner/name`
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Remove it even where files were changed or added here
    #[arg(long)]
    force: bool,
    /// Whose skills
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(arguments.to, session)?;
    let turn = site.turn()?;
    let lock = site.read_lock()?;
    let chosen = install::chosen(&lock, &arguments.names)?;
    let mut stamps = Stamps::read(&site);
    for skill in &chosen {
        let folder = site.folder(&skill.folder);
        let differs = verify(&folder, skill, site.limits, &mut stamps);
        let own = |it: &&prowess_install::Difference| {
            it.path != "." && it.differs != prowess_install::Differs::Missing
        };
        if let Some(first) = differs.iter().find(own).filter(|_| !arguments.force) {
            let path = format!("{}/{}", session.environment.shorten(&folder), first.path);
            return Err(Failure::no_match(format!(
                "`{}` is {} here, so nothing was removed",
                line(&path),
                first.differs.as_str()
            ))
            .hint("`--force` removes it all the same"));
        }
    }
    let mut after = lock.clone();
    let mut change = Change::default();
    for skill in &chosen {
        after.remove(&skill.folder);
        change.remove.push(skill.folder.clone());
        change
            .unlink
            .extend(install::own_links(&site, &turn, skill, session));
    }
    let path = install::manifest_path(&site, session);
    let before = install::manifest_text(&path)?;
    let text = without(&before, &chosen, &after, &site, session)?;
    if text != before {
        change.manifest = Some((path, text));
    }
    change.lock = Some(after);
    turn.apply(&change)?;
    drop(turn);
    install::forget_trust(&site, &change.remove, session)?;
    for skill in &chosen {
        let folder = session.environment.shorten(&site.folder(&skill.folder));
        let text = format!("removed `{}` from `{folder}`\n", line(skill.name()));
        session.output.message(&text);
    }
    Ok(Exit::Fine)
}

/// The config without these skills.
fn without(
    text: &str,
    gone: &[&LockedSkill],
    after: &Lock,
    site: &Site,
    session: &Session,
) -> Result<String, Failure> {
    let path = install::manifest_path(site, session);
    let bad = |error| install::bad_manifest(&path, &error);
    let mut text = text.to_owned();
    for wanted in read_manifest(&text).map_err(bad)? {
        let source = install::source(&wanted.source, site, session)?;
        let others: Vec<String> = install::locked_of(after, &source)
            .iter()
            .map(|it| it.name().to_owned())
            .collect();
        for skill in gone.iter().filter(|it| install::is_of(it, &source)) {
            let named = wanted
                .skills
                .iter()
                .flatten()
                .find(|it| skill.is_wanted_as(it));
            let name = named.map_or(skill.name(), String::as_str);
            text = remove_from_manifest(&text, &wanted.source, name, &others).map_err(bad)?;
        }
    }
    Ok(text)
}
