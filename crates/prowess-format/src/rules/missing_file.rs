//! `missing-file`: every file the instructions speak of is there.
//!
//! Half of the skills that speak of files name one that is not there; the model then looks for
//! it, or makes it up.

use std::collections::BTreeMap;

use crate::{
    Edit, Fix, Span,
    links::Target,
    nearest_within,
    rules::{Folder, Levels, Report, Rule, Subject},
};

/// Checked by `check`, where the folder was looked at.
pub static RULE: Rule = Rule {
    code: "missing-file",
    summary: "every file the instructions speak of is there",
    levels: Levels::LOUD,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(folder) = subject.folder else {
        return;
    };
    let mut missing: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    let about_skills = is_about_skills(subject);
    for reference in subject.document.references() {
        if let Target::Inside(path) = reference.target
            && !is_there(folder, &path)
            && (reference.linked || !about_skills)
            && !is_example(subject.document.text(), reference.span, &path)
        {
            missing.entry(path).or_default().push(reference.span);
        }
    }
    for (path, spans) in missing {
        tell(subject, folder, &path, &spans, report);
    }
}

/// Whether a skill is about writing skills, so that a path in backticks is as likely one of a skill
/// that it speaks of; a link still leads somewhere.
fn is_about_skills(subject: &Subject<'_>) -> bool {
    let description = subject.document.description().unwrap_or_default();
    let mentions = subject.document.instructions().matches("SKILL.md");
    description.to_ascii_lowercase().contains("skill") && mentions.take(4).count() > 3
}

/// Whether a path only shows what one may look like: its line says so, or its name does.
fn is_example(text: &str, span: Span, path: &str) -> bool {
    let start = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[span.end..]
        .find('\n')
        .map_or(text.len(), |end| span.end + end);
    let line = text[start..end].to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    EXAMPLES.iter().any(|word| line.contains(word))
        || has_blank(&line)
        || SAMPLE_NAMES.iter().any(|sample| name.starts_with(sample))
}

/// Whether a line has a blank to fill in, such as `[description]`, so that it is a template.
fn has_blank(line: &str) -> bool {
    line.match_indices('[').any(|(open, _)| {
        line[open..].find(']').is_some_and(|end| {
            let inside = &line[open + 1..open + end];
            let after = &line[open + end + 1..];
            let letters = inside.chars().filter(|c| c.is_alphabetic()).count();
            letters > 1 && !inside.contains(['`', '[']) && !after.starts_with(['(', '[', ':'])
        })
    })
}

/// Words of a sentence that gives an example.
static EXAMPLES: &[&str] = &[
    "example",
    "e.g.",
    "for instance",
    "such as",
    "would be helpful",
    "might",
    "could contain",
];

/// How names start that stand for any file.
static SAMPLE_NAMES: &[&str] = &[
    "filename.",
    "file.",
    "name.",
    "your",
    "my-",
    "my_",
    "foo",
    "example",
];

/// Whether a path is a file of the folder, or a folder with a file in it.
fn is_there(folder: &Folder, path: &str) -> bool {
    path.is_empty()
        || folder.files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}

fn tell(
    subject: &Subject<'_>,
    folder: &Folder,
    path: &str,
    spans: &[Span],
    report: &mut Report<'_>,
) {
    let times = match spans.len() {
        1 => String::new(),
        count => format!(" ({count} times)"),
    };
    let message = format!("`{}` is not in the skill{times}", crate::shown(path));
    let paths = || folder.files.iter().map(|file| file.path.as_str());
    // Some disks tell `API.md` from `api.md` and some do not: the author's does not.
    if let Some(meant) = paths().find(|file| file.eq_ignore_ascii_case(path)) {
        let text = subject.document.text();
        let edits = spans
            .iter()
            .filter(|span| span.of(text).ends_with(path))
            .map(|span| Edit {
                span: Span::new(span.end - path.len(), span.end),
                text: meant.to_owned(),
            })
            .collect();
        let title = format!("write `{}`, as the file is called", crate::shown(meant));
        report.note_with_fix(&RULE, spans[0], message, Fix { title, edits });
        return;
    }
    let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let wanted = file_name(path);
    // Every skill has a `SKILL.md`; another one's is never this one's.
    let moved = paths().find(|file| file_name(file) == wanted && *file != "SKILL.md");
    let near = || nearest_within(path, paths(), 2).first().copied();
    let help = match moved.or_else(near) {
        Some(meant) => format!("add it, or write `{}`", crate::shown(meant)),
        None => "add the file, or take the mention out".to_owned(),
    };
    report.note_with_help(&RULE, spans[0], message, help);
}
