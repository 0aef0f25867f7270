//! `merge-conflict`: no merge conflict is left in the file.
//!
//! A merge that was not finished leaves both texts and three marks. Clients read a mark as a
//! field or as text, and nothing in the file can be trusted to be meant.

use crate::{
    Span,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "merge-conflict",
    summary: "no merge conflict is left in the file",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

/// How the first mark starts.
const MARK: &str = "<<<<<<<";

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let text = subject.document.text();
    if let Some(at) = conflict(text) {
        report.note_with_help(
            &RULE,
            Span::new(at, at + MARK.len()),
            "an unfinished merge stands in the file: both versions and the marks around them are read",
            "keep one version and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`",
        );
    }
}

/// Where the first conflict starts: its three marks stand at the margin, in this order.
pub(crate) fn conflict(text: &str) -> Option<usize> {
    let mut open = None;
    let mut parted = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.starts_with("<<<<<<< ") {
            (open, parted) = (Some(start), false);
        } else if line.trim_end() == "=======" {
            parted = open.is_some();
        } else if parted && line.starts_with(">>>>>>> ") {
            return open;
        }
    }
    None
}
