//! What a client reads in one file, by its rules.

use super::{
    tolerant,
    yaml::{Fault, Flavor, Node, Value},
};
use crate::source::clients::rules::{
    Answer, DescriptionCap, Encoding, Fence, FieldCheck, Markup, MissingDescription, MissingName,
    NameDiffers, NameShape, Repair, Rules, TooLong, Typed, Yaml,
};

/// A skill as a client would list it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each answers a question of its own"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name there.
    pub name: String,
    /// Its description there; empty for none.
    pub description: String,
    /// Where the description comes from.
    pub from: DescriptionFrom,
    /// Whether the model is told about it.
    pub model: bool,
    /// Whether the user can call it by its name.
    pub user: bool,
    /// Whether it waits until a file that its `paths` name is touched.
    pub waits: bool,
    /// Whether the client repaired the frontmatter to read it.
    pub repaired: bool,
}

/// Where a description comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptionFrom {
    /// The field.
    Field,
    /// The instructions.
    Body,
    /// Nowhere.
    Nowhere,
}

/// Why a client leaves a file out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The rule, by its key in the table.
    pub(super) rule: &'static str,
    /// What is the matter, as the start of a sentence.
    pub(super) what: String,
}

fn refusal(rule: &'static str, what: impl Into<String>) -> Refusal {
    Refusal {
        rule,
        what: what.into(),
    }
}

/// What reading comes to: an entry, a refusal, or nothing that is known.
pub(super) type Reading = Result<Entry, Refusal>;

/// Reads a file as a client does; `None` where one of the rules it takes is not known.
pub(super) fn read(rules: &Rules, bytes: &[u8], folder: &str) -> Option<Reading> {
    let (fence, yaml) = (rules.fence?, rules.yaml?);
    if let Some(most) = rules.most_bytes
        && bytes.len() as u64 > most
    {
        let what = format!("the file has {} bytes, more than {most}", bytes.len());
        return Some(Err(refusal("most-bytes", what)));
    }
    let text = match (std::str::from_utf8(bytes), rules.encoding?) {
        (Ok(text), _) => text.to_owned(),
        (Err(_), Encoding::Strict) => {
            return Some(Err(refusal("encoding", "the file is not UTF-8")));
        }
        (Err(_), Encoding::Replaced) => String::from_utf8_lossy(bytes).into_owned(),
    };
    let Some(cut) = cut(fence, &text) else {
        return Some(without_frontmatter(rules, fence, &text, folder));
    };
    let fields = match Fields::read(rules, yaml, &cut) {
        Ok(fields) => fields,
        Err(refusal) => return Some(Err(refusal)),
    };
    if fields.binary {
        return None;
    }
    Some(entry(rules, &fields, &cut.body, folder))
}

/// Frontmatter and instructions, cut apart.
struct Cut {
    inner: String,
    body: String,
    /// Whether a file starts and ends its frontmatter so plainly that `OpenCode` repairs it.
    repairable: bool,
}

