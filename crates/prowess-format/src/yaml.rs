//! Reads YAML into values: parser events under counters of our own.
//!
//! Tree builders overflow the stack on hostile input; this reader keeps its own stack, counts
//! values and depth, and never expands an alias to more than one text.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use crate::{
    diagnostic::Span,
    limits, quote,
    value::{Field, Node, Style, Value},
};

/// A document that could be read.
#[derive(Debug)]
pub(crate) struct Read {
    /// The one value of the document; `None` when there is only white space and comments.
    pub(crate) root: Option<Node>,
    /// What a reader should know of it.
    pub(crate) remarks: Vec<(Remark, Span)>,
}

/// Something allowed by YAML that means less here than its author may think.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remark {
    /// `*name` stands for an earlier text.
    Alias,
    /// `*name` stands for a list or map and was kept as text.
    AliasKept,
    /// `!tag` has no effect.
    Tag,
    /// A second document follows and is not read.
    SecondDocument,
}

/// Why reading stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The text is not YAML.
    Syntax { at: usize, why: String },
    /// The text asks for more than the limits give.
    Limit { at: usize, what: String },
}

impl Stop {
    fn too_deep(at: usize) -> Self {
        Self::Limit {
            at,
            what: format!("nested deeper than {} levels", limits::DEPTH),
        }
    }

    /// The byte reading stopped at.
    pub(crate) fn at(&self) -> usize {
        match self {
            Self::Syntax { at, .. } | Self::Limit { at, .. } => *at,
        }
    }

    /// What happened there.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Syntax { why, .. } => why,
            Self::Limit { what, .. } => what,
        }
    }
}

/// What may still be used; one budget serves all attempts at one file.
#[derive(Debug)]
pub(crate) struct Budget {
    nodes: usize,
    aliases: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            nodes: limits::NODES,
            aliases: limits::ALIASES,
        }
    }
}

/// Reads one document. Spans are offset by `base`, the place of `text` in its file.
pub(crate) fn read(text: &str, base: usize, budget: &mut Budget) -> Result<Read, Stop> {
    Reader {
        offsets: Offsets::new(text),
        base,
        budget,
        stack: Vec::new(),
        anchors: Vec::new(),
        remarks: Vec::new(),
    }
    .run(text)
}

struct Reader<'a, 'b> {
    offsets: Offsets<'a>,
    base: usize,
    budget: &'b mut Budget,
    stack: Vec<Frame>,
    anchors: Vec<(usize, Option<Box<str>>)>,
    remarks: Vec<(Remark, Span)>,
}

/// A list or map that is not finished.
enum Frame {
    List {
        start: usize,
        nodes: Vec<Node>,
    },
    Map {
        start: usize,
        fields: Vec<Field>,
        key: Option<(Box<str>, Span)>,
    },
}

