//! `script-not-executable`: a script may be run.
//!
//! The bit is lost in archives and on some disks; a model told to run the script then gets
//! "permission denied" and starts to improvise.

use crate::{
    Severity, Span,
    links::Target,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`, where the folder was looked at.
pub static RULE: Rule = Rule {
    code: "script-not-executable",
    summary: "a script may be run",
    levels: Levels::new(
        Some(Severity::Hint),
        Some(Severity::Warning),
        Some(Severity::Warning),
    ),
    check: Some(check),
};

/// Endings of files that start with a `#!` line.
static SCRIPTS: &[&str] = &["sh", "bash", "zsh", "fish", "py", "rb", "pl", "js", "mjs"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(folder) = subject.folder else {
        return;
    };
    let closed = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        // Modules with a name of this form are imported, never run.
        path.starts_with("scripts/")
            && !name.starts_with("__")
            && ending.is_some_and(|ending| SCRIPTS.contains(&ending))
    };
    let mut references = None;
    for file in &folder.files {
        if file.executable != Some(false) || !closed(&file.path) {
            continue;
        }
        // The finding stands where the script is spoken of, else at the top.
        let references = references.get_or_insert_with(|| subject.document.references());
        let span = references
            .iter()
            .find(
                |reference| matches!(&reference.target, Target::Inside(path) if *path == file.path),
            )
            .map_or(Span::at(0), |reference| reference.span);
        report.note_with_help(
            &RULE,
            span,
            format!("`{}` has no permission to run", crate::shown(&file.path)),
            format!("run `chmod +x {}`", crate::shown(&file.path)),
        );
    }
}
