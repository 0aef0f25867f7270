//! Frontmatter as VS Code reads it: a reader that takes what it can and never fails.
//!
//! It goes line by line. Only the first `: ` of a line separates, so an unquoted colon is text;
//! anchors, tags and odd starts are text too; the first of two equal keys counts. A line that is
//! no `key: value` ends the reading, and what follows is lost.

/// The fields of the top level, in order; `None` for a list or a map.
pub(super) fn read(text: &str) -> Vec<(String, Option<String>)> {
    let lines: Vec<&str> = split_lines(text);
    let mut fields = Vec::new();
    let mut at = 0;
    let mut indent = None;
    while at < lines.len() {
        let line = lines[at];
        let content = line.trim_matches([' ', '\t']);
        if content.is_empty() || content.starts_with(['#', '%']) {
            at += 1;
            continue;
        }
        let own = line.len() - line.trim_start_matches([' ', '\t']).len();
        if fields.is_empty() && (content == "---" || content.starts_with('{')) {
            if content == "---" {
                at += 1;
                continue;
            }
            return flow_fields(&lines[at..].join("\n"));
        }
        if own < *indent.get_or_insert(own) {
            break;
        }
        let Some((key, rest)) = key_of(content) else {
            break;
        };
        let indent = indent.unwrap_or_default();
        at += 1;
        let value = rest.trim_matches([' ', '\t']);
        if value.starts_with(['[', '{']) {
            fields.push((key, None));
            match flow_end(value, &lines[at..]) {
                // What stands behind the bracket ends the reading.
                Some((used, rest)) if is_blank(rest) => at += used,
                _ => break,
            }
        } else if value.starts_with(['"', '\'']) {
            let (text, used, rest) = quoted(value, &lines[at..]);
            fields.push((key, Some(text)));
            at += used;
            if !is_blank(rest) {
                break;
            }
        } else if let Some(header) = block_header(value) {
            let (text, used) = block(header, indent, &lines[at..]);
            fields.push((key, Some(text)));
            at += used;
        } else if is_blank(value) {
            let (value, used) = nested(indent, &lines[at..]);
            fields.push((key, value));
            at += used;
        } else if value == "-" || value.starts_with("- ") {
            fields.push((key, None));
            at += deeper(indent, &lines[at..]);
        } else {
            let (text, used) = plain(value, indent, &lines[at..]);
            fields.push((key, Some(text)));
            at += used;
        }
    }
    fields
}

fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\n', '\r']) {
        lines.push(&rest[..at]);
        let width = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[at + width..];
    }
    lines.push(rest);
    lines
}

fn is_blank(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    text.is_empty() || text.starts_with('#')
}

/// The key of a line and what follows its colon.
fn key_of(content: &str) -> Option<(String, &str)> {
    if content.starts_with(['"', '\'']) {
        let (key, _, rest) = quoted(content, &[]);
        let rest = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        let separates = rest.is_empty() || rest.starts_with([' ', '\t']);
        return separates.then_some((key, rest));
    }
    if content == "-" || content.starts_with("- ") || content.starts_with(['[', ']', '}']) {
        return None;
    }
    let colon = content.char_indices().find(|&(at, character)| {
        let next = content[at + character.len_utf8()..].chars().next();
        character == ':' && next.is_none_or(|next| matches!(next, ' ' | '\t'))
    });
    let (at, _) = colon?;
    let key = content[..at].trim_end_matches([' ', '\t']);
    let comment = key.find(" #").or(key.find("\t#"));
    (comment.is_none() && !key.is_empty()).then(|| (key.to_owned(), &content[at + 1..]))
}

/// A text without quotes, with the deeper lines that carry it on.
fn plain(value: &str, indent: usize, lines: &[&str]) -> (String, usize) {
    let (first, commented) = without_comment(value);
    let mut text = first.to_owned();
    let mut used = 0;
    let mut breaks = 0;
    if commented {
        return (text, 0);
    }
    for (at, line) in lines.iter().enumerate() {
        let content = line.trim_matches([' ', '\t']);
        let own = line.len() - line.trim_start_matches([' ', '\t']).len();
        if content.is_empty() {
            breaks += 1;
            continue;
        }
        if own <= indent || content.starts_with(['#', '[', '{', '"', '\'']) {
            break;
        }
        let is_entry = content.starts_with("- ");
        if !is_entry && key_of(content).is_some() {
            break;
        }
        let (content, commented) = without_comment(content);
        match breaks {
            0 => text.push(' '),
            _ => text.push_str(&"\n".repeat(breaks)),
        }
        breaks = 0;
        text.push_str(content);
        used = at + 1;
        if commented {
            break;
        }
    }
    (text, used)
}

fn without_comment(value: &str) -> (&str, bool) {
    let at = value.find(" #").or(value.find("\t#"));
    match at {
        Some(at) => (value[..at].trim_end_matches([' ', '\t']), true),
        None => (value, false),
    }
}

