//! The tools a skill asks for, as patterns a host can check: `Read`, `Bash(git add:*)`.

use std::fmt;

use crate::{
    diagnostic::Span,
    document::Document,
    value::{Node, Value},
};

/// One tool a skill asks for, as far as it can be told from the text.
///
/// A pattern that cannot be read keeps its whole text as the tool, so that it names no tool any
/// host has: a slip never asks for more than was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolPattern<'a> {
    /// The tool's name, such as `Bash`.
    pub tool: &'a str,
    /// What stands in the parentheses, such as `git add:*`; the host knows what it means.
    pub argument: Option<&'a str>,
    /// Where the pattern stands, or the field where that cannot be told.
    pub span: Span,
}

impl<'a> ToolPattern<'a> {
    /// Reads one pattern.
    pub fn new(text: &'a str, span: Span) -> Self {
        let whole = Self {
            tool: text,
            argument: None,
            span,
        };
        let Some((tool, rest)) = text.split_once('(') else {
            return whole;
        };
        let Some(argument) = rest.strip_suffix(')') else {
            return whole;
        };
        if argument.trim().is_empty() || depth_after(argument) != Some(0) {
            return whole;
        }
        Self {
            tool: tool.trim_end(),
            argument: Some(argument.trim()),
            span,
        }
    }

    /// Whether the pattern could be read: a tool's name, and perhaps an argument.
    pub fn is_readable(&self) -> bool {
        let of_a_name = |c: char| c.is_alphanumeric() || "_-.:/*?@".contains(c);
        !self.tool.is_empty() && self.tool.chars().all(of_a_name)
    }

    /// Whether the pattern lets everything through: `*`, `mcp__*`, `Bash(*)`, `Read(/**)`.
    pub fn is_wildcard(&self) -> bool {
        let anything =
            |text: &str| text.contains('*') && text.chars().all(|c| "*/:.~ ".contains(c));
        anything(self.tool) || self.tool == "mcp__*" || self.argument.is_some_and(anything)
    }
}

impl fmt::Display for ToolPattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.argument {
            Some(argument) => write!(f, "{}({argument})", self.tool),
            None => f.write_str(self.tool),
        }
    }
}

impl Document {
    /// The tools the skill asks for. A text parted by spaces, a text parted by commas, a block
    /// list and a flow list all give the same patterns; `allowed_tools` is read too.
    pub fn allowed_tools(&self) -> Vec<ToolPattern<'_>> {
        self.tools_of(&["allowed-tools", "allowed_tools"])
    }

    /// The tools the skill asks to be kept from.
    pub fn disallowed_tools(&self) -> Vec<ToolPattern<'_>> {
        self.tools_of(&["disallowed-tools", "disallowed_tools"])
    }

    fn tools_of(&self, keys: &[&str]) -> Vec<ToolPattern<'_>> {
        let mut patterns = Vec::new();
        if let Some(node) = keys.iter().find_map(|key| self.get(key)) {
            self.read_tools(node, &mut patterns);
        }
        patterns
    }

    fn read_tools<'a>(&'a self, node: &'a Node, patterns: &mut Vec<ToolPattern<'a>>) {
        match &node.value {
            Value::Scalar(text, _) => {
                let source = node.span.of(&self.text);
                let mut searched = 0;
                for pattern in split(text) {
                    // A quoted or folded text differs from its source; the pattern in it rarely does.
                    let found = source
                        .get(searched..)
                        .and_then(|rest| rest.find(pattern))
                        .map(|at| searched + at);
                    let span = found.map_or(node.span, |at| {
                        searched = at + pattern.len();
                        Span::new(node.span.start + at, node.span.start + searched)
                    });
                    patterns.push(ToolPattern::new(pattern, span));
                }
            }
            Value::List(nodes) => {
                for node in nodes {
                    // Only texts: a list in a list has no meaning any client agrees on.
                    if matches!(node.value, Value::Scalar(..)) {
                        self.read_tools(node, patterns);
                    }
                }
            }
            Value::Map(_) => {}
        }
    }
}