fn cut(fence: Fence, text: &str) -> Option<Cut> {
    let of = |inner: &str, body: &str| {
        Some(Cut {
            inner: inner.to_owned(),
            body: body.to_owned(),
            repairable: open_line(text).is_some_and(|rest| rest.contains("\n---")),
        })
    };
    let unmarked = text.strip_prefix('\u{feff}').unwrap_or(text);
    match fence {
        Fence::TrimmedLines => {
            let mut lines = text.lines();
            lines.next().filter(|line| line.trim() == "---")?;
            let inner: Vec<&str> = lines
                .by_ref()
                .take_while(|line| line.trim() != "---")
                .collect();
            // `take_while` has eaten the closing line; without one there is nothing left to eat.
            let closed = text.lines().skip(1).any(|line| line.trim() == "---");
            let body: Vec<&str> = lines.collect();
            (closed && !inner.is_empty())
                .then(|| of(&inner.join("\n"), &body.join("\n")))
                .flatten()
        }
        Fence::WholeLines => {
            let is_fence = |line: &str| line.trim_end_matches([' ', '\t', '\r']) == "---";
            let (first, rest) = unmarked.split_once('\n')?;
            if !is_fence(first) {
                return None;
            }
            let (inner, body) = split_at_fence(rest, is_fence)?;
            of(inner, body)
        }
        Fence::LineStart => {
            let rest = open_line(text)?;
            let at = rest.find("\n---")?;
            let inner = &rest[..at];
            of(inner.strip_suffix('\r').unwrap_or(inner), &rest[at + 4..])
        }
        Fence::Normalized => {
            let text = unmarked.replace("\r\n", "\n").replace('\r', "\n");
            let rest = text.strip_prefix("---\n")?;
            let mut from = 0;
            while let Some(at) = rest[from..].find("\n---").map(|at| at + from) {
                let after = &rest[at + 4..];
                if after.is_empty() || after.starts_with('\n') {
                    return of(&rest[..at], after);
                }
                from = at + 1;
            }
            None
        }
        Fence::FirstDashes => {
            let rest = unmarked.strip_prefix("---")?;
            let blank = rest.len() - rest.trim_start().len();
            let line = rest[..blank].rfind('\n')?;
            let rest = &rest[line + 1..];
            let at = rest.find("---")?;
            of(&rest[..at], rest[at + 3..].trim_start())
        }
        Fence::Split => {
            let mut parts = text.splitn(3, "---");
            let inner = parts.nth(1)?;
            let body = parts.next()?;
            of(inner.trim(), body)
        }
        Fence::OrEnd => {
            let rest = unmarked.strip_prefix("---")?;
            if rest.starts_with('-') {
                return None;
            }
            // What follows the dashes on their line names a language, which may be another.
            let (language, rest) = rest.split_once('\n').unwrap_or((rest, ""));
            if !["", "yaml", "yml"].contains(&language.trim().to_lowercase().as_str()) {
                return None;
            }
            match format!("\n{rest}").find("\n---") {
                Some(0) => of("", rest),
                Some(at) => of(&rest[..at - 1], &rest[at + 3..]),
                None => of(rest, ""),
            }
        }
        Fence::LinesOrEnd => {
            let is_fence = |line: &str| {
                line.strip_prefix("---")
                    .is_some_and(|it| it.trim().is_empty())
            };
            let normal = text.replace("\r\n", "\n").replace('\r', "\n");
            let (first, rest) = normal.split_once('\n').unwrap_or((&normal, ""));
            if !is_fence(first) {
                return None;
            }
            let (inner, body) = split_at_fence(rest, is_fence).unwrap_or((rest, ""));
            of(inner, body)
        }
        Fence::Standard => None,
    }
}

/// What stands before the first line that is a fence, and what stands behind it.
fn split_at_fence(text: &str, is_fence: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if is_fence(line.strip_suffix('\n').unwrap_or(line)) {
            return Some((&text[..start], &text[start + line.len()..]));
        }
        start += line.len();
    }
    None
}

/// What follows a first line of three dashes and nothing else.
fn open_line(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---")?;
    rest.strip_prefix("\r\n").or(rest.strip_prefix('\n'))
}

/// What becomes of a file in which the client finds no frontmatter.
fn without_frontmatter(rules: &Rules, fence: Fence, text: &str, folder: &str) -> Reading {
    let what = match fence {
        _ if text.trim_start().is_empty() => "the file is empty",
        _ if text.starts_with('\u{feff}') => "the file starts with a byte order mark",
        Fence::Split => "it has no two `---`",
        _ if !text.starts_with("---") => "its first line is not `---`",
        _ => "its frontmatter does not end where the client looks for the end",
    };
    if matches!(fence, Fence::FirstDashes | Fence::LinesOrEnd) {
        let fields = Fields::default();
        return entry(rules, &fields, text, folder);
    }
    Err(refusal("fence", what))
}

/// The fields a client knows.
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own")]
#[derive(Debug, Default)]
struct Fields {
    name: Option<Field>,
    description: Option<Field>,
    when_to_use: Option<String>,
    manual: bool,
    no_user: bool,
    paths: bool,
    /// Whether its name or description is base64 to the library: bytes, printed as nobody knows.
    binary: bool,
    repaired: bool,
}

/// A field's value, as far as a client can use it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Field {
    Text(String),
    /// Nothing, a number, a boolean or a date, with the text that is printed for it.
    Typed(Option<String>),
    /// A list or a map.
    Other,
}