/// What stands below a key without a value of its own.
fn nested(indent: usize, lines: &[&str]) -> (Option<String>, usize) {
    let skipped = lines.iter().take_while(|line| is_blank(line)).count();
    let Some(line) = lines.get(skipped) else {
        return (Some(String::new()), skipped);
    };
    let content = line.trim_matches([' ', '\t']);
    let own = line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_list = content == "-" || content.starts_with("- ");
    if is_list && own >= indent {
        let below = lines[skipped..].iter().take_while(|line| {
            let own = line.len() - line.trim_start_matches([' ', '\t']).len();
            let content = line.trim_matches([' ', '\t']);
            is_blank(line) || own > indent || own == indent && content.starts_with('-')
        });
        return (None, skipped + below.count());
    }
    if own <= indent {
        return (Some(String::new()), skipped);
    }
    if content.starts_with(['[', '{']) || key_of(content).is_some() {
        return (None, skipped + deeper(indent, &lines[skipped..]));
    }
    let below = &lines[skipped + 1..];
    let (text, used) = if content.starts_with(['"', '\'']) {
        let (text, used, _) = quoted(content, below);
        (text, used)
    } else {
        plain(content, indent, below)
    };
    (Some(text), skipped + 1 + used)
}

/// How many lines lie deeper than a key.
fn deeper(indent: usize, lines: &[&str]) -> usize {
    let inside = lines.iter().take_while(|line| {
        let own = line.len() - line.trim_start_matches([' ', '\t']).len();
        is_blank(line) || own > indent
    });
    inside.count()
}

/// A text in quotes: it, the further lines it took, and what stands behind it.
fn quoted<'a>(value: &'a str, lines: &[&'a str]) -> (String, usize, &'a str) {
    let quote = value.chars().next().unwrap_or('"');
    let mut text = String::new();
    let mut line = &value[quote.len_utf8()..];
    let mut used = 0;
    loop {
        let mut characters = line.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let rest = &line[at + character.len_utf8()..];
            match character {
                _ if character == quote => {
                    if quote == '\'' && rest.starts_with('\'') {
                        text.push('\'');
                        characters.next();
                        continue;
                    }
                    return (text, used, rest);
                }
                '\\' if quote == '"' => {
                    let Some((_, escaped)) = characters.next() else {
                        continue;
                    };
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        '\\' | '"' | '/' | ' ' => text.push(escaped),
                        'x' | 'u' | 'U' => {
                            let width = match escaped {
                                'x' => 2,
                                'u' => 4,
                                _ => 8,
                            };
                            let digits: String = rest.chars().skip(1).take(width).collect();
                            let code = u32::from_str_radix(&digits, 16).ok();
                            match code
                                .and_then(char::from_u32)
                                .filter(|_| digits.len() == width)
                            {
                                Some(character) => {
                                    text.push(character);
                                    characters.nth(width - 1);
                                }
                                None => text.extend(['\\', escaped]),
                            }
                        }
                        _ => text.extend(['\\', escaped]),
                    }
                }
                _ => text.push(character),
            }
        }
        let mut breaks = 0;
        loop {
            let Some(next) = lines.get(used) else {
                return (text, used, "");
            };
            used += 1;
            line = next.trim_start_matches([' ', '\t']);
            if !line.is_empty() {
                break;
            }
            breaks += 1;
        }
        text.truncate(text.trim_end_matches([' ', '\t']).len());
        match breaks {
            0 => text.push(' '),
            _ => text.push_str(&"\n".repeat(breaks)),
        }
    }
}

/// The mark of a block text: `|` or `>` and what may follow.
fn block_header(value: &str) -> Option<&str> {
    let header = value.split([' ', '\t']).next()?;
    let rest = &value[header.len()..];
    let is_header = header.starts_with(['|', '>'])
        && header[1..]
            .bytes()
            .all(|it| matches!(it, b'+' | b'-' | b'1'..=b'9'))
        && is_blank(rest);
    is_header.then_some(header)
}

fn block(header: &str, indent: usize, lines: &[&str]) -> (String, usize) {
    let mut width = None;
    let mut texts = Vec::new();
    for line in lines {
        let own = line.len() - line.trim_start_matches(' ').len();
        if line.trim().is_empty() {
            texts.push("");
            continue;
        }
        if own < *width.get_or_insert(own.max(indent + 1)) {
            break;
        }
        texts.push(&line[width.unwrap_or_default()..]);
    }
    let used = texts.len();
    let separator = if header.starts_with('|') { "\n" } else { " " };
    (texts.join(separator).trim_end().to_owned(), used)
}

/// Where brackets close: the further lines they take, and what stands behind.
fn flow_end<'a>(value: &'a str, lines: &[&'a str]) -> Option<(usize, &'a str)> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (used, line) in std::iter::once(&value).chain(lines).enumerate() {
        for (at, character) in line.char_indices() {
            match (quote, character) {
                (Some(open), _) if open == character => quote = None,
                (None, '"' | '\'') => quote = Some(character),
                (None, '[' | '{') => depth += 1,
                (None, ']' | '}') => {
                    depth -= 1;
                    if depth == 0 {
                        return Some((used, &line[at + 1..]));
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// A whole frontmatter in braces, as JSON is.
fn flow_fields(text: &str) -> Vec<(String, Option<String>)> {
    let Ok(serde_json::Value::Object(map)) = serde_json::from_str(text.trim()) else {
        return Vec::new();
    };
    map.into_iter()
        .map(|(key, value)| match value {
            serde_json::Value::Array(_) | serde_json::Value::Object(_) => (key, None),
            serde_json::Value::String(text) => (key, Some(text)),
            other => (key, Some(other.to_string())),
        })
        .collect()
}
