//! What differs between two texts.

use prowess::format::redact;
use similar::TextDiff;

/// Lines around a change, enough to see where it stands.
const CONTEXT: usize = 2;

/// The lines that differ, with those around them, below the names of both sides. It is passed on
/// for a second look; keys in it are not.
pub(crate) fn diff(before: &str, after: &str, names: Option<(&str, &str)>) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT);
    if let Some((before, after)) = names {
        unified.header(before, after);
    }
    // A blank line that stayed needs no blank of its own, and many tools take it off.
    let text = unified.to_string().replace("\n \n", "\n\n");
    redact(&text).into_owned()
}
