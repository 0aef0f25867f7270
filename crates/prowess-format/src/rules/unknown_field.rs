//! `unknown-field`: every field means something to someone.
//!
//! The standard has six fields and `metadata` for everything else. The reference validator
//! refuses any other, most clients pass over it: either way it does nothing.

use crate::{
    Document, Edit, Field, Fix, Severity, Span, Style, Syntax, Value, fields,
    frontmatter::line_end,
    rules::{Levels, Report, Rule, Subject, unquoted_text::kind_of_plain},
};

/// Checked by `check`, and on loading where loading fails loud.
pub static RULE: Rule = Rule {
    code: "unknown-field",
    summary: "every field means something to someone",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Error)),
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for field in subject.document.fields() {
        if fields::known_field(&field.key).is_some() || fields::did_you_mean(&field.key).is_some() {
            continue;
        }
        let message = format!(
            "no client is known to read `{}`, and the reference validator refuses it",
            crate::shown(&field.key)
        );
        if let Some(fix) = into_metadata(subject.document, field) {
            report.note_with_fix(&RULE, field.key_span, message, fix);
            continue;
        }
        let help = match &*field.key {
            // Sub-agents have `tools`; in a skill its meaning is too near to guess and too far to fix.
            "tools" => "write `allowed-tools` for tools it needs, or move it below `metadata`",
            key if fields::may_be_guard(key) => {
                "take it out, or find the field that does what it says: nobody obeys this one"
            }
            _ => "move it below `metadata`, as one text",
        };
        report.note_with_help(&RULE, field.key_span, message, help);
    }
}

/// Moves a field with its lines below `metadata`, where that changes nothing else: one text at the
/// margin of YAML, a block map or nothing to move it into, and no word about what a skill may do.
fn into_metadata(document: &Document, field: &Field) -> Option<Fix> {
    let Value::Scalar(value, style) = &field.node.value else {
        return None;
    };
    if document.syntax() != Some(Syntax::Yaml) || fields::may_be_guard(&field.key) {
        return None;
    }
    let text = document.text();
    let lines = lines_of(document, field)?;
    let written = lines.of(text);
    // Anything but a plain key and its value on these lines is left to a person.
    let rest = written.strip_prefix(&*field.key)?;
    if !rest.starts_with(':') || value.is_empty() || written.contains(['\r', '\t']) {
        return None;
    }
    let metadata = document.field("metadata");
    let (at, margin, head) = match metadata {
        None => (lines.start, 2, "metadata:\n"),
        Some(metadata) => {
            let inside = metadata.node.value.as_map()?;
            let first = inside.first()?;
            let own = lines_of(document, metadata)?;
            let line = text[..first.key_span.start].rfind('\n')? + 1;
            let margin = first.key_span.start - line;
            // `metadata: {…}` has its fields on its own line.
            if line <= own.start || inside.iter().any(|it| it.key == field.key) {
                return None;
            }
            (own.end, margin, "")
        }
    };
    let mut moved = String::from(head);
    for (number, line) in written.lines().enumerate() {
        if !line.is_empty() {
            moved.extend(std::iter::repeat_n(' ', margin));
        }
        // What looks like a number or a switch is text below `metadata`.
        let plain = number == 0 && *style == Style::Plain && kind_of_plain(value).is_some();
        match line.find(&**value).filter(|_| plain) {
            Some(at) => {
                let (before, after) = (&line[..at], &line[at + value.len()..]);
                moved.extend([before, "\"", value, "\"", after]);
            }
            None => moved.push_str(line),
        }
        moved.push('\n');
    }
    let title = format!("move `{}` below `metadata`", crate::shown(&field.key));
    let taken = Edit {
        span: lines,
        text: String::new(),
    };
    let put = Edit {
        span: Span::at(at),
        text: moved,
    };
    let edits = match at {
        // In place: one edit, so that nothing is inserted where something is taken out.
        at if at == lines.start => vec![Edit {
            span: lines,
            text: put.text,
        }],
        at if at < lines.start => vec![put, taken],
        _ => vec![taken, put],
    };
    Some(Fix { title, edits })
}

/// The lines of a field at the margin: from its key to the next one's, without the blank lines and
/// comments that follow.
fn lines_of(document: &Document, field: &Field) -> Option<Span> {
    let text = document.text();
    let frontmatter = document.frontmatter_span();
    let start = field.key_span.start;
    let at_margin = start == frontmatter.start || text[..start].ends_with(['\n', '\r']);
    let end = line_end(text, field.node.span.end.max(field.key_span.end)).min(frontmatter.end);
    at_margin.then(|| Span::new(start, end))
}
