//! `prowess show`: everything known about one skill.

use std::fmt::Write as _;

use clap::Args;
use prowess::{
    Catalog, HiddenBy, ResourceError, Resources, Skill, State, TrustDecision, display_path,
    format::{Field, Profile, Value, estimate_tokens},
    wire::{DiagnosticRow, Provenance},
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    find::find,
    places::Request,
    render::{byte_size, count, line, list, width, wrap},
    session::Session,
};

/// Show everything known about one skill
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skill's name, id or path
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Fields that have a line of their own.
const SHOWN_ABOVE: [&str; 5] = [
    "name",
    "description",
    "tags",
    "allowed-tools",
    "allowed_tools",
];

/// What `show --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Shown<'a> {
    id: Option<&'a str>,
    name: &'a str,
    description: &'a str,
    path: String,
    #[serde(flatten)]
    provenance: Provenance<'a>,
    directory: Option<String>,
    scope: &'static str,
    origin: Origin<'a>,
    state: &'static str,
    /// Why it is in that state; `null` for a skill in use.
    reason: Option<String>,
    trusted: bool,
    hash: Option<String>,
    last_modified: Option<i64>,
    tags: Vec<&'a str>,
    /// Every field of the frontmatter, in order.
    fields: serde_json::Map<String, serde_json::Value>,
    tools: Vec<String>,
    resources: Vec<prowess::Resource>,
    resources_partial: bool,
    size: Sizes,
    instructions: &'a str,
    diagnostics: Vec<DiagnosticRow<'a>>,
    /// What is known of a skill that is on a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<RemoteRow<'a>>,
}

#[derive(Debug, Serialize)]
struct RemoteRow<'a> {
    server: &'a str,
    uri: &'a str,
    approved: bool,
    /// Whether its scripts may run.
    run: bool,
    /// The fields that have no effect until it is approved.
    withheld: &'a [String],
    /// Whether its files are compared with digests.
    verified: bool,
    /// How old a copy is that stands in for the server.
    age_seconds: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Origin<'a> {
    scope: &'static str,
    label: &'a str,
    root: String,
}

/// What each tier costs.
#[derive(Debug, Serialize)]
struct Sizes {
    catalog: Size,
    instructions: Size,
    resources: Size,
}

#[derive(Debug, Serialize)]
struct Size {
    bytes: u64,
    tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = session.load(&Request {
        profile: Profile::Lenient,
        look_at_untrusted: true,
        ..Request::default()
    })?;
    let found = find(&catalog, &arguments.name)?;
    // A remote skill is fetched to be shown; what is known without that is shown all the same.
    let loaded = found.loaded();
    if let Err(error) = &loaded {
        let failure = Failure::new(error.to_string()).hint(&error.help);
        failure.report(&mut session.output);
    }
    let exit = Exit::found(loaded.is_err());
    let skill: &Skill = loaded.as_deref().unwrap_or(found);
    let shown = shown(skill, &catalog, session);
    if arguments.json {
        session.output.json(&shown)?;
        return Ok(exit);
    }
    let (text, hang) = human(&shown, skill, session);
    session.output.prose(&text, hang)?;
    session.output.finish()?;
    for diagnostic in skill.diagnostics() {
        let path = session.environment.shorten(skill.path());
        let text = Some(skill.document().text());
        session.output.diagnostic(diagnostic, &path, text);
    }
    let others = catalog.named(skill.name()).len().saturating_sub(1);
    if others > 0 {
        session.output.hint(&format!(
            "{} of this name; `prowess why {}` tells them apart",
            count(others, "more skill"),
            line(skill.name())
        ));
    }
    Ok(exit)
}

