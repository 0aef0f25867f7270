//! `check --fix`: fixes the spans the findings name, and writes whole files or nothing.

use std::path::Path;

use prowess::{
    Layout,
    format::{Diagnostic, Edit, Severity},
};
use similar::TextDiff;

use super::{Checks, judge};
use crate::{exit::Failure, files, render::text::safe_lines, session::Session, write::write_whole};

/// Fixing one thing can uncover another; more rounds than this would go in circles.
const ROUNDS: usize = 10;

/// Fixes every file that can be, down to the findings that matter least; gives back how many were, or would be, changed.
pub(super) fn run(
    checks: &Checks,
    least: Severity,
    dry_run: bool,
    session: &mut Session,
) -> Result<usize, Failure> {
    let mut changed = 0;
    for checked in &checks.skills {
        let (Some(skill), Some(old)) = (&checked.skill, checked.text()) else {
            continue;
        };
        // Lines of a catalog and files without frontmatter are not ours to write.
        if matches!(skill.layout(), Layout::Record | Layout::Convention) {
            continue;
        }
        let folder = prowess::folder_of(skill, &session.config.limits);
        let again = |text: &str| judge::judge_text(text, folder.as_ref(), checks.profile);
        let Some(text) = fix(old, checked.diagnostics.clone(), least, again) else {
            continue;
        };
        let path = session.environment.shorten(&checked.path);
        let file = skill.absolute_path();
        if let Err(reason) = may_write(&file, old) {
            let hint = format!("`{path}` is not fixed: {reason}");
            session.output.hint(&hint);
            continue;
        }
        if dry_run {
            let diff = TextDiff::from_lines(old, &text);
            let diff = diff.unified_diff().header(&path, &path).to_string();
            session.output.data(&shown(&diff, session))?;
        } else {
            let target = files::real_path(&file).unwrap_or(file);
            write_whole(&target, text.as_bytes())?;
        }
        changed += 1;
    }
    Ok(changed)
}

/// A terminal gets nothing that disturbs it; a pipe gets a diff that can be applied.
fn shown(diff: &str, session: &Session) -> String {
    if session.environment.stdout_terminal {
        safe_lines(diff)
    } else {
        diff.to_owned()
    }
}

/// The fixed text; `None` where nothing can be fixed.
fn fix(
    old: &str,
    mut diagnostics: Vec<Diagnostic>,
    least: Severity,
    again: impl Fn(&str) -> Vec<Diagnostic>,
) -> Option<String> {
    let mut text = old.to_owned();
    for _ in 0..ROUNDS {
        let Some(next) = apply(&text, &diagnostics, least) else {
            break;
        };
        let after = again(&next);
        // A repair that breaks something is no repair.
        if errors(&after) > errors(&diagnostics) {
            break;
        }
        text = next;
        diagnostics = after;
    }
    (text != old).then_some(text)
}

fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .count()
}

/// Applies the fixes that do not touch each other, errors first; `None` where there is none.
fn apply(text: &str, diagnostics: &[Diagnostic], least: Severity) -> Option<String> {
    let wanted = diagnostics.iter().filter(|it| it.severity <= least);
    let mut ranked: Vec<&Diagnostic> = wanted.collect();
    ranked.sort_by_key(|diagnostic| diagnostic.severity);
    let mut taken: Vec<&Edit> = Vec::new();
    for fix in ranked
        .iter()
        .filter_map(|diagnostic| diagnostic.fix.as_ref())
    {
        let fits = fix.edits.iter().all(|edit| {
            text.get(edit.span.start..edit.span.end).is_some()
                && taken.iter().all(|other| apart(edit, other))
        });
        if fits {
            taken.extend(&fix.edits);
        }
    }
    taken.sort_by_key(|edit| edit.span);
    let mut fixed = String::with_capacity(text.len());
    let mut at = 0;
    for edit in &taken {
        fixed.push_str(&text[at..edit.span.start]);
        fixed.push_str(&edit.text);
        at = edit.span.end;
    }
    fixed.push_str(&text[at..]);
    (fixed != text).then_some(fixed)
}

/// Whether two edits can both be made; two insertions at one place can not.
fn apart(a: &Edit, b: &Edit) -> bool {
    (a.span.end <= b.span.start || b.span.end <= a.span.start) && a.span.start != b.span.start
}

/// Says why a file must not be written.
fn may_write(file: &Path, old: &str) -> Result<(), String> {
    if files::is_link(file) {
        let folder = file.parent().and_then(|it| files::real_path(it).ok());
        let target = files::real_path(file).ok();
        let inside = folder
            .zip(target)
            .is_some_and(|(folder, target)| target.starts_with(folder));
        if !inside {
            return Err("it is a link that leads out of the skill".to_owned());
        }
    }
    match files::read_bytes(file, old.len() as u64) {
        Ok(now) if now == old.as_bytes() => Ok(()),
        Ok(_) => Err("it changed while it was checked".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prowess::format::{Fix, Profile, Span};

    fn found(start: usize, end: usize, text: &str) -> Diagnostic {
        Diagnostic {
            code: "some-code",
            severity: Severity::Warning,
            span: Span::new(start, end),
            position: prowess::format::Position { line: 1, column: 1 },
            message: String::new(),
            help: None,
            fix: Some(Fix::replace("", Span::new(start, end), text)),
        }
    }

    #[test]
    fn fixes_that_touch_wait_for_the_next_round() {
        let apply = |found: &[Diagnostic]| apply("0123456789", found, Severity::Warning);
        assert_eq!(
            apply(&[found(5, 6, "F"), found(1, 3, "B")]).as_deref(),
            Some("0B34F6789")
        );
        assert_eq!(
            apply(&[found(1, 3, "B"), found(2, 5, "C")]).as_deref(),
            Some("0B3456789")
        );
        assert_eq!(
            apply(&[found(4, 99, "F")]),
            None,
            "a span beyond the end is no span"
        );
    }

    #[test]
    fn only_the_named_spans_change() {
        let text = "---\r\nname: pdf # mine\r\ndesciption: \"Fills forms. Use when asked.\"\r\n---\r\nGo.\r\n";
        let again = |text: &str| judge::judge_text(text, None, Profile::Standard);
        let fixed = fix(text, again(text), Severity::Warning, again).unwrap();
        assert_eq!(fixed, text.replace("desciption", "description"));
    }
}
