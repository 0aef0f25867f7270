//! What `check --format json` prints.

use prowess::{
    display_path,
    format::{Diagnostic, Fix, LineCursor, Rule, Severity, rules},
    wire::DiagnosticRow,
};
use serde::Serialize;

use super::{Checked, Checks, fix};

/// The whole answer.
#[derive(Debug, Serialize)]
pub(super) struct Output<'a> {
    skills: Vec<SkillRow<'a>>,
    /// What was noticed about paths that are no skill.
    findings: Vec<DiagnosticRow<'a>>,
    summary: Summary,
}

#[derive(Debug, Serialize)]
struct SkillRow<'a> {
    path: String,
    name: Option<&'a str>,
    valid: bool,
    diagnostics: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    code: &'static str,
    severity: Severity,
    message: &'a str,
    line: u32,
    column: u32,
    help: Option<&'a str>,
    page: Option<String>,
    fix: Option<FixRow<'a>>,
}

#[derive(Debug, Serialize)]
struct FixRow<'a> {
    title: &'a str,
    edits: Vec<EditRow<'a>>,
}

/// One replacement; lines and columns count from one, the end excluded, bytes from zero.
#[derive(Debug, Serialize)]
struct EditRow<'a> {
    start: usize,
    end: usize,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    text: &'a str,
}

#[derive(Debug, Serialize)]
struct Summary {
    profile: &'static str,
    skills: usize,
    valid: usize,
    errors: usize,
    warnings: usize,
    hints: usize,
    partial: bool,
}

/// Puts what was found into the published shape.
pub(super) fn output(checks: &Checks) -> Output<'_> {
    Output {
        skills: checks.skills.iter().map(skill_row).collect(),
        findings: checks
            .others
            .iter()
            .flat_map(|other| {
                let row = |it| DiagnosticRow::new(display_path(&other.path), it);
                other.diagnostics.iter().map(row)
            })
            .collect(),
        summary: Summary {
            profile: checks.profile.as_str(),
            skills: checks.skills.len(),
            valid: checks.skills.iter().filter(|it| it.is_valid()).count(),
            errors: checks.count(Severity::Error),
            warnings: checks.count(Severity::Warning),
            hints: checks.count(Severity::Hint),
            partial: checks.partial,
        },
    }
}

fn skill_row(checked: &Checked) -> SkillRow<'_> {
    let text = checked.text().unwrap_or_default();
    SkillRow {
        path: display_path(&checked.path),
        name: checked.name(),
        valid: checked.is_valid(),
        diagnostics: checked
            .diagnostics
            .iter()
            .map(|diagnostic| row(diagnostic, text))
            .collect(),
    }
}

fn row<'a>(diagnostic: &'a Diagnostic, text: &str) -> Row<'a> {
    Row {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: &diagnostic.message,
        line: diagnostic.position.line,
        column: diagnostic.position.column,
        help: diagnostic.help.as_deref(),
        page: rules::find(diagnostic.code).map(Rule::url),
        fix: fix::told(diagnostic).map(|fix| fix_row(fix, text)),
    }
}

fn fix_row<'a>(fix: &'a Fix, text: &str) -> FixRow<'a> {
    // One fix can have as many edits as the file has characters.
    let mut lines = LineCursor::default();
    let edits = fix.edits.iter().map(|edit| {
        let start = lines.position(text.as_bytes(), edit.span.start);
        let end = lines.position(text.as_bytes(), edit.span.end);
        EditRow {
            start: edit.span.start,
            end: edit.span.end,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: &edit.text,
        }
    });
    FixRow {
        title: &fix.title,
        edits: edits.collect(),
    }
}