impl Fields {
    fn read(rules: &Rules, yaml: Yaml, cut: &Cut) -> Result<Self, Refusal> {
        let flavor = match yaml {
            Yaml::LibYaml | Yaml::LibYamlFields => Flavor::LibYaml,
            Yaml::JsYaml3 => Flavor::JsYaml3,
            Yaml::JsYaml4 => Flavor::JsYaml4,
            Yaml::Yaml => Flavor::Yaml,
            Yaml::Bun => Flavor::Bun,
            Yaml::Tolerant => return Ok(Self::tolerant(&cut.inner)),
            Yaml::Standard => return Err(refusal("fence", "it cannot be read")),
        };
        let inner = cut.inner.as_str();
        let tried = flavor.read(inner).and_then(|node| accepted(yaml, node));
        let repair = rules.repair.unwrap_or(Repair::Refused);
        let (node, repaired) = match (tried, repair) {
            (Ok(node), Repair::Lines) => {
                let fields = Self::of(rules, flavor, node.as_ref());
                let texts = |field: &Option<Field>| matches!(field, Some(Field::Text(_)));
                if texts(&fields.name) && texts(&fields.description) {
                    return Ok(fields);
                }
                return Ok(Self::lines(inner));
            }
            (Err(_), Repair::Lines) => return Ok(Self::lines(inner)),
            (Ok(node), Repair::Pairs) if !matches!(node, Some(Node::Map(_))) => {
                return Self::pairs(inner);
            }
            (Err(_), Repair::Pairs) => return Self::pairs(inner),
            (Ok(node), _) => (node, false),
            (Err(fault), Repair::Refused) => return Err(broken(fault)),
            (Err(fault), Repair::Quotes) => {
                let again = quotes(inner).map(|text| flavor.read(&text));
                match again {
                    Some(Ok(node)) => (accepted(yaml, node).map_err(broken)?, true),
                    _ => return Err(broken(fault)),
                }
            }
            (Err(fault), Repair::Blocks) if !cut.repairable => return Err(broken(fault)),
            (Err(fault), Repair::Blocks) => {
                let again = flavor.read(&blocks(inner));
                (again.map_err(|_| broken(fault))?, true)
            }
            (Err(_), Repair::QuotesOrNothing) => {
                (flavor.read(&quotes_and_spaces(inner)).ok().flatten(), true)
            }
        };
        let mut fields = Self::of(rules, flavor, node.as_ref());
        fields.repaired = repaired;
        check(rules, flavor, node.as_ref())?;
        Ok(fields)
    }

