//! YAML as the libraries inside the clients read it.
//!
//! One parser serves all: `saphyr-parser`, which follows YAML 1.2. What a library does otherwise
//! is a difference of its [`Flavor`]: text is brought into the parser's shape before, and its
//! events are judged after. Each difference was found by giving the library and this reader the
//! same 6,000 texts (`cargo xtask dialects` says how).

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

/// Deeper nesting is refused, so that a hostile file costs no stack.
const DEPTH: usize = 100;

/// More values are refused, so that aliases cannot grow a file without end.
const NODES: usize = 50_000;

/// Stands for a comma that the parser would mind; a character of private use.
const COMMA: &str = "\u{f8ff}";

/// Stands for a byte order mark inside the text, which the parser refuses and no library does.
const MARK: &str = "\u{f8fe}";

/// A library that reads YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavor {
    /// libyaml as `serde_yaml` 0.9 uses it: Codex, goose, Copilot CLI.
    LibYaml,
    /// `js-yaml` 3: `OpenCode`.
    JsYaml3,
    /// `js-yaml` 4: Gemini CLI.
    JsYaml4,
    /// `yaml` 2 with the core schema: Qwen Code.
    Yaml,
    /// `Bun.YAML` of Bun 1.4: Claude Code.
    Bun,
}

/// A value as it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scalar {
    pub(super) text: String,
    /// Whether it stands without quotes and may mean a number, a boolean or nothing.
    pub(super) plain: bool,
    tag: Option<String>,
}

/// What a plain scalar means to a library.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// With the text JavaScript makes of it.
    Number(String),
    Date,
    Text(String),
}

/// Why a library refuses a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is not YAML.
    Syntax,
    /// A key stands twice.
    Duplicate,
    /// A character that may not stand in YAML.
    Control,
    /// A field is of another type than its reader wants.
    Type,
}

impl Flavor {
    /// Reads a text; `None` for one without a value.
    pub(super) fn read(self, text: &str) -> Result<Option<Node>, Fault> {
        if text.chars().any(|character| self.is_refused(character)) {
            return Err(Fault::Control);
        }
        let text = self.prepared(text).ok_or(Fault::Syntax)?;
        Builder {
            flavor: self,
            stack: Vec::new(),
            anchors: Vec::new(),
            nodes: 0,
        }
        .run(&text)
    }

