//! `bad-glob`: every glob in `triggers` and `paths` can be read.
//!
//! A glob that cannot be read matches nothing, so the skill never wakes by itself.

use globset::GlobBuilder;

use crate::rules::{Levels, Report, Rule, Subject};

/// Checked by `check`, and on loading where loading fails loud.
pub static RULE: Rule = Rule {
    code: "bad-glob",
    summary: "every glob in `triggers` and `paths` can be read",
    levels: Levels::LOUD,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for glob in subject.document.trigger_globs() {
        if let Err(error) = GlobBuilder::new(glob.text).literal_separator(true).build() {
            report.note_with_help(
                &RULE,
                glob.span,
                format!(
                    "`{}` is not a glob and matches no file: {}",
                    crate::shown(glob.text),
                    error.kind()
                ),
                "write it like `src/**/*.rs`; put `\\` before a bracket that stands for itself",
            );
        }
    }
}
