//! `toml-frontmatter`: the frontmatter is YAML.
//!
//! TOML between `+++` lines is read here and by defect; to every other client the file has no
//! frontmatter at all.

use crate::{
    Severity, Span, Syntax,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "toml-frontmatter",
    summary: "the frontmatter is YAML",
    levels: Levels::new(None, Some(Severity::Error), Some(Severity::Error)),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    if document.syntax() == Some(Syntax::Toml) {
        let fence = document.text().find("+++").unwrap_or(0);
        report.note_with_help(
            &RULE,
            Span::new(fence, fence + 3),
            "the frontmatter is TOML, and clients that follow the standard see none",
            "write it as YAML between `---` lines",
        );
    }
}