/// Puts what is known about a skill into the published shape.
pub(super) fn shown<'a>(skill: &'a Skill, catalog: &Catalog, session: &mut Session) -> Shown<'a> {
    let resources = match skill.resources(&session.config.limits) {
        Ok(resources) => resources,
        Err(ResourceError::NoFolder { .. }) => Resources::default(),
        Err(error) => {
            session.output.hint(&error.to_string());
            Resources::default()
        }
    };
    let origin = skill.origin();
    let document = skill.document();
    let listed = format!("{}{}", skill.name(), skill.description());
    let instructions = skill.instructions();
    let bytes = resources.files.iter().map(|file| file.size).sum::<u64>();
    Shown {
        id: skill.id(),
        name: skill.name(),
        description: skill.description(),
        path: display_path(skill.path()),
        provenance: skill.into(),
        directory: skill.directory().map(|folder| display_path(&folder)),
        scope: origin.scope.as_str(),
        origin: Origin {
            scope: origin.scope.as_str(),
            label: &origin.label,
            root: display_path(&origin.root),
        },
        state: skill.state().as_str(),
        reason: reason(skill, catalog, session),
        trusted: skill.is_trusted(),
        hash: skill.hash().map(|hash| hash.to_string()),
        last_modified: skill.last_modified(),
        tags: skill.tags(),
        fields: fields(document.fields()),
        tools: tools(skill),
        size: Sizes {
            catalog: Size {
                bytes: listed.len() as u64,
                tokens: estimate_tokens(&listed),
                files: None,
            },
            instructions: Size {
                bytes: instructions.len() as u64,
                tokens: skill.tokens(),
                files: None,
            },
            resources: Size {
                bytes,
                // Their text is not read here; a token is about four bytes of it.
                tokens: bytes.div_ceil(4) as usize,
                files: Some(resources.files.len()),
            },
        },
        resources_partial: resources.partial,
        resources: resources.files,
        instructions,
        diagnostics: skill
            .diagnostics()
            .map(|diagnostic| DiagnosticRow::new(display_path(skill.path()), diagnostic))
            .collect(),
        remote: skill.remote().map(|remote| RemoteRow {
            server: &remote.server,
            uri: &remote.uri,
            approved: remote.approved,
            run: remote.run,
            withheld: &remote.withheld,
            verified: remote.verified,
            age_seconds: remote.age.map(|age| age.as_secs()),
        }),
    }
}

/// Why a skill is not in use.
pub(crate) fn reason(skill: &Skill, catalog: &Catalog, session: &Session) -> Option<String> {
    match skill.state() {
        State::Active => None,
        State::Shadowed { by } => catalog
            .skills()
            .get(by)
            .map(|winner| format!("`{}` is in use", session.environment.shorten(winner.path()))),
        State::Hidden(HiddenBy::Itself) => {
            Some("it asks to be used only when called by name".to_owned())
        }
        State::Hidden(HiddenBy::Disabled) => Some(if session.options.no_skills {
            "`--no-skills` switches skills off".to_owned()
        } else {
            format!(
                "`skills.enabled` is false in `{}`",
                session.config.enabled.by.shown(&session.environment)
            )
        }),
        State::Hidden(HiddenBy::Names) => Some(format!(
            "it is not in `skills.allowed` of `{}`",
            session.config.allowed.by.shown(&session.environment)
        )),
        State::Hidden(HiddenBy::Manual | HiddenBy::Off) => {
            let decided = session.config.overrides.get(skill.name())?;
            Some(format!(
                "`skills.overrides` of `{}` says `{}`",
                decided.by.shown(&session.environment),
                decided.value
            ))
        }
        State::Hidden(HiddenBy::Tags) => Some("it has none of the tags asked for".to_owned()),
        State::Untrusted => Some(
            match skill.decision() {
                TrustDecision::Changed => {
                    "its files changed since it was trusted; `prowess trust --diff` shows how"
                }
                TrustDecision::Denied => "it was denied; `prowess trust --revoke` takes that back",
                _ => "its project is not trusted; look at it, then run `prowess trust`",
            }
            .to_owned(),
        ),
        State::Broken => Some(
            skill
                .diagnostics()
                .min_by_key(|diagnostic| diagnostic.severity)
                .map_or_else(
                    || "it has no description".to_owned(),
                    |diagnostic| line(&diagnostic.message),
                ),
        ),
    }
}