    fn is_refused(self, character: char) -> bool {
        let never = matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}'
            | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
        match self {
            Self::LibYaml | Self::JsYaml3 | Self::JsYaml4 => never,
            Self::Yaml | Self::Bun => false,
        }
    }

    /// The text in the shape the parser takes; `None` where a tab stops libyaml.
    fn prepared(self, text: &str) -> Option<String> {
        let mut text = Cow::Borrowed(text);
        if self == Self::LibYaml && text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
            // libyaml ends a line at the line breaks of YAML 1.1 too.
            text = Cow::Owned(text.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\n"));
        }
        if text.contains('\u{feff}') {
            text = Cow::Owned(text.replace('\u{feff}', MARK));
        }
        let mut lines = Vec::new();
        let mut open = Open::default();
        for line in text.split('\n') {
            let inside = open.is_inside();
            let mut line = Cow::Borrowed(line);
            if inside && self.is_loose() && !line.starts_with(' ') {
                // A line inside quotes or brackets may stand at any column for these.
                line = Cow::Owned(format!(" {}", line.trim_start_matches('\t')));
            }
            if !inside && self == Self::LibYaml && line.starts_with('\t') && !open.is_block(&line) {
                return None;
            }
            if !inside && self == Self::JsYaml3 && line.starts_with('\t') {
                // Tabs count for nothing where an indent is measured.
                line = Cow::Owned(line.trim_start_matches('\t').to_owned());
            }
            let read = open.read(&line);
            if self == Self::Bun
                && let Some(at) = read.comma
            {
                // A comma may start a text for Bun.
                let mut marked = line.into_owned();
                marked.replace_range(at..=at, COMMA);
                line = Cow::Owned(marked);
            }
            if let Some(at) = read.tab {
                let mut spaced = line.into_owned();
                spaced.replace_range(at..=at, " ");
                line = Cow::Owned(spaced);
            }
            lines.push(line.into_owned());
        }
        Some(lines.join("\n"))
    }

    /// Whether lines inside quotes and brackets need no indent.
    fn is_loose(self) -> bool {
        matches!(self, Self::LibYaml | Self::JsYaml3 | Self::JsYaml4)
    }

    /// What a scalar means; `None` where the library refuses its tag.
    pub(super) fn value(self, scalar: &Scalar) -> Option<Value> {
        let text = || Value::Text(scalar.text.clone());
        match scalar.tag.as_deref() {
            Some("!" | "str") => return Some(text()),
            Some("null") => return Some(Value::Null),
            Some("int" | "float" | "bool") if self != Self::LibYaml => {
                let value = self.plain(&scalar.text);
                return match value {
                    Value::Number(_) | Value::Bool(_) => Some(value),
                    _ if self == Self::Bun || self == Self::Yaml => Some(text()),
                    _ => None,
                };
            }
            Some(_) if matches!(self, Self::JsYaml3 | Self::JsYaml4) => return None,
            Some(_) if self == Self::Yaml || self == Self::Bun => return Some(text()),
            _ => {}
        }
        Some(if scalar.plain {
            self.plain(&scalar.text)
        } else {
            text()
        })
    }

    fn plain(self, text: &str) -> Value {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
            "true" | "True" | "TRUE" => return Value::Bool(true),
            "false" | "False" | "FALSE" => return Value::Bool(false),
            _ => {}
        }
        if let Some(number) = self.number(text) {
            return Value::Number(number);
        }
        if matches!(self, Self::JsYaml3 | Self::JsYaml4) && is_date(text) {
            return Value::Date;
        }
        Value::Text(text.to_owned())
    }

    /// The number a text means, as JavaScript prints it.
    pub(super) fn number(self, text: &str) -> Option<String> {
        let (sign, digits) = match text.as_bytes().first()? {
            b'-' => ("-", &text[1..]),
            b'+' => ("", &text[1..]),
            _ => ("", text),
        };
        let js = matches!(self, Self::JsYaml3 | Self::JsYaml4);
        let infinite = [".inf", ".Inf", ".INF"].contains(&digits);
        if infinite {
            return Some(format!("{sign}Infinity"));
        }
        if [".nan", ".NaN", ".NAN"].contains(&text) {
            return Some("NaN".to_owned());
        }
        if !digits.starts_with(|it: char| it.is_ascii_digit() || it == '.') {
            return None;
        }
        let based = |prefix: &str, base| {
            let digits = digits.strip_prefix(prefix)?;
            let digits = if self == Self::JsYaml3 {
                Cow::Owned(digits.replace('_', ""))
            } else {
                Cow::Borrowed(digits)
            };
            u64::from_str_radix(&digits, base).ok()
        };
        if let Some(number) = based("0x", 16) {
            return Some(format!("{sign}{number}"));
        }
        if self != Self::JsYaml3
            && let Some(number) = based("0o", 8)
        {
            return Some(format!("{sign}{number}"));
        }
        if (js || self == Self::LibYaml)
            && let Some(number) = based("0b", 2)
        {
            return Some(format!("{sign}{number}"));
        }
        if self == Self::JsYaml3 {
            if digits.len() > 1
                && digits.starts_with('0')
                && let Ok(number) = u64::from_str_radix(&digits[1..].replace('_', ""), 8)
            {
                return Some(format!("{sign}{number}"));
            }
            if let Some(number) = sexagesimal(digits) {
                return Some(format!("{sign}{number}"));
            }
        }
        let digits = if self == Self::JsYaml3 && !digits.ends_with('_') {
            Cow::Owned(digits.replace('_', ""))
        } else {
            Cow::Borrowed(digits)
        };
        let is_decimal = digits
            .bytes()
            .all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'e' | b'E' | b'+' | b'-'));
        if !is_decimal || !digits.bytes().any(|it| it.is_ascii_digit()) {
            return None;
        }
        if self == Self::LibYaml && digits.len() > 1 && digits.bytes().all(|it| it.is_ascii_digit())
        {
            // Digits after a leading zero are a text to serde_yaml.
            return (!digits.starts_with('0')).then(|| format!("{sign}{digits}"));
        }
        let number: f64 = format!("{sign}{digits}").parse().ok()?;
        Some(javascript(number))
    }
}

