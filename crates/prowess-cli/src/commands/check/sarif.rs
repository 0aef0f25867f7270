//! What `check --format sarif` prints: SARIF 2.1.0, as code scanning reads it.
//!
//! Paths are seen from the repository, so that a run from any folder gives the same report, and
//! no part of it names a folder of the machine it was made on.

use std::fmt::Write as _;

use prowess::format::{Diagnostic, Edit, LineCursor, Position, Rule, Severity, Span, rules};
use serde_json::{Value, json};

use super::{Checked, Checks, Fingerprints, Place, fix, with_step};
use crate::session::Session;

/// Puts what was found into one run.
pub(super) fn output(checks: &Checks, session: &Session) -> Value {
    let results: Vec<Value> = checks
        .all()
        .flat_map(|checked| {
            let place = Place::of(&checked.path, session);
            let mut prints = Fingerprints::default();
            let results = checked.diagnostics.iter();
            let results = results.map(|it| result(it, checked, &place, &mut prints, session));
            results.collect::<Vec<_>>()
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "prowess",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules::ALL.iter().map(|rule| rule_row(rule, checks)).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": "prowess/" },
            "originalUriBaseIds": {
                "HOME": { "description": { "text": "The home of the user whose skills were checked." } },
                "ROOT": { "description": { "text": "The root of the file system." } },
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true }],
            "results": results,
        }],
    })
}

/// A rule with its page: what code scanning shows beside a finding.
fn rule_row(rule: &Rule, checks: &Checks) -> Value {
    let page = crate::commands::explain::page(rule.code).unwrap_or(rule.summary);
    // The first paragraph after the levels says why the rule is there.
    let why = page.split("\n\n").nth(3).unwrap_or(rule.summary);
    json!({
        "id": rule.code,
        "shortDescription": { "text": sentence(rule.summary) },
        "fullDescription": { "text": why.chars().take(1000).collect::<String>() },
        "help": { "text": why, "markdown": page },
        "helpUri": rule.url(),
        "defaultConfiguration": { "level": level(rule.levels.severity(checks.profile)) },
        "properties": { "tags": ["agent-skills"] },
    })
}

/// The summary as a sentence of its own.
fn sentence(summary: &str) -> String {
    let mut chars = summary.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), chars.as_str())
}

fn result(
    diagnostic: &Diagnostic,
    checked: &Checked,
    place: &Place,
    prints: &mut Fingerprints,
    session: &Session,
) -> Value {
    let text = checked.text().unwrap_or_default();
    let message = sentence(&without_folders(&with_step(diagnostic), place, session));
    let print = prints.next(&place.path, diagnostic, text);
    let mut file = json!({ "uri": uri(&place.path) });
    if let Some(base) = place.base {
        file["uriBaseId"] = json!(base);
    }
    let mut result = json!({
        "ruleId": diagnostic.code,
        "level": level(Some(diagnostic.severity)),
        "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": file,
            "region": region(text, diagnostic),
        }}],
        "partialFingerprints": { "prowess/v1": print },
    });
    if let Some(at) = rules::ALL
        .iter()
        .position(|rule| rule.code == diagnostic.code)
    {
        result["ruleIndex"] = json!(at);
    }
    if let Some(fix) = fix::told(diagnostic) {
        let mut lines = LineCursor::default();
        result["fixes"] = json!([{
            "description": { "text": fix.title },
            "artifactChanges": [{
                "artifactLocation": file,
                "replacements": fix.edits.iter().map(|edit| replacement(edit, text, &mut lines)).collect::<Vec<_>>(),
            }],
        }]);
    }
    result
}

fn replacement(edit: &Edit, text: &str, lines: &mut LineCursor) -> Value {
    json!({
        "deletedRegion": span(text, edit.span, lines),
        "insertedContent": { "text": edit.text },
    })
}

fn region(text: &str, diagnostic: &Diagnostic) -> Value {
    let position = diagnostic.position;
    if diagnostic.span.end > text.len()
        || Position::of(text.as_bytes(), diagnostic.span.start) != position
    {
        // The file is no text, or the place is in another one.
        return json!({ "startLine": position.line, "startColumn": position.column });
    }
    span(text, diagnostic.span, &mut LineCursor::default())
}

fn span(text: &str, span: Span, lines: &mut LineCursor) -> Value {
    let start = lines.position(text.as_bytes(), span.start);
    let end = lines.position(text.as_bytes(), span.end);
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn level(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Hint) => "note",
        None => "none",
    }
}

/// A message without the folders of this machine.
fn without_folders(message: &str, place: &Place, session: &Session) -> String {
    let root = prowess::display_path(&place.root);
    let mut message = message.to_owned();
    if root.len() > 1 {
        message = message.replace(&format!("{root}/"), "");
    }
    let here = prowess::display_path(&session.environment.working_directory);
    message = message.replace(&format!("{here}/"), "");
    match session
        .environment
        .home
        .as_deref()
        .map(prowess::display_path)
    {
        Some(home) if home.len() > 1 => message.replace(&home, "~"),
        _ => message,
    }
}

/// A path as a relative URI.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            byte => {
                // Writing to a string does not fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
