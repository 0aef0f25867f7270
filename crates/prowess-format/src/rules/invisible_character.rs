//! `invisible-character`: a line breaks where its words end.
//!
//! A soft hyphen, or a space of no width beside a sign, tells a page where it may break a line. It
//! carries no text, so the skill is used as it is; a search for the word does not find it.

use crate::{
    Fix,
    rules::{Levels, Report, Rule, Subject, hidden_unicode},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "invisible-character",
    summary: "a line breaks where its words end",
    levels: Levels::WARNING,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let text = subject.document.text();
    if !hidden_unicode::may_hide(text) {
        return;
    }
    for run in hidden_unicode::line_breaks(text) {
        let fix = Fix::replace("take it out", run, "");
        report.note_with_fix(&RULE, run, hidden_unicode::message(run.of(text)), fix);
    }
}
