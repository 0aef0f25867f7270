//! `prowess why NAME --query Q`: the rank a skill got for a request, who beat it and by which
//! words, and which words in its description would change that.

use std::{fmt::Write as _, ptr};

use prowess::{
    Catalog, DescriptionChange, Skill, State, display_path,
    explain::{Explanation, Lead, Why},
    select::{Policy, Ranker},
};
use serde::Serialize;

use super::{Arguments, nowhere, reason};
use crate::{
    commands::{
        prompt::note_untrusted,
        select::{percent, ranker_of, request},
    },
    exit::{Exit, Failure},
    find::find,
    places::Request,
    render::{cut, explain::bars, line, list, width, wrap},
    session::Session,
};

/// What `why NAME --query Q --json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Output<'a> {
    query: &'a str,
    ranker: &'static str,
    decision: &'static str,
    id: Option<&'a str>,
    name: &'a str,
    path: String,
    /// Why it is not ranked at all, whatever the request.
    left_out: Option<String>,
    /// From 1; `null` where it shares nothing with the request.
    rank: Option<usize>,
    /// How many skills share anything with the request.
    ranked: usize,
    score: f32,
    confidence: f32,
    explain: Explanation,
    rivals: Vec<Rival<'a>>,
    /// Words that would help, each tried alone.
    advice: Vec<Advice>,
    /// The fewest words found that bring it to the front together.
    change: Option<DescriptionChange>,
}

#[derive(Debug, Serialize)]
struct Rival<'a> {
    rank: usize,
    id: Option<&'a str>,
    name: &'a str,
    path: String,
    score: f32,
    leads: Vec<Lead>,
}

#[derive(Debug, Serialize)]
struct Advice {
    word: String,
    rank: usize,
    score: f32,
}

pub(super) fn run(
    arguments: &Arguments,
    query: &str,
    session: &mut Session,
) -> Result<Exit, Failure> {
    let query = request(&[query.to_owned()], session)?;
    let catalog = session.load(&Request {
        look_at_untrusted: true,
        ..Request::default()
    })?;
    let Ok(skill) = find(&catalog, &arguments.name) else {
        return Err(nowhere(&catalog, &arguments.name, session));
    };
    note_untrusted(catalog.skills(), session);
    let ranker = ranker_of(arguments.ranker, session);
    let output = output(&catalog, skill, &query, ranker, session)?;
    if arguments.json {
        session.output.json(&output)?;
    } else {
        let text = tell(&output, session);
        session.output.data(&text)?;
    }
    Ok(Exit::Fine)
}

/// Puts why a skill stands where it stands into the published shape; a failure says why it is not
/// ranked at all.
pub(crate) fn output<'a>(
    catalog: &'a Catalog,
    skill: &'a Skill,
    query: &'a str,
    ranker: Ranker,
    session: &Session,
) -> Result<Output<'a>, Failure> {
    let policy = Policy {
        ranker,
        top_k: usize::MAX,
        min_score: Some(ranker.lowest_score()),
        ..Policy::default()
    };
    if let Some(why) = catalog.why(query, skill, &policy) {
        return Ok(answer(catalog, skill, why, query, &policy, session));
    }
    Err(not_ranked(catalog, skill, session))
}

/// Says why a skill is not ranked at all.
pub(crate) fn not_ranked(catalog: &Catalog, skill: &Skill, session: &Session) -> Failure {
    let why = reason(skill, catalog, session).unwrap_or_default();
    let failure = Failure::no_match(format!(
        "`{}` is {} and is not ranked for any request: {why}",
        skill.name(),
        skill.state().as_str()
    ));
    match skill.state() {
        State::Untrusted => failure.hint("`--trust` ranks it for this run"),
        _ => failure,
    }
}

fn answer<'a>(
    catalog: &'a Catalog,
    skill: &'a Skill,
    why: Why<'a>,
    query: &'a str,
    policy: &Policy,
    session: &Session,
) -> Output<'a> {
    let Why {
        rank,
        ranked,
        explanation,
        rivals,
        advice,
        ..
    } = why;
    let manual = skill.is_manual();
    let selection = catalog.select(
        query,
        &Policy {
            include_manual: manual,
            ..policy.clone()
        },
    );
    let own = selection
        .matches
        .iter()
        .find(|it| ptr::eq(it.skill(), skill));
    let offered = rank == Some(1) && !selection.decision.is_none();
    let change = (!offered).then(|| catalog.change(query, skill, policy));
    // Words that move nothing are no advice.
    let helps = |it: &DescriptionChange| it.is_offered() || is_ahead(it.rank, rank);
    Output {
        query,
        ranker: policy.ranker.name(),
        decision: selection.decision.name(),
        id: skill.id(),
        name: skill.name(),
        path: display_path(skill.path()),
        left_out: manual.then(|| reason(skill, catalog, session)).flatten(),
        rank,
        ranked,
        score: explanation.score,
        confidence: own.map_or(0.0, |own| own.confidence),
        explain: explanation,
        rivals: rivals
            .into_iter()
            .enumerate()
            .map(|(at, rival)| {
                let skill = rival.skill;
                Rival {
                    rank: at + 1,
                    id: skill.id(),
                    name: skill.name(),
                    path: display_path(skill.path()),
                    score: rival.score,
                    leads: rival.leads,
                }
            })
            .collect(),
        advice: advice
            .into_iter()
            .map(|it| Advice {
                word: it.word,
                rank: it.rank,
                score: it.score,
            })
            .collect(),
        change: change.flatten().filter(helps),
    }
}

