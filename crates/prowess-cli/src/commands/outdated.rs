//! `prowess outdated`: which sources have something newer. Nothing is changed.

use clap::Args;
use serde::Serialize;

use super::update::{self, Row};
use crate::{
    exit::{Exit, Failure},
    install::{self, To},
    render::{Paint, Table, count, line},
    session::Session,
};

/// List the installed skills whose sources have something newer; exit 1 where one has
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only these skills, by folder, name or `owner/name`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Whose skills
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `outdated --json` prints: the skills of `update --dry-run --json`.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<Row>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(arguments.to, session)?;
    let turn = site.turn()?;
    let lock = site.read_lock()?;
    let found = update::look(&arguments.names, &site, &turn, &lock, session)?;
    drop(turn);
    let rows = update::rows(&found, session)?;
    let failed = rows.iter().any(|it| it.state == "failed");
    let newer = rows.iter().filter(|it| it.new.is_some()).count();
    let exit = if failed {
        Exit::Failed
    } else {
        Exit::found(newer > 0)
    };
    if arguments.json {
        session.output.json(&Output { skills: rows })?;
        return Ok(exit);
    }
    let mut table = Table::new(&["NAME", "HAVE", "NEW", "STATE", "FROM"]);
    for row in rows.iter().filter(|it| it.state != "same") {
        let new = row
            .new
            .as_ref()
            .map(update::Version::short)
            .unwrap_or_default();
        table.row(vec![
            (line(&row.folder), Some(Paint::strong as _)),
            (row.have.short(), None),
            (new, None),
            (row.state.to_owned(), None),
            (line(&row.source), None),
        ]);
    }
    session.output.table(&table)?;
    session.output.finish()?;
    for row in rows.iter().filter(|it| it.state == "failed") {
        let why = row.message.as_deref().unwrap_or_default();
        let text = format!("`{}` was not looked at: {}", line(&row.name), line(why));
        session.output.warning(&text);
    }
    let text = match (rows.len(), newer) {
        (0, _) => "nothing is installed here\n".to_owned(),
        (all, 0) => format!("{}, none has a new version\n", count(all, "skill")),
        (all, some) => format!("{}, {some} with a new version\n", count(all, "skill")),
    };
    session.output.message(&text);
    if newer > 0 {
        session
            .output
            .hint("`prowess update --dry-run` shows what would change");
    }
    Ok(exit)
}
