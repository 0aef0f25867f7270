//! `prowess clients`: where every client looks, and what of it is here.

use clap::Args;
use prowess::{Client, SkillFolder, user_paths};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    files,
    render::{Paint, Table, count, line},
    session::Session,
};

/// Show the known clients, the folders they look into, and which of these are here
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only clients with a folder here
    #[arg(long)]
    here: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `clients --json` prints.
#[derive(Debug, Serialize)]
struct Output<'a> {
    clients: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    name: &'a str,
    title: &'a str,
    aliases: &'a [String],
    project: Vec<FolderRow<'a>>,
    user: Vec<FolderRow<'a>>,
    system: Vec<FolderRow<'a>>,
    /// Whether `why` can tell what the client does with a skill.
    rules_known: bool,
}

#[derive(Debug, Serialize)]
struct FolderRow<'a> {
    path: &'a str,
    /// The folders of this kind that are here, nearest first.
    here: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let only = session.places().client()?.map(|client| client.name.clone());
    let clients = session.config.clients.clone();
    let rows: Vec<Row<'_>> = clients
        .iter()
        .filter(|client| only.as_ref().is_none_or(|only| *only == client.name))
        .map(|client| row(client, session))
        .filter(|row| !arguments.here || is_here(row))
        .collect();
    if arguments.json {
        session.output.json(&Output { clients: rows })?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["CLIENT", "PROJECT", "USER", "HERE"]);
    for row in &rows {
        let paths = |folders: &[FolderRow<'_>]| {
            let paths: Vec<&str> = folders.iter().map(|folder| folder.path).collect();
            line(&paths.join(" "))
        };
        let found: Vec<String> = [&row.project, &row.user, &row.system]
            .into_iter()
            .flatten()
            .flat_map(|folder| folder.here.iter().cloned())
            .collect();
        table.row(vec![
            (
                line(row.name),
                Some(if found.is_empty() {
                    Paint::faint
                } else {
                    Paint::strong
                }),
            ),
            (paths(&row.project), None),
            (paths(&row.user), None),
            (found.join(" "), Some(Paint::good as _)),
        ]);
    }
    if !table.is_empty() {
        let text = table.render(session.output.paint, session.output.columns.max(120));
        session.output.data(&text)?;
    }
    session.output.finish()?;
    let here = rows.iter().filter(|row| is_here(row)).count();
    session.output.message(&format!(
        "{}, {here} with a folder here\n",
        count(rows.len(), "client")
    ));
    Ok(Exit::Fine)
}

fn is_here(row: &Row<'_>) -> bool {
    [&row.project, &row.user, &row.system]
        .into_iter()
        .flatten()
        .any(|folder| !folder.here.is_empty())
}

fn row<'a>(client: &'a Client, session: &Session) -> Row<'a> {
    let environment = session.places().library_environment();
    let shown = |paths: Vec<std::path::PathBuf>| -> Vec<String> {
        let here = paths.into_iter().filter(|path| files::is_folder(path));
        here.map(|path| session.environment.shorten(&path))
            .collect()
    };
    let project = |folder: &'a SkillFolder| FolderRow {
        path: &folder.path,
        here: shown(
            session
                .places()
                .project()
                .iter()
                .map(|base| base.join(&folder.path))
                .collect(),
        ),
    };
    let fixed = |folder: &'a SkillFolder| FolderRow {
        path: &folder.path,
        here: shown(user_paths(&folder.path, &environment)),
    };
    Row {
        name: &client.name,
        title: &client.title,
        aliases: &client.aliases,
        project: client.project.iter().map(project).collect(),
        user: client.user.iter().map(fixed).collect(),
        system: client.system.iter().map(fixed).collect(),
        rules_known: client.rules.is_some(),
    }
}