    fn of(rules: &Rules, flavor: Flavor, node: Option<&Node>) -> Self {
        let get = |name: &'static str| node.and_then(|node| node.get(name));
        let text_of_any = rules.typed == Some(Typed::Text);
        let field = |name: &'static str| get(name).map(|node| Field::of(flavor, node, text_of_any));
        // A list is printed with commas between its values, where anything is printed.
        let joined = |name: &'static str| match (get(name), rules.typed) {
            (Some(list @ Node::List(_)), Some(Typed::Joined)) => {
                printed(flavor, list).map(Field::Text)
            }
            _ => field(name),
        };
        let is_true = |name: &'static str| get(name).and_then(|node| truth(flavor, node));
        Self {
            name: joined("name"),
            description: joined("description"),
            when_to_use: get("when_to_use").and_then(|node| printed(flavor, node)),
            manual: is_true("disable-model-invocation") == Some(true),
            no_user: match get("user-invocable") {
                // Claude Code takes what it cannot read for a no.
                Some(_) if flavor == Flavor::Bun => is_true("user-invocable") != Some(true),
                _ => is_true("user-invocable") == Some(false),
            },
            paths: get("paths").is_some_and(|node| waits(flavor, node)),
            binary: flavor == Flavor::Yaml
                && (get("name").into_iter().chain(get("description"))).any(Node::is_binary),
            repaired: false,
        }
    }

    fn tolerant(inner: &str) -> Self {
        let fields = tolerant::read(inner);
        let get = |name: &str| fields.iter().find(|(key, _)| key == name);
        let field = |name: &str| {
            get(name).map(|(_, value)| match value {
                Some(text) => Field::Text(text.clone()),
                None => Field::Other,
            })
        };
        let says = |name: &str, word: &str| {
            get(name).is_some_and(|(_, value)| value.as_deref() == Some(word))
        };
        Self {
            name: field("name"),
            description: field("description"),
            manual: says("disable-model-invocation", "true"),
            no_user: says("user-invocable", "false"),
            ..Self::default()
        }
    }

    /// `name:` and `description:` lines as they stand, the last of each.
    fn lines(inner: &str) -> Self {
        let lines: Vec<&str> = inner
            .split('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line))
            .collect();
        let mut fields = Self {
            repaired: true,
            ..Self::default()
        };
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at].trim_start();
            at += 1;
            if let Some(value) = line.strip_prefix("name:") {
                fields.name = Some(Field::Text(trimmed(value).to_owned()));
            } else if let Some(value) = line.strip_prefix("description:") {
                let mut texts = vec![trimmed(value)];
                while at < lines.len()
                    && lines[at].starts_with([' ', '\t'])
                    && !lines[at].trim().is_empty()
                {
                    texts.push(trimmed(lines[at]));
                    at += 1;
                }
                texts.retain(|text| !text.is_empty());
                fields.description = Some(Field::Text(texts.join(" ")));
            }
        }
        fields
    }

    /// Lines `key: value` as they stand.
    fn pairs(inner: &str) -> Result<Self, Refusal> {
        let mut fields = Self {
            repaired: true,
            ..Self::default()
        };
        let mut lines = inner
            .split('\n')
            .filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#'))
            .peekable();
        let mut inside = false;
        while let Some(line) = lines.next() {
            if line.starts_with("  - ") || inside && line.starts_with("  ") {
                continue;
            }
            inside = false;
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let value = trimmed(value);
            if value.is_empty() {
                inside = lines.peek().is_some_and(|next| next.starts_with("  "));
                continue;
            }
            let value = match value {
                "null" => Field::Typed(None),
                _ if value.len() > 1 && value.starts_with('"') && value.ends_with('"') => {
                    let inner = &value[1..value.len() - 1];
                    Field::Text(inner.replace("\\\"", "\"").replace("\\\\", "\\"))
                }
                _ => match Flavor::Yaml.number(value) {
                    Some(number) => Field::Typed(Some(number)),
                    None => Field::Text(value.to_owned()),
                },
            };
            let says = |word: &str| value == Field::Text(word.to_owned());
            match trimmed(key) {
                "disable-model-invocation" => fields.manual = says("true"),
                "user-invocable" => fields.no_user = says("false"),
                "name" => fields.name = Some(value),
                "description" => fields.description = Some(value),
                // Neither can be a list here, as both must be.
                "paths" | "allowedTools" if value != Field::Typed(None) => {
                    return Err(refusal(
                        "checked",
                        "its `paths` or `allowedTools` is no list",
                    ));
                }
                "model" if matches!(value, Field::Typed(Some(_))) => {
                    return Err(refusal("checked", "its `model` is no text"));
                }
                _ => {}
            }
        }
        Ok(fields)
    }
}

impl Field {
    fn of(flavor: Flavor, node: &Node, any: bool) -> Self {
        let Node::Scalar(scalar) = node else {
            return Self::Other;
        };
        match flavor.value(scalar) {
            Some(Value::Text(text)) => Self::Text(text),
            Some(Value::Null) if !any => Self::Typed(None),
            _ if any => {
                let nothing = ["", "~", "null", "Null", "NULL"].contains(&scalar.text.as_str());
                if nothing && scalar.plain {
                    Self::Typed(Some(scalar.text.clone()))
                } else {
                    Self::Text(scalar.text.clone())
                }
            }
            Some(Value::Bool(value)) => Self::Typed(Some(value.to_string())),
            Some(Value::Number(text)) => Self::Typed(Some(text)),
            Some(Value::Date) => Self::Typed(Some(scalar.text.clone())),
            _ => Self::Other,
        }
    }
}

/// What JavaScript prints for a value, as far as frontmatter goes.
fn printed(flavor: Flavor, node: &Node) -> Option<String> {
    match node {
        Node::List(nodes) => {
            let texts = nodes.iter().filter_map(|node| printed(flavor, node));
            Some(texts.collect::<Vec<_>>().join(","))
        }
        Node::Map(_) => Some("[object Object]".to_owned()),
        Node::Scalar(_) => match Field::of(flavor, node, false) {
            Field::Text(text) | Field::Typed(Some(text)) => Some(text),
            _ => None,
        },
    }
}

