//! `prowess why`: the story of one skill, from the folder it lies in to what each client does.

use std::path::Path;

use clap::Args;
use prowess::{
    Catalog, Client, DiskSource, Layout, Skill, Source,
    dialect::{Subject, Verdict, View, verdicts},
    display_path,
    format::{Syntax, rules},
    select::Ranker,
    wire::{DiagnosticRow, Provenance},
};
use serde::Serialize;

pub(super) mod query;

use super::{select::ranker, show::reason};
use crate::{
    exit::{Exit, Failure},
    files,
    find::find,
    places::Request,
    render::{count, list},
    session::Session,
};

mod tell;

/// Tell what happened to one skill, here and in each client, and which rule decided
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skill's name, id or path
    name: String,
    /// Tell instead why it was chosen for this request, or was not (`-` reads it from standard input)
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// How scores are made, with `--query` [default: what the config says, else lexical]
    #[arg(long, value_name = "RANKER", value_parser = ranker(), requires = "query")]
    ranker: Option<Ranker>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `why --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Output<'a> {
    name: &'a str,
    /// Every skill of that name, the one in use first.
    skills: Vec<Story<'a>>,
    /// Where was looked.
    looked: Vec<Looked<'a>>,
}

#[derive(Debug, Serialize)]
struct Story<'a> {
    id: Option<&'a str>,
    name: &'a str,
    path: String,
    #[serde(flatten)]
    provenance: Provenance<'a>,
    scope: &'static str,
    origin: &'a str,
    layout: &'static str,
    state: &'static str,
    reason: Option<String>,
    /// Where the name comes from: the file, or its folder or file name.
    name_from: &'static str,
    syntax: Option<&'static str>,
    fields: usize,
    repairs: Vec<DiagnosticRow<'a>>,
    diagnostics: Vec<DiagnosticRow<'a>>,
    mcp: Mcp,
    clients: Vec<Verdict>,
}

/// Whether hosts get an entry for the skill from `prowess serve`.
#[derive(Debug, Serialize)]
struct Mcp {
    served: bool,
    reason: Option<String>,
}

impl Mcp {
    fn of(skill: &Skill) -> Self {
        let refusal = prowess_mcp::server::refusal(skill);
        Self {
            served: refusal.is_none(),
            reason: refusal.map(|refusal| refusal.to_string()),
        }
    }
}

#[derive(Debug, Serialize)]
struct Looked<'a> {
    scope: &'static str,
    origin: &'a str,
    root: String,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    if let Some(request) = &arguments.query {
        return query::run(arguments, request, session);
    }
    // A client that was named is asked about the skill; the skill may well lie elsewhere.
    let only = session.places().client()?.cloned();
    let request = Request {
        every_client: true,
        look_at_untrusted: true,
        ..Request::default()
    };
    let mut catalog = session.load(&request)?;
    let mut skills = skills(&catalog, &arguments.name);
    let named_path = Path::new(&arguments.name);
    if skills.is_empty() && files::is_there(named_path) {
        let real = files::real_path(named_path).ok();
        let repository = real.and_then(|real| session.places().repository_of(&real));
        let source: Box<dyn Source> = Box::new(DiskSource::new(named_path).repository(repository));
        catalog = session.load_from(&[source], &request);
        skills = (0..catalog.skills().len()).collect();
    }
    if skills.is_empty() {
        return Err(nowhere(&catalog, &arguments.name, session));
    }
    let output = output(&arguments.name, &catalog, &skills, only.as_ref(), session);
    if arguments.json {
        session.output.json(&output)?;
        return Ok(Exit::Fine);
    }
    for (number, (story, at)) in output.skills.iter().zip(&skills).enumerate() {
        let mut text = String::from(if number > 0 { "\n" } else { "" });
        text += &tell::tell(story, &catalog.skills()[*at], session);
        session.output.prose(&text, 12)?;
    }
    Ok(Exit::Fine)
}

/// Puts what happened to these skills into the published shape, for one client or all of them.
pub(super) fn output<'a>(
    name: &'a str,
    catalog: &'a Catalog,
    skills: &[usize],
    only: Option<&Client>,
    session: &Session,
) -> Output<'a> {
    let environment = session.places().library_environment();
    let known = &session.config.clients;
    let mut stories = Vec::new();
    for &at in skills {
        let skill = &catalog.skills()[at];
        let path = environment.working_directory.join(skill.path());
        let folder = path.parent().and_then(Path::file_name);
        let folder = folder.map(|it| it.to_string_lossy().into_owned());
        let subject = Subject {
            path: (skill.layout() != Layout::Record).then_some(path.as_path()),
            text: skill.document().text(),
            name: skill.name(),
            description: skill.description(),
            folder: folder
                .as_deref()
                .filter(|_| skill.layout() == Layout::Folder),
        };
        let clients = match only {
            // No other client knows the servers of this config.
            _ if skill.remote().is_some() => Vec::new(),
            Some(client) => vec![View::new(client, known, &environment).judge(&subject)],
            None => verdicts(known, &environment, &subject),
        };
        stories.push(story(skill, clients, catalog, session));
    }
    Output {
        name,
        skills: stories,
        looked: looked(catalog),
    }
}

/// The places of every skill that answers to this name, id or path; the one in use first.
pub(super) fn skills(catalog: &Catalog, wanted: &str) -> Vec<usize> {
    let all = catalog.skills();
    let mut found: Vec<usize> = (0..all.len())
        .filter(|&at| all[at].name() == wanted)
        .collect();
    if found.is_empty()
        && let Ok(skill) = find(catalog, wanted)
    {
        found.extend(all.iter().position(|it| it.path() == skill.path()));
    }
    found.sort_by_key(|&at| !all[at].is_callable());
    found
}

/// A name that exists nowhere: the nearest, what was noticed on the way, and where was looked.
fn nowhere(catalog: &Catalog, wanted: &str, session: &mut Session) -> Failure {
    let about = |path: &Path| path.iter().any(|part| part == wanted);
    for finding in catalog
        .findings()
        .iter()
        .filter(|finding| about(&finding.path))
    {
        let path = session.environment.shorten(&finding.path);
        session.output.diagnostic(&finding.diagnostic, &path, None);
    }
    let failure = match find(catalog, wanted) {
        Err(failure) => failure,
        Ok(_) => Failure::no_match(format!("no skill named `{wanted}`")),
    };
    let roots: Vec<String> = catalog
        .origins()
        .iter()
        .map(|origin| format!("`{}`", session.environment.shorten(&origin.root)))
        .collect();
    if roots.is_empty() {
        failure.hint("none of the folders that clients use is here; `--dir DIR` looks elsewhere")
    } else {
        failure.hint(format!(
            "looked at {} in {}",
            count(catalog.skills().len(), "skill"),
            list(&roots)
        ))
    }
}

fn looked(catalog: &Catalog) -> Vec<Looked<'_>> {
    let row = |origin: &'_ std::sync::Arc<prowess::Origin>| {
        (origin.scope.as_str(), display_path(&origin.root))
    };
    catalog
        .origins()
        .iter()
        .map(|origin| {
            let (scope, root) = row(origin);
            Looked {
                scope,
                origin: &origin.label,
                root,
            }
        })
        .collect()
}

fn story<'a>(
    skill: &'a Skill,
    clients: Vec<Verdict>,
    catalog: &Catalog,
    session: &Session,
) -> Story<'a> {
    let document = skill.document();
    let row = |diagnostic| DiagnosticRow::new(display_path(skill.path()), diagnostic);
    let is_repair = |code: &str| {
        [
            rules::repaired_yaml::RULE.code,
            rules::loose_quotes::RULE.code,
        ]
        .contains(&code)
    };
    Story {
        id: skill.id(),
        name: skill.name(),
        path: display_path(skill.path()),
        provenance: skill.into(),
        scope: skill.origin().scope.as_str(),
        origin: &skill.origin().label,
        layout: match skill.layout() {
            Layout::Folder => "folder",
            Layout::Flat => "flat",
            Layout::Convention => "convention",
            Layout::Record => "record",
        },
        state: skill.state().as_str(),
        reason: reason(skill, catalog, session),
        name_from: match (document.name(), skill.layout()) {
            (Some(_), _) => "field",
            (None, Layout::Folder) => "folder",
            (None, _) => "file",
        },
        syntax: document.syntax().map(|syntax| match syntax {
            Syntax::Yaml => "yaml",
            Syntax::Toml => "toml",
        }),
        fields: document.fields().len(),
        repairs: skill
            .diagnostics()
            .filter(|it| is_repair(it.code))
            .map(row)
            .collect(),
        diagnostics: skill
            .diagnostics()
            .filter(|it| !is_repair(it.code))
            .map(row)
            .collect(),
        mcp: Mcp::of(skill),
        clients,
    }
}
