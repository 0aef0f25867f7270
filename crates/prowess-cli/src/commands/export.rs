//! `prowess export`: the catalog as data.

use std::path::PathBuf;

use clap::Args;
use prowess::{Skill, export_jsonl};

use super::prompt::note_untrusted;
use crate::{
    exit::{Exit, Failure},
    files,
    places::Request,
    render::count,
    session::Session,
    write::write_whole,
};

/// Write the skills in use as JSON, one line each; `--catalog` reads them back
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// One JSON object per line; the only form there is
    #[arg(long)]
    jsonl: bool,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only skills with this tag; repeat it for any of several
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    // Asked for or not, it is the form that is written.
    let Arguments {
        jsonl: _,
        output,
        tag,
    } = arguments;
    let catalog = session.load(&Request {
        tags: tag.clone(),
        local: true,
        ..Request::default()
    })?;
    let skills = || catalog.skills().iter().filter(|skill| skill.is_callable());
    if let Some(path) = output {
        // A folder that is not there is more likely a slip than a wish.
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !files::is_folder(folder)) {
            return Err(Failure::new(format!("cannot write `{}`", path.display()))
                .hint(format!("there is no folder `{}`", folder.display())));
        }
        let mut lines = Vec::new();
        export_jsonl(skills(), &mut lines)?;
        write_whole(path, &lines)?;
    } else {
        for skill in skills() {
            let mut line = Vec::new();
            export_jsonl([skill], &mut line)?;
            let line = String::from_utf8_lossy(&line);
            session.output.json_text(line.trim_end())?;
        }
    }
    session.output.finish()?;
    let place = output.as_ref().map_or_else(String::new, |path| {
        format!(" to `{}`", session.environment.shorten(path))
    });
    session.output.message(&format!(
        "{} written{place}\n",
        count(skills().count(), "skill")
    ));
    note_untrusted(catalog.skills(), session);
    let left = |skill: &&Skill| matches!(skill.state().as_str(), "broken" | "shadowed");
    match catalog.skills().iter().filter(left).count() {
        0 => {}
        number => session.output.hint(&format!(
            "{} left out, broken or shadowed; `prowess list --all` shows them",
            count(number, "skill")
        )),
    }
    Ok(Exit::Fine)
}