fn tell(output: &Output<'_>, session: &Session) -> String {
    let (paint, columns) = (session.output.paint, session.output.columns);
    let asked = cut(
        &line(output.query),
        columns.saturating_sub(width(output.name) + 8),
    );
    let mut text = format!("{} for `{asked}`\n", paint.strong(&line(output.name)));
    let mut row = |label: &str, value: &str| {
        for (at, part) in wrap(value, columns.saturating_sub(12)).iter().enumerate() {
            let label = if at == 0 { label } else { " " };
            let gap = " ".repeat(10 - width(label).min(9));
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}{gap}{part}", paint.faint(label));
        }
    };
    if let Some(reason) = &output.left_out {
        row("here", &format!("never chosen by itself: {reason}"));
    }
    match output.rank {
        Some(rank) => row(
            "rank",
            &format!(
                "{rank} of {} with a word of the request, score {:.2}, confidence {}",
                output.ranked,
                output.score,
                percent(output.confidence),
            ),
        ),
        None => row("rank", "none: it shares no word with the request"),
    }
    // The decision is about the request, and not about this skill's own chance.
    row(
        "request",
        match output.decision {
            "confident" => "confident: the first match answers it",
            "ambiguous" => "ambiguous: one of several may answer it",
            _ => "none: nothing fits well enough to be chosen",
        },
    );
    for (at, rival) in output.rivals.iter().enumerate() {
        let label = if at == 0 { "behind" } else { " " };
        let mut leads: Vec<(&str, f32)> = Vec::new();
        for lead in &rival.leads {
            match leads.iter_mut().find(|(word, _)| *word == lead.word) {
                // A compound leads by its parts, but a person wrote one word.
                Some((_, by)) => *by += lead.by,
                None => leads.push((&lead.word, lead.by)),
            }
        }
        let words: Vec<String> = leads
            .iter()
            // A lead that rounds to nothing decided nothing.
            .filter(|(_, by)| *by >= 0.005)
            .take(4)
            .map(|(word, by)| format!("`{}` +{by:.2}", line(word)))
            .collect();
        let by = match words.as_slice() {
            [] => "the order of its words".to_owned(),
            words => list(words),
        };
        row(
            label,
            &format!("{} with {:.2}, by {by}", line(rival.name), rival.score),
        );
    }
    for (at, step) in steps(output).iter().enumerate() {
        row(if at == 0 { "change" } else { " " }, step);
    }
    if output.rank.is_some() {
        text.push('\n');
        text += &bars(&output.explain, 0.0, paint, columns);
    }
    text
}

/// What to change, each step tried.
fn steps(output: &Output<'_>) -> Vec<String> {
    if output.rank == Some(1) && output.decision != "none" {
        return vec!["nothing: it comes first".to_owned()];
    }
    let mut steps = Vec::new();
    let quoted = |words: &[String]| {
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("`{}`", line(word)))
            .collect();
        list(&words)
    };
    match &output.change {
        Some(change) => {
            let rank = change.rank.unwrap_or_default();
            steps.push(format!(
                "say {} in its description: rank {rank}, score {:.2}, confidence {}",
                quoted(&change.words),
                change.score,
                percent(change.confidence),
            ));
            if change.words.len() > 1 {
                let mut alone: Vec<String> = Vec::new();
                for it in &output.advice {
                    let step = format!("`{}` rank {}", line(&it.word), it.rank);
                    if alone.len() < 3 && !alone.contains(&step) {
                        alone.push(step);
                    }
                }
                if !alone.is_empty() {
                    steps.push(format!("one word alone: {}", alone.join(", ")));
                }
            }
        }
        _ if output.rank == Some(1) => {
            steps.push("it comes first, and no word of the request makes it surer".to_owned());
        }
        _ => {
            let first = output.rivals.first().map_or("the others", |it| it.name);
            steps.push(format!(
                "no word of the request helps its description; say in `{}` what that skill is not for",
                line(first)
            ));
        }
    }
    steps
}

/// Whether a rank is better than the one before, which may be none.
fn is_ahead(rank: Option<usize>, before: Option<usize>) -> bool {
    rank.is_some_and(|rank| before.is_none_or(|before| rank < before))
}
