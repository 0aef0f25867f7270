//! What `check --format html` prints: one file to look at, or to keep with a run of CI.

use prowess::format::{Diagnostic, Severity};

use super::{Checked, Checks};
use crate::{
    render::{
        Paint, count,
        diagnostic::render,
        html::{badge, page, text, tile},
    },
    session::Session,
};

/// A line is as wide as on a terminal.
const COLUMNS: usize = 100;

/// Draws every finding, those that decide first.
pub(super) fn output(checks: &Checks, session: &Session) -> String {
    let mut all: Vec<&Checked> = checks
        .all()
        .filter(|it| !it.diagnostics.is_empty())
        .collect();
    all.sort_by_key(|it| it.diagnostics.iter().map(|it| it.severity).min());
    let [errors, warnings, hints] =
        [Severity::Error, Severity::Warning, Severity::Hint].map(|it| checks.count(it));
    let mut body = format!(
        "<div class=\"tiles\">{}{}{}{}</div>\n",
        tile(
            "skills",
            &checks.skills.len().to_string(),
            "that were checked"
        ),
        tile(
            "errors",
            &errors.to_string(),
            "a client drops the skill, or part of it"
        ),
        tile(
            "warnings",
            &warnings.to_string(),
            "it may not do what its author meant"
        ),
        tile("hints", &hints.to_string(), "a matter of taste"),
    );
    if all.is_empty() {
        body += "<p class=\"banner good\">Nothing is wrong.</p>\n";
    }
    for checked in all {
        body += &skill(checked, session);
    }
    page("What is wrong with these skills", &body)
}

fn skill(checked: &Checked, session: &Session) -> String {
    let path = session.environment.shorten(&checked.path);
    let counts = [
        (Severity::Error, "error", "bad"),
        (Severity::Warning, "warning", "warn"),
        (Severity::Hint, "hint", "dim"),
    ];
    let mut badges = String::new();
    for (severity, word, tone) in counts {
        let number = checked.count(severity);
        if number > 0 {
            badges += " ";
            badges += &badge(&count(number, word), tone);
        }
    }
    let mut diagnostics: Vec<&Diagnostic> = checked.diagnostics.iter().collect();
    diagnostics.sort_by_key(|it| (it.severity, it.position));
    let mut findings = String::new();
    for diagnostic in diagnostics {
        let drawn = render(
            diagnostic,
            &path,
            checked.text(),
            Paint::new(false),
            COLUMNS,
        );
        findings += "<pre>";
        findings += &text(&drawn);
        findings += "</pre>\n";
    }
    format!(
        "<details class=\"card\" open><summary><span class=\"strong\">{}</span>{badges} <span class=\"faint small\">{}</span></summary>\n{findings}</details>\n",
        text(checked.name().unwrap_or_default()),
        text(&path)
    )
}
