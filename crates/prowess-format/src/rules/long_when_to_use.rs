//! `long-when-to-use`: `description` and `when_to_use` have at most 1,536 characters together.
//!
//! Claude Code shows both as one text and cuts it at 1,536 characters; what stands last is lost.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "long-when-to-use",
    summary: "`description` and `when_to_use` have at most 1,536 characters together",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// Where Claude Code 2.1 cuts, in characters.
const MOST: usize = 1536;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(what), Some(when)) = (document.description(), document.text_of("when_to_use")) else {
        return;
    };
    let chars = what.chars().count() + when.chars().count();
    if chars > MOST
        && let Some(node) = document.get("when_to_use")
    {
        report.note_with_help(
            &RULE,
            node.span,
            format!("`description` and `when_to_use` have {chars} characters, and Claude Code cuts them at 1,536"),
            "shorten both; what a user says when the skill fits comes first",
        );
    }
}
