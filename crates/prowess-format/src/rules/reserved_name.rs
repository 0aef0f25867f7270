//! `reserved-name`: a name leaves out the words that Anthropic reserves.
//!
//! Anthropic's own pages keep these words for its own skills, and its upload refuses them.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "reserved-name",
    summary: "a name leaves out the words that Anthropic reserves",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// The words.
static RESERVED: &[&str] = &["claude", "anthropic"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(name), Some(node)) = (document.name(), document.get("name")) else {
        return;
    };
    if let Some(word) = name.split(['-', '_']).find(|word| RESERVED.contains(word)) {
        report.note_with_help(
            &RULE,
            node.span,
            format!("`{word}` is reserved by Anthropic, whose upload refuses the name"),
            "choose a name without it, for the skill and its folder",
        );
    }
}
