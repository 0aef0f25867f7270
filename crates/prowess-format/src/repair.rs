//! Repairs YAML that authors write and parsers refuse, one field at a time.
//!
//! The frontmatter is cut into its top-level fields. A field that reads well is taken as it
//! is; one that does not is rewritten in ever blunter ways until it does, so that a stray
//! colon in one field never costs another. Each rewrite is reported word for word.

use crate::{
    diagnostic::Span,
    fields::known_field,
    frontmatter::{line_end, trimmed},
    quote::{self, quote},
    value::{Field, Node, Value},
    yaml::{self, Budget, Remark, Stop},
};

/// The most fields that are looked at one by one; real files have at most a few dozen.
const FIELDS: usize = 1_000;

/// One way to rewrite a field, given its lines and the offset of its value.
type Attempt = fn(&str, usize) -> Option<String>;

/// What came of a frontmatter that is not valid YAML.
#[derive(Debug, Default)]
pub(crate) struct Repaired {
    pub(crate) fields: Vec<Field>,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) remarks: Vec<(Remark, Span)>,
    /// Lines before the first field that belong to none.
    pub(crate) stray: Option<Span>,
}

/// One field that was read differently from how it was written.
#[derive(Debug)]
pub(crate) struct Repair {
    pub(crate) key: Box<str>,
    pub(crate) kind: RepairKind,
    /// Where the YAML went wrong.
    pub(crate) at: usize,
    pub(crate) why: String,
    /// What main clients do with it instead.
    pub(crate) lost: &'static str,
    /// A known field that stands inside the value: its line break was lost, or it is text.
    pub(crate) inner_field: Option<&'static str>,
    /// The field's lines, and what to write in their place.
    pub(crate) span: Span,
    pub(crate) replacement: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepairKind {
    /// Other readers accept the quotes as they stand.
    LooseQuotes,
    /// No reader takes it without a repair.
    Repaired,
    /// It is an alias whose anchor is not there.
    UnknownAlias,
    /// It asks for more than the limits give and was kept as text.
    Limit,
}

/// Reads the fields of `text[frontmatter]` one by one.
pub(crate) fn repair(text: &str, frontmatter: Span) -> Repaired {
    let mut repaired = Repaired::default();
    let mut at = frontmatter.start;
    let mut stray = frontmatter.start;
    while at < frontmatter.end && key_line(&text[at..line_end(text, at)]).is_none() {
        at = line_end(text, at).min(frontmatter.end);
        stray = at;
    }
    let before = trimmed(text, frontmatter.start, stray);
    if before
        .of(text)
        .lines()
        .any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    {
        repaired.stray = Some(before);
    }
    for _ in 0..FIELDS {
        if at >= frontmatter.end {
            break;
        }
        let end = field_end(text, at, frontmatter.end);
        repair_field(text, at, end, &mut repaired);
        at = end;
    }
    repaired
}

/// The end of the field that starts at `from`: where the next one starts.
fn field_end(text: &str, from: usize, limit: usize) -> usize {
    let mut at = line_end(text, from).min(limit);
    // A quoted value may hold lines that look like fields.
    if let Some((_, value)) = key_line(&text[from..at]) {
        let open = from + value;
        if let Some(close) = quote::closing(&text[..limit], open) {
            let line = line_end(text, close).min(limit);
            if close >= at && quote::is_blank_or_comment(&text[close + 1..line]) {
                at = line;
            }
        }
    }
    while at < limit {
        let next = line_end(text, at).min(limit);
        if key_line(&text[at..next]).is_some() {
            break;
        }
        at = next;
    }
    at
}

fn repair_field(text: &str, start: usize, end: usize, repaired: &mut Repaired) {
    let span = trimmed(text, start, end);
    let source = span.of(text);
    let stop = match yaml::read(source, span.start, &mut Budget::default()) {
        Ok(read) => match read.root.map(|node| node.value) {
            Some(Value::Map(fields)) => {
                repaired.fields.extend(fields);
                repaired.remarks.extend(read.remarks);
                return;
            }
            _ => Stop::Syntax {
                at: span.start,
                why: "this is no field".into(),
            },
        },
        Err(stop) => stop,
    };
    let Some((key, value)) = key_line(first_line(source)) else {
        return;
    };
    let attempts: &[(RepairKind, Attempt)] = match stop {
        Stop::Limit { .. } => &[(RepairKind::Limit, as_text)],
        Stop::Syntax { .. } if is_alias(&source[value.min(source.len())..]) => {
            &[(RepairKind::UnknownAlias, as_text)]
        }
        Stop::Syntax { .. } => &[
            (RepairKind::LooseQuotes, indent_quoted),
            (RepairKind::Repaired, repair_lines),
            (RepairKind::Repaired, as_text),
        ],
    };
    for &(kind, attempt) in attempts {
        let Some(replacement) = attempt(source, value) else {
            continue;
        };
        let Ok(read) = yaml::read(&replacement, 0, &mut Budget::default()) else {
            continue;
        };
        let Some(Value::Map(fields)) = read.root.map(|node| node.value) else {
            continue;
        };
        let key_span = Span::new(span.start + key.start, span.start + key.end);
        let value_span = trimmed(text, (span.start + value).min(span.end), span.end);
        repaired.repairs.push(Repair {
            key: fields
                .first()
                .map_or_else(Box::default, |field| field.key.clone()),
            kind,
            at: stop.at().clamp(span.start, span.end),
            why: reason(source, value, &stop),
            lost: lost(&source[key.clone()], &source[value.min(source.len())..]),
            inner_field: inner_field(first_line(&source[value.min(source.len())..])),
            span,
            replacement,
        });
        repaired.fields.extend(fields.into_iter().map(|mut field| {
            field.key_span = key_span;
            relocate(&mut field.node, value_span);
            field
        }));
        return;
    }
}

/// Whether a value is nothing but `*name`: then its author meant an alias, not text.
fn is_alias(value: &str) -> bool {
    let name = value.trim().strip_prefix('*');
    name.is_some_and(|name| {
        !name.is_empty() && !name.contains(|char: char| char.is_whitespace() || char == '*')
    })
}

/// A rewritten value has no places of its own; all of it stands where the original stood.
fn relocate(node: &mut Node, span: Span) {
    node.span = span;
    match &mut node.value {
        Value::Scalar(..) => {}
        Value::List(nodes) => nodes.iter_mut().for_each(|node| relocate(node, span)),
        Value::Map(fields) => {
            for field in fields {
                field.key_span = span;
                relocate(&mut field.node, span);
            }
        }
    }
}

/// The first known field whose name and colon stand inside an unquoted value:
/// `Fills in forms. license: MIT`.
fn inner_field(value: &str) -> Option<&'static str> {
    if value.starts_with(['"', '\'', '[', '{']) {
        return None;
    }
    value.match_indices(": ").find_map(|(colon, _)| {
        let (_, word) = value[..colon].rsplit_once(char::is_whitespace)?;
        Some(known_field(word)?.key)
    })
}

