//! Reads the YAML that most skills are written in, without a parser.
//!
//! Nine of ten real frontmatters are lines of `key: value` with at most a list, a block of text
//! or a small map among them. Those are read here, many times faster than by parser events;
//! anything else, and anything in doubt, is left to [`crate::yaml`]. Both give the same values
//! and spans, which a test checks on every kind of file.
//!
//! It stays because of what it saves: 30,000 instructions a file on 2,256 real ones (callgrind,
//! with and without), about a quarter of what loading a skill costs.

use crate::{
    diagnostic::Span,
    value::{Field, Node, Style, Value},
};

/// The most fields read here, well below the limit on values.
const FIELDS: usize = 256;

/// Reads the fields; `None` leaves the text to the full reader. `base` is added to every span.
pub(crate) fn read(text: &str, base: usize) -> Option<Vec<Field>> {
    // Carriage returns, tabs and the rarer line breaks have rules of their own.
    let odd = |byte: u8| u8::from(byte < b' ' && byte != b'\n') | u8::from(byte == 0x7F);
    if text.bytes().fold(0, |found, byte| found | odd(byte)) != 0 {
        return None;
    }
    let mut reader = Reader { text, base, at: 0 };
    let mut fields = Vec::with_capacity(8);
    reader.map(0, &mut fields, true)?;
    // A catalog keeps thousands of these.
    fields.shrink_to_fit();
    (reader.at == text.len() && !fields.is_empty()).then_some(fields)
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    at: usize,
}

/// The text is left to the full reader.
struct NotSimple;

/// A line without its indentation.
#[derive(Clone, Copy)]
struct Line<'a> {
    start: usize,
    indent: usize,
    body: &'a str,
    next: usize,
}