/// Whether the library hands the document on.
fn accepted(yaml: Yaml, node: Option<Node>) -> Result<Option<Node>, Fault> {
    match (yaml, &node) {
        (Yaml::LibYaml, Some(node)) if node.repeats() => Err(Fault::Duplicate),
        (Yaml::LibYamlFields, Some(map @ Node::Map(_))) => {
            let twice = |name: &'static str| map.fields(name).nth(1).is_some();
            let nested =
                |name: &'static str| matches!(map.get(name), Some(Node::List(_) | Node::Map(_)));
            // Serde takes nothing at all for an empty map, and no other word for nothing.
            let metadata = map.get("metadata").filter(|it| !it.is_empty());
            if ["name", "description", "metadata"].into_iter().any(twice) {
                Err(Fault::Duplicate)
            } else if nested("name")
                || nested("description")
                || metadata.is_some_and(|it| it.map().is_none())
            {
                Err(Fault::Type)
            } else {
                Ok(node)
            }
        }
        // A list or a text is no set of fields to serde.
        (Yaml::LibYamlFields, Some(_)) => Err(Fault::Type),
        _ => Ok(node),
    }
}

fn broken(fault: Fault) -> Refusal {
    match fault {
        Fault::Syntax => refusal("yaml", "its YAML is broken"),
        Fault::Duplicate => refusal("duplicate-key", "a field stands twice"),
        Fault::Type => refusal(
            "typed",
            "`name` or `description` is no text, or `metadata` no map",
        ),
        Fault::Control => refusal(
            "yaml",
            "its YAML holds a character that may not stand there",
        ),
    }
}

/// Whether a value says yes or no.
fn truth(flavor: Flavor, node: &Node) -> Option<bool> {
    let Node::Scalar(scalar) = node else {
        return None;
    };
    match flavor.value(scalar)? {
        Value::Bool(value) => Some(value),
        Value::Text(text) | Value::Number(text) if flavor == Flavor::Bun => {
            match text.trim().to_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Some(true),
                "0" | "false" | "no" | "off" => Some(false),
                _ => None,
            }
        }
        Value::Text(text) if flavor == Flavor::Yaml => match text.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Whether `paths` names anything less than all files.
fn waits(flavor: Flavor, node: &Node) -> bool {
    let of = |node: &Node| match node {
        Node::Scalar(scalar) => match flavor.value(scalar) {
            Some(Value::Text(text)) => text,
            _ => String::new(),
        },
        _ => String::new(),
    };
    let texts: Vec<String> = match node {
        Node::List(nodes) => nodes.iter().map(of).collect(),
        Node::Scalar(_) if flavor == Flavor::Bun => {
            of(node).split(',').map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let mut globs = texts
        .iter()
        .map(|text| text.trim())
        .map(|text| text.strip_suffix("/**").unwrap_or(text))
        .filter(|text| !text.is_empty());
    globs.any(|glob| glob != "**" || flavor != Flavor::Bun)
}

/// The fields beside name and description that a client refuses to take as they are.
fn check(rules: &Rules, flavor: Flavor, node: Option<&Node>) -> Result<(), Refusal> {
    let Some(node) = node else { return Ok(()) };
    for check in rules.checked.iter().flatten() {
        let passes = match check {
            FieldCheck::ShortDescription => (node.get("metadata"))
                .and_then(|metadata| metadata.get("short-description"))
                .is_none_or(|it| matches!(it, Node::Scalar(_))),
            FieldCheck::AllowedTools => node.get("allowed-tools").is_none_or(|node| match node {
                Node::List(nodes) => nodes.iter().all(|node| is_text(flavor, node)),
                Node::Scalar(_) => is_text(flavor, node),
                Node::Map(_) => false,
            }),
            FieldCheck::ArgumentHint => (node.get("argument-hint"))
                .is_none_or(|node| is_text(flavor, node) || is_null(flavor, node)),
            FieldCheck::Booleans => ["disable-model-invocation", "user-invocable"]
                .into_iter()
                .filter_map(|name| node.get(name))
                .all(|node| truth(flavor, node).is_some()),
            FieldCheck::QwenFields => qwen_fields(flavor, node),
        };
        if !passes {
            let what = match check {
                FieldCheck::ShortDescription => "its `short-description` is no text",
                FieldCheck::AllowedTools => "its `allowed-tools` is neither a text nor a list",
                FieldCheck::ArgumentHint => "its `argument-hint` is no text",
                FieldCheck::Booleans => {
                    "`disable-model-invocation` or `user-invocable` is neither `true` nor `false`"
                }
                FieldCheck::QwenFields => {
                    "its `allowedTools` or `paths` is no list, its `model` no text, or a path leads out"
                }
            };
            return Err(refusal("checked", what));
        }
    }
    Ok(())
}

fn is_text(flavor: Flavor, node: &Node) -> bool {
    matches!(node, Node::Scalar(scalar) if matches!(flavor.value(scalar), Some(Value::Text(_))))
}

fn is_null(flavor: Flavor, node: &Node) -> bool {
    matches!(node, Node::Scalar(scalar) if flavor.value(scalar) == Some(Value::Null))
}

fn qwen_fields(flavor: Flavor, node: &Node) -> bool {
    let list = |name: &'static str| {
        node.get(name)
            .is_none_or(|node| matches!(node, Node::List(_)) || is_null(flavor, node))
    };
    let inside = match node.get("paths") {
        Some(Node::List(nodes)) => nodes.iter().all(|node| match node {
            Node::Scalar(scalar) => {
                let path = scalar.text.trim().replace('\\', "/");
                let drive = path.as_bytes().get(1) == Some(&b':')
                    && path.starts_with(|it: char| it.is_ascii_alphabetic());
                !path.starts_with('/') && !drive && !path.split('/').any(|part| part == "..")
            }
            _ => true,
        }),
        _ => true,
    };
    let model = node
        .get("model")
        .is_none_or(|node| is_text(flavor, node) || is_null(flavor, node));
    list("allowedTools") && list("paths") && inside && model
}

/// Quotes values with `: `, or with a start that is no value, as Codex does.
fn quotes(inner: &str) -> Option<String> {
    let mut changed = false;
    let mut block: Option<usize> = None;
    let mut lines = Vec::new();
    for line in inner.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|block| line.trim().is_empty() || indent > block) {
            lines.push(line.to_owned());
            continue;
        }
        block = None;
        match requoted(line) {
            Requoted::Block => {
                block = Some(indent);
                lines.push(line.to_owned());
            }
            Requoted::Same => lines.push(line.to_owned()),
            Requoted::Changed(line) => {
                changed = true;
                lines.push(line);
            }
        }
    }
    changed.then(|| lines.join("\n"))
}

