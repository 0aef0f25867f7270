//! `keyword-as-glob`: words that wake a skill stand below `keywords`.
//!
//! A plain list in `triggers` is a list of globs on touched files; a word in it matches only a
//! file of exactly that name.

use crate::{
    Severity,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "keyword-as-glob",
    summary: "words that wake a skill stand below `keywords`",
    levels: Levels::new(
        Some(Severity::Hint),
        Some(Severity::Hint),
        Some(Severity::Warning),
    ),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(nodes) = subject
        .document
        .get("triggers")
        .and_then(|node| node.value.as_list())
    else {
        return;
    };
    let word = nodes.iter().find_map(|node| {
        let text = node.value.as_str()?;
        (!text.contains(['*', '?', '[', '{', '/', '.'])).then_some((text, node.span))
    });
    if let Some((text, span)) = word {
        report.note_with_help(
            &RULE,
            span,
            format!(
                "`{}` is read as a glob, and matches only a file of that name",
                crate::shown(text)
            ),
            "put words below `keywords:` in `triggers:`",
        );
    }
}
