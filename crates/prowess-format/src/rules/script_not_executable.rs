//! `script-not-executable`: a script that is called by its name may be run.
//!
//! The bit is lost in archives and on some disks; a model told to run the script then gets
//! "permission denied" and starts to improvise. A script that is given to an interpreter needs no
//! bit, and one without a `#!` line would be run by the wrong one.

use crate::{
    Severity, Span,
    links::{Target, closing, lines, resolve},
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`, where the folder was looked at.
pub static RULE: Rule = Rule {
    code: "script-not-executable",
    summary: "a script that is called by its name may be run",
    levels: Levels::new(
        Some(Severity::Hint),
        Some(Severity::Warning),
        Some(Severity::Warning),
    ),
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(folder) = subject.folder else {
        return;
    };
    let closed = folder.files.iter().filter(|file| {
        file.executable == Some(false) && file.script.is_some_and(|script| script.shebang)
    });
    let mut calls = None;
    for file in closed {
        let calls = calls.get_or_insert_with(|| calls_of(subject));
        if let Some((_, span)) = calls.iter().find(|(path, _)| *path == file.path) {
            report.note_with_help(
                &RULE,
                *span,
                format!("`{}` has no permission to run", crate::shown(&file.path)),
                format!("run `chmod +x {}`", crate::shown(&file.path)),
            );
        }
    }
}

/// The files that the instructions run by their own name: `./scripts/a.sh`, `scripts/a.sh FILE`.
fn calls_of(subject: &Subject<'_>) -> Vec<(String, Span)> {
    let mut calls = Vec::new();
    for line in lines(subject.document) {
        if line.fenced {
            let text = line.text.trim_start().trim_start_matches("$ ");
            let start = line.start + line.text.len() - text.len();
            call(text, start, true, &mut calls);
            continue;
        }
        let mut at = 0;
        while let Some(tick) = line.text[at..].find('`').map(|offset| at + offset) {
            let count = line.text[tick..]
                .bytes()
                .take_while(|byte| *byte == b'`')
                .count();
            let open = tick + count;
            let Some(length) = closing(&line.text[open..], count) else {
                break;
            };
            call(
                &line.text[open..open + length],
                line.start + open,
                false,
                &mut calls,
            );
            at = open + length + count;
        }
    }
    calls
}

fn call(command: &str, start: usize, fenced: bool, calls: &mut Vec<(String, Span)>) {
    let word = command.split_whitespace().next().unwrap_or_default();
    // In a sentence a path alone names the file; with `./` or arguments it is run.
    let runs = fenced || word.starts_with("./") || word.len() < command.trim_end().len();
    if let (true, true, Target::Inside(path)) = (runs, word.contains('/'), resolve(word)) {
        calls.push((path, Span::new(start, start + word.len())));
    }
}
