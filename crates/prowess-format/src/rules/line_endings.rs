//! `line-endings`: every line ends with a line feed.
//!
//! Carriage returns are read everywhere, but scripts copied out of the body stop working.

use crate::{
    Edit, Fix, Span,
    rules::{Levels, Rule},
};

/// Found while reading.
pub static RULE: Rule = Rule {
    code: "line-endings",
    summary: "every line ends with a line feed",
    levels: Levels::HINT,
    check: None,
};

/// What the repair does.
pub(crate) const TITLE: &str = "save the file with LF line endings";

/// Ends every line with a line feed.
pub(crate) fn fix(text: &str) -> Fix {
    let edits = memchr::memchr_iter(b'\r', text.as_bytes()).map(|at| {
        let paired = text.as_bytes().get(at + 1) == Some(&b'\n');
        Edit {
            span: Span::new(at, at + 1),
            text: if paired { "" } else { "\n" }.to_owned(),
        }
    });
    Fix {
        title: TITLE.to_owned(),
        edits: edits.collect(),
    }
}
