//! `long-description`: a description has at most 1,024 characters.
//!
//! Clients cut what is longer, one at 1,024 and one at 1,536 characters, and what says when to
//! use a skill usually stands at the end.

use crate::{
    fields::DESCRIPTION_CHARS,
    rules::{Levels, Report, Rule, Subject},
};

/// Where the most generous client cuts.
const LAST_CUT: usize = 1536;

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "long-description",
    summary: "a description has at most 1,024 characters",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(text), Some(node)) = (document.description(), document.get("description")) else {
        return;
    };
    if text.len() <= DESCRIPTION_CHARS {
        return;
    }
    let chars = text.chars().count();
    if chars <= DESCRIPTION_CHARS || text.len() > super::description_too_large::MAX_BYTES {
        return;
    }
    let cut = if chars > LAST_CUT {
        "every client cuts it, at 1,024 or 1,536"
    } else {
        "most clients cut it at 1,024"
    };
    report.note_with_help(
        &RULE,
        node.span,
        format!("the description has {chars} characters, and {cut}"),
        "say what it does and when to use it, and move the rest into the instructions",
    );
}
