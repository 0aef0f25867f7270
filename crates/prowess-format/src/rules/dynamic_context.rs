//! `dynamic-context`: a skill's text runs nothing by being read.
//!
//! One client runs `` !`command` ``, and blocks fenced with `` ```! ``, and pastes what they
//! print. Prowess never runs anything and leaves the text as it is.

use crate::{
    Span,
    links::{closing, lines},
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "dynamic-context",
    summary: "a skill's text runs nothing by being read",
    levels: Levels::WARNING,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let mut found: Vec<(Span, Option<&str>)> = Vec::new();
    for line in lines(subject.document) {
        if line.fenced {
            let fence = line.text.trim_start();
            if fence.starts_with("```!") || fence.starts_with("~~~!") {
                let start = line.start + line.text.len() - fence.len();
                found.push((Span::new(start, start + 4), None));
            }
            continue;
        }
        let commands = commands(line.text, line.start).into_iter();
        found.extend(commands.map(|(span, command)| (span, Some(command))));
    }
    // One finding for all of them: who writes for a client that runs them uses several.
    let Some(&(span, command)) = found.first() else {
        return;
    };
    let what = match command {
        Some(command) => format!("`{}` here", crate::shown(command)),
        None => "this block".to_owned(),
    };
    let more = match found.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    report.note_with_help(
        &RULE,
        span,
        format!("some clients run {what}{more} and paste what it prints; Prowess never runs it"),
        "write it as a step if it should work everywhere",
    );
}

/// The commands of a line, each with the span of its mark, backticks and text.
fn commands(line: &str, start: usize) -> Vec<(Span, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(tick) = line[at..].find('`').map(|offset| at + offset) {
        let count = line[tick..]
            .bytes()
            .take_while(|byte| *byte == b'`')
            .count();
        let open = tick + count;
        let Some(length) = closing(&line[open..], count) else {
            break;
        };
        at = open + length + count;
        // A mark stands at the start of a word; `wow!` before code is none.
        let before = line[..tick].strip_suffix('!');
        let marked =
            before.is_some_and(|text| text.is_empty() || text.ends_with(char::is_whitespace));
        if marked && count == 1 {
            found.push((
                Span::new(start + tick - 1, start + at),
                &line[open..open + length],
            ));
        }
    }
    found
}
