//! Tokens to values, with what the reference refuses: keys that stand twice, keys that
//! are no text, and sibling maps with different indentation.

use std::collections::HashSet;

use super::{
    scan::{Kind, Token},
    source::Fault,
    text::Text,
};

/// Nesting beyond this is refused, so that no input can exhaust the stack. The reference
/// itself gives up somewhere above 200; real files reach 6.
const DEEPEST: usize = 128;

/// What the reference makes of a value: scalars are text whatever they look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(Text),
    /// An unquoted `=` or `<<`: not text for the reference, nor anything it can print.
    Sign(Text),
    List(Vec<Value>),
    Map(Vec<(Text, Value)>),
}

/// A field of the frontmatter and where it stands, counted in characters.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Text,
    pub(super) key_start: usize,
    pub(super) key_end: usize,
    pub(super) value: Value,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A value before maps are merged and checked.
enum Node {
    Scalar { text: Text, plain: bool },
    List(Vec<Placed>),
    Map(Vec<(Placed, Placed)>),
}

struct Placed {
    node: Node,
    start: usize,
    end: usize,
    column: isize,
}

/// Reads the fields of the one document; `None` where it is no map.
pub(super) fn read(tokens: Vec<Token>) -> Result<Option<Vec<Entry>>, Fault> {
    let mut reader = Reader {
        tokens: tokens.into_iter().peekable(),
        depth: 0,
        at: 0,
    };
    if reader.sees(&[Kind::StreamEnd]) {
        return Ok(None);
    }
    let root = reader.node(false)?;
    if reader.sees(&[Kind::DocumentEnd]) {
        reader.take();
    }
    if !reader.sees(&[Kind::StreamEnd]) {
        return Err(reader.fault("the frontmatter ends before this"));
    }
    match root.node {
        // Merged fields of the outermost map are lost in the reference.
        Node::Map(pairs) => Ok(Some(fields(pairs)?.own)),
        node => value(node).map(|_| None),
    }
}

struct Reader {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    depth: usize,
    at: usize,
}

impl Reader {
    fn sees(&mut self, kinds: &[Kind]) -> bool {
        self.tokens
            .peek()
            .is_some_and(|token| kinds.contains(&token.kind))
    }

    fn take(&mut self) -> Option<Token> {
        let token = self.tokens.next();
        if let Some(token) = &token {
            self.at = token.end;
        }
        token
    }

    fn fault(&mut self, message: &'static str) -> Fault {
        Fault {
            message: message.into(),
            at: self.tokens.peek().map_or(self.at, |token| token.start),
        }
    }

    /// Reads one value. Below a key, a list may stand at the key's own column.
    fn node(&mut self, below_key: bool) -> Result<Placed, Fault> {
        if self.depth == DEEPEST {
            return Err(self.fault("nested too deeply"));
        }
        self.depth += 1;
        let Some((start, column)) = self.tokens.peek().map(|next| (next.start, next.column)) else {
            return Err(self.fault("a value is missing"));
        };
        let node = if below_key && self.sees(&[Kind::Entry]) {
            self.list(&[Kind::Entry, Kind::Key, Kind::Value, Kind::End])?
        } else {
            match self.take().map(|token| token.kind) {
                Some(Kind::Scalar { text, plain }) => Node::Scalar { text, plain },
                Some(Kind::SequenceStart) => {
                    let list = self.list(&[Kind::Entry, Kind::End])?;
                    self.end()?;
                    list
                }
                Some(Kind::MappingStart) => {
                    let map = self.map()?;
                    self.end()?;
                    map
                }
                _ => {
                    return Err(Fault {
                        message: "a value is missing".into(),
                        at: start,
                    });
                }
            }
        };
        self.depth -= 1;
        Ok(Placed {
            node,
            start,
            end: self.at,
            column,
        })
    }

    fn end(&mut self) -> Result<(), Fault> {
        // The token's own place is where the next line starts, so it moves nothing.
        let at = self.at;
        if self.sees(&[Kind::End]) {
            self.take();
            self.at = at;
            Ok(())
        } else {
            Err(self.fault("this does not fit the lines above it"))
        }
    }

