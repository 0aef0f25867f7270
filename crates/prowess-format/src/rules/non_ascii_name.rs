//! `non-ascii-name`: a name keeps to the letters every client knows.
//!
//! The standard speaks of Unicode letters and gives `a-z` as the example; many clients took the
//! example for the rule.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "non-ascii-name",
    summary: "a name keeps to `a-z`, `0-9` and hyphens",
    levels: Levels::new(None, Some(Severity::Error), Some(Severity::Error)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(name), Some(node)) = (document.name(), document.get("name")) else {
        return;
    };
    if !name.is_ascii() && crate::name::check(name).is_ok() {
        report.note_with_help(
            &RULE,
            node.span,
            format!(
                "`{}` is a name by the standard, but Copilot CLI drops the skill",
                crate::shown(name)
            ),
            "write it in `a-z`, `0-9` and hyphens, and keep the word itself in the description",
        );
    }
}
