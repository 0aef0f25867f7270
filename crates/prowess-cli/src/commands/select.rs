//! `prowess select`: the skills that answer a request, best first.

use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;
use prowess::{
    Catalog, Skill, display_path,
    explain::Explanation,
    select::{Decision, Match, Policy, Selection},
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    places::Request,
    render::{
        Paint, Table, count,
        explain::{bars, in_short},
        line, list,
    },
    session::Session,
};

use super::{prompt::note_untrusted, show::reason};

mod choose;

pub(crate) use choose::{Choose, number, only_what_is_named, ranker, ranker_of, request, threads};

/// Pick the skills that answer a request, and say how sure that is
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The request, in quotes or not; `-` reads it from standard input
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// At most so many matches
    #[arg(long, value_name = "N", default_value_t = 5)]
    top_k: usize,
    /// The least score of a match [default: 0.5 for lexical, 1 for overlap]
    #[arg(long, value_name = "X", value_parser = number, allow_hyphen_values = true)]
    min_score: Option<f32>,
    #[command(flatten)]
    choose: Choose,
    /// Show what each word added, and which are missing
    #[arg(long)]
    explain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `select --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Output<'a> {
    query: &'a str,
    ranker: &'static str,
    decision: &'static str,
    matches: Vec<Row<'a>>,
    /// Without loading and indexing, which a host does once.
    elapsed_us: u64,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    rank: usize,
    id: Option<&'a str>,
    name: &'a str,
    path: String,
    score: f32,
    confidence: f32,
    /// The tools it asks for, as written.
    allowed_tools: Vec<String>,
    explain: Option<Explanation>,
}

impl<'a> Output<'a> {
    /// Puts a selection into the published shape.
    pub(super) fn new(
        query: &'a str,
        policy: &Policy,
        selection: &'a Selection<'a>,
        explain: bool,
        elapsed_us: u64,
    ) -> Self {
        let mut explained = Vec::new();
        if explain {
            explained = selection.explain();
        }
        let mut explained = explained.into_iter();
        let rows = selection.matches.iter().enumerate().map(|(at, found)| Row {
            rank: at + 1,
            id: found.skill().id(),
            name: found.skill().name(),
            path: display_path(found.skill().path()),
            score: found.score,
            confidence: found.confidence,
            allowed_tools: found.skill().allowed_tools(),
            explain: explained.next(),
        });
        Self {
            query,
            ranker: policy.ranker.name(),
            decision: selection.decision.name(),
            matches: rows.collect(),
            elapsed_us,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let query = request(&arguments.query, session)?;
    let mut policy = arguments.choose.policy(session);
    policy.top_k = arguments.top_k;
    policy.min_score = arguments.min_score;
    let catalog = session.load(&Request::default())?;
    // Said first: what is not trusted is often what was meant.
    note_untrusted(catalog.skills(), session);
    catalog.prepare();
    let started = Instant::now();
    let selection = catalog.select(&query, &policy);
    let elapsed_us = started.elapsed().as_micros() as u64;
    if arguments.json {
        let output = Output::new(&query, &policy, &selection, arguments.explain, elapsed_us);
        session.output.json(&output)?;
    } else {
        let explained = selection.explain();
        let text = if arguments.explain {
            drawn(&selection, &explained, session)
        } else {
            table(&selection, &explained, session)
        };
        session.output.data(&text)?;
        // What it means follows the matches on a terminal only if they are already there.
        session.output.finish()?;
        conclude(&catalog, &selection, &query, session);
        // Most catalogs have none, and then there is nothing to ask again for.
        if !policy.include_manual && catalog.skills().iter().any(Skill::is_manual) {
            policy.include_manual = true;
            manual(&catalog, &catalog.select(&query, &policy), session);
        }
    }
    Ok(Exit::found(selection.decision.is_none()))
}

fn table(selection: &Selection<'_>, explained: &[Explanation], session: &Session) -> String {
    let mut table = Table::new(&[">RANK", "NAME", ">SCORE", ">CONFIDENCE", "WORDS"]);
    for (at, (found, explained)) in selection.matches.iter().zip(explained).enumerate() {
        table.row(vec![
            ((at + 1).to_string(), None),
            (line(found.skill().name()), Some(Paint::strong as _)),
            (format!("{:.2}", found.score), None),
            (percent(found.confidence), None),
            (in_short(explained), None),
        ]);
    }
    if table.is_empty() {
        return String::new();
    }
    table.render(session.output.paint, session.output.columns)
}

fn drawn(selection: &Selection<'_>, explained: &[Explanation], session: &Session) -> String {
    let (paint, columns) = (session.output.paint, session.output.columns);
    let most = explained.iter().flat_map(|it| &it.words);
    let most = most.map(|word| word.added).fold(0.0, f32::max);
    let mut text = String::new();
    for (at, (found, explained)) in selection.matches.iter().zip(explained).enumerate() {
        let name = paint.strong(&line(found.skill().name()));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{}{}. {name}  score {:.2}, confidence {}",
            if at == 0 { "" } else { "\n" },
            at + 1,
            found.score,
            percent(found.confidence)
        );
        text += &bars(explained, most, paint, columns);
    }
    text
}

/// A confidence as people say it; nothing is ever quite certain.
pub(crate) fn percent(confidence: f32) -> String {
    format!("{:.0} %", confidence.min(0.99) * 100.0)
}

/// What the matches mean, in words, and one step to take where there is one.
fn conclude(catalog: &Catalog, selection: &Selection<'_>, query: &str, session: &mut Session) {
    let name = |found: &Match<'_>| format!("`{}`", line(found.skill().name()));
    match &selection.decision {
        Decision::Confident(first) => {
            let text = format!("{} answers this", name(first));
            session.output.say(Paint::good, "confident", &text);
        }
        Decision::Ambiguous(menu) => {
            let names: Vec<String> = menu.iter().map(name).collect();
            let text = match names.as_slice() {
                [one] => format!("{one} may answer this; ask before using it"),
                names => format!(
                    "one of {} may answer this; show them as a menu, or let the model choose",
                    list(names)
                ),
            };
            session.output.say(Paint::warning, "ambiguous", &text);
        }
        Decision::None => nothing(catalog, selection, query, session),
    }
}

/// Names a skill that would come first if it were not used only when called by name.
fn manual(catalog: &Catalog, with_manual: &Selection<'_>, session: &mut Session) {
    let skill = with_manual.decision.first().map(Match::skill);
    if let Some(skill) = skill.filter(|skill| !skill.is_model_visible()) {
        let why = reason(skill, catalog, session).unwrap_or_default();
        session.output.hint(&format!(
            "`{}` fits better, but {why} (`--include-manual`)",
            line(skill.name())
        ));
    }
}

fn nothing(catalog: &Catalog, selection: &Selection<'_>, query: &str, session: &mut Session) {
    let visible = catalog.model_visible().count();
    let (text, step) = if visible == 0 {
        let text = "there are no skills to choose from".to_owned();
        // Whoever has skills needs no new one.
        let step = if catalog.skills().is_empty() {
            "`prowess new NAME` makes a skill, `--dir DIR` looks elsewhere"
        } else {
            "`prowess list --all` shows the skills that are here, and why each is left out"
        };
        (text, step)
    } else if !query.chars().any(char::is_alphanumeric) {
        let step = "say in a few words what is to be done";
        ("the request has no words to compare".to_owned(), step)
    } else if selection.matches.is_empty() {
        let text = format!("nothing fits among {}", count(visible, "skill"));
        let step = "try the words a description would use; `prowess list` shows them all";
        (text, step)
    } else {
        let text = "nothing fits well enough to be chosen".to_owned();
        let step = "`prowess why NAME --query QUERY` says which words a skill lacks";
        (text, step)
    };
    session.output.say(Paint::warning, "none", &text);
    session.output.hint(step);
}
