//! Whether common readers of YAML agree on a frontmatter.
//!
//! A host reads the frontmatter with a reader of its own and compares. Two of them were looked at
//! on 2026-11-17: the one inside the official TypeScript SDK 2.4.0, which knows the YAML that most
//! skills are written in and refuses the rest, and `PyYAML` as fastmcp 4.1.2 uses it. What one of
//! them refuses, or reads otherwise than YAML 1.2 says, is named here.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::Value as Json;

use super::frontmatter::plain;

/// Lists and maps inside one another that every reader takes.
const MAX_DEPTH: usize = 30;

/// What in a frontmatter is not read alike by all; `None` where they agree. The text is what
/// stands between the fences, and is YAML that can be read here.
pub(super) fn disagreement(text: &str) -> Option<&'static str> {
    if text.replace("\r\n", "\n").contains('\r') {
        return Some("lines that end with a lone carriage return");
    }
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        if indent.contains('\t') && indent.len() < line.len() {
            return Some("a tab in an indentation");
        }
        if line.trim_end() == "..." {
            return Some("an end mark `...`");
        }
    }
    let mut look = Look {
        text: text.chars().collect(),
        open: Vec::new(),
    };
    let mut parser = Parser::new_from_str(text);
    while let Some(Ok((event, span))) = parser.next_event() {
        let (start, lines) = (span.start.index(), span.start.line()..span.end.line());
        if let Some(what) = look.event(&event, start, lines.start, lines.end) {
            return Some(what);
        }
    }
    None
}

/// A list or map that is not at its end yet.
struct Collection {
    /// In brackets or braces.
    flow: bool,
    line: usize,
    /// Of a map: whether the next value is a key.
    key: Option<bool>,
}

struct Look {
    text: Vec<char>,
    open: Vec<Collection>,
}

impl Look {
    fn event(
        &mut self,
        event: &Event<'_>,
        start: usize,
        line: usize,
        end_line: usize,
    ) -> Option<&'static str> {
        match event {
            Event::Alias(_) => return Some("an alias"),
            Event::Scalar(_, _, 1.., _)
            | Event::SequenceStart(1.., _)
            | Event::MappingStart(1.., _) => {
                return Some("an anchor");
            }
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => return Some("a tag"),
            Event::Scalar(value, style, ..) => {
                let is_key = self.begin_value();
                return self.scalar(value, *style, start, line != end_line, is_key);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let flow = matches!(self.text.get(start), Some('[' | '{'));
                let in_flow = self.open.last().is_some_and(|outer| outer.flow);
                if self.begin_value() {
                    return Some("a key that is no text");
                }
                if self.open.is_empty() && flow {
                    return Some("braces around all of it");
                }
                if in_flow && !flow {
                    return Some("a pair without braces inside a list");
                }
                if self.open.len() >= MAX_DEPTH {
                    return Some("values that are nested very deep");
                }
                let key = matches!(event, Event::MappingStart(..)).then_some(true);
                self.open.push(Collection { flow, line, key });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let ended = self.open.pop()?;
                if ended.flow && ended.line != end_line {
                    return Some("brackets that close on another line");
                }
            }
            _ => {}
        }
        None
    }

    /// Notes that a value begins; whether it is a key.
    fn begin_value(&mut self) -> bool {
        let key = self.open.last_mut().and_then(|open| open.key.as_mut());
        key.is_some_and(|key| std::mem::replace(key, !*key))
    }

    fn scalar(
        &self,
        value: &str,
        style: ScalarStyle,
        start: usize,
        several_lines: bool,
        is_key: bool,
    ) -> Option<&'static str> {
        let in_flow = self.open.last().is_some_and(|open| open.flow);
        // The text before it, from its end.
        let before = self.text.get(..start).unwrap_or_default().iter().rev();
        let mut before = before.skip_while(|char| char.is_whitespace());
        match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted if several_lines => {
                return Some("a quoted text over several lines");
            }
            // The parser tells where the text begins; the header stands before it: `|2`, `>-1`.
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let mut header = before.take_while(|char| "+-0123456789".contains(**char));
                let what = "a block of text that says how deep it is indented";
                return header.any(char::is_ascii_digit).then_some(what);
            }
            ScalarStyle::Plain if is_key => {
                let is_text = matches!(plain(value), Json::String(_)) && value != "<<";
                if !is_text {
                    return Some("a key that is no text");
                }
            }
            ScalarStyle::Plain if value.is_empty() && in_flow => {
                return Some("an empty value inside brackets");
            }
            ScalarStyle::Plain if is_not_finite(value) => {
                return Some("a number that JSON does not know");
            }
            _ => {}
        }
        if is_key && value == "__proto__" {
            return Some("the key `__proto__`");
        }
        (is_key && before.next() == Some(&'?')).then_some("a key behind a question mark")
    }
}

