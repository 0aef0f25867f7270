//! `prowess prompt`: the list of skills as a model reads it.

use clap::Args;
use prowess::{HiddenBy, Skill, State, TrustDecision};

use super::budget::{Fit, say_usage};
use crate::{
    exit::{Exit, Failure},
    find::find,
    places::Request,
    render::{count, line},
    session::Session,
};

/// Print the `<available_skills>` block for a system prompt
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only these skills
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    fit: Fit,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = session.load(&Request::default())?;
    let mut wanted = Vec::new();
    for name in &arguments.names {
        let skill = find(&catalog, name)?;
        if skill.is_model_visible() {
            wanted.push(skill.name().to_owned());
        } else {
            let reason = super::show::reason(skill, &catalog, session).unwrap_or_default();
            let state = skill.state().as_str();
            let name = line(skill.name());
            session
                .output
                .hint(&format!("`{name}` is left out ({state}): {reason}"));
        }
    }
    let catalog = if arguments.names.is_empty() {
        catalog
    } else {
        // The block is the library's; a narrower list of names gives a narrower block.
        session.config.allowed.value = Some(wanted);
        session.load(&Request::default())?
    };
    let fitted = arguments.fit.names(&catalog)?;
    let prompt = catalog.prompt(&fitted.options(session));
    let (block, report) = (prompt.text, prompt.report);
    if !block.is_empty() {
        session.output.foreign(&block)?;
        session.output.data("\n")?;
    }
    session.output.finish()?;
    if report.budget.is_some() && report.skills > 0 {
        say_usage(&report, session);
    }
    note_untrusted(catalog.skills(), session);
    if catalog.model_visible().next().is_none() {
        session
            .output
            .hint("no skill can be given to a model; `prowess list --all` shows what is here");
        return Ok(Exit::Findings);
    }
    Ok(Exit::Fine)
}

/// Says what is kept from a model, and how to let it through.
pub(crate) fn note_untrusted(skills: &[Skill], session: &mut Session) {
    for note in left_out(skills) {
        session.output.hint(&note);
    }
}

/// What is kept from a model, one step each.
pub(super) fn left_out(skills: &[Skill]) -> Vec<String> {
    let waiting = |decision: TrustDecision| {
        let waits =
            |skill: &&Skill| skill.state() == State::Untrusted && skill.decision() == decision;
        skills.iter().filter(waits).count()
    };
    let untrusted = match waiting(TrustDecision::Ask) {
        0 => None,
        1 => Some("1 skill of an untrusted project is".to_owned()),
        number => Some(format!(
            "{} of an untrusted project are",
            count(number, "skill")
        )),
    };
    let step = "left out; look at the project, then run `prowess trust`";
    let mut notes: Vec<String> = untrusted
        .map(|them| format!("{them} {step}"))
        .into_iter()
        .collect();
    notes.extend(changed(waiting(TrustDecision::Changed)));
    let off = |skill: &Skill| skill.state() == State::Hidden(HiddenBy::Disabled);
    if skills.iter().any(off) {
        notes.push("skills are switched off; `prowess config` says where".to_owned());
    }
    notes
}

/// Says that trusted skills are not what they were.
pub(super) fn changed(number: usize) -> Option<String> {
    let them = match number {
        0 => return None,
        1 => "1 skill changed since you trusted it and is".to_owned(),
        number => format!(
            "{} changed since you trusted them and are",
            count(number, "skill")
        ),
    };
    Some(format!("{them} left out; `prowess trust --diff` shows how"))
}

/// Refuses to hand out the files of a skill the user has not trusted.
pub(super) fn must_be_trusted(skill: &Skill) -> Result<(), Failure> {
    if skill.is_trusted() {
        return Ok(());
    }
    let name = skill.name();
    Err(match skill.decision() {
        TrustDecision::Changed => Failure::new(format!(
            "`{name}` changed since it was trusted, so its files are not handed out"
        ))
        .hint("`prowess trust --diff` shows how; `prowess trust` accepts it"),
        TrustDecision::Denied => Failure::new(format!(
            "`{name}` is denied, so its files are not handed out"
        ))
        .hint("`prowess trust --revoke` takes the denial back"),
        _ => Failure::new(format!(
            "the project of `{name}` is not trusted, so its files are not handed out"
        ))
        .hint("look at the project, then run `prowess trust`, or use `--trust` for one run"),
    })
}
