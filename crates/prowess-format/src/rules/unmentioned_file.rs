//! `unmentioned-file`: the instructions speak of every file of the skill.
//!
//! A model reads a file when the instructions speak of it; one that nothing mentions is dead weight,
//! or was forgotten.

use crate::{
    Severity, Span,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "unmentioned-file",
    summary: "the instructions speak of every file of the skill",
    levels: Levels::new(None, Some(Severity::Hint), Some(Severity::Hint)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(folder) = subject.folder else {
        return;
    };
    let body = subject.document.instructions().to_lowercase();
    let unmentioned: Vec<&str> = folder
        .files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| is_material(path) && !is_mentioned(&body, &path.to_lowercase()))
        .collect();
    let Some(first) = unmentioned.first() else {
        return;
    };
    let more = match unmentioned.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    report.note_with_help(
        &RULE,
        Span::at(0),
        format!(
            "the instructions never speak of `{}`{more}",
            crate::shown(first)
        ),
        "say when to read or run it, or take it out",
    );
}

/// Whether a file is there for a model; licences, tests and the like are for people.
fn is_material(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let upper = name.to_ascii_uppercase();
    let for_people = [
        "LICENSE",
        "LICENCE",
        "NOTICE",
        "README",
        "CHANGELOG",
        "SKILL.",
        "REQUIREMENTS",
        "PACKAGE",
    ];
    let top = path.split_once('/').map_or("", |(top, _)| top);
    !path.split('/').any(|part| part.starts_with(['.', '_']))
        && !for_people.iter().any(|it| upper.starts_with(it))
        && (matches!(top, "scripts" | "references")
            || top.is_empty() && [".md", ".py", ".sh"].iter().any(|it| name.ends_with(it)))
        && !path.contains("test")
}

/// Whether the text names the file, its stem, or the folder it lies in.
fn is_mentioned(body: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let within = path.rsplit_once('/').map(|(folder, _)| folder);
    body.contains(stem)
        || within.is_some_and(|folder| {
            body.match_indices(folder).any(|(at, _)| {
                let rest = body[at + folder.len()..].trim_start_matches('/');
                rest.starts_with(['`', ' ', '*', '<', ')', '"', '\n', '.', ',', ':'])
            })
        })
}