enum Requoted {
    Same,
    Block,
    Changed(String),
}

fn requoted(line: &str) -> Requoted {
    let Some((key, value)) = line.split_once(':') else {
        return Requoted::Same;
    };
    if key.trim().is_empty() || !value.chars().next().is_none_or(char::is_whitespace) {
        return Requoted::Same;
    }
    let trimmed = value.trim_start();
    let space = &value[..value.len() - trimmed.len()];
    let comment = trimmed.char_indices().find(|&(at, character)| {
        let before = trimmed[..at].chars().next_back();
        character == '#' && before.is_none_or(char::is_whitespace)
    });
    let end = comment.map_or(trimmed.len(), |(at, _)| at);
    let scalar = trimmed[..end].trim_end();
    let comment = comment.map_or("", |_| &trimmed[scalar.len()..]);
    match scalar.chars().next() {
        None | Some('\'' | '"') => return Requoted::Same,
        Some('|' | '>') => return Requoted::Block,
        _ => {}
    }
    let mut pairs = scalar.chars().zip(scalar.chars().skip(1));
    let colon = pairs.any(|(left, right)| left == ':' && right.is_whitespace());
    let odd = scalar.starts_with(['[', '{', '@', '`']) && Flavor::LibYaml.read(scalar).is_err();
    if !colon && !odd {
        return Requoted::Same;
    }
    let quoted = scalar.replace('\'', "''");
    Requoted::Changed(format!("{key}:{space}'{quoted}'{comment}"))
}