/// A number as JavaScript prints it, as far as frontmatter goes.
fn javascript(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let size = number.abs();
    if size.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    if (1e-6..1e21).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once("e-") {
        Some(_) => text,
        None => text.replace('e', "e+"),
    }
}

/// `12:30` is 750 to YAML 1.1.
fn sexagesimal(digits: &str) -> Option<u64> {
    let mut parts = digits.split(':');
    let first: u64 = parts.next()?.parse().ok()?;
    let rest: Option<Vec<u64>> = parts
        .map(|part| part.parse().ok().filter(|it| part.len() <= 2 && *it < 60))
        .collect();
    let rest = rest.filter(|rest| !rest.is_empty())?;
    Some(rest.iter().fold(first, |sum, part| sum * 60 + part))
}

/// Whether a text is a timestamp of YAML 1.1.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes
            .get(range)
            .is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    if digits(0..4) && digits(5..7) && digits(8..10) && bytes[4] == b'-' && bytes[7] == b'-' {
        let month: u32 = text[5..7].parse().unwrap_or(0);
        return (bytes.len() == 10
            || matches!(bytes[10], b'T' | b't' | b' ' | b'\t') && text[11..].contains(':'))
            && month > 0;
    }
    false
}

/// What [`Open::read`] notices in a line.
#[derive(Default)]
struct Noticed {
    /// A tab after the colon of a key.
    tab: Option<usize>,
    /// A comma at the start of a value.
    comma: Option<usize>,
}

/// Whether a line ends inside quotes or brackets, where the next one goes on.
#[derive(Default)]
struct Open {
    quote: Option<char>,
    brackets: usize,
    /// The indent of a block scalar's key; deeper lines are its text.
    block: Option<usize>,
}

impl Open {
    fn is_inside(&self) -> bool {
        self.quote.is_some() || self.brackets > 0
    }

    /// Whether a line is text of a block scalar.
    fn is_block(&self, line: &str) -> bool {
        let indent = line.len() - line.trim_start_matches(' ').len();
        self.block
            .is_some_and(|block| line.trim().is_empty() || indent > block)
    }

    /// Reads a line.
    fn read(&mut self, line: &str) -> Noticed {
        let mut noticed = Noticed::default();
        if self.is_block(line) {
            return noticed;
        }
        self.block = None;
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut value_start = !self.is_inside();
        let mut previous = ' ';
        let mut characters = line.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            match (self.quote, character) {
                (Some('"'), '\\') => {
                    characters.next();
                }
                (Some('\''), '\'') if next == Some('\'') => {
                    characters.next();
                }
                (Some(quote), _) if quote == character => self.quote = None,
                (None, '#') if previous.is_whitespace() => break,
                (None, '"' | '\'')
                    if value_start
                        || self.brackets > 0 && matches!(previous, '[' | '{' | ',' | ' ' | ':') =>
                {
                    self.quote = Some(character);
                }
                (None, '[' | '{') if value_start || self.brackets > 0 => self.brackets += 1,
                (None, ']' | '}') if self.brackets > 0 => self.brackets -= 1,
                (None, '|' | '>') if value_start && self.brackets == 0 => {
                    let header = line[at + 1..].split(" #").next().unwrap_or_default().trim();
                    let is_header = header
                        .bytes()
                        .all(|it| matches!(it, b'+' | b'-') || it.is_ascii_digit());
                    if is_header {
                        self.block = Some(indent);
                        break;
                    }
                }
                (None, ':') if next == Some('\t') && noticed.tab.is_none() => {
                    noticed.tab = Some(at + 1);
                }
                (None, ',') if value_start && self.brackets == 0 => noticed.comma = Some(at),
                _ => {}
            }
            if !character.is_whitespace() {
                let separates =
                    matches!(character, ':' | '-' | '?') && next.is_none_or(char::is_whitespace);
                value_start = self.quote.is_none() && separates;
            }
            previous = character;
        }
        noticed
    }
}

