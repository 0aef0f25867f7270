//! `prowess rank`: many requests at once, one line of JSON each.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use clap::Args;
use prowess::{Catalog, HiddenBy, Layout, Match, Policy, Pool, Skill, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::select::{Choose, only_what_is_named, threads};
use crate::{
    exit::{Exit, Failure},
    files,
    places::Request,
    session::Session,
};

/// Rank skills for many requests, one line of JSON each
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Lines of `{"qid", "query"}`; `-` reads standard input
    #[arg(long, value_name = "FILE.jsonl")]
    queries: PathBuf,
    /// At most so many skills for each request
    #[arg(long, value_name = "N", default_value_t = 100)]
    top: usize,
    /// Rank each request among the skills of its `group` only: `{"group": {"size": [ids]}}`
    #[arg(long, value_name = "FILE.json", requires = "size")]
    catalogs: Option<PathBuf>,
    /// Which list of each group counts
    #[arg(long, value_name = "NAME", requires = "catalogs")]
    size: Option<String>,
    #[command(flatten)]
    choose: Choose,
}

/// Requests and groups come from files the user named; this much fits into memory.
const MOST_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// So many requests are answered before their lines are written.
const AT_ONCE: usize = 1024;

#[derive(Debug, Deserialize)]
struct Asked {
    qid: Option<Value>,
    query: String,
    group: Option<String>,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    qid: &'a Value,
    ranking: Vec<&'a str>,
    scores: Vec<f32>,
    /// Of the first skill; 0 where there is none.
    confidence: f32,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    only_what_is_named(session);
    let text = read(&arguments.queries)?;
    let (asked, broken) = asked(&text, session);
    let catalog = session.load(&Request::default())?;
    let chosen = arguments.choose.policy(session);
    let policy = Policy {
        top_k: arguments.top,
        // Whoever reads the scores sets the threshold.
        min_score: Some(chosen.ranker.lowest_score()),
        ..chosen
    };
    let pools = pools(arguments, &catalog)?;
    for part in asked.chunks(AT_ONCE) {
        answer(part, &pools, &policy, session)?;
    }
    Ok(Exit::found(broken))
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
        read.map(|_| bytes)
    } else {
        files::read_bytes(path, MOST_BYTES)
    };
    bytes
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|error| {
            Failure::new(format!("cannot read the requests `{}`", path.display())).because(&error)
        })
}

/// The requests, and whether a line is none; those that are none are reported and left out.
fn asked(text: &str, session: &mut Session) -> (Vec<Asked>, bool) {
    let mut asked = Vec::new();
    let mut broken = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Asked>(line) {
            Ok(mut it) => {
                it.qid.get_or_insert_with(|| Value::from(at + 1));
                asked.push(it);
            }
            Err(error) => {
                broken = true;
                let message = error.to_string();
                let reason = message.split(" at line ").next().unwrap_or_default();
                session.output.warning(&format!(
                    "line {} is not a request and is left out: {}",
                    at + 1,
                    prowess::display_text(reason)
                ));
            }
        }
    }
    (asked, broken)
}

/// The skills each group is ranked among; without groups there is one pool for all.
enum Pools<'a> {
    One(Box<Pool<'a>>),
    Groups(HashMap<String, Pool<'a>>),
}

impl<'a> Pools<'a> {
    fn of(&self, group: Option<&str>) -> Result<&Pool<'a>, Failure> {
        match self {
            Self::One(pool) => Ok(pool),
            Self::Groups(groups) => {
                let group = group.unwrap_or_default();
                groups.get(group).ok_or_else(|| {
                    Failure::new(format!("no catalog for the group `{group}`"))
                        .hint("every request needs a `group` that `--catalogs` lists")
                })
            }
        }
    }
}

fn pools<'a>(arguments: &Arguments, catalog: &'a Catalog) -> Result<Pools<'a>, Failure> {
    let skills = || catalog.skills().iter().filter(|skill| is_ranked(skill));
    let (Some(path), Some(size)) = (&arguments.catalogs, &arguments.size) else {
        return Ok(Pools::One(Box::new(Pool::new(skills()))));
    };
    let cannot = || format!("cannot read the groups `{}`", path.display());
    let bytes = files::read_bytes(path, MOST_BYTES)
        .map_err(|error| Failure::new(cannot()).because(&error))?;
    let groups: BTreeMap<String, HashMap<String, HashSet<String>>> =
        serde_json::from_slice(&bytes).map_err(|error| Failure::new(cannot()).because(&error))?;
    let mut pools = HashMap::new();
    for (group, mut sizes) in groups {
        let Some(ids) = sizes.remove(size) else {
            return Err(Failure::new(format!(
                "the group `{group}` has no list `{size}`"
            )));
        };
        let chosen = skills().filter(|skill| skill.id().is_some_and(|id| ids.contains(id)));
        pools.insert(group, Pool::new(chosen));
    }
    Ok(Pools::Groups(pools))
}

/// Whether a skill takes part: one that can be used, and every line of a catalog, which is known
/// by its id even where another line has its name.
fn is_ranked(skill: &Skill) -> bool {
    match skill.state() {
        State::Active | State::Hidden(HiddenBy::Itself | HiddenBy::Manual) => true,
        State::Shadowed { .. } => skill.layout() == Layout::Record,
        State::Hidden(_) | State::Untrusted | State::Broken => false,
    }
}

/// Answers some requests, group by group, and writes them in their order.
fn answer(
    asked: &[Asked],
    pools: &Pools<'_>,
    policy: &Policy,
    session: &mut Session,
) -> Result<(), Failure> {
    let mut by_group: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, it) in asked.iter().enumerate() {
        let group = match pools {
            Pools::One(_) => "",
            Pools::Groups(_) => it.group.as_deref().unwrap_or_default(),
        };
        by_group.entry(group).or_default().push(at);
    }
    let mut lines: Vec<Option<Line<'_>>> = Vec::new();
    lines.resize_with(asked.len(), || None);
    for (group, places) in by_group {
        let pool = pools.of(Some(group))?;
        let queries: Vec<&str> = places.iter().map(|&at| &*asked[at].query).collect();
        let found = pool.select_all(&queries, policy, threads(session));
        for (at, selection) in places.into_iter().zip(found) {
            let matches = &selection.matches;
            lines[at] = Some(Line {
                qid: asked[at].qid.as_ref().unwrap_or(&Value::Null),
                ranking: matches
                    .iter()
                    .map(Match::skill)
                    .map(|skill| skill.id().unwrap_or(skill.name()))
                    .collect(),
                scores: matches.iter().map(|it| it.score).collect(),
                confidence: matches.first().map_or(0.0, |it| it.confidence),
            });
        }
    }
    for line in lines.iter().flatten() {
        session.output.json_line(line)?;
    }
    Ok(())
}