impl Reader<'_, '_> {
    fn run(mut self, text: &str) -> Result<Read, Stop> {
        let mut parser = Parser::new_from_str(text);
        let mut root = None;
        let mut documents = 0;
        while let Some(next) = parser.next_event() {
            let (event, span) = next.map_err(|error| self.stop(&error))?;
            let start = self.offsets.byte(span.start.index());
            let end = self.offsets.byte(span.end.index()).max(start);
            let done = match event {
                Event::Scalar(value, style, anchor, tag) => {
                    self.tagged(tag.is_some(), start);
                    let node = self.scalar(value, style, start, end)?;
                    if anchor > 0 {
                        self.anchors
                            .push((anchor, node.value.as_str().map(Box::from)));
                    }
                    Some(node)
                }
                Event::Alias(anchor) => Some(self.alias(anchor, start, end)?),
                Event::SequenceStart(anchor, tag) => {
                    self.open(
                        Frame::List {
                            start,
                            nodes: Vec::new(),
                        },
                        anchor,
                        tag.is_some(),
                        start,
                    )?;
                    None
                }
                Event::MappingStart(anchor, tag) => {
                    self.open(
                        Frame::Map {
                            start,
                            fields: Vec::new(),
                            key: None,
                        },
                        anchor,
                        tag.is_some(),
                        start,
                    )?;
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(end),
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        self.remarks
                            .push((Remark::SecondDocument, self.span(start, end)));
                        break;
                    }
                    None
                }
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => None,
            };
            if let Some(node) = done {
                root = self.add(node).or(root);
            }
        }
        Ok(Read {
            root,
            remarks: self.remarks,
        })
    }

    fn stop(&mut self, error: &ScanError) -> Stop {
        let end = self.offsets.byte(error.marker().index());
        let at = self.base + end;
        // The scanner counts open brackets in a byte and looks ahead, so that it stops at 256 of
        // them before the first one reaches our own limit.
        let open = self.offsets.text[..end].matches(['[', '{']).count();
        if open.saturating_sub(self.offsets.text[..end].matches([']', '}']).count()) >= 255 {
            return Stop::too_deep(at);
        }
        Stop::Syntax {
            at,
            why: error.info().to_owned(),
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start, self.base + end)
    }

    fn spend(&mut self, at: usize) -> Result<(), Stop> {
        self.budget.nodes = self
            .budget
            .nodes
            .checked_sub(1)
            .ok_or_else(|| Stop::Limit {
                at: self.base + at,
                what: format!("more than {} values", limits::NODES),
            })?;
        Ok(())
    }

    fn tagged(&mut self, tagged: bool, start: usize) {
        if tagged {
            self.remarks.push((Remark::Tag, self.span(start, start)));
        }
    }

    fn scalar(
        &mut self,
        value: Cow<'_, str>,
        style: ScalarStyle,
        start: usize,
        end: usize,
    ) -> Result<Node, Stop> {
        self.spend(start)?;
        let start = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => self.header(start),
            _ => start,
        };
        let style = if style == ScalarStyle::Plain {
            Style::Plain
        } else {
            Style::Quoted
        };
        // A block's span runs on over blank lines; the text it names ends earlier.
        let end = start + self.offsets.text[start..end].trim_end().len();
        Ok(Node {
            value: Value::Scalar(value.into(), style),
            span: self.span(start, end),
        })
    }

    /// The place of the `|` or `>` that opens a block whose text starts at `start`: the parser
    /// tells only where the text is.
    fn header(&self, start: usize) -> usize {
        let before = self.offsets.text[..start].trim_end();
        let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let marks = before[line..].match_indices(['|', '>']);
        marks
            .map(|(at, _)| line + at)
            .find(|at| quote::opens_block(&before[*at..]))
            .unwrap_or(start)
    }

    fn alias(&mut self, anchor: usize, start: usize, end: usize) -> Result<Node, Stop> {
        self.spend(start)?;
        self.budget.aliases = self
            .budget
            .aliases
            .checked_sub(1)
            .ok_or_else(|| Stop::Limit {
                at: self.base + start,
                what: format!("more than {} aliases", limits::ALIASES),
            })?;
        let span = self.span(start, end);
        let text = self
            .anchors
            .iter()
            .rev()
            .find(|(id, _)| *id == anchor)
            .and_then(|(_, text)| text.clone());
        let remark = if text.is_some() {
            Remark::Alias
        } else {
            Remark::AliasKept
        };
        self.remarks.push((remark, span));
        let value = text.unwrap_or_else(|| self.offsets.text[start..end].trim().into());
        Ok(Node {
            value: Value::Scalar(value, Style::Plain),
            span,
        })
    }

    fn open(
        &mut self,
        frame: Frame,
        anchor: usize,
        tagged: bool,
        start: usize,
    ) -> Result<(), Stop> {
        self.spend(start)?;
        self.tagged(tagged, start);
        if self.stack.len() >= limits::DEPTH {
            return Err(Stop::too_deep(self.base + start));
        }
        if anchor > 0 {
            self.anchors.push((anchor, None));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn close(&mut self, end: usize) -> Option<Node> {
        let (value, start) = match self.stack.pop()? {
            Frame::List { start, nodes } => (Value::List(nodes), start),
            Frame::Map { start, fields, .. } => (Value::Map(fields), start),
        };
        let flow = self.offsets.text[start..].starts_with(['[', '{']);
        // A block has no marks of its own: it reaches from its first value to its last.
        let span = value.extent().filter(|_| !flow);
        let span = span.unwrap_or_else(|| {
            let text = self.offsets.text[start..end.max(start)].trim_end();
            self.span(start, start + text.len())
        });
        Some(Node { value, span })
    }

    /// Puts a finished value where it belongs; gives it back when it is the whole document.
    fn add(&mut self, node: Node) -> Option<Node> {
        match self.stack.last_mut() {
            None => return Some(node),
            Some(Frame::List { nodes, .. }) => nodes.push(node),
            Some(Frame::Map { fields, key, .. }) => match key.take() {
                Some((key, key_span)) => fields.push(Field {
                    key,
                    key_span,
                    node,
                }),
                None => {
                    let text = match node.value {
                        Value::Scalar(text, _) => text,
                        // A list or map as a key is known by how it was written.
                        Value::List(_) | Value::Map(_) => self.offsets.text
                            [node.span.start - self.base..node.span.end - self.base]
                            .into(),
                    };
                    *key = Some((text, node.span));
                }
            },
        }
        None
    }
}

/// Turns the parser's character counts into byte offsets.
struct Offsets<'a> {
    text: &'a str,
    ascii: bool,
    chars: usize,
    bytes: usize,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            ascii: text.is_ascii(),
            chars: 0,
            bytes: 0,
        }
    }

    /// The byte offset of a character. Requests come nearly in order, so the last answer is
    /// the place to count from.
    fn byte(&mut self, index: usize) -> usize {
        if self.ascii {
            return index.min(self.text.len());
        }
        if index >= self.chars {
            let mut rest = self.text[self.bytes..].chars();
            while self.chars < index {
                let Some(char) = rest.next() else { break };
                self.bytes += char.len_utf8();
                self.chars += 1;
            }
        } else {
            let mut before = self.text[..self.bytes].chars();
            while self.chars > index {
                let Some(char) = before.next_back() else {
                    break;
                };
                self.bytes -= char.len_utf8();
                self.chars -= 1;
            }
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        match read(text, 0, &mut Budget::default()) {
            Ok(read) => {
                let value = read.root.map_or("nothing".into(), |node| {
                    serde_json::to_string(&node.value).unwrap()
                });
                let remarks: Vec<_> = read.remarks.iter().map(|(remark, _)| remark).collect();
                remarks
                    .iter()
                    .fold(value, |text, remark| format!("{text} {remark:?}"))
            }
            Err(stop) => format!("{}: {}", stop.at(), stop.why()),
        }
    }

    #[test]
    fn scalars_stay_text_in_the_order_they_were_written() {
        assert_eq!(
            json("version: 1.10\nname: no\nempty:\n"),
            r#"{"version":"1.10","name":"no","empty":""}"#
        );
        assert_eq!(
            json("a: [1, {b: ~}]\nc:\n- x\n- y\n"),
            r#"{"a":["1",{"b":"~"}],"c":["x","y"]}"#
        );
        assert_eq!(
            json("a: >\n  one\n  two\n\n  three\nb: |-\n  x\n   y\n"),
            "{\"a\":\"one two\\nthree\\n\",\"b\":\"x\\n y\"}"
        );
        assert_eq!(json("# only a comment\n"), "nothing");
    }

    #[test]
    fn aliases_stand_for_one_text_and_tags_for_nothing() {
        assert_eq!(json("a: &x one\nb: *x\n"), r#"{"a":"one","b":"one"} Alias"#);
        assert_eq!(
            json("a: &x [1]\nb: *x\n"),
            r#"{"a":["1"],"b":"*x"} AliasKept"#
        );
        assert_eq!(
            json("a: !!python/object:os.system ls\n"),
            r#"{"a":"ls"} Tag"#
        );
        assert_eq!(
            json("a: 1\n...\n---\nb: 2\n"),
            r#"{"a":"1"} SecondDocument"#
        );
    }

    #[test]
    fn hostile_nesting_stops_at_a_limit() {
        for text in [
            "[".repeat(60_000),
            "- ".repeat(30_000),
            "{a: ".repeat(15_000),
            "? ".repeat(30_000),
        ] {
            let answer = json(&text);
            assert!(answer.contains("32 levels"), "{answer}");
        }
        let wide = format!("a: [{}]", "x,".repeat(20_000));
        assert!(json(&wide).contains("more than 10000 values"));
        let blocks: Vec<_> = (0..300).map(|depth| " ".repeat(depth) + "a:\n").collect();
        assert!(json(&blocks.concat()).contains("32 levels"));
    }

    #[test]
    fn spans_count_bytes() {
        let text = "k\u{e9}y: 'v\u{e4}lue'\nb: x\n";
        let read = read(text, 0, &mut Budget::default()).unwrap();
        let root = read.root.unwrap();
        let fields = root.value.as_map().unwrap();
        assert_eq!(fields[0].key_span.of(text), "k\u{e9}y");
        assert_eq!(fields[0].node.span.of(text), "'v\u{e4}lue'");
        assert_eq!(fields[1].node.span.of(text), "x");
    }
}