impl<'a> Reader<'a> {
    /// The next line with something on it. Comments only count at the margin: below it, they
    /// may be text.
    fn peek(&self) -> Result<Option<Line<'a>>, NotSimple> {
        let mut at = self.at;
        while at < self.text.len() {
            let end = memchr::memchr(b'\n', &self.text.as_bytes()[at..])
                .map_or(self.text.len(), |end| at + end);
            let next = (end + 1).min(self.text.len());
            let line = &self.text[at..end];
            let body = line.trim_start_matches(' ');
            let indent = line.len() - body.len();
            if body.is_empty() || (indent == 0 && body.starts_with('#')) {
                at = next;
                continue;
            }
            if body.starts_with('#') {
                return Err(NotSimple);
            }
            return Ok(Some(Line {
                start: at + indent,
                indent,
                body: body.trim_end_matches(' '),
                next,
            }));
        }
        Ok(None)
    }

    fn span(&self, start: usize, length: usize) -> Span {
        Span::new(self.base + start, self.base + start + length)
    }

    /// Reads `key: value` lines that all stand at `indent`.
    fn map(&mut self, indent: usize, fields: &mut Vec<Field>, nested: bool) -> Option<()> {
        while let Some(line) = self.peek().ok()? {
            if line.indent < indent {
                return Some(());
            }
            if line.indent > indent || fields.len() >= FIELDS {
                return None;
            }
            let colon = line
                .body
                .bytes()
                .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')))?;
            let key = &line.body[..colon];
            if !key.starts_with(|char: char| char.is_ascii_alphabetic())
                || line.body.as_bytes()[colon] != b':'
            {
                return None;
            }
            let rest = &line.body[colon + 1..];
            let value = rest.trim_start_matches(' ');
            if value.len() == rest.len() && !rest.is_empty() {
                return None;
            }
            self.at = line.next;
            let start = line.start + line.body.len() - value.len();
            let node = match value.as_bytes().first() {
                None => self.below(line, nested)?,
                Some(b'|' | b'>') => self.block(value, start, indent)?,
                Some(b'[') => self.flow_list(value, start)?,
                Some(_) => self.scalar(value, start, indent)?,
            };
            fields.push(Field {
                key: key.into(),
                key_span: self.span(line.start, key.len()),
                node,
            });
        }
        self.at = self.text.len();
        Some(())
    }

    /// What stands under a key with nothing behind it: a list, a map, or nothing.
    fn below(&mut self, key: Line<'_>, nested: bool) -> Option<Node> {
        let Some(line) = self.peek().ok()? else {
            return Some(self.nothing(key));
        };
        if line.body.starts_with("- ") && line.indent >= key.indent {
            let mut nodes = Vec::new();
            while let Some(item) = self.peek().ok()? {
                if item.indent != line.indent || !item.body.starts_with('-') {
                    if item.indent > key.indent
                        || item.indent >= line.indent && item.body.starts_with('-')
                    {
                        return None;
                    }
                    break;
                }
                let value = item.body.strip_prefix("- ")?.trim_start_matches(' ');
                if value.contains(": ")
                    || value.ends_with(':')
                    || value.starts_with(['[', '|', '>', '-'])
                    || nodes.len() >= FIELDS
                {
                    return None;
                }
                self.at = item.next;
                nodes.push(self.scalar(
                    value,
                    item.start + item.body.len() - value.len(),
                    item.indent,
                )?);
            }
            nodes.shrink_to_fit();
            let value = Value::List(nodes);
            return Some(Node {
                span: value.extent()?,
                value,
            });
        }
        if line.indent > key.indent {
            if !nested {
                return None;
            }
            let mut fields = Vec::new();
            self.map(line.indent, &mut fields, false)?;
            fields.shrink_to_fit();
            let value = Value::Map(fields);
            return Some(Node {
                span: value.extent()?,
                value,
            });
        }
        Some(self.nothing(key))
    }

    fn nothing(&self, key: Line<'_>) -> Node {
        // The full reader puts it at the colon.
        let at = key.start + key.body.len() - 1;
        Node {
            value: Value::Scalar("".into(), Style::Plain),
            span: self.span(at, 0),
        }
    }

    /// A text on one line, bare or in quotes that hide nothing.
    fn scalar(&mut self, value: &str, start: usize, indent: usize) -> Option<Node> {
        let first = *value.as_bytes().first()?;
        let (text, style) = if matches!(first, b'"' | b'\'') {
            let inner = value[1..].strip_suffix(char::from(first))?;
            if inner.contains(char::from(first)) || (first == b'"' && inner.contains('\\')) {
                return None;
            }
            (inner, Style::Quoted)
        } else {
            let safe = first.is_ascii_alphanumeric()
                || matches!(first, b'(' | b'/' | b'.' | b'<' | b'$' | b'+')
                || first >= 0x80;
            if !safe || !is_plain(value) {
                return None;
            }
            (value, Style::Plain)
        };
        if has_rare_breaks(value) {
            return None;
        }
        // A line further in goes on with this value.
        if self.peek().ok()?.is_some_and(|line| line.indent > indent) {
            return None;
        }
        Some(Node {
            value: Value::Scalar(text.into(), style),
            span: self.span(start, value.len()),
        })
    }

    /// `>` and `|` over lines of one margin.
    fn block(&mut self, header: &str, start: usize, indent: usize) -> Option<Node> {
        let (folded, keep) = match header {
            ">" => (true, true),
            ">-" => (true, false),
            "|" => (false, true),
            "|-" => (false, false),
            _ => return None,
        };
        let mut text = String::new();
        let mut margin = None;
        let mut end = start + header.len();
        let mut blank = false;
        while self.at < self.text.len() {
            let stop = memchr::memchr(b'\n', &self.text.as_bytes()[self.at..]);
            let line_end = stop.map_or(self.text.len(), |stop| self.at + stop);
            let line = &self.text[self.at..line_end];
            let body = line.trim_start_matches(' ');
            let width = line.len() - body.len();
            if body.is_empty() {
                if width > 0 {
                    return None;
                }
                blank = true;
            } else if width <= indent {
                break;
            } else {
                // Blank lines inside and deeper lines fold by rules of their own.
                if *margin.get_or_insert(width) != width
                    || blank
                    || body.ends_with(' ')
                    || stop.is_none()
                {
                    return None;
                }
                if !text.is_empty() {
                    text.push(if folded { ' ' } else { '\n' });
                }
                text.push_str(body);
                end = line_end;
            }
            self.at = (line_end + 1).min(self.text.len());
        }
        if text.is_empty() || has_rare_breaks(&text) {
            return None;
        }
        if keep {
            text.push('\n');
        }
        Some(Node {
            value: Value::Scalar(text.into(), Style::Quoted),
            span: self.span(start, end - start),
        })
    }

    /// `[a, b]` of plain words on one line.
    fn flow_list(&mut self, value: &str, start: usize) -> Option<Node> {
        let inner = value.strip_prefix('[')?.strip_suffix(']')?;
        let mut nodes = Vec::new();
        let mut at = start + 1;
        for part in inner.split(',') {
            let word = part.trim_matches(' ');
            let plain = |byte: u8| {
                byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-' | b'.' | b'/')
            };
            if !word.starts_with(|char: char| char.is_ascii_alphanumeric())
                || !word.bytes().all(plain)
            {
                return None;
            }
            let lead = part.len() - part.trim_start_matches(' ').len();
            nodes.push(Node {
                value: Value::Scalar(word.into(), Style::Plain),
                span: self.span(at + lead, word.len()),
            });
            at += part.len() + 1;
        }
        (nodes.len() < FIELDS).then(|| Node {
            value: Value::List(nodes),
            span: self.span(start, value.len()),
        })
    }
}

