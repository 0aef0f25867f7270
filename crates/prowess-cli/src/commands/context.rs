//! `prowess context`: a skill with the tools it needs, or a word about what is missing.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use prowess::{
    ContextOptions, Coordinator, Permission, SkillContext, Strategy,
    context::{Envelope, Generalist, Mode, Refusal, Resolution},
    select::Ranker,
};
use serde::Serialize;

use super::select::{number, percent, ranker, ranker_of, request};
use crate::{
    exit::{Exit, Failure},
    find::find,
    places::Request,
    render::{Paint, line, list},
    session::Session,
};

/// Give a skill together with the tools a host has, or refuse it and say what is missing
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The request; `-` reads it from standard input
    #[arg(value_name = "QUERY", required_unless_present_any = ["name", "tag"])]
    query: Vec<String>,
    /// Try the skill of this name first; can be repeated
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Try skills with this tag last; can be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// The tools the host has, with commas between them
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    tools: Vec<String>,
    /// What happens when a tool is missing
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    mode: HowStrict,
    /// The skill that takes over in fallback mode
    #[arg(long, value_name = "NAME")]
    generalist: Option<String>,
    /// What `allowed-tools` means to the host
    #[arg(long, value_enum, value_name = "SENSE", default_value_t)]
    permission: Sense,
    /// How skills are ranked [default: what the config says, else lexical]
    #[arg(long, value_name = "RANKER", value_parser = ranker())]
    ranker: Option<Ranker>,
    /// The least score of a match by request [default: half of the best, if that is relevant]
    #[arg(long, value_name = "X", value_parser = number, allow_negative_numbers = true)]
    min_score: Option<f32>,
    /// At most so many characters of a skill's text
    #[arg(long, value_name = "N", default_value_t = prowess::context::MAX_CHARS)]
    max_chars: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum HowStrict {
    /// Refuse the skill and try the next
    #[default]
    Strict,
    /// Leave the tool out and say so
    Permissive,
    /// As strict; where nothing is left, the generalist takes over
    Fallback,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Sense {
    /// What is listed runs without asking
    #[default]
    Preapprove,
    /// Nothing else may be used
    Restrict,
    /// It informs and decides nothing
    Advisory,
}

/// What `context --json` prints.
#[derive(Debug, Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    envelope: Option<Envelope>,
    refused: &'a [Refusal],
    warnings: &'a [String],
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = Arc::new(session.load(&Request::default())?);
    for name in arguments.name.iter().chain(&arguments.generalist) {
        find(&catalog, name)?;
    }
    if arguments.generalist.is_some() && arguments.mode != HowStrict::Fallback {
        return Err(
            Failure::usage("a generalist takes over only in fallback mode")
                .hint("add `--mode fallback`"),
        );
    }
    let strategies = strategies(arguments, session)?;
    let options = options(arguments, session);
    let coordinator = Coordinator::new(
        Arc::clone(&catalog),
        Arc::new(arguments.tools.clone()),
        options,
    );
    let resolution = coordinator.resolve(&strategies);
    let exit = Exit::found(resolution.context.is_none());
    if arguments.json {
        session.output.json(&Output {
            envelope: resolution.context.as_ref().map(SkillContext::envelope),
            refused: &resolution.refused,
            warnings: &resolution.warnings,
        })?;
    } else {
        print(&resolution, session)?;
    }
    super::prompt::note_untrusted(catalog.skills(), session);
    Ok(exit)
}

/// By name, then by request, then by tag: from the surest wish to the widest.
fn strategies(arguments: &Arguments, session: &mut Session) -> Result<Vec<Strategy>, Failure> {
    let names = arguments.name.iter().cloned().map(Strategy::Name);
    let query = if arguments.query.is_empty() {
        None
    } else {
        Some(Strategy::Query(request(&arguments.query, session)?))
    };
    let tags = arguments.tag.iter().cloned().map(Strategy::Tag);
    Ok(names.chain(query).chain(tags).collect())
}

fn options(arguments: &Arguments, session: &Session) -> ContextOptions {
    let mut options = ContextOptions::default();
    options.mode = match arguments.mode {
        HowStrict::Strict => Mode::Strict,
        HowStrict::Permissive => Mode::Permissive,
        HowStrict::Fallback => Mode::Fallback,
    };
    options.policy.ranker = ranker_of(arguments.ranker, session);
    options.policy.min_score = arguments.min_score;
    options.max_chars = arguments.max_chars;
    options.authority.permission = match arguments.permission {
        Sense::Preapprove => Permission::Preapprove,
        Sense::Restrict => Permission::Restrict,
        Sense::Advisory => Permission::Advisory,
    };
    options.generalist = arguments.generalist.clone().map(Generalist::Skill);
    options
}

/// The instruction as data, and where it comes from as a message.
fn print(resolution: &Resolution<String>, session: &mut Session) -> Result<(), Failure> {
    if let Some(context) = &resolution.context {
        session.output.foreign(&context.instruction)?;
        session.output.data("\n")?;
        session.output.finish()?;
    }
    for refusal in &resolution.refused {
        let missing = quoted(&refusal.tools_missing);
        let text = format!(
            "`{}` needs {missing}, which the host does not have",
            line(&refusal.name)
        );
        session.output.say(Paint::warning, "refused", &text);
    }
    for warning in &resolution.warnings {
        session.output.warning(&line(warning));
    }
    let Some(context) = &resolution.context else {
        let text = "no skill fits what was asked";
        session.output.say(Paint::warning, "none", text);
        session.output.hint(if resolution.refused.is_empty() {
            "`prowess select QUERY` shows what comes near"
        } else {
            "name more tools with `--tools`, or let them be left out with `--mode permissive`"
        });
        return Ok(());
    };
    let name = context.provenance.name.as_deref().unwrap_or_default();
    let mut parts = vec![format!("`{}`", line(name))];
    let confidence = context.provenance.confidence;
    parts.extend(confidence.map(|it| format!("confidence {}", percent(it))));
    let bound: Vec<&str> = context.tools.iter().map(|tool| &*tool.name).collect();
    parts.push(match bound.as_slice() {
        [] => "without tools".to_owned(),
        bound => format!("with {}", quoted(bound)),
    });
    session
        .output
        .say(Paint::good, "context", &parts.join(", "));
    Ok(())
}

fn quoted<T: AsRef<str>>(words: &[T]) -> String {
    let words = words
        .iter()
        .map(|word| format!("`{}`", line(word.as_ref())));
    list(&words.collect::<Vec<_>>())
}
