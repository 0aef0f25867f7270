//! A description as it is typed: what requests give with it, and how its file would differ.

use prowess::{
    Catalog, ContentHash, Draft, Layout, OwnFileError, Ranker, Skill, display_path, folder_of,
    format::{Diagnostic, Profile, describe, estimate_tokens, judge},
    select::Policy,
};
use serde::Serialize;

use crate::{
    commands::{check, why},
    exit::Failure,
    render::diff,
    session::Session,
};

/// Requests that are tried with each key that is pressed.
const MOST_REQUESTS: usize = 100;

/// Neighbours that are shown of each request.
const MOST_NEIGHBOURS: usize = 4;

/// A description that was tried (`ui-draft.json`).
#[derive(Debug, Serialize)]
pub(super) struct Output<'a> {
    path: String,
    name: &'a str,
    /// The file this is about; `save` writes no other one.
    hash: Option<String>,
    /// What the file says now.
    description: &'a str,
    characters: usize,
    tokens: usize,
    /// How the file would differ; empty where it would not.
    diff: String,
    /// Why it cannot be written.
    refused: Option<String>,
    /// What `check` would find that it does not find now.
    findings: Vec<Finding>,
    /// Rules whose findings would be gone.
    gone: Vec<&'static str>,
    requests: Vec<Tried<'a>>,
}

#[derive(Debug, Serialize)]
struct Finding {
    code: &'static str,
    severity: &'static str,
    message: String,
    help: Option<String>,
}

#[derive(Debug, Serialize)]
struct Tried<'a> {
    query: String,
    before: Placement<'a>,
    after: Placement<'a>,
}

/// Where the skill stands for a request, and who is near.
#[derive(Debug, Serialize)]
struct Placement<'a> {
    rank: Option<usize>,
    score: f32,
    confidence: f32,
    decision: &'static str,
    first: Vec<Neighbour<'a>>,
}

#[derive(Debug, Serialize)]
struct Neighbour<'a> {
    name: &'a str,
    path: String,
    confidence: f32,
}

/// Tries a description on requests, beside the one that the file has.
pub(super) fn draft<'a>(
    catalog: &'a Catalog,
    skill: &'a Skill,
    description: &str,
    requests: &[String],
    ranker: Ranker,
    session: &Session,
) -> Result<Output<'a>, Failure> {
    let policy = Policy {
        ranker,
        min_score: Some(ranker.lowest_score()),
        ..Policy::default()
    };
    let drafts = (
        catalog.draft(skill, skill.description()),
        catalog.draft(skill, description.trim()),
    );
    let (Some(before), Some(after)) = drafts else {
        return Err(why::query::not_ranked(catalog, skill, session));
    };
    let placed = |draft: &Draft<'a>, query: &str| {
        let tried = draft.try_out(query, &policy);
        let first = tried.matches.iter().take(MOST_NEIGHBOURS);
        Placement {
            rank: tried.rank,
            score: tried.score,
            confidence: tried.confidence,
            decision: tried.decision,
            first: first
                .map(|it| Neighbour {
                    name: it.skill().name(),
                    path: display_path(it.skill().path()),
                    confidence: it.confidence,
                })
                .collect(),
        }
    };
    let requests = requests.iter().take(MOST_REQUESTS).map(|query| Tried {
        query: query.clone(),
        before: placed(&before, query),
        after: placed(&after, query),
    });
    let old = skill.document().text();
    let new = described(skill, old, description);
    let (mut findings, mut gone) = (Vec::new(), Vec::new());
    if let Ok(new) = &new {
        let (now, then) = (found(skill, old, session), found(skill, new, session));
        let more = |one: &[Diagnostic], other: &[Diagnostic], code| {
            let count = |all: &[Diagnostic]| all.iter().filter(|it| it.code == code).count();
            count(one) > count(other)
        };
        gone = now.iter().map(|it| it.code).collect();
        gone.dedup();
        gone.retain(|code| more(&now, &then, *code));
        let new = then.iter().filter(|it| more(&then, &now, it.code));
        findings = new
            .map(|it| Finding {
                code: it.code,
                severity: it.severity.as_str(),
                message: it.message.clone(),
                help: it.help.clone(),
            })
            .collect();
    }
    let path = display_path(skill.path());
    Ok(Output {
        name: skill.name(),
        hash: skill.hash().map(|hash| hash.to_string()),
        description: skill.description(),
        characters: description.trim().chars().count(),
        tokens: estimate_tokens(description.trim()),
        diff: new.as_ref().map_or_else(
            |_| String::new(),
            |new| diff(old, new, Some((&path, &path))),
        ),
        refused: new.err(),
        findings,
        gone,
        requests: requests.collect(),
        path,
    })
}

/// Writes a description into the file that the page has seen, and into no other one.
pub(super) fn save(
    skill: &Skill,
    description: &str,
    hash: &str,
    session: &Session,
) -> Result<check::Edit, Failure> {
    let path = session.environment.shorten(skill.path());
    let cannot = || Failure::new(format!("cannot write `{path}`"));
    let changed = || {
        cannot()
            .because(&OwnFileError::Changed)
            .hint("look at it as it is now, and change it again")
    };
    let most = session.config.limits.file_bytes;
    let bytes = skill
        .reread(most)
        .map_err(|error| cannot().because(&error))?;
    if ContentHash::of(&bytes).to_string() != hash {
        return Err(changed());
    }
    let old = String::from_utf8(bytes).map_err(|_| cannot().hint("it is not UTF-8"))?;
    let new = described(skill, &old, description)
        .map_err(|reason| Failure::new(format!("cannot write `{path}`: {reason}")))?;
    let written = new != old;
    if written {
        skill.rewrite(&old, &new).map_err(|error| match error {
            OwnFileError::Changed => changed(),
            error => cannot().because(&error),
        })?;
    }
    Ok(check::Edit {
        diff: diff(&old, &new, Some((&path, &path))),
        findings: 0,
        refused: Vec::new(),
        written,
    })
}

/// The file with another description; an error says why there is none.
fn described(skill: &Skill, text: &str, description: &str) -> Result<String, String> {
    if skill.remote().is_some()
        || skill.real_path().is_none()
        || matches!(skill.layout(), Layout::Record | Layout::Convention)
    {
        return Err("it is no file of its own on this machine".to_owned());
    }
    describe(text, description).map_err(|error| error.to_string())
}

/// What `check` finds in a text of this file.
fn found(skill: &Skill, text: &str, session: &Session) -> Vec<Diagnostic> {
    let folder = folder_of(skill, &session.config.limits);
    let file_name = skill.path().file_name().unwrap_or_default();
    let file_name = file_name.to_string_lossy();
    let judged = judge(text, &file_name, folder.as_ref(), Profile::Standard);
    let mut found = judged.diagnostics;
    let settings = &session.config.check;
    settings.apply(&mut found, skill.path(), Some(text));
    found
}
