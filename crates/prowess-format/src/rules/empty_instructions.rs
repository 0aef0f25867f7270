//! `empty-instructions`: something stands below the frontmatter.
//!
//! A model that picks the skill gets nothing for it; most often the body was lost in a save.

use crate::{
    Span,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "empty-instructions",
    summary: "something stands below the frontmatter",
    levels: Levels::WARNING,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    if document.syntax().is_some() && document.instructions().is_empty() {
        report.note_with_help(
            &RULE,
            Span::at(document.text().trim_end().len()),
            "the skill has no instructions, so a model that picks it learns nothing more",
            "write the steps below the closing fence",
        );
    }
}
