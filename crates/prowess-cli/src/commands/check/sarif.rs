//! What `check --format sarif` prints: SARIF 2.1.0, as code scanning reads it.

use std::{fmt::Write as _, path::Path};

use prowess::format::{Diagnostic, Edit, LineCursor, Position, Severity, Span, rules};
use serde_json::{Value, json};

use super::{Checked, Checks, with_step};
use crate::session::Session;

/// Puts what was found into one run.
pub(super) fn output(checks: &Checks, session: &Session) -> Value {
    let results: Vec<Value> = checks
        .all()
        .flat_map(|checked| {
            let uri = uri(&checked.path, session);
            checked
                .diagnostics
                .iter()
                .map(move |diagnostic| result(diagnostic, checked, &uri))
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
                "rules": rules::ALL.iter().map(|rule| json!({
                    "id": rule.code,
                    "shortDescription": { "text": rule.summary },
                    "defaultConfiguration": {
                        "level": level(rule.levels.severity(checks.profile)),
                    },
                })).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true }],
            "results": results,
        }],
    })
}

fn result(diagnostic: &Diagnostic, checked: &Checked, uri: &str) -> Value {
    let text = checked.text().unwrap_or_default();
    let message = with_step(diagnostic);
    let mut result = json!({
        "ruleId": diagnostic.code,
        "level": level(Some(diagnostic.severity)),
        "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri },
            "region": region(text, diagnostic),
        }}],
    });
    if let Some(at) = rules::ALL
        .iter()
        .position(|rule| rule.code == diagnostic.code)
    {
        result["ruleIndex"] = json!(at);
    }
    if let Some(fix) = &diagnostic.fix {
        let mut lines = LineCursor::default();
        result["fixes"] = json!([{
            "description": { "text": fix.title },
            "artifactChanges": [{
                "artifactLocation": { "uri": uri },
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

/// The path as a URI: relative below the working directory, where a code scanner looks for it.
fn uri(path: &Path, session: &Session) -> String {
    let below = path.strip_prefix(&session.environment.working_directory);
    let path = below.unwrap_or(path);
    let mut uri = String::from(if path.is_absolute() { "file://" } else { "" });
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
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
