//! A file with another description, and everything else as it was.
//!
//! Like a fix, the edit is proven before it stays: the new text is read again, and every other
//! field and the instructions must be what they were.

use std::fmt;

use crate::{
    diagnostic::{Fix, Severity, Span},
    document::{Document, Syntax},
    fix::facts,
    parse::{Parsed, read},
    print::scalar,
    profile::Profile,
    quote::quote,
    value::Style,
};

/// Why a description cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescribeError {
    /// There would be nothing to choose the skill by.
    Empty,
    /// The file has no description as text, so there is nothing to replace.
    Missing,
    /// No way of writing it leaves the rest of the file as it is.
    NotAlone,
}

impl fmt::Display for DescribeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "a skill without a description is not offered to a model",
            Self::Missing => "its file has no description that could be replaced",
            Self::NotAlone => "the file would be read differently in another place",
        })
    }
}

impl std::error::Error for DescribeError {}

/// Gives the text of a skill's file with another description. It is written as the old one was, as
/// a block or bare, where that reads back the same; else in quotes.
pub fn describe(text: &str, description: &str) -> Result<String, DescribeError> {
    let description = description.trim();
    if description.is_empty() {
        return Err(DescribeError::Empty);
    }
    let before = read(text.as_bytes(), Profile::Standard);
    let field = before.document.field("description");
    let node = field
        .map(|field| &field.node)
        .filter(|node| node.value.as_str().is_some() && node.span.start < node.span.end)
        .ok_or(DescribeError::Missing)?;
    if before.document.description() == Some(description) {
        return Ok(text.to_owned());
    }
    let bare = (before.document.syntax() == Some(Syntax::Yaml))
        .then(|| scalar(description, Style::Plain))
        .filter(|_| !node.span.of(text).starts_with(['"', '\'']));
    let ways = [
        block(node.span.of(text), description),
        bare,
        Some(quote(description)),
    ];
    ways.into_iter()
        .flatten()
        .find_map(|value| replaced(&before, node.span, value, description))
        .ok_or(DescribeError::NotAlone)
}

/// The text with this value there; `None` where anything else would be read differently.
fn replaced(before: &Parsed, span: Span, value: String, description: &str) -> Option<String> {
    let next = Fix::replace("describe", span, value).apply(before.document.text())?;
    let after = read(next.as_bytes(), Profile::Standard);
    let rest = |document: &Document| {
        let mut facts = facts(document);
        facts.retain(|(key, _)| key != "description");
        (facts, document.instructions().to_owned())
    };
    let faults = |parsed: &Parsed| {
        let found = parsed.diagnostics.iter();
        found.filter(|it| it.severity <= Severity::Warning).count()
    };
    (after.document.description() == Some(description)
        && rest(&before.document) == rest(&after.document)
        && faults(&after) <= faults(before))
    .then_some(next)
}

/// The same kind of block with other lines; `None` where the value is no block.
fn block(old: &str, description: &str) -> Option<String> {
    let folded = match old.chars().next()? {
        '|' => false,
        '>' => true,
        _ => return None,
    };
    let (header, lines) = old.split_once('\n')?;
    let first = lines.lines().find(|line| !line.trim().is_empty())?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let end = if header.ends_with('\r') { "\r\n" } else { "\n" };
    let mut block = header.trim_end_matches('\r').to_owned();
    for (at, line) in description.lines().enumerate() {
        block += end;
        // In a folded block a single line break is a blank.
        if folded && at > 0 {
            block += end;
        }
        if !line.is_empty() {
            block += indent;
            block += line;
        }
    }
    let tail = &old[old.trim_end_matches(['\r', '\n']).len()..];
    Some(block + tail)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, description: &str, expected: &Expect) {
        let told = match describe(text, description) {
            Ok(text) => text,
            Err(error) => format!("error: {error}\n"),
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn only_the_description_changes() {
        check(
            "---\n# by hand\nname:   pdf\ndescription: Old.   # why\nmetadata: {a: 1.10}\n---\n\nBody\n",
            "Fills forms. Use when: a user has one.",
            &expect![[r#"
                ---
                # by hand
                name:   pdf
                description: "Fills forms. Use when: a user has one."   # why
                metadata: {a: 1.10}
                ---

                Body
            "#]],
        );
        check(
            "---\nname: pdf\ndescription: 'It''s old'\n---\n",
            " It's \"new\" ",
            &expect![[r#"
                ---
                name: pdf
                description: "It's \"new\""
                ---
            "#]],
        );
    }

    #[test]
    fn a_block_stays_a_block() {
        check(
            "---\nname: pdf\ndescription: >-\n   Old words\n   folded.\nlicense: MIT\n---\n",
            "New words.\nUse when: asked.",
            &expect![[r#"
                ---
                name: pdf
                description: >-
                   New words.

                   Use when: asked.
                license: MIT
                ---
            "#]],
        );
        check(
            "---\nname: pdf\ndescription: |\n  Old\n  words\n---\nBody\n",
            "One.\n\nTwo.",
            &expect![[r#"
                ---
                name: pdf
                description: |
                  One.

                  Two.
                ---
                Body
            "#]],
        );
        check(
            "+++\nname = \"pdf\"\ndescription = \"\"\"\nOld\"\"\"\n+++\n",
            "New",
            &expect![[r#"
                +++
                name = "pdf"
                description = "New"
                +++
            "#]],
        );
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        check(
            "---\nname: a\ndescription: b\n---\n",
            "  ",
            &expect![[r#"
            error: a skill without a description is not offered to a model
        "#]],
        );
        check(
            "---\nname: a\n---\n",
            "b",
            &expect![[r#"
            error: its file has no description that could be replaced
        "#]],
        );
        check(
            "---\nname: a\ndescription: [b]\n---\n",
            "b",
            &expect![[r#"
            error: its file has no description that could be replaced
        "#]],
        );
    }

    proptest! {
        /// Whatever somebody types reads back, and nothing else of the file moves.
        #[test]
        fn any_description_reads_back(
            description in "\\PC{0,40}(\n\\PC{0,20}){0,2}",
            value in prop::sample::select(vec!["Old.", "'Old'", "\"Old\"", ">-\n  Old\n  text", "|\n  Old\n", "|2+\n  Old\n\n"]),
            ends in prop::sample::select(vec!["\n", "\r\n"]),
        ) {
            let text = format!("---\nname: a-b\ndescription: {value}\nversion: 1.10 # kept\n---\n\nDo it.\n").replace('\n', ends);
            match describe(&text, &description) {
                Ok(next) => {
                    let document = read(next.as_bytes(), Profile::Standard).document;
                    prop_assert_eq!(document.description(), Some(description.trim()));
                    prop_assert!(next.contains("version: 1.10 # kept"));
                    prop_assert_eq!(document.instructions(), "Do it.");
                }
                Err(error) => prop_assert_eq!(error, DescribeError::Empty),
            }
        }
    }
}
