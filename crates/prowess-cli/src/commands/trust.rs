//! `prowess trust`: which projects' skills may reach a model.

use std::path::PathBuf;

use clap::Args;
use prowess::display_path;
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    files,
    load::Session,
    trust,
};

/// Let a project's skills reach a model, or take that back
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The project; the one around the working directory when left out
    path: Option<PathBuf>,
    /// List the trusted projects
    #[arg(long, conflicts_with_all = ["path", "revoke"])]
    list: bool,
    /// Take the trust back
    #[arg(long)]
    revoke: bool,
    /// Print the list as JSON
    #[arg(long, requires = "list")]
    json: bool,
}

/// What `trust --list --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    projects: Vec<String>,
    store: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let mut store = trust::read(&session.environment)?;
    if arguments.list {
        let all = session.trusted()?;
        let projects: Vec<String> = all.folders().map(display_path).collect();
        if arguments.json {
            let store = trust::store_path(&session.environment);
            session.output.json(&Output {
                projects,
                store: store.map(|path| display_path(&path)),
            })?;
        } else {
            for project in &projects {
                session.output.data(&format!("{project}\n"))?;
            }
            session.output.finish()?;
            if projects.is_empty() {
                session.output.message("no project is trusted\n");
            }
        }
        return Ok(Exit::Fine);
    }
    let folder = folder(arguments, session)?;
    // In full: `.` says little in a list of what is trusted.
    let shown = display_path(&folder);
    if arguments.revoke {
        if !store.distrust(&folder) {
            let failure =
                Failure::no_match(format!("`{shown}` is not in the list of trusted projects"));
            return Err(failure.hint("`prowess trust --list` shows them"));
        }
        trust::write(&store, &session.environment)?;
        session
            .output
            .message(&format!("`{shown}` is no longer trusted\n"));
    } else if store.trust(folder) {
        trust::write(&store, &session.environment)?;
        session.output.message(&format!(
            "`{shown}` is trusted: its skills may reach a model\n"
        ));
        session
            .output
            .hint("`prowess trust --revoke` takes that back");
    } else {
        session
            .output
            .message(&format!("`{shown}` is trusted already\n"));
    }
    Ok(Exit::Fine)
}

/// The project's folder, absolute and without links: a link can be turned to another project.
fn folder(arguments: &Arguments, session: &Session) -> Result<PathBuf, Failure> {
    let Some(path) = &arguments.path else {
        return session
            .project()
            .pop()
            .ok_or_else(|| Failure::new("cannot tell which project this is"));
    };
    match files::real_path(path) {
        Ok(real) if files::is_folder(&real) => Ok(real),
        Ok(_) => Err(Failure::new(format!(
            "`{}` is not a folder",
            path.display()
        ))),
        // A project that is gone can still be taken from the list.
        Err(_) if arguments.revoke => Ok(session.environment.working_directory.join(path)),
        Err(error) => {
            Err(Failure::new(format!("cannot trust `{}`", path.display())).because(&error))
        }
    }
}