/// Whether a bare text means itself: no key, no comment inside.
fn is_plain(text: &str) -> bool {
    !text.ends_with(':')
        && memchr::memchr2_iter(b':', b'#', text.as_bytes()).all(|at| {
            let bytes = text.as_bytes();
            if bytes[at] == b':' {
                bytes.get(at + 1) != Some(&b' ')
            } else {
                at > 0 && bytes[at - 1] != b' '
            }
        })
}

/// Next line, line separator, paragraph separator and a byte order mark mean more than text.
fn has_rare_breaks(text: &str) -> bool {
    !text.is_ascii() && text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::{self, Budget};

    /// Whether this reader took the text; whatever it took must be what the full reader gives.
    fn taken(text: &str) -> bool {
        let Some(fields) = read(text, 7) else {
            return false;
        };
        let full = yaml::read(text, 7, &mut Budget::default())
            .unwrap_or_else(|stop| panic!("{text:?}: {stop:?}"));
        assert!(full.remarks.is_empty(), "{text:?}");
        assert_eq!(
            Some(Value::Map(fields)),
            full.root.map(|node| node.value),
            "{text:?}"
        );
        true
    }

    #[test]
    fn the_usual_kinds_are_taken_and_read_alike() {
        for text in [
            "name: pdf\ndescription: Fills forms. Use when asked.\n",
            "name: pdf",
            "name:   pdf  \nversion: 1.10\nempty:\nlast: 'x y'\n",
            "# comment\nname: \"a b\"\n\nlicense: MIT\n",
            "tags:\n  - a\n  - \"b c\"\n  - d\nname: x\n",
            "tags:\n- a\n- b\nname: x\n",
            "tags: [a, b c, d-e]\nname: x\n",
            "metadata:\n  author: me\n  version: '1.0'\nname: x\n",
            "description: >\n  one\n  two\nname: x\n",
            "description: |-\n  one\n  two\n\nname: x\n",
            "description: https://example.com/a#b\nuse: caf\u{e9} (x)\n",
        ] {
            assert!(taken(text), "{text:?} was not taken");
        }
    }

    #[test]
    fn anything_in_doubt_is_left_alone() {
        for text in [
            "name: a: b\n",
            "name: a # b\n",
            "name: a\n  b\n",
            "name: a\n\n  b\n",
            "name: *a\n",
            "name: \"a\\n\"\n",
            "name: 'it''s'\n",
            "a:\tb\n",
            "a: b\r\n",
            "description: >\n  a\n\n  b\n",
            "description: |\n  a\n   b\n",
            "tags: [a, [b]]\n",
            "tags: []\n",
            "tags:\n  - a: b\n",
            "- a\n",
            "a b: c\n",
            "",
            "a:\n  b:\n    c: d\n",
            "a:b\n",
        ] {
            assert!(!taken(text), "{text:?} was taken");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn what_is_taken_reads_alike(pieces in prop::collection::vec(prop::sample::select(vec![
            "name: ", "a:", "tags:", "b: ", "\n", "\n", "\n", "  ", " ", "- ", "-", "x", "y z", "\"q\"", "'s'", "\"", "'", ": ", ":", " #", "#",
            ">\n", ">-\n", "|\n", "|-", "[a, b]", "[", "]", ",", "{", "&", "*", "!", "%", "?", "@", "\u{e9}", "\u{85}", "\u{2028}", "1.0", "...", "\\",
        ]), 0..24)) {
            taken(&pieces.concat());
        }
    }
}