    /// Reads a value unless one of `stops` follows, which leaves it empty.
    fn node_unless(&mut self, stops: &[Kind], below_key: bool) -> Result<Placed, Fault> {
        if self.sees(stops) {
            Ok(empty(self.at))
        } else {
            self.node(below_key)
        }
    }

    fn list(&mut self, stops: &[Kind]) -> Result<Node, Fault> {
        let mut items = Vec::new();
        while self.sees(&[Kind::Entry]) {
            self.take();
            items.push(self.node_unless(stops, false)?);
        }
        Ok(Node::List(items))
    }

    fn map(&mut self) -> Result<Node, Fault> {
        const STOPS: &[Kind] = &[Kind::Key, Kind::Value, Kind::End];
        let mut pairs = Vec::new();
        loop {
            let key = if self.sees(&[Kind::Key]) {
                self.take();
                self.node_unless(STOPS, true)?
            } else if self.sees(&[Kind::Value]) {
                empty(self.at)
            } else {
                return Ok(Node::Map(pairs));
            };
            let value = if self.sees(&[Kind::Value]) {
                self.take();
                self.node_unless(STOPS, true)?
            } else {
                empty(self.at)
            };
            pairs.push((key, value));
        }
    }
}

fn empty(at: usize) -> Placed {
    Placed {
        node: Node::Scalar {
            text: Text::default(),
            plain: false,
        },
        start: at,
        end: at,
        column: 0,
    }
}

fn value(node: Node) -> Result<Value, Fault> {
    Ok(match node {
        Node::Scalar { text, plain } if plain && (text == "=" || text == "<<") => Value::Sign(text),
        Node::Scalar { text, .. } => Value::Text(text),
        Node::List(items) => Value::List(
            items
                .into_iter()
                .map(|item| value(item.node))
                .collect::<Result<_, _>>()?,
        ),
        Node::Map(pairs) => {
            let fields = fields(pairs)?;
            let mut map: Vec<_> = fields
                .own
                .into_iter()
                .map(|entry| (entry.key, entry.value))
                .collect();
            let mut seen: HashSet<Text> = map.iter().map(|(key, _)| key.clone()).collect();
            for (key, value) in fields.merged {
                if seen.insert(key.clone()) {
                    map.push((key, value));
                }
            }
            Value::Map(map)
        }
    })
}

/// A map's own fields, and those a `<<` key brings in.
struct Fields {
    own: Vec<Entry>,
    merged: Vec<(Text, Value)>,
}

fn fields(pairs: Vec<(Placed, Placed)>) -> Result<Fields, Fault> {
    let mut own = Vec::with_capacity(pairs.len());
    let mut merged = None;
    let mut seen = HashSet::new();
    let mut column = None;
    for (key, placed) in pairs {
        let fault = |message: String| Fault {
            message: message.into(),
            at: key.start,
        };
        let Node::Scalar { text, plain } = key.node else {
            return Err(fault("a key has to be text".into()));
        };
        if plain && text == "<<" {
            if merged.is_some() {
                return Err(fault("the key `<<` stands twice".into()));
            }
            merged = Some(merge(placed)?);
            continue;
        }
        if !seen.insert(text.clone()) {
            return Err(fault(format!("the key `{text}` stands twice")));
        }
        if let Node::Map(_) = placed.node
            && *column.get_or_insert(placed.column) != placed.column
        {
            return Err(Fault {
                message: "this map is indented differently from the one before it".into(),
                at: placed.start,
            });
        }
        own.push(Entry {
            key: text,
            key_start: key.start,
            key_end: key.end,
            value: value(placed.node)?,
            start: placed.start,
            end: placed.end,
        });
    }
    Ok(Fields {
        own,
        merged: merged.unwrap_or_default(),
    })
}

/// The fields behind `<<`: of one map, or of several in a list.
fn merge(placed: Placed) -> Result<Vec<(Text, Value)>, Fault> {
    let at = placed.start;
    let maps = match placed.node {
        Node::List(items) => items.into_iter().map(|item| item.node).collect(),
        node => vec![node],
    };
    let mut merged = Vec::new();
    for node in maps {
        match value(node)? {
            Value::Map(fields) => merged.extend(fields),
            _ => {
                return Err(Fault {
                    message: "the key `<<` takes maps only".into(),
                    at,
                });
            }
        }
    }
    Ok(merged)
}
