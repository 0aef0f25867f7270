//! `prowess resources`: the files of a skill.

use clap::Args;
use prowess::{Resource, ResourceError, display_path};
use serde::Serialize;

use super::prompt::must_be_trusted;
use crate::{
    exit::{Exit, Failure},
    find::find,
    places::Request,
    render::{Table, byte_size, count, line},
    session::Session,
};

/// List the files of a skill that `prowess read` can print
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skill's name, id or path
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `resources --json` prints.
#[derive(Debug, Serialize)]
struct Output<'a> {
    skill: &'a str,
    directory: Option<String>,
    files: &'a [Resource],
    partial: bool,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = session.load(&Request::default())?;
    let skill = find(&catalog, &arguments.name)?;
    must_be_trusted(skill)?;
    let resources = skill
        .resources(&session.config.limits)
        .map_err(|error| match &error {
            ResourceError::Unreadable { source, .. } => {
                Failure::new(error.to_string()).because(source)
            }
            _ => Failure::no_match(error.to_string()),
        })?;
    if arguments.json {
        session.output.json(&Output {
            skill: skill.name(),
            directory: skill.directory().map(|folder| display_path(&folder)),
            files: &resources.files,
            partial: resources.partial,
        })?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&[">SIZE", "RUN", "PATH"]);
    for file in &resources.files {
        let run = if file.executable == Some(true) {
            "yes"
        } else {
            ""
        };
        // A file is asked for by its path; a name that cannot be shown stands behind its id.
        let path = match &file.name {
            Some(name) => format!("{}  (`{}`)", line(&file.path), line(name)),
            None => line(&file.path),
        };
        table.row(vec![
            (byte_size(file.size), None),
            (run.to_owned(), None),
            (path, None),
        ]);
    }
    if !table.is_empty() {
        // A path that is cut cannot be copied.
        let text = table.render(session.output.paint, usize::MAX);
        session.output.data(&text)?;
    }
    session.output.finish()?;
    let name = line(skill.name());
    let files = count(resources.files.len(), "file");
    session
        .output
        .message(&format!("{files} beside the instructions of `{name}`\n"));
    if resources.partial {
        session.output.hint("a limit cut the list");
    }
    Ok(Exit::Fine)
}