/// Which clients drop a skill with such a value. Claude Code 2.1.325, Codex 0.166.0, Gemini CLI
/// 0.61.0, `OpenCode` 1.18.33, goose 1.52.0, VS Code 1.139.1 and Copilot CLI 1.0.102 were asked on
/// 2026-11-17; what was not asked is said to fail in the two that repair nothing.
fn lost(key: &str, value: &str) -> &'static str {
    match value.chars().next() {
        Some('*' | '%') => "Codex, OpenCode, goose and Copilot CLI drop the skill",
        Some('@' | '`' | '[' | '{') => "OpenCode, goose and Copilot CLI drop the skill",
        // OpenCode repairs these two fields only.
        _ if matches!(key, "name" | "description") => "goose and Copilot CLI drop the skill",
        _ => "OpenCode, goose and Copilot CLI drop the skill",
    }
}

/// Says in plain words what the parser stumbled over, where that can be told from the text.
fn reason(source: &str, value: usize, stop: &Stop) -> String {
    if matches!(stop, Stop::Limit { .. }) {
        return stop.why().into();
    }
    let line = first_line(source).trim_end();
    let value = value.min(line.len());
    let inline = &line[value..];
    match inline.chars().next() {
        Some(start @ ('*' | '&' | '!' | '@' | '`' | '%' | ',' | ']' | '}')) => {
            return format!("a value that starts with `{start}` needs quotes");
        }
        Some('"' | '\'') => match quote::closing(source, value) {
            None => return "the quote is not closed".into(),
            Some(close)
                if !quote::is_blank_or_comment(&source[close + 1..line_end(source, close)]) =>
            {
                return "text follows the quote that closes it".into();
            }
            Some(close)
                if inline.starts_with('"')
                    && quote::repair_escapes(&source[value..=close]) != source[value..=close] =>
            {
                return "a backslash in double quotes starts an escape that YAML does not know"
                    .into();
            }
            Some(_) => {}
        },
        Some('[' | '{') | None => {}
        Some(_) if inline.contains(": ") || inline.ends_with(':') => {
            return "a colon inside an unquoted value starts a new field".into();
        }
        Some(_) => {}
    }
    if source
        .lines()
        .any(|line| line.trim_start_matches(' ').starts_with('\t'))
    {
        return "a tab indents a line".into();
    }
    let mut below = source.lines().skip(1);
    if below.any(|line| !line.is_empty() && !line.starts_with([' ', '\t', '-', '#'])) {
        return "a line is neither indented nor a field".into();
    }
    stop.why().into()
}

