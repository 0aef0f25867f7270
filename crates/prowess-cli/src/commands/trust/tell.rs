//! What changed since a skill was trusted, as a person reads it.

use std::fmt::Write as _;

use prowess::{Skill, display_text, format::redact, trust::Changes};
use similar::TextDiff;

use super::counted;
use crate::{render::text::safe_lines, session::Session};

/// Lines around a change, enough to see where it stands.
const CONTEXT: usize = 2;

/// Says what was trusted.
pub(super) fn trusted(name: &str, changes: &Changes, known: bool) -> String {
    if changes.is_empty() {
        return format!("`{name}` is trusted already\n");
    }
    if known {
        return format!(
            "`{name}` is trusted again: {}\n{}",
            counted(changes),
            files(changes)
        );
    }
    format!("`{name}` is trusted with {}\n", what(changes))
}

/// Says what waits for trust.
pub(super) fn waits(name: &str, changes: &Changes, known: bool) -> String {
    if known {
        format!(
            "`{name}` changed since it was trusted: {}\n{}",
            counted(changes),
            files(changes)
        )
    } else {
        format!("`{name}` is new: {}\n{}", what(changes), files(changes))
    }
}

fn what(changes: &Changes) -> String {
    crate::render::text::count(changes.added.len(), "file")
}

/// One line for each file that differs.
fn files(changes: &Changes) -> String {
    let mut text = String::new();
    let kinds = [
        ("altered", &changes.altered),
        ("added", &changes.added),
        ("removed", &changes.removed),
    ];
    for (word, paths) in kinds {
        for path in paths {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {word:<8} {}", display_text(path));
        }
    }
    text
}

/// The change of the skill's own file, safe to show; nothing where it is the same.
pub(super) fn diff(before: &str, skill: &Skill, session: &Session) -> String {
    let now = skill.document().text();
    if before == now || before.is_empty() {
        return String::new();
    }
    let path = session.environment.shorten(skill.path());
    let diff = TextDiff::from_lines(before, now);
    let text = diff
        .unified_diff()
        .context_radius(CONTEXT)
        .header(
            &format!("{path} as it was trusted"),
            &format!("{path} as it is"),
        )
        .to_string();
    // A blank line that stayed needs no blank of its own, and many tools take it off.
    let text = text.replace("\n \n", "\n\n");
    // A diff is passed on for a second look; keys in it are not.
    safe_lines(&redact(&text))
}
