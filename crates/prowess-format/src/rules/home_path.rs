//! `home-path`: no path leads into somebody's home.
//!
//! A path into somebody's home leads nowhere on the next machine, and tells who wrote the skill.

use crate::{
    Severity, Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "home-path",
    summary: "no path leads into somebody's home",
    levels: Levels::new(None, Some(Severity::Warning), Some(Severity::Warning)),
    check: Some(check),
};

/// Where systems keep their users' folders.
static HOMES: &[&str] = &["/Users/", "/home/", "C:\\Users\\"];

/// Names that stand for any user, or for one that many machines have.
static SAMPLES: &[&str] = &[
    "user",
    "name",
    "your",
    "you",
    "me",
    "someone",
    "alice",
    "bob",
    "john",
    "jane",
    "doe",
    "dev",
    "example",
    "xxx",
    "runner",
    "ubuntu",
    "node",
    "agent",
    "claude",
    "vscode",
    "app",
    "shared",
    "public",
    "admin",
    "default",
    "foo",
    "test",
    "coder",
    "sandbox",
    "oai",
    "git",
    "pi",
    "ec2",
    "linuxbrew",
    "jovyan",
    "deploy",
    "appuser",
    "hacker",
    "victim",
    "ctf",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for line in lines(subject.document) {
        for start in HOMES {
            for (at, _) in line.text.match_indices(start) {
                let before = line.text[..at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '}' | '~'))
                {
                    continue;
                }
                let rest = &line.text[at + start.len()..];
                let end = rest.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c)));
                let (user, rest) = rest.split_at(end.unwrap_or(rest.len()));
                // Only a path that goes on names a file; a stand-in for a user is an example.
                let goes_on = rest.len() > 1 && rest.starts_with(['/', '\\']);
                let lower = user.to_ascii_lowercase();
                if !goes_on
                    || user.len() < 3
                    || !user.starts_with(char::is_alphanumeric)
                    || SAMPLES.iter().any(|it| lower.contains(it))
                {
                    continue;
                }
                let from = line.start + at;
                let span = Span::new(from, from + start.len() + user.len());
                report.note_with_help(
                    &RULE,
                    span,
                    format!("`{start}{user}` is a folder on one machine only"),
                    "write the path from the project or the skill, or `~`",
                );
                return;
            }
        }
    }
}
