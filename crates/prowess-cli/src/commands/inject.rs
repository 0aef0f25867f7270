//! `prowess inject`: the user's message, with the skill that answers it before it.

use clap::Args;
use prowess::{
    Injection,
    inject::{InjectionResult, MAX_CHARS, Message, SkipReason},
    select::Ranker,
};
use serde::Serialize;

use super::select::{number, percent, ranker, ranker_of, request};
use crate::{
    exit::{Exit, Failure},
    places::Request,
    render::{Paint, line},
    session::Session,
};

/// Put the skill that answers a message before it; off until a threshold is given
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The user's message; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Inject a skill from this confidence on (0 to 1); without it nothing is injected
    #[arg(long, value_name = "X", value_parser = number)]
    threshold: Option<f32>,
    /// Who speaks; only a user's message is changed
    #[arg(long, value_name = "ROLE", default_value = "user")]
    role: String,
    /// At most so many characters of the skill's text
    #[arg(long, value_name = "N", default_value_t = MAX_CHARS)]
    max_chars: usize,
    /// How skills are ranked [default: what the config says, else lexical]
    #[arg(long, value_name = "RANKER", value_parser = ranker())]
    ranker: Option<Ranker>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `inject --json` prints.
#[derive(Debug, Serialize)]
struct Output<'a> {
    injected: bool,
    /// Why nothing was.
    reason: Option<&'static str>,
    name: Option<&'a str>,
    score: Option<f32>,
    confidence: Option<f32>,
    truncated: bool,
    neutralized: usize,
    text: &'a str,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let text = request(&arguments.text, session)?;
    let catalog = session.load(&Request::default())?;
    let mut injection = Injection::default();
    injection.confidence = arguments.threshold;
    injection.policy.ranker = ranker_of(arguments.ranker, session);
    injection.max_chars = arguments.max_chars;
    let mut message = Message::<()>::text(arguments.role.as_str(), text);
    let injected = injection.inject(&catalog, &mut message);
    let text = message.parts[0].text().unwrap_or_default();
    let exit = if matches!(injected, InjectionResult::Yes { .. }) {
        Exit::Fine
    } else {
        Exit::Findings
    };
    if arguments.json {
        session.output.json(&output(&injected, text))?;
        return Ok(exit);
    }
    session.output.foreign(text)?;
    session.output.data("\n")?;
    session.output.finish()?;
    report(&injected, session);
    super::prompt::note_untrusted(catalog.skills(), session);
    Ok(exit)
}

fn output<'a>(injected: &'a InjectionResult, text: &'a str) -> Output<'a> {
    let empty = Output {
        injected: false,
        reason: None,
        name: None,
        score: None,
        confidence: None,
        truncated: false,
        neutralized: 0,
        text,
    };
    match injected {
        InjectionResult::Yes {
            name,
            score,
            confidence,
            truncated,
            neutralized,
            ..
        } => Output {
            injected: true,
            name: Some(name),
            score: Some(*score),
            confidence: Some(*confidence),
            truncated: *truncated,
            neutralized: neutralized.len(),
            ..empty
        },
        InjectionResult::No(why) => Output {
            reason: Some(word(*why)),
            confidence: match why {
                SkipReason::Unsure { confidence } => Some(*confidence),
                _ => None,
            },
            ..empty
        },
        // The command checks no tools, so nothing is refused for want of one.
        _ => empty,
    }
}

/// The word a machine reads.
fn word(why: SkipReason) -> &'static str {
    match why {
        SkipReason::Off => "off",
        SkipReason::NotUser => "not-user",
        SkipReason::NoText => "no-text",
        SkipReason::AlreadyThere => "already-there",
        SkipReason::NoMatch => "no-match",
        SkipReason::NotLoaded => "not-loaded",
        SkipReason::Unsure { .. } => "unsure",
        _ => "other",
    }
}

fn report(injected: &InjectionResult, session: &mut Session) {
    let why = match injected {
        InjectionResult::Yes {
            name,
            confidence,
            truncated,
            ..
        } => {
            let cut = if *truncated { ", cut to fit" } else { "" };
            let (name, sure) = (line(name), percent(*confidence));
            let text = format!("`{name}`, confidence {sure}{cut}");
            return session.output.say(Paint::good, "injected", &text);
        }
        InjectionResult::No(why) => *why,
        _ => return,
    };
    let (text, step) = match why {
        SkipReason::Off => (
            "injection is off, because a score alone chooses wrongly too often".to_owned(),
            Some("`--threshold 0.8` turns it on for matches that are this sure"),
        ),
        SkipReason::NotUser => ("only a user's message is changed".to_owned(), None),
        SkipReason::NoText => ("there are no words in the message".to_owned(), None),
        SkipReason::AlreadyThere => ("the message carries a skill already".to_owned(), None),
        SkipReason::NoMatch => (
            "no skill answers the message".to_owned(),
            Some("`prowess list` shows what there is"),
        ),
        SkipReason::NotLoaded => (
            "the best match is a remote skill that cannot be loaded now".to_owned(),
            Some("`prowess select TEXT` names it, and `prowess activate NAME` tells why"),
        ),
        SkipReason::Unsure { confidence } => (
            format!("the best match is only {} sure", percent(confidence)),
            Some("`prowess select TEXT` shows the matches"),
        ),
        _ => return,
    };
    session.output.say(Paint::warning, "unchanged", &text);
    if let Some(step) = step {
        session.output.hint(step);
    }
}