/// The tools a skill asks for, as it writes them.
pub(crate) fn tools(skill: &Skill) -> Vec<String> {
    let document = skill.document();
    document
        .allowed_tools()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn fields(fields: &[Field]) -> serde_json::Map<String, serde_json::Value> {
    let mut map = serde_json::Map::new();
    for field in fields {
        // Where a key stands twice, the first counts.
        if !map.contains_key(&*field.key) {
            let value = serde_json::to_value(&field.node.value).unwrap_or_default();
            map.insert(field.key.to_string(), value);
        }
    }
    map
}

/// The text, and where the values start in it.
fn human(shown: &Shown<'_>, skill: &Skill, session: &Session) -> (String, usize) {
    let (paint, columns) = (session.output.paint, session.output.columns);
    let mut text = format!("{}\n", paint.strong(&line(shown.name)));
    for part in wrap(&line(shown.description), columns.saturating_sub(2)) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {part}");
    }
    text.push('\n');
    let fields = skill.document().fields().iter();
    let fields = fields.filter(|field| !SHOWN_ABOVE.contains(&&*field.key));
    let widest = fields.clone().map(|field| width(&line(&field.key)));
    let widest = widest
        .chain([width("resources")])
        .max()
        .unwrap_or(0)
        .min(24);
    let mut row = |label: &str, value: String| {
        if !value.is_empty() {
            let gap = " ".repeat(widest.saturating_sub(width(label)) + 2);
            let _ = writeln!(text, "{}{gap}{value}", paint.faint(label));
        }
    };
    let state = match &shown.reason {
        Some(reason) => format!("{}: {reason}", shown.state),
        None => shown.state.to_owned(),
    };
    row("state", state);
    row("file", session.environment.shorten(skill.path()));
    for (label, value) in places(skill, session) {
        row(label, value);
    }
    row(
        "scope",
        format!("{} ({})", shown.scope, line(shown.origin.label)),
    );
    row(
        "id",
        shown
            .id
            .unwrap_or("none: the file could not be read")
            .to_owned(),
    );
    row(
        "hash",
        shown
            .hash
            .as_ref()
            .map_or_else(String::new, |hash| format!("sha256:{hash}")),
    );
    for (label, value) in remote(skill) {
        row(label, value);
    }
    row("tags", line(&shown.tags.join(", ")));
    row("tools", line(&shown.tools.join(", ")));
    for field in fields {
        row(&line(&field.key), one_line(&field.node.value));
    }
    let size = |size: &Size| format!("{}, {}", count(size.tokens, "token"), byte_size(size.bytes));
    row(
        "size",
        format!("in the catalog {}", size(&shown.size.catalog)),
    );
    row(
        " ",
        format!("instructions {}", size(&shown.size.instructions)),
    );
    if !shown.resources.is_empty() {
        row(
            " ",
            format!("resources about {}", size(&shown.size.resources)),
        );
    }
    for (at, resource) in shown.resources.iter().enumerate() {
        let label = if at == 0 { "resources" } else { " " };
        let run = if resource.executable == Some(true) {
            ", can be run"
        } else {
            ""
        };
        row(
            label,
            format!("{} ({}{run})", resource.path, byte_size(resource.size)),
        );
    }
    if shown.resources_partial {
        row(" ", "… and more: a limit cut the list".to_owned());
    }
    text.push('\n');
    (text, widest + 2)
}

/// Where else the skill can be reached, and who put it there.
pub(super) fn places(skill: &Skill, session: &Session) -> Vec<(&'static str, String)> {
    let also = skill.also_at().iter().enumerate();
    let mut rows: Vec<(&str, String)> = also
        .map(|(at, path)| {
            let label = if at == 0 { "also at" } else { " " };
            (label, session.environment.shorten(path))
        })
        .collect();
    if let (Some(from), Some(record)) = (skill.installed_from(), skill.install_record()) {
        let record = session.environment.shorten(record);
        rows.push(("installed", format!("from {} ({record})", line(from))));
    }
    rows
}

/// What is to be known of a skill that is on a server.
fn remote(skill: &Skill) -> Vec<(&'static str, String)> {
    let Some(remote) = skill.remote() else {
        return Vec::new();
    };
    let mut rows = vec![("origin", remote.told())];
    let name = format!("{}/{}", remote.server, skill.name());
    rows.push(match (remote.approved, remote.withheld.as_slice()) {
        (true, _) if remote.run => (
            "approved",
            "yes, as it is now, and its scripts may run".to_owned(),
        ),
        (true, _) => ("approved", "yes, as it is now".to_owned()),
        (false, []) => (
            "approved",
            "no; it asks for nothing that needs it".to_owned(),
        ),
        (false, fields) => {
            let fields = fields.iter().map(|field| format!("`{field}`"));
            let fields = list(&fields.collect::<Vec<_>>());
            let step = format!("`prowess approve {}`", line(&name));
            (
                "approved",
                format!("no; without effect until {step}: {fields}"),
            )
        }
    });
    rows
}

/// A value on one line.
fn one_line(value: &Value) -> String {
    match value.as_str() {
        Some(text) => line(text),
        None => line(&serde_json::to_string(value).unwrap_or_default()),
    }
}