/// Puts events together; its own stack, so that nesting costs no recursion.
struct Builder {
    flavor: Flavor,
    stack: Vec<Frame>,
    anchors: Vec<(usize, Node)>,
    nodes: usize,
}

enum Frame {
    List(Vec<Node>, usize),
    Map(Vec<(Node, Node)>, Option<Node>, usize),
}

impl Builder {
    fn run(mut self, text: &str) -> Result<Option<Node>, Fault> {
        let mut root = None;
        let mut documents = 0;
        for event in Parser::new_from_str(text) {
            let (event, _) = event.map_err(|_| Fault::Syntax)?;
            let done = match event {
                Event::Scalar(text, style, anchor, tag) => {
                    let node = self.scalar(&text, style, tag.as_deref())?;
                    self.anchor(anchor, &node);
                    Some(node)
                }
                Event::Alias(anchor) => {
                    let known = self.anchors.iter().rev().find(|(id, _)| *id == anchor);
                    let node = known.map(|(_, node)| node.clone()).ok_or(Fault::Syntax)?;
                    self.nodes += count(&node);
                    Some(node)
                }
                Event::SequenceStart(anchor, tag) => {
                    self.known(tag.as_deref())?;
                    self.stack.push(Frame::List(Vec::new(), anchor));
                    None
                }
                Event::MappingStart(anchor, tag) => {
                    self.known(tag.as_deref())?;
                    self.stack.push(Frame::Map(Vec::new(), None, anchor));
                    None
                }
                Event::SequenceEnd => match self.stack.pop() {
                    Some(Frame::List(nodes, anchor)) => {
                        let node = Node::List(nodes);
                        self.anchor(anchor, &node);
                        Some(node)
                    }
                    _ => return Err(Fault::Syntax),
                },
                Event::MappingEnd => match self.stack.pop() {
                    Some(Frame::Map(entries, _, anchor)) => {
                        let node = Node::Map(entries);
                        self.anchor(anchor, &node);
                        Some(node)
                    }
                    _ => return Err(Fault::Syntax),
                },
                Event::DocumentStart(_) => {
                    documents += 1;
                    None
                }
                _ => None,
            };
            self.nodes += 1;
            if self.nodes > NODES || self.stack.len() > DEPTH {
                return Err(Fault::Syntax);
            }
            if let Some(node) = done {
                match self.stack.last_mut() {
                    None => root = Some(node),
                    Some(Frame::List(nodes, _)) => nodes.push(node),
                    Some(Frame::Map(entries, key, _)) => match key.take() {
                        None => *key = Some(node),
                        Some(name) => {
                            self.flavor.enter(entries, name, node)?;
                        }
                    },
                }
            }
        }
        match documents {
            0 | 1 => Ok(root),
            // Bun gives the documents as a list.
            _ if self.flavor == Flavor::Bun => Ok(Some(Node::List(Vec::new()))),
            _ => Err(Fault::Syntax),
        }
    }

