//! `prowess activate`: what a turn wakes, why, and what the model would read.

use std::sync::Arc;

use clap::Args;
use prowess::{
    Activation, Catalog, Reason, Toolset, Triggers, Turn, activate::Selecting, display_text,
    select::Policy,
};
use serde::Serialize;

use super::{
    select::{number, percent, ranker_of},
    show::reason,
    tool::options,
};
use crate::{
    exit::{Exit, Failure},
    find::find,
    places::Request,
    render::{Paint, line},
    session::Session,
};

/// Print what a model would read when a skill is called, or when a message arrives
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skill to call
    #[arg(value_name = "NAME", required_unless_present_any = ["message", "files"])]
    name: Option<String>,
    /// What the skill is called with
    #[arg(value_name = "ARGUMENTS", requires = "name")]
    given: Vec<String>,
    /// The user's message instead of a name; `@name`, paths and keywords in it count
    #[arg(long, value_name = "TEXT", conflicts_with = "name")]
    message: Option<String>,
    /// The files of the turn, for skills that wait for them
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "name")]
    files: Vec<String>,
    /// Also choose a skill by the message alone, from this confidence on (0 to 1)
    #[arg(long, value_name = "X", value_parser = number, requires = "message")]
    threshold: Option<f32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `activate --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    activations: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    activation: Activation,
    /// What the model reads.
    text: String,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = Arc::new(session.load(&Request::default())?);
    let woken = match &arguments.name {
        Some(name) => vec![called(name, &arguments.given, &catalog, session)?],
        None => by_turn(arguments, &catalog, session),
    };
    let tools = Toolset::new(Arc::clone(&catalog), options(session));
    let mut refused = Vec::new();
    let rows: Vec<Row> = woken
        .into_iter()
        .filter_map(|activation| {
            let skill = catalog.get(&activation.name)?;
            let given = activation.arguments.as_deref();
            let result = tools.load(skill, activation.reason, given);
            // Only a remote skill can fail here: its server is away, or lies.
            refused.extend(result.record.error);
            let text = result.text;
            result.record.success.then_some(Row { activation, text })
        })
        .collect();
    for error in &refused {
        Failure::new(error).report(&mut session.output);
    }
    let exit = Exit::found(rows.is_empty());
    if arguments.json {
        session.output.json(&Output { activations: rows })?;
        return Ok(exit);
    }
    for (at, row) in rows.iter().enumerate() {
        // Each reason stands right before its text where both go to a terminal.
        session.output.finish()?;
        session.output.message(&because(&row.activation));
        if at > 0 {
            session.output.data("\n")?;
        }
        session.output.foreign(row.text.trim_end())?;
        session.output.data("\n")?;
    }
    session.output.finish()?;
    if rows.is_empty() && refused.is_empty() {
        let text = "the turn wakes no skill";
        session.output.say(Paint::warning, "none", text);
        session
            .output
            .hint("`@name` calls a skill; `--threshold 0.8` also chooses by the message alone");
    }
    super::prompt::note_untrusted(catalog.skills(), session);
    Ok(exit)
}

/// One skill, called by its user.
fn called(
    name: &str,
    arguments: &[String],
    catalog: &Catalog,
    session: &Session,
) -> Result<Activation, Failure> {
    let bare = name.trim_start_matches(['@', '/', '$']);
    let skill = match catalog.get(bare) {
        Some(skill) => skill,
        None => find(catalog, name)?,
    };
    if !skill.is_callable() {
        let why = reason(skill, catalog, session).unwrap_or_default();
        let state = skill.state().as_str();
        let name = display_text(skill.name());
        return Err(
            Failure::no_match(format!("`{name}` cannot be used ({state}): {why}"))
                .hint(format!("`prowess why {name}` tells its whole story")),
        );
    }
    Ok(Activation {
        name: skill.name().to_owned(),
        id: skill.id().map(str::to_owned),
        reason: Reason::Explicit,
        // A bare name says no more than the activation itself.
        evidence: (bare != name).then(|| name.to_owned()),
        arguments: (!arguments.is_empty()).then(|| arguments.join(" ")),
        confidence: None,
        already_active: false,
    })
}

/// What a message and its files wake. A trigger that cannot be read is reported.
fn by_turn(arguments: &Arguments, catalog: &Catalog, session: &mut Session) -> Vec<Activation> {
    let triggers = Triggers::new(catalog);
    for finding in triggers.findings() {
        let path = session.environment.shorten(&finding.path);
        let skill = catalog.by_path(&finding.path);
        let text = skill.map(|skill| skill.document().text());
        session.output.diagnostic(&finding.diagnostic, &path, text);
    }
    let files: Vec<&str> = arguments.files.iter().map(String::as_str).collect();
    let root = session.places().start().to_string_lossy().into_owned();
    let selecting = arguments.threshold.map(|confidence| Selecting {
        policy: Policy {
            ranker: ranker_of(None, session),
            ..Policy::default()
        },
        confidence,
    });
    let turn = Turn {
        message: arguments.message.as_deref().unwrap_or_default(),
        files: &files,
        root: Some(&root),
        select: selecting.as_ref(),
        ..Turn::default()
    };
    triggers.activate(catalog, &turn, None)
}

/// Why a skill is active, on one line.
fn because(activation: &Activation) -> String {
    let reason = activation.reason.as_str();
    let mut parts = vec![format!("{reason}: `{}`", line(&activation.name))];
    let evidence = activation.evidence.as_ref();
    parts.extend(evidence.map(|it| format!("by {}", line(it))));
    let arguments = activation.arguments.as_ref();
    parts.extend(arguments.map(|it| format!("with `{}`", line(it))));
    let confidence = activation.confidence;
    parts.extend(confidence.map(|it| format!("confidence {}", percent(it))));
    parts.join(", ") + "\n"
}
