//! `piped-download`: nothing is downloaded and run in one step.
//!
//! What is downloaded is run before anybody could look at it; a changed page changes every machine.

use crate::{
    Severity, Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "piped-download",
    summary: "nothing is downloaded and run in one step",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// Programs that run what they read.
static SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "fish", "python", "python3", "node", "iex",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for line in lines(subject.document) {
        let Some(at) = ["curl ", "wget "].iter().find_map(|it| line.text.find(it)) else {
            continue;
        };
        let command = &line.text[at..];
        let mut parts = command.split('|').skip(1);
        let runs = parts.any(|part| {
            let mut words = part
                .split_whitespace()
                .filter(|word| !matches!(*word, "sudo" | "-E" | "env"));
            let first = words.next().unwrap_or_default();
            let program = first
                .trim_matches(['`', '"', '\'', ';', ')'])
                .rsplit('/')
                .next();
            program.is_some_and(|program| SHELLS.contains(&program))
        });
        // `curl …` stands for any command; a known installer is still a stranger's script.
        if runs && command.contains("://") {
            let span = Span::new(line.start + at, line.start + line.text.trim_end().len());
            let message = "a script from the net is run without a look at it";
            if let Some(diagnostic) = report.note(&RULE, span, message) {
                // Many makers give no other way; as root it is more than a matter of taste.
                if !command.contains("sudo") {
                    diagnostic.severity = diagnostic.severity.max(Severity::Hint);
                }
                diagnostic.help =
                    Some("download it to a file, check it, and run that; or name a package".into());
            }
            return;
        }
    }
}
