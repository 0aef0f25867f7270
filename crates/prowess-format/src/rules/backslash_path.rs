//! `backslash-path`: paths into the skill are written with `/`.
//!
//! A path with backslashes names nothing on macOS and Linux, where most agents run.

use crate::{
    Edit, Fix, Severity, Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "backslash-path",
    summary: "paths into the skill are written with `/`",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// How a path into one of the standard's folders starts.
static FOLDERS: &[&str] = &["scripts\\", "references\\", "assets\\"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let mut edits = Vec::new();
    for line in lines(subject.document) {
        for folder in FOLDERS {
            for (at, _) in line.text.match_indices(folder) {
                let before = line.text[..at].chars().next_back();
                if before
                    .is_some_and(|c| c.is_alphanumeric() || matches!(c, '\\' | '/' | '-' | '_'))
                {
                    continue;
                }
                let rest = &line.text[at..];
                let end = rest.find(|c: char| !(c.is_alphanumeric() || "\\._-".contains(c)));
                let path = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
                // Without an ending it may be an escape such as `scripts\n`.
                if path
                    .rsplit('\\')
                    .next()
                    .is_some_and(|file| file.contains('.'))
                {
                    let start = line.start + at;
                    edits.push(Edit {
                        span: Span::new(start, start + path.len()),
                        text: path.replace('\\', "/"),
                    });
                }
            }
        }
    }
    edits.sort_by_key(|edit| edit.span);
    let Some(first) = edits.first() else {
        return;
    };
    let (span, title) = (first.span, format!("write `{}`", crate::shown(&first.text)));
    let path = crate::shown(span.of(subject.document.text()));
    report.note_with_fix(
        &RULE,
        span,
        format!("`{path}` names no file outside Windows"),
        Fix { title, edits },
    );
}
