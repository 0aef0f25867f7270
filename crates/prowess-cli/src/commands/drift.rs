//! `prowess drift`: what a change of the catalog did to the answers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use prowess::{Catalog, Source, select::Policy};
use prowess_eval::{
    Case, Expected,
    drift::{Drift, Move, Probe, Turn, drift, probes},
    read_requests,
};
use serde::Serialize;

use super::select::{Choose, only_what_is_named, threads};
use crate::{
    exit::{Exit, Failure},
    files,
    places::{self, Request},
    render::{Paint, Table, count, line, list},
    session::Session,
};

pub(super) mod revision;

/// Compare the answers of two catalogs to the same requests: what moved, what was lost
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The catalog before the change, as `prowess export` wrote it
    #[arg(long, value_name = "FILE.jsonl", required_unless_present = "base_rev")]
    base: Option<PathBuf>,
    /// The skills before the change, as they are in this git revision
    #[arg(long, value_name = "REV", conflicts_with = "base")]
    base_rev: Option<String>,
    /// Requests to compare, in any shape `eval` reads; when left out, each skill of the base is
    /// asked for by its name and by the first sentence of its description
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    #[command(flatten)]
    choose: Choose,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Requests and catalogs come from files the user named.
const MOST_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// More rows than this are for a machine.
const MOST_ROWS: usize = 40;

/// What `drift --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Output {
    base: String,
    ranker: &'static str,
    lost: usize,
    moved: usize,
    changed: usize,
    gained: usize,
    #[serde(flatten)]
    drift: Drift,
}

impl Output {
    fn new(base: String, policy: &Policy, drift: Drift) -> Self {
        Self {
            base,
            ranker: policy.ranker.name(),
            lost: drift.count(Turn::Lost),
            moved: drift.count(Turn::Moved),
            changed: drift.count(Turn::Changed),
            gained: drift.count(Turn::Gained),
            drift,
        }
    }
}

/// What `drift --base-rev REV --json` prints of a catalog: by the requests in its skills' own
/// folders, else by what each skill of the base says it does.
pub(super) fn output(rev: &str, now: &Catalog, session: &mut Session) -> Result<Output, Failure> {
    let source: Box<dyn Source> = Box::new(revision::read(rev, now, session)?);
    let base = session.load_from(&[source], &Request::default());
    let (_, cases) = super::eval::found(now, session);
    let probes = if cases.is_empty() {
        probes(&base)
    } else {
        cases.into_iter().map(probe).collect()
    };
    let policy = Choose::default().policy(session);
    let drift = drift(&base, now, &probes, &policy, threads(session));
    Ok(Output::new(rev.to_owned(), &policy, drift))
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    only_what_is_named(session);
    let now = session.load(&Request::local())?;
    let (told, base) = base(arguments, &now, session)?;
    let probes = match &arguments.queries {
        Some(path) => requests(path)?,
        None => probes(&base),
    };
    if probes.is_empty() {
        return Err(
            Failure::no_match("there is nothing to compare: the base has no skills")
                .hint("`--base` names what `prowess export` wrote, `--base-rev` a git revision"),
        );
    }
    let policy = arguments.choose.policy(session);
    let drift = drift(&base, &now, &probes, &policy, threads(session));
    if arguments.json {
        let losses = drift.has_losses();
        session.output.json(&Output::new(told, &policy, drift))?;
        return Ok(Exit::found(losses));
    }
    human(&drift, session)?;
    Ok(Exit::found(drift.has_losses()))
}

/// The catalog before the change, and where it came from.
fn base(
    arguments: &Arguments,
    now: &Catalog,
    session: &mut Session,
) -> Result<(String, Catalog), Failure> {
    let (told, source): (String, Box<dyn Source>) = match (&arguments.base, &arguments.base_rev) {
        (Some(path), _) => {
            let source = places::catalog(path, &session.config.limits)?;
            (prowess::display_path(path), source)
        }
        (None, rev) => {
            let rev = rev.as_deref().unwrap_or("HEAD");
            let source = revision::read(rev, now, session)?;
            (rev.to_owned(), Box::new(source))
        }
    };
    let catalog = session.load_from(&[source], &Request::default());
    Ok((told, catalog))
}

fn requests(path: &Path) -> Result<Vec<Probe>, Failure> {
    let cannot = || Failure::new(format!("cannot read the requests `{}`", path.display()));
    let text = files::read_text(path, MOST_BYTES).map_err(|error| cannot().because(&error))?;
    let cases = read_requests(&text).map_err(|error| cannot().because(&error))?;
    Ok(cases.into_iter().map(probe).collect())
}

fn probe(case: Case) -> Probe {
    Probe {
        query: case.query,
        expected: match case.expected {
            Expected::Skills(groups) => groups.into_iter().flatten().collect(),
            // Whoever answered before is whom the answer is compared with.
            Expected::Not(_) | Expected::Nothing => Vec::new(),
        },
    }
}

/// The decisions, and where they are the same, how sure they are.
fn decision(it: &Move) -> String {
    let (before, after) = (it.decision_before, it.decision_after);
    if before != after {
        return format!("{before} → {after}");
    }
    match (it.confidence_before, it.confidence_after) {
        (Some(was), Some(is)) => format!("{:.0} % → {:.0} %", was * 100.0, is * 100.0),
        _ => before.to_owned(),
    }
}

fn human(drift: &Drift, session: &mut Session) -> Result<(), Failure> {
    let mut table = Table::new(&["WHAT", "SKILL", "RANK", "DECISION", "FIRST NOW", "REQUEST"]);
    let rank = |rank: Option<usize>| rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    for it in drift.moves.iter().take(MOST_ROWS) {
        let (word, ink): (_, fn(Paint, &str) -> String) = match it.turn {
            Turn::Lost => ("lost", Paint::error),
            Turn::Moved => ("moved", Paint::warning),
            Turn::Changed => ("changed", Paint::warning),
            Turn::Gained => ("gained", Paint::good),
        };
        table.row(vec![
            (word.to_owned(), Some(ink)),
            (
                it.skill.as_deref().map_or("nothing".to_owned(), line),
                Some(Paint::strong),
            ),
            (format!("{} → {}", rank(it.before), rank(it.after)), None),
            (decision(it), None),
            (
                it.first_after.as_deref().map_or("nothing".to_owned(), line),
                None,
            ),
            (line(&it.query), None),
        ]);
    }
    session.output.table(&table)?;
    if drift.moves.len() > MOST_ROWS {
        let more = count(drift.moves.len() - MOST_ROWS, "more request");
        session
            .output
            .data(&format!("… and {more} (`--json` has all)\n"))?;
    }
    session.output.finish()?;
    let mut text = format!(
        "{}: {} the same, {} lost, {} moved, {} changed, {} gained\n",
        count(drift.queries, "request"),
        drift.same,
        drift.count(Turn::Lost),
        drift.count(Turn::Moved),
        drift.count(Turn::Changed),
        drift.count(Turn::Gained)
    );
    for (word, names) in [("only before", &drift.removed), ("only now", &drift.added)] {
        if !names.is_empty() {
            let shown: Vec<String> = names
                .iter()
                .take(10)
                .map(|it| format!("`{}`", line(it)))
                .collect();
            let more = names.len() - shown.len();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{word}: {}{more}",
                if more.is_empty() {
                    list(&shown)
                } else {
                    shown.join(", ")
                }
            );
        }
    }
    session.output.message(&text);
    Ok(())
}
