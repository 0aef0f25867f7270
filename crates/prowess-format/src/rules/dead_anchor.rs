//! `dead-anchor`: a link to a heading leads to one that is there.
//!
//! A link inside the page leads to a heading; one that was renamed or removed leads nowhere.

use std::collections::{HashMap, HashSet};

use crate::{
    Severity, Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "dead-anchor",
    summary: "a link to a heading leads to one that is there",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let body = document.instructions();
    if !body.contains("](#") {
        return;
    }
    let mut anchors: HashSet<String> = HashSet::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut previous = "";
    for line in lines(document).filter(|line| !line.fenced) {
        let text = line.text.trim();
        let underlined =
            !previous.is_empty() && text.len() > 1 && text.trim_matches(['=', '-']).is_empty();
        let heading = text.trim_start_matches('#');
        let heading = match text.len() - heading.len() {
            1..=6 => Some(heading),
            _ => underlined.then_some(previous),
        };
        if let Some(heading) = heading {
            let slug = slug(heading);
            let count = times.entry(slug.clone()).or_default();
            anchors.insert(if *count == 0 {
                slug
            } else {
                format!("{slug}-{count}")
            });
            *count += 1;
        }
        for mark in ["id=\"", "name=\"", "{#"] {
            for (at, _) in line.text.match_indices(mark) {
                let rest = &line.text[at + mark.len()..];
                let end = rest.find(['"', '}']).unwrap_or(0);
                anchors.insert(rest[..end].to_lowercase());
            }
        }
        previous = text;
    }
    for line in lines(document).filter(|line| !line.fenced) {
        for (at, _) in line.text.match_indices("](#") {
            let ticks = line.text[..at].matches('`').count();
            let target = &line.text[at + 3..];
            let target = &target[..target.find([')', ' ']).unwrap_or(0)];
            let wanted = target.to_lowercase();
            if target.is_empty() || ticks % 2 == 1 || target.contains(['%', '<', '{', '$']) {
                continue;
            }
            // Pages differ in how they turn signs into hyphens; the letters decide.
            let letters =
                |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
            if !anchors
                .iter()
                .any(|anchor| *anchor == wanted || letters(anchor) == letters(&wanted))
            {
                let start = line.start + at + 2;
                report.note_with_help(
                    &RULE,
                    Span::new(start, start + 1 + target.len()),
                    format!("no heading is called `#{}`", crate::shown(target)),
                    "write the heading's words in lower case with hyphens, or take the link out",
                );
            }
        }
    }
}

/// The anchor of a heading, as GitHub makes it.
fn slug(heading: &str) -> String {
    let heading = heading.trim().trim_end_matches('#').trim();
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading
        .to_lowercase()
        .chars()
        .filter(kept)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