/// Infinity, no number at all, and what is too large to be one.
fn is_not_finite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let special = [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"];
    special.contains(&unsigned)
        || (unsigned.starts_with(|char: char| char.is_ascii_digit() || char == '.')
            && text.parse::<f64>().is_ok_and(f64::is_infinite))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: &Expect) {
        expect.assert_eq(disagreement(text).unwrap_or("all agree"));
    }

    #[test]
    fn what_most_skills_are_written_in_is_read_alike() {
        for text in [
            "name: pdf\ndescription: Fills forms. # or not\n",
            "a: 'one'\nb: \"two \\u00e9\"\nc: >-\n  folded\n  text\nd: |+\n  kept\n\n",
            "a: one\n  two\n\n  three\nb:\n  four\n  five\n",
            "a: [x, 'y', {b: c}]\nm: {a: 1, b: [x], c: {d: e},}\nl:\n- x\n-  y: 1\n   z: 2\n- - deep\n",
            "a: 1.10\nb: yes\nc: ~\nd:\n'quoted key': x\na b: c\n",
            "a: x\r\nb: y\r\n",
            "a: What? A list - or none\nb: -1\nc: 5 | 6\n",
            "a: >\n\n  text\n    more\n  end\nb: ...\n",
        ] {
            check(text, &expect!["all agree"]);
        }
    }

    #[test]
    fn what_is_read_otherwise_elsewhere_is_named() {
        check(
            "a: \"one\n  two\"\n",
            &expect!["a quoted text over several lines"],
        );
        check("a: &x 1\n", &expect!["an anchor"]);
        check("a: &x\n  b: c\nd: *x\n", &expect!["an anchor"]);
        check("a: !!str 1\n", &expect!["a tag"]);
        check("a: !custom\n  b: c\n", &expect!["a tag"]);
        check(
            "a: x\rb: y\r",
            &expect!["lines that end with a lone carriage return"],
        );
        check("a: .inf\n", &expect!["a number that JSON does not know"]);
        check("a: [-.INF]\n", &expect!["a number that JSON does not know"]);
        check("a: 1e999\n", &expect!["a number that JSON does not know"]);
        check("m:\n  1: x\n", &expect!["a key that is no text"]);
        check("m:\n  true: x\n", &expect!["a key that is no text"]);
        check("m: {a: x, null: y}\n", &expect!["a key that is no text"]);
        check("m:\n  <<: {a: b}\n", &expect!["a key that is no text"]);
        check(
            "m:\n  ? complex\n  : v\n",
            &expect!["a key behind a question mark"],
        );
        check("m:\n  ? [a]\n  : v\n", &expect!["a key that is no text"]);
        check(
            "a: [x,\n  y]\n",
            &expect!["brackets that close on another line"],
        );
        check("{a: b}\n", &expect!["braces around all of it"]);
        check("a: {b: ,}\n", &expect!["an empty value inside brackets"]);
        check(
            "a: [b: c]\n",
            &expect!["a pair without braces inside a list"],
        );
        check(
            "a: |2\n    x\n",
            &expect!["a block of text that says how deep it is indented"],
        );
        check(
            "a: >-1\n  x\n",
            &expect!["a block of text that says how deep it is indented"],
        );
        check("a:\n\tb\n", &expect!["a tab in an indentation"]);
        check("a: b\n...\n", &expect!["an end mark `...`"]);
        check("__proto__: b\n", &expect!["the key `__proto__`"]);
        check(
            &format!("a: {}x{}\n", "[".repeat(31), "]".repeat(31)),
            &expect!["values that are nested very deep"],
        );
    }
}
