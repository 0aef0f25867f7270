//! `long-compatibility`: `compatibility` has at most 500 characters.
//!
//! It names what the skill needs around it; the standard keeps it short so that a client can
//! show it whole.

use crate::{
    fields::COMPATIBILITY_CHARS,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "long-compatibility",
    summary: "`compatibility` has at most 500 characters",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(text), Some(node)) = (
        document.text_of("compatibility"),
        document.get("compatibility"),
    ) else {
        return;
    };
    let chars = text.chars().count();
    if chars > COMPATIBILITY_CHARS {
        report.note_with_help(
            &RULE,
            node.span,
            format!("`compatibility` has {chars} characters of at most {COMPATIBILITY_CHARS}"),
            "name what the skill needs, and move the rest into the instructions",
        );
    }
}