    fn scalar(&self, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Node, Fault> {
        self.known(tag)?;
        let scalar = Scalar {
            text: text.replace(COMMA, ",").replace(MARK, "\u{feff}"),
            plain: style == ScalarStyle::Plain,
            tag: tag.map(|tag| tag.suffix.clone()),
        };
        if self.flavor.value(&scalar).is_none() {
            return Err(Fault::Syntax);
        }
        Ok(Node::Scalar(scalar))
    }

    /// `js-yaml` refuses tags that it does not know.
    fn known(&self, tag: Option<&Tag>) -> Result<(), Fault> {
        let js = matches!(self.flavor, Flavor::JsYaml3 | Flavor::JsYaml4);
        match tag {
            Some(tag) if js && !tag.is_yaml_core_schema() && tag.suffix != "!" => {
                Err(Fault::Syntax)
            }
            _ => Ok(()),
        }
    }

    fn anchor(&mut self, anchor: usize, node: &Node) {
        if anchor > 0 {
            self.anchors.push((anchor, node.clone()));
        }
    }
}

fn count(node: &Node) -> usize {
    match node {
        Node::Scalar(_) => 1,
        Node::List(nodes) => 1 + nodes.iter().map(count).sum::<usize>(),
        Node::Map(entries) => {
            let sizes = entries.iter().map(|(key, value)| count(key) + count(value));
            1 + sizes.sum::<usize>()
        }
    }
}

impl Flavor {
    /// Adds an entry to a map by the library's rule for a key that stands twice.
    fn enter(self, entries: &mut Vec<(Node, Node)>, key: Node, value: Node) -> Result<(), Fault> {
        let js = matches!(self, Self::JsYaml3 | Self::JsYaml4);
        if let Node::Scalar(scalar) = &key {
            if scalar.text.is_empty() && scalar.plain && (js || self == Self::LibYaml) {
                // A colon without a key.
                return Err(Fault::Syntax);
            }
            if scalar.text == "<<" && scalar.plain && js && matches!(value, Node::Scalar(_)) {
                return Err(Fault::Syntax);
            }
        }
        let known = entries.iter_mut().find(|(known, _)| known.same(&key));
        match (self, known) {
            // A struct of serde minds only the fields that it knows; `loader` asks.
            (_, None) | (Self::LibYaml, Some(_)) => entries.push((key, value)),
            (Self::Bun, Some(entry)) => entry.1 = value,
            _ => return Err(Fault::Duplicate),
        }
        Ok(())
    }
}

impl Node {
    /// The entries of a map.
    pub(super) fn map(&self) -> Option<&[(Node, Node)]> {
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Whether nothing stands there, not even `~`.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.plain && scalar.text.is_empty())
    }

    /// Whether it says that it is base64.
    pub(super) fn is_binary(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.tag.as_deref() == Some("binary"))
    }

    /// The values of a field, in order; more than one where the library lets it stand twice.
    pub(super) fn fields<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        let entries = self.map().unwrap_or_default().iter();
        entries
            .filter(move |(key, _)| matches!(key, Self::Scalar(scalar) if scalar.text == name))
            .map(|(_, value)| value)
    }

    /// The value of a field.
    pub(super) fn get<'a>(&'a self, name: &'a str) -> Option<&'a Node> {
        self.fields(name).next()
    }

    /// Whether two keys are one, quoted or not.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(left), Self::Scalar(right)) => left.text == right.text,
            _ => self == other,
        }
    }

    /// Whether some key stands twice, here or deeper; to serde a tag makes another key.
    pub(super) fn repeats(&self) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::List(nodes) => nodes.iter().any(Self::repeats),
            Self::Map(entries) => {
                let tag = |node: &Self| match node {
                    Self::Scalar(scalar) => scalar.tag.clone(),
                    _ => None,
                };
                let twice = |at: usize| {
                    let own = &entries[at].0;
                    let mut before = entries[..at].iter();
                    before.any(|(key, _)| key.same(own) && tag(key) == tag(own))
                };
                (0..entries.len()).any(twice) || entries.iter().any(|(_, value)| value.repeats())
            }
        }
    }
}
