//! `prowess eval`: how well the skills are found, by requests whose skill is known.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use prowess::{Catalog, Content, Limits, Skill, State, display_path};
use prowess_eval::{Case, Expected, Report, evaluate, read, read_requests};
use serde::Serialize;

use super::{
    prompt::note_untrusted,
    select::{Choose, number, only_what_is_named, threads},
};
use crate::{
    exit::{Exit, Failure},
    files,
    find::find,
    places::Request,
    render::{Paint, count, line, list},
    session::Session,
    write::write_whole,
};

mod html;
mod human;
mod junit;

/// Measure how well skills are found: hit@1, recall, MRR, false fires
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Lists of `{query, should_trigger}`, `evals/evals.json`, or lines of `{"query", "expect"}`;
    /// when left out, what lies in the `evals` folder of each skill
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Add a request and the skill that is right for it to FILE, or to `evals.jsonl`, and measure
    /// nothing
    #[arg(long, num_args = 2, value_names = ["REQUEST", "NAME"])]
    add: Option<Vec<String>>,
    /// End with exit code 1 when hit@1 is below this, 0 to 1
    #[arg(long, value_name = "X", value_parser = number)]
    min_hit1: Option<f32>,
    /// End with exit code 1 when more requests than this fire a skill they should not
    #[arg(long, value_name = "N")]
    max_false_fires: Option<usize>,
    /// Count a right skill for recall among the first N
    #[arg(long, value_name = "N", default_value_t = RECALL_AT)]
    recall_at: usize,
    #[command(flatten)]
    choose: Choose,
    /// Write the figures into FILE too, as one HTML file in which nothing runs
    #[arg(long, value_name = "FILE", conflicts_with = "add")]
    html: Option<PathBuf>,
    /// How the figures are printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// How the figures are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Human,
    /// One object.
    Json,
    /// `JUnit` XML, for CI.
    Junit,
}

/// A file of cases is small; more is another kind of file.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// What `eval --format json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Output {
    files: Vec<String>,
    ranker: &'static str,
    /// Whether every limit that was asked for holds.
    passed: bool,
    #[serde(flatten)]
    report: Report,
}

/// Right skills count for recall among the first so many.
const RECALL_AT: usize = 5;

