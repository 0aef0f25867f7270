//! The last lines of `check`: what came of it, and the steps to take.

use std::fmt::Write as _;

use prowess::format::{Severity, rules};

use super::{Arguments, Checked, Checks, fix::Plan};
use crate::{
    render::{count, list, thousands},
    session::Session,
};

/// Nothing found, nothing wrong and partly checked are three different answers.
pub(super) fn summary(
    checks: &Checks,
    hints: usize,
    plan: &Plan,
    arguments: &Arguments,
    session: &Session,
) -> String {
    let paint = session.output.message_paint;
    let mut text = verdict(checks, hints, arguments, session);
    let mut hint = |message: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}: {message}", paint.hint("hint"));
    };
    if checks.skills.is_empty() {
        hint("a skill is a folder with a `SKILL.md`; `prowess new NAME` makes one");
    } else if hints > checks.count(Severity::Hint) {
        hint("`--hints` shows the hints");
    }
    let mut shown = checks.all().flat_map(|it| &it.diagnostics);
    if let Some(first) = shown.find(|it| rules::find(it.code).is_some()) {
        hint(&format!(
            "`prowess explain {}` says more; each code has its page",
            first.code
        ));
    }
    let refused = |it: &Checked| {
        it.diagnostics
            .iter()
            .any(|it| it.code == rules::symlink_outside::RULE.code)
    };
    if checks.all().any(refused) {
        hint("`--allow-link DIR` follows links into a folder you know");
    }
    if checks.partial {
        hint("partly checked: a limit ended the scan early, and more may be wrong");
    }
    let fixed = plan.files();
    match (arguments.fix, arguments.dry_run, fixed) {
        (true, true, 0) => hint("there is nothing `--fix` can fix"),
        (true, true, _) => hint(&format!(
            "`--fix` without `--dry-run` changes {}",
            count(fixed, "file")
        )),
        (true, false, 0) => hint("there was nothing `--fix` can fix"),
        (true, false, _) => hint(&format!("{} fixed", count(fixed, "file"))),
        (false, ..) => {
            if plan.findings > 0 {
                hint(&format!(
                    "{} of these can be fixed by `--fix`; `--fix --dry-run` shows how",
                    thousands(plan.findings)
                ));
            }
        }
    }
    text
}

/// The one line that stands alone.
fn verdict(checks: &Checks, hints: usize, arguments: &Arguments, session: &Session) -> String {
    let paint = session.output.message_paint;
    if checks.skills.is_empty() {
        let places: Vec<String> = arguments
            .paths
            .iter()
            .map(|path| format!("`{}`", session.environment.shorten(path)))
            .collect();
        return match places.as_slice() {
            [] => "nothing was checked: no skills found\n".to_owned(),
            places => format!("nothing was checked: no skill in {}\n", list(places)),
        };
    }
    let counts: Vec<String> = [
        (Severity::Error, checks.count(Severity::Error)),
        (Severity::Warning, checks.count(Severity::Warning)),
        (Severity::Hint, hints),
    ]
    .into_iter()
    .filter(|(_, number)| *number > 0)
    .map(|(severity, number)| paint.severity(severity, &count(number, severity.as_str())))
    .collect();
    let found = match counts.as_slice() {
        [] => paint.good("nothing wrong"),
        counts => list(counts),
    };
    let checked = count(checks.skills.len(), "skill");
    format!("{checked} checked ({} profile): {found}\n", checks.profile)
}
