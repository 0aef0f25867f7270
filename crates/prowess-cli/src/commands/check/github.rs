//! What `check --format github` prints: annotations on the lines of a change.

use prowess::format::{Diagnostic, Position, Severity};

use super::{Checked, Checks, with_step};
use crate::session::Session;

/// Puts each finding on a line that a workflow turns into an annotation.
pub(super) fn output(checks: &Checks, session: &Session) -> String {
    checks
        .all()
        .flat_map(|checked| {
            let path = session.environment.shorten(&checked.path);
            checked
                .diagnostics
                .iter()
                .map(move |diagnostic| annotation(diagnostic, checked, &path))
        })
        .collect()
}

fn annotation(diagnostic: &Diagnostic, checked: &Checked, path: &str) -> String {
    let kind = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "notice",
    };
    let message = with_step(diagnostic);
    let Position { line, column } = diagnostic.position;
    // A column only counts where the finding stays on its line.
    let end = checked.text().map(|text| {
        let end = Position::of(text.as_bytes(), diagnostic.span.end);
        if end.line == line {
            format!(",endColumn={}", end.column)
        } else {
            format!(",endLine={}", end.line)
        }
    });
    format!(
        "::{kind} file={},line={line},col={column}{},title={}::{}\n",
        property(path),
        end.unwrap_or_default(),
        property(diagnostic.code),
        data(&message)
    )
}

/// Escapes what would end a message.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes what would end a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_message_starts_another_command() {
        assert_eq!(data("a\n::error::b 100%"), "a%0A::error::b 100%25");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }
}