fn first_line(text: &str) -> &str {
    &text[..line_end(text, 0)]
}

/// Reads a line as the start of a top-level field: the key's range and the value's offset.
fn key_line(line: &str) -> Option<(std::ops::Range<usize>, usize)> {
    if line.starts_with([' ', '\t', '#', '-']) {
        return None;
    }
    let (key, value) = split_key(line)?;
    Some((key, value))
}

/// Splits `key: value`; the key is a word, bare or in quotes.
fn split_key(line: &str) -> Option<(std::ops::Range<usize>, usize)> {
    let end = if line.starts_with(['"', '\'']) {
        quote::closing(line, 0)? + 1
    } else {
        line.find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '/')))?
    };
    if end == 0 {
        return None;
    }
    let colon = end + line[end..].len() - line[end..].trim_start_matches(' ').len();
    let after = line[colon..].strip_prefix(':')?;
    if !(after.is_empty() || after.starts_with([' ', '\t', '\n', '\r'])) {
        return None;
    }
    let value = line.len() - after.trim_start_matches([' ', '\t']).len();
    Some((0..end, value))
}

/// Indents the further lines of quoted values: readers of YAML 1.1 do not ask for it.
fn indent_quoted(source: &str, _: usize) -> Option<String> {
    let mut out = String::with_capacity(source.len() + 16);
    let mut at = 0;
    let mut inside: Option<(usize, usize)> = None;
    let mut changed = false;
    while at < source.len() {
        let next = line_end(source, at);
        let line = source[at..next].trim_end();
        let body = line.trim_start();
        match inside {
            Some((_, margin)) if !body.is_empty() => {
                changed |= indent(line) < margin;
                out.extend(std::iter::repeat_n(' ', margin.max(indent(line))));
                out.push_str(body);
            }
            Some(_) => {}
            None => {
                out.push_str(line);
                let entry = body.trim_start_matches("- ");
                let open = next - source[at..next].len() + line.len() - entry.len();
                let open = split_key(entry).map_or(open, |(_, value)| open + value);
                inside = quote::closing(source, open)
                    .filter(|close| *close >= next)
                    .filter(|close| {
                        quote::is_blank_or_comment(&source[close + 1..line_end(source, *close)])
                    })
                    .map(|close| (close, indent(line) + 2));
            }
        }
        inside = inside.filter(|(close, _)| *close >= next);
        out.push('\n');
        at = next;
    }
    out.truncate(out.trim_end().len());
    changed.then_some(out)
}

