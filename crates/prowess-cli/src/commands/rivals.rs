//! `prowess rivals`: skills that compete for the same requests.

use std::fmt::Write as _;

use clap::Args;
use prowess::Catalog;
use prowess_eval::rivals::{LEAST_STRENGTH, Rivals, rivals};
use serde::Serialize;

use super::select::{number, only_what_is_named, threads};
use crate::{
    exit::{Exit, Failure},
    places::Request,
    render::{Paint, Table, count, line},
    session::Session,
};

/// Show pairs of skills that compete for the same requests, and the words they share
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// At most so many pairs
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// The least strength of a pair, 0 to 1
    #[arg(long, value_name = "X", value_parser = number, default_value_t = LEAST_STRENGTH)]
    least: f32,
    /// Show also pairs that a "not for" tells apart
    #[arg(long, short)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `rivals --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Output {
    /// How many skills were compared.
    skills: usize,
    /// How many pairs there are in all.
    total: usize,
    pairs: Vec<Rivals>,
}

/// What `rivals --all --json` prints of a catalog.
pub(super) fn output(catalog: &Catalog, top: usize, session: &Session) -> Output {
    let mut pairs = rivals(catalog, LEAST_STRENGTH, threads(session));
    let total = pairs.len();
    pairs.truncate(top);
    Output {
        skills: catalog.model_visible().count(),
        total,
        pairs,
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    only_what_is_named(session);
    let catalog = session.load(&Request::local())?;
    let skills = catalog.model_visible().count();
    let mut pairs = rivals(&catalog, arguments.least, threads(session));
    let open = pairs.iter().filter(|it| it.told_apart_by.is_none()).count();
    let apart = pairs.len() - open;
    if !arguments.all {
        pairs.truncate(open);
    }
    let total = pairs.len();
    pairs.truncate(arguments.top);
    if arguments.json {
        session.output.json(&Output {
            skills,
            total,
            pairs,
        })?;
        return Ok(Exit::Fine);
    }
    let table = table(&pairs, arguments.all);
    session.output.table(&table)?;
    session.output.finish()?;
    let mut text = match total {
        0 => format!("no rivals among {}", count(skills, "skill")),
        _ => format!("{} among {}", count(total, "pair"), count(skills, "skill")),
    };
    if total > pairs.len() {
        // Writing to a string does not fail.
        let _ = write!(text, ", the {} strongest shown", pairs.len());
    }
    if apart > 0 && !arguments.all {
        let _ = write!(
            text,
            "; {apart} more told apart by a \"not for\" (`--all` shows them)"
        );
    }
    session.output.message(&format!("{text}\n"));
    if open > 0 {
        session.output.hint(
            "say in one of two what it is not for, and name the other; `prowess eval` measures it",
        );
    }
    Ok(Exit::Fine)
}

fn table(pairs: &[Rivals], apart: bool) -> Table {
    let mut headings = vec!["SKILL", "RIVAL", ">STRENGTH"];
    if apart {
        headings.push("TOLD APART BY");
    }
    headings.push("SHARED WORDS");
    let mut table = Table::new(&headings);
    for pair in pairs {
        let mut row = vec![
            (line(&pair.skills[0]), Some(Paint::strong as _)),
            (line(&pair.skills[1]), Some(Paint::strong as _)),
            (format!("{:.2}", pair.strength), None),
        ];
        if apart {
            let by = pair.told_apart_by.as_deref().unwrap_or_default();
            row.push((line(by), None));
        }
        row.push((line(&pair.words.join(", ")), None));
        table.row(row);
    }
    table
}
