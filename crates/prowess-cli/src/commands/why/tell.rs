//! The story of one skill as a person reads it.

use std::fmt::Write as _;

use prowess::{
    Skill, State,
    dialect::{Outcome, Verdict},
    format::{Severity, rules},
    wire::DiagnosticRow,
};

use super::Story;
use crate::{
    commands::show::places,
    render::{Paint, count, line, width},
    session::Session,
};

/// The story of one skill.
pub(super) fn tell(story: &Story<'_>, skill: &Skill, session: &Session) -> String {
    let paint = session.output.paint;
    let mut text = format!("{}\n", paint.strong(&line(story.name)));
    let mut row = |label: &str, value: &str| {
        let gap = " ".repeat(10 - width(label).min(9));
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {}{gap}{value}", paint.faint(label));
    };
    let root = session.environment.shorten(&skill.origin().root);
    row("found", &session.environment.shorten(skill.path()));
    row(
        " ",
        &format!("{} scope, in {root} ({})", story.scope, line(story.origin)),
    );
    for (label, value) in places(skill, session) {
        row(label, &value);
    }
    row("read", &how_it_reads(story));
    for repair in &story.repairs {
        let help = repair
            .help
            .map_or_else(String::new, |help| format!(" ({})", line(help)));
        row(
            " ",
            &format!("line {}: {}{help}", repair.line, line(repair.message)),
        );
    }
    let state = match &story.reason {
        Some(reason) => format!("{}: {reason}", colored(skill.state(), paint)),
        None => format!(
            "{}: a model is told about it",
            colored(skill.state(), paint)
        ),
    };
    row("here", &state);
    for found in story
        .diagnostics
        .iter()
        .filter(|it| is_news(it, skill.state()))
    {
        let severity = paint.severity(found.severity, found.severity.as_str());
        let known = story.reason.as_deref() == Some(line(found.message).as_str());
        if !known {
            let place = format!("{}:{}", found.line, found.column);
            row(" ", &format!("{severity} {place} {}", line(found.message)));
        }
    }
    // A skill that is not in use is served to nobody; its state says why.
    if let Some(reason) = story.mcp.reason.as_deref().filter(|_| skill.is_callable()) {
        row("mcp", &format!("no entry for hosts: {reason}"));
    }
    text + &clients(&story.clients, paint)
}

/// Whether a finding says more than the state and its reason do.
fn is_news(found: &DiagnosticRow<'_>, state: State) -> bool {
    let told: &[&str] = match state {
        State::Untrusted => &[rules::untrusted::RULE.code, rules::changed_skill::RULE.code],
        State::Shadowed { .. } => &[rules::shadowed::RULE.code],
        _ => &[],
    };
    found.severity != Severity::Hint && !told.contains(&found.code)
}

/// What each client makes of it, and the steps that would change that. Of several clients, each
/// tells only what decided, and of a skill in no folder of its own what would decide there; one
/// alone tells everything.
fn clients(verdicts: &[Verdict], paint: Paint) -> String {
    let mut text = String::new();
    let mut row = |label: &str, value: &str| {
        let gap = " ".repeat(10 - width(label).min(9));
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {}{gap}{}", paint.faint(label), value.trim_end());
    };
    let widest = verdicts.iter().map(|it| width(&it.title)).max();
    let widest = widest.unwrap_or(0);
    let mut steps: Vec<&str> = Vec::new();
    let all = verdicts.len() == 1;
    // Where most do not look, one step serves them all.
    let misplaced = verdicts.iter().filter(|it| is_misplaced(it)).count();
    let common = !all && misplaced * 2 > verdicts.len();
    if common {
        steps.push("put it into a folder that these clients read: `prowess clients` lists them");
    }
    for (at, verdict) in verdicts.iter().enumerate() {
        let most = match is_misplaced(verdict) {
            _ if all => usize::MAX,
            true => 2,
            false => 1,
        };
        let findings = verdict.findings.iter().take(most);
        let mut told: Vec<String> = findings.clone().map(|it| line(&it.message)).collect();
        if told.is_empty() {
            let call = verdict.call.as_deref().map(line);
            told.extend(call.map(|call| format!("call it with {call}")));
        }
        if all {
            told.extend(verdict.notes.iter().map(|note| line(note)));
        }
        let open = findings.skip(usize::from(common && is_misplaced(verdict)));
        for step in open.filter_map(|it| it.help.as_deref()) {
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        let label = if at == 0 { "clients" } else { " " };
        let gap = " ".repeat(widest - width(&verdict.title));
        let head = format!(
            "{}{gap}  {}  ",
            verdict.title,
            outcome(verdict.outcome, paint)
        );
        let mut told = told.iter();
        row(
            label,
            &format!("{head}{}", told.next().map_or("", String::as_str)),
        );
        for more in told {
            row(" ", &format!("{}{more}", " ".repeat(widest + 11)));
        }
    }
    for (at, step) in steps.iter().enumerate() {
        row(if at == 0 { "steps" } else { " " }, &line(step));
    }
    text
}

/// Whether the client does not look where the skill lies.
fn is_misplaced(verdict: &Verdict) -> bool {
    (verdict.findings.first()).is_some_and(|finding| finding.rule == "folders")
}

fn how_it_reads(story: &Story<'_>) -> String {
    let syntax = match story.syntax {
        Some("toml") => "TOML frontmatter",
        Some(_) => "YAML frontmatter",
        None => "no frontmatter",
    };
    let name = match story.name_from {
        "field" => "",
        "folder" => ", named after its folder",
        _ => ", named after its file",
    };
    let repairs = match story.repairs.len() {
        0 => String::new(),
        number => format!(", {} while reading", count(number, "repair")),
    };
    format!("{syntax}, {}{name}{repairs}", count(story.fields, "field"))
}

fn colored(state: State, paint: Paint) -> String {
    match state {
        State::Active => paint.good(state.as_str()),
        State::Broken => paint.error(state.as_str()),
        State::Shadowed { .. } | State::Hidden(_) | State::Untrusted => {
            paint.warning(state.as_str())
        }
    }
}

/// The outcome in a word, padded so that what follows lines up.
fn outcome(outcome: Outcome, paint: Paint) -> String {
    match outcome {
        Outcome::Loads => paint.good("loads  "),
        Outcome::Changed => paint.warning("changed"),
        Outcome::Unknown => paint.faint("unknown"),
        Outcome::Dropped => paint.error("dropped"),
    }
}