/// Quotes values with a character of YAML, and makes tabs spaces, as Claude Code does.
fn quotes_and_spaces(inner: &str) -> String {
    let lines = inner.split('\n').map(|line| {
        let Some((key, value)) = line.split_once(':') else {
            return line.to_owned();
        };
        let is_key = |character: char| character.is_ascii_alphabetic() || "_-".contains(character);
        let text = value.trim_start();
        // A carriage return is white space to the one pattern and no part of `.` to the other,
        // so a line that ends with one is left alone.
        let taken = !key.is_empty()
            && key.chars().all(is_key)
            && text.len() < value.len()
            && !text.is_empty()
            && !text.contains('\r');
        let wrapped = |quote: char| text.starts_with(quote) && text.ends_with(quote);
        if !taken || wrapped('"') || wrapped('\'') {
            return line.to_owned();
        }
        let is_list = text.starts_with('[')
            && text.ends_with(']')
            && matches!(Flavor::Bun.read(text), Ok(Some(Node::List(_))));
        if is_list || !(text.contains(": ") || text.contains(YAML_CHARACTERS)) {
            return line.to_owned();
        }
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("{key}: \"{escaped}\"")
    });
    let lines = lines.map(|line| {
        let tabs = line.len() - line.trim_start_matches('\t').len();
        format!("{}{}", "  ".repeat(tabs), &line[tabs..])
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The characters that make Claude Code put a value into quotes.
const YAML_CHARACTERS: [char; 13] = [
    '{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`',
];

/// Makes block text of values with a colon, as `OpenCode` does.
fn blocks(inner: &str) -> String {
    let lines = inner.split('\n').flat_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let same = vec![line.to_owned()];
        if line.trim().starts_with('#') || line.starts_with(char::is_whitespace) {
            return same;
        }
        let Some((key, value)) = line.split_once(':') else {
            return same;
        };
        let (key, value) = (key.trim_end(), value.trim());
        let is_key = key.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && key
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_');
        let kept = ["", ">", "|"].contains(&value) || value.starts_with(['"', '\'']);
        if !is_key || kept || !value.contains(':') {
            return same;
        }
        vec![format!("{key}: |-"), format!("  {value}")]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Puts an entry together from the fields that were read.
fn entry(rules: &Rules, fields: &Fields, body: &str, folder: &str) -> Reading {
    let name = name(rules, fields, folder)?;
    let typed = rules.typed.unwrap_or(Typed::Text);
    let mut from = DescriptionFrom::Field;
    let mut description = match (&fields.description, typed) {
        (Some(Field::Text(text)), _)
        | (Some(Field::Typed(Some(text))), Typed::Printed | Typed::Joined) => Some(text.clone()),
        // A text that must be there is what stands there; one that may be missing is missing.
        (Some(Field::Typed(Some(text))), Typed::Text)
            if rules.missing_description == Some(MissingDescription::Empty) =>
        {
            Some(text.clone())
        }
        (Some(_), Typed::Refused) => {
            return Err(refusal("typed", "its description is no text to YAML"));
        }
        _ => None,
    };
    let missing = rules.missing_description;
    let trims = matches!(
        missing,
        Some(MissingDescription::FirstLine | MissingDescription::Refused)
    );
    if trims {
        description = description.map(|text| trimmed(&text).to_owned());
        description = description.filter(|text| !text.is_empty());
    }
    if missing == Some(MissingDescription::ByName) {
        description = description.filter(|text| !text.is_empty());
    }
    let mut model = true;
    let description = match (description, missing) {
        (Some(text), _) => text,
        (None, Some(MissingDescription::Refused | MissingDescription::Required)) => {
            return Err(refusal("missing-description", "it has no description"));
        }
        (None, Some(MissingDescription::FirstLine)) => {
            from = DescriptionFrom::Body;
            first_line(body)
        }
        (None, Some(MissingDescription::FirstParagraph)) => {
            let text = first_paragraph(body);
            from = if text.is_empty() {
                DescriptionFrom::Nowhere
            } else {
                DescriptionFrom::Body
            };
            text
        }
        (None, other) => {
            from = DescriptionFrom::Nowhere;
            model = other != Some(MissingDescription::ByName);
            String::new()
        }
    };
    let description = shown(rules, fields, description)?;
    let honours = |answer: Option<Answer>| answer == Some(Answer::Read);
    Ok(Entry {
        name,
        description,
        from,
        model: model && !(fields.manual && honours(rules.manual)),
        user: rules.call.is_some() && !(fields.no_user && honours(rules.user_invocable)),
        waits: fields.paths && honours(rules.paths),
        repaired: fields.repaired,
    })
}

/// The description as the list shows it.
fn shown(rules: &Rules, fields: &Fields, mut text: String) -> Result<String, Refusal> {
    match rules.markup {
        Some(Markup::Removed) => text = without_tags(&text),
        Some(Markup::FirstLine) => {
            text = trimmed(&text).lines().next().unwrap_or_default().to_owned();
        }
        Some(Markup::Escaped) => {
            text = text.replace(|it: char| it.is_control() || it == '\u{feff}', " ");
            text = text.replace('<', "&lt;").replace('>', "&gt;");
        }
        None => {}
    }
    if let Some(DescriptionCap::Most(cap)) = &rules.description_cap {
        if cap.with.is_some()
            && let Some(more) = &fields.when_to_use
        {
            text = format!("{text} - {more}");
        }
        let most = cap.characters as usize;
        if text.chars().count() > most {
            if cap.over == TooLong::Refused {
                let length = text.chars().count();
                let what = format!("its description has {length} characters, more than {most}");
                return Err(refusal("description-cap", what));
            }
            let kept = most - cap.mark.chars().count();
            text = text.chars().take(kept).collect::<String>() + &cap.mark;
        }
    }
    Ok(text)
}

fn without_tags(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>').filter(|end| *end > 1) else {
            break;
        };
        shown.push_str(&rest[..start]);
        rest = &rest[start + end + 1..];
    }
    shown + rest
}

fn name(rules: &Rules, fields: &Fields, folder: &str) -> Result<String, Refusal> {
    let typed = rules.typed.unwrap_or(Typed::Text);
    if rules.name_differs == Some(NameDiffers::Folder) {
        return Ok(folder.to_owned());
    }
    let by_folder = rules.missing_name == Some(MissingName::Folder);
    let written = match (&fields.name, typed) {
        (Some(Field::Text(text)), _)
        | (Some(Field::Typed(Some(text))), Typed::Printed | Typed::Joined) => Some(text.clone()),
        (Some(_), Typed::Refused) => return Err(refusal("typed", "its name is no text to YAML")),
        (Some(Field::Other), _) => return Err(refusal("typed", "its name is a list or a map")),
        _ => None,
    };
    let Some(written) = written else {
        return if by_folder {
            Ok(folder.to_owned())
        } else {
            Err(refusal("missing-name", "it has no name"))
        };
    };
    shaped(rules.name_shape.as_ref(), &written, folder, by_folder)
}

fn shaped(
    shape: Option<&NameShape>,
    written: &str,
    folder: &str,
    by_folder: bool,
) -> Result<String, Refusal> {
    let Some(shape) = shape else {
        return Ok(written.to_owned());
    };
    let mut name = written.to_owned();
    if shape.spaces.is_some() {
        name = trimmed(&name).to_owned();
    }
    if shape.spaces.as_deref() == Some(" ") {
        name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() && by_folder {
            folder.clone_into(&mut name);
        }
    }
    if name.is_empty() && (shape.marks.is_some() || !shape.refused.is_empty()) {
        return Err(refusal("missing-name", "its name is empty"));
    }
    let length = name.chars().count();
    if shape.most.is_some_and(|most| length > most as usize) {
        let what = format!("its name has {length} characters");
        return Err(refusal("name-shape", what));
    }
    let is_letter = |character: char| {
        if shape.ascii {
            character.is_ascii_alphanumeric()
        } else {
            character.is_alphanumeric()
        }
    };
    let allowed = |character: char| match &shape.marks {
        Some(marks) => is_letter(character) || marks.contains(character),
        None => !shape.refused.contains(character),
    };
    let starts = !shape.starts || name.starts_with(is_letter);
    if !name.chars().all(allowed) || !starts {
        let what = format!("the name `{name}` holds a character that is not taken");
        return Err(refusal("name-shape", what));
    }
    if let Some(spaces) = shape.spaces.as_deref().filter(|spaces| *spaces != " ") {
        name = name.split_whitespace().collect::<Vec<_>>().join(spaces);
    }
    Ok(name.replace(|character| shape.replaced.contains(character), "-"))
}

/// The first line of the instructions, without the marks of a heading, as Claude Code takes it.
fn first_line(body: &str) -> String {
    let line = body.split('\n').map(trimmed).find(|line| !line.is_empty());
    let Some(line) = line else {
        return "Skill".to_owned();
    };
    let heading = line.trim_start_matches('#');
    let is_heading = heading.len() < line.len()
        && heading.starts_with(char::is_whitespace)
        && !heading.trim().is_empty();
    let text = if is_heading {
        heading.trim_start()
    } else {
        line
    };
    if text.chars().count() > 100 {
        text.chars().take(97).collect::<String>() + "..."
    } else {
        text.to_owned()
    }
}

/// The first paragraph of the instructions that is no heading, as Copilot CLI takes it.
fn first_paragraph(body: &str) -> String {
    let lines = body.lines().map(str::trim);
    let mut lines = lines.skip_while(|line| line.is_empty() || line.starts_with('#'));
    let mut text: Vec<&str> = Vec::new();
    for line in lines.by_ref() {
        if line.is_empty() || line.starts_with('#') {
            break;
        }
        text.push(line);
    }
    text.join(" ")
}

/// Trims as JavaScript does: a byte order mark is white space too.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}')
}