/// Parts a text at commas and white space, but not inside parentheses nor before one, so that
/// `Bash (git:*)` never turns into a plain `Bash`.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_separator);
        if rest.is_empty() {
            return None;
        }
        let mut depth = 0_usize;
        let mut end = rest.len();
        for (at, c) in rest.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ if depth == 0 && is_separator(c) => {
                    let opens = c.is_whitespace() && rest[at..].trim_start().starts_with('(');
                    if !opens {
                        end = at;
                        break;
                    }
                }
                _ => {}
            }
        }
        let (pattern, after) = rest.split_at(end);
        rest = after;
        Some(pattern.trim_end())
    })
}

fn is_separator(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

/// The parentheses left open after a text; `None` where one closes too early.
fn depth_after(text: &str) -> Option<usize> {
    text.bytes().try_fold(0_usize, |depth, byte| match byte {
        b'(' => Some(depth + 1),
        b')' => depth.checked_sub(1),
        _ => Some(depth),
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{Profile, parse};

    fn check(text: &str, expected: &Expect) {
        let told: Vec<_> = split(text)
            .map(|pattern| ToolPattern::new(pattern, Span::default()))
            .map(|pattern| match pattern {
                pattern if !pattern.is_readable() => format!("unreadable: {pattern}\n"),
                pattern if pattern.is_wildcard() => format!("wildcard: {pattern}\n"),
                ToolPattern { tool, argument, .. } => format!("{tool} {argument:?}\n"),
            })
            .collect();
        expected.assert_eq(&told.concat());
    }

    #[test]
    fn commas_and_spaces_part_patterns_but_not_in_parentheses() {
        check(
            "Bash(git add:*), Read Write,mcp__db__query  Bash(echo (a, b))",
            &expect![[r#"
                Bash Some("git add:*")
                Read None
                Write None
                mcp__db__query None
                Bash Some("echo (a, b)")
            "#]],
        );
    }

    #[test]
    fn every_shape_gives_the_same_patterns() {
        for shape in [
            "allowed-tools: Bash(git add:*) Read",
            "allowed-tools: Bash(git add:*), Read",
            "allowed_tools: \"Bash(git add:*), Read\"",
            "allowed-tools:\n  - Bash(git add:*)\n  - Read",
            "allowed-tools: [Bash(git add:*), Read]",
            "allowed-tools: >-\n  Bash(git add:*),\n  Read",
        ] {
            let text = format!("---\n{shape}\n---\n");
            let document = parse(text.as_bytes(), Profile::Lenient).document;
            let patterns = document.allowed_tools();
            let told: Vec<_> = patterns.iter().map(ToolPattern::to_string).collect();
            assert_eq!(told, ["Bash(git add:*)", "Read"], "{shape}");
            for (pattern, told) in patterns.iter().zip(&told) {
                assert_eq!(pattern.span.of(&text), told, "{shape}");
            }
        }
    }

    #[test]
    fn a_slip_never_asks_for_more() {
        check(
            "Bash (git:*), Read",
            &expect![[r#"
                Bash Some("git:*")
                Read None
            "#]],
        );
        check(
            "Read, Bash(git add:*, Write",
            &expect![[r"
                Read None
                unreadable: Bash(git add:*, Write
            "]],
        );
        check(
            "Bash() Bash) [Read]",
            &expect![[r"
                unreadable: Bash()
                unreadable: Bash)
                unreadable: [Read]
            "]],
        );
    }

    #[test]
    fn what_lets_everything_through_is_told() {
        check(
            "* Bash(*) Bash(:*) Read(/**) mcp__* Bash(git *) mcp__db__*",
            &expect![[r#"
                wildcard: *
                wildcard: Bash(*)
                wildcard: Bash(:*)
                wildcard: Read(/**)
                wildcard: mcp__*
                Bash Some("git *")
                mcp__db__* None
            "#]],
        );
    }
}
