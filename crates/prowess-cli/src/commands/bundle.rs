//! `prowess bundle`: installed skills in one file, for machines without a network.

use std::path::PathBuf;

use clap::Args;
use prowess::ContentHash;
use prowess_install::{LockedSkill, SkillFiles, bundle, restore};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    files,
    install::{self, To},
    render::{byte_size, count},
    session::Session,
    write::write_whole,
};

/// Put installed skills into one file, which `prowess add FILE` installs without a network
///
/// The file holds the locked files and their part of the lock, so that they arrive with the same
/// bytes and modes and with their real sources, and a later `prowess update` works there. The same
/// skills give the same file.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only these skills, by folder, name or `owner/name`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The file to write; its name ends in `.prowess-bundle`
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Whose skills
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `bundle --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    file: String,
    size: u64,
    /// SHA-256 of the file.
    hash: String,
    skills: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    folder: String,
    source: String,
    digest: String,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let path = &arguments.output;
    let shown = session.environment.shorten(path);
    if path.extension().is_none_or(|it| it != "prowess-bundle") {
        return Err(
            Failure::usage(format!("`{shown}` does not end in `.prowess-bundle`"))
                .hint("`prowess add` knows a bundle by that ending"),
        );
    }
    // A folder that is not there is more likely a slip than a wish.
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !files::is_folder(folder)) {
        return Err(Failure::new(format!("cannot write `{shown}`"))
            .hint(format!("there is no folder `{}`", folder.display())));
    }
    let site = install::site(arguments.to, session)?;
    let turn = site.turn()?;
    let lock = site.read_lock()?;
    let chosen = install::chosen(&lock, &arguments.names)?;
    if chosen.is_empty() {
        return Err(
            Failure::no_match("nothing is installed here").hint("`prowess add` brings skills")
        );
    }
    let store = install::store(session)?;
    let options = install::offer_options(&site, false, session);
    // As locked, whatever was changed here since.
    let all = restore(&chosen, &store, &options)?;
    drop(turn);
    let skills: Vec<(&LockedSkill, SkillFiles)> = chosen.into_iter().zip(all).collect();
    let bytes =
        bundle(&skills).map_err(|error| Failure::new("cannot pack the skills").because(&error))?;
    write_whole(path, &bytes)?;
    let output = Output {
        file: shown.clone(),
        size: bytes.len() as u64,
        hash: ContentHash::of(&bytes).to_string(),
        skills: skills
            .iter()
            .map(|(it, _)| Row {
                name: it.name().to_owned(),
                folder: it.folder.clone(),
                source: it.source.clone(),
                digest: it.digest.clone(),
            })
            .collect(),
    };
    if arguments.json {
        session.output.json(&output)?;
    } else {
        let text = format!(
            "{} in `{shown}` ({})\n",
            count(output.skills.len(), "skill"),
            byte_size(output.size)
        );
        session.output.message(&text);
        session.output.hint(&format!(
            "`prowess add {shown}` installs them on another machine"
        ));
    }
    Ok(Exit::Fine)
}