/// What `eval --json` prints of a catalog, by the requests in its skills' own folders.
pub(super) fn output(catalog: &Catalog, session: &Session) -> Output {
    let (files, cases) = found(catalog, session);
    let policy = Choose::default().policy(session);
    Output {
        files: files.iter().map(|path| display_path(path)).collect(),
        ranker: policy.ranker.name(),
        passed: true,
        report: evaluate(catalog, &cases, &policy, RECALL_AT, threads(session)),
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    only_what_is_named(session);
    let catalog = session.load(&Request::local())?;
    if let Some([request, name]) = arguments.add.as_deref() {
        return add(request, name, &arguments.files, &catalog, session);
    }
    let (read_files, cases) = if arguments.files.is_empty() {
        found(&catalog, session)
    } else {
        named(&arguments.files, &catalog)?
    };
    note_untrusted(catalog.skills(), session);
    if cases.is_empty() {
        let failure = Failure::no_match("there is nothing to evaluate: no requests were found");
        let untrusted = |skill: &Skill| skill.state() == State::Untrusted;
        return Err(failure.hint(if catalog.skills().iter().any(untrusted) {
            "the files of an untrusted skill are not opened; `--trust` opens them for this run"
        } else {
            "name a file, or put `evals/evals.json` into a skill's folder"
        }));
    }
    let policy = arguments.choose.policy(session);
    let report = evaluate(
        &catalog,
        &cases,
        &policy,
        arguments.recall_at,
        threads(session),
    );
    let faults = faults(&report, arguments);
    if let Some(file) = &arguments.html {
        let page = html::output(&report, policy.ranker.name(), &faults);
        write_whole(file, page.as_bytes())?;
    }
    let format = if arguments.json {
        Format::Json
    } else {
        arguments.format
    };
    match format {
        Format::Human => {
            let text = human::output(&report, session);
            session.output.data(&text)?;
        }
        Format::Json => session.output.json(&Output {
            files: read_files.iter().map(|path| display_path(path)).collect(),
            ranker: policy.ranker.name(),
            passed: faults.is_empty(),
            report: report.clone(),
        })?,
        Format::Junit => {
            let text = junit::output(&report)
                .map_err(|error| Failure::new("cannot write JUnit").because(&error))?;
            session.output.data(&text)?;
        }
    }
    session.output.finish()?;
    if !report.unknown.is_empty() {
        let names: Vec<String> = report
            .unknown
            .iter()
            .take(5)
            .map(|it| format!("`{}`", line(it)))
            .collect();
        session.output.warning(&format!(
            "{} be chosen here, and the requests for it count as missed: {}",
            match report.unknown.len() {
                1 => "1 expected skill cannot".to_owned(),
                number => format!("{number} expected skills cannot"),
            },
            list(&names)
        ));
        session.output.hint(
            "`--dir` or `--catalog` names the skills, `--include-manual` adds those called by name",
        );
    }
    for fault in &faults {
        session.output.say(Paint::error, "failed", fault);
    }
    Ok(Exit::found(!faults.is_empty()))
}

/// Adds a line to a file of requests, so that what people really ask is measured from then on.
fn add(
    request: &str,
    name: &str,
    files: &[PathBuf],
    catalog: &Catalog,
    session: &mut Session,
) -> Result<Exit, Failure> {
    let file = match files {
        [] => session.places().start().join("evals.jsonl"),
        [file] => file.clone(),
        _ => return Err(Failure::usage("`--add` adds to one file")),
    };
    let name = find(catalog, name)?.name();
    let shown = session.environment.shorten(&file);
    let cannot = || Failure::new(format!("cannot add to `{shown}`"));
    // A repository's link could lead to a file of the user's, which would be copied in its place.
    if files::is_link(&file) {
        return Err(cannot().hint("it is a link: name the file it leads to"));
    }
    let mut text = match files::read_text(&file, MOST_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(cannot().because(&error)),
    };
    let cases = read_requests(&text).map_err(|error| cannot().because(&error))?;
    // One line of an object is also a file of lines; anything larger would be broken by a line more.
    let whole = serde_json::from_str::<serde_json::Value>(&text);
    if whole.is_ok_and(|it| it.is_array() || text.trim().contains('\n')) {
        return Err(cannot().hint("it is one JSON value; `--add` writes a line for each request"));
    }
    let expected = Expected::Skills(vec![vec![name.to_owned()]]);
    if cases
        .iter()
        .any(|it| it.query == request && it.expected == expected)
    {
        session
            .output
            .message(&format!("`{shown}` has it already\n"));
        return Ok(Exit::Fine);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let line = serde_json::json!({ "query": request, "expect": [name] });
    text.push_str(&line.to_string());
    text.push('\n');
    write_whole(&file, text.as_bytes())?;
    session.output.message(&format!(
        "added to `{shown}`, which has {}\n",
        count(cases.len() + 1, "request")
    ));
    session
        .output
        .hint(&format!("`prowess eval {shown}` measures them"));
    Ok(Exit::Fine)
}

/// Which limits do not hold.
fn faults(report: &Report, arguments: &Arguments) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(least) = arguments.min_hit1 {
        let hit1 = report.hit1.unwrap_or(0.0);
        if hit1 < f64::from(least) {
            faults.push(format!("hit@1 is {hit1:.3}, below {least}"));
        }
    }
    if let Some(most) = arguments.max_false_fires
        && report.false_fires > most
    {
        faults.push(format!(
            "{}, more than {most}",
            count(report.false_fires, "false fire")
        ));
    }
    faults
}

/// The cases of the files that were named.
fn named(paths: &[PathBuf], catalog: &Catalog) -> Result<(Vec<PathBuf>, Vec<Case>), Failure> {
    let mut cases = Vec::new();
    for path in paths {
        let cannot = || Failure::new(format!("cannot read the cases of `{}`", path.display()));
        let text = files::read_text(path, MOST_BYTES).map_err(|error| cannot().because(&error))?;
        let owner = owner(path, catalog);
        let read = read(&text, owner.as_deref()).map_err(|error| cannot().because(&error))?;
        cases.extend(read);
    }
    Ok((paths.to_vec(), cases))
}

/// The skill in whose folder a file lies: one of the catalog, else one that has a `SKILL.md`.
fn owner(path: &Path, catalog: &Catalog) -> Option<String> {
    let real = files::real_path(path).ok()?;
    let folders: Vec<&Path> = real.ancestors().skip(1).collect();
    let of_catalog = folders.iter().find_map(|folder| {
        let mut skills = catalog.skills().iter();
        skills.find(|skill| skill.directory().as_deref() == Some(*folder))
    });
    if let Some(skill) = of_catalog {
        return Some(skill.name().to_owned());
    }
    let folder = folders
        .into_iter()
        .find(|folder| files::is_there(&folder.join("SKILL.md")))?;
    Some(folder.file_name()?.to_string_lossy().into_owned())
}

/// The cases that lie in the skills' own folders. A file there that holds none is for something
/// else, such as what a case works with.
pub(super) fn found(catalog: &Catalog, session: &Session) -> (Vec<PathBuf>, Vec<Case>) {
    let limits = &session.config.limits;
    let mut paths = Vec::new();
    let mut cases = Vec::new();
    for skill in catalog.model_visible() {
        let files = skill
            .resources(limits)
            .map_or_else(|_| Vec::new(), |it| it.files);
        for file in files.iter().filter(|file| is_cases(&file.path)) {
            let text = whole(skill, &file.path, limits);
            let read = text.and_then(|text| read(&text, Some(skill.name())).ok());
            if let Some(read) = read.filter(|read| !read.is_empty()) {
                cases.extend(read);
                let folder = skill.directory().unwrap_or_default();
                paths.push(folder.join(&file.path));
            }
        }
    }
    (paths, cases)
}

/// Whether a file of a skill lies where cases lie.
fn is_cases(path: &str) -> bool {
    let path = Path::new(path);
    path.parent() == Some(Path::new("evals"))
        && path
            .extension()
            .is_some_and(|end| end == "json" || end == "jsonl")
}

/// A file of a skill as text, read through the skill's own handle, so that no link that comes
/// meanwhile leads out of it.
fn whole(skill: &Skill, path: &str, limits: &Limits) -> Option<String> {
    let mut text = String::new();
    let mut offset = Some(0);
    while let Some(at) = offset {
        let page = skill.read_resource(path, at, limits).ok()?;
        let Content::Text(part) = page.content else {
            return None;
        };
        text.push_str(&part);
        offset = page.next_offset;
    }
    Some(text)
}