/// Repairs each line for itself: tabs, escapes, and values that need quotes.
#[expect(clippy::unnecessary_wraps, reason = "an `Attempt` like the others")]
fn repair_lines(source: &str, _: usize) -> Option<String> {
    let mut out = String::with_capacity(source.len() + 16);
    let mut block: Option<usize> = None;
    let lines: Vec<&str> = source.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let body = line.trim_start();
        let indent = indent(line);
        if block.is_some_and(|outer| indent > outer || body.is_empty()) {
            // Only the margin is rewritten: a tab further on is part of the text.
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(body);
        } else {
            block = None;
            for _ in 0..indent {
                out.push(' ');
            }
            let more = lines
                .get(number + 1)
                .is_some_and(|next| self::indent(next) > indent);
            if repair_entry(body, more, &mut out) {
                block = Some(indent);
            }
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    Some(out)
}

/// The width of a line's indentation; a tab counts as two.
fn indent(line: &str) -> usize {
    line.bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .map(|byte| if byte == b'\t' { 2 } else { 1 })
        .sum()
}

/// Repairs `- key: value`; says whether it opens a block of text.
fn repair_entry(mut entry: &str, more: bool, out: &mut String) -> bool {
    while let Some(rest) = entry.strip_prefix("- ") {
        out.push_str("- ");
        entry = rest.trim_start();
    }
    let value = match split_key(entry) {
        Some((key, value)) => {
            out.push_str(&entry[key]);
            out.push(':');
            let value = &entry[value..];
            if value.is_empty() {
                return false;
            }
            out.push(' ');
            value
        }
        None => entry,
    };
    if quote::opens_block(value) {
        out.push_str(value);
        return true;
    }
    match if more { None } else { repair_value(value) } {
        Some(repaired) => out.push_str(&repaired),
        None => out.push_str(value),
    }
    false
}

/// Rewrites a value that cannot stand as it is.
fn repair_value(value: &str) -> Option<String> {
    let value = value.trim_end();
    let reads = |text: &str| yaml::read(text, 0, &mut Budget::default()).is_ok();
    match value.chars().next()? {
        '#' => None,
        '"' | '\'' => {
            let Some(close) = quote::closing(value, 0) else {
                return Some(quote(value[1..].trim_end()));
            };
            if let Some(inner) = quote::wrapped(value, close) {
                return Some(quote(inner));
            }
            let rest = &value[close + 1..];
            // `"value",` is JSON's habit.
            let value = if rest.trim() == "," {
                &value[..=close]
            } else {
                value
            };
            if reads(value) {
                return Some(value.to_owned());
            }
            let repaired = quote::repair_escapes(value);
            Some(if reads(&repaired) {
                repaired
            } else {
                quote(value)
            })
        }
        '[' | '{' => {
            if reads(value) {
                return None;
            }
            let repaired = quote::repair_escapes(value);
            Some(if reads(&repaired) {
                repaired
            } else {
                quote(value)
            })
        }
        '&' | '*' | '!' => (!reads(value)).then(|| quote(value)),
        '@' | '`' | '%' | ',' | ']' | '}' | '|' | '>' => Some(quote(value)),
        _ => {
            let ambiguous = value.contains(": ")
                || value.ends_with(':')
                || value.contains('\t')
                || value.starts_with("? ");
            ambiguous.then(|| quote(value))
        }
    }
}

/// Takes everything after the key as text.
fn as_text(source: &str, value: usize) -> Option<String> {
    let key = source[..value].trim_end();
    let mut text = source[value..].trim();
    // A quote that is opened and never closed was meant to go around the text.
    if text.starts_with(['"', '\'']) && quote::closing(text, 0).is_none() {
        text = text[1..].trim_start();
    }
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    // The header of a block is no part of its text.
    if lines.len() > 1 && quote::opens_block(lines[0]) {
        lines.remove(0);
        lines[0] = lines[0].trim_start();
    }
    if lines.len() <= 1 {
        return Some(format!("{key} {}", quote(lines.pop()?)));
    }
    // The first line stands behind the key, so it has no indentation to compare with.
    let margin = lines[1..]
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()?;
    let mut out = format!("{key} |-");
    for (number, line) in lines.iter().enumerate() {
        out.push('\n');
        let line = if number == 0 {
            line
        } else {
            line.get(margin..).unwrap_or_default()
        };
        if !line.is_empty() {
            out.push_str("  ");
            out.push_str(line);
        }
    }
    Some(out)
}
