//! Names spoken in a message: `@name`, `/name`, `$name`.

use std::{collections::HashMap, ops::Range};

use prowess_search::is_dense;

use crate::skill::Skill;

/// Every name of a catalog that a user may speak.
#[derive(Debug)]
pub(super) struct Mentions {
    exact: HashMap<Box<str>, Box<str>>,
    /// By lower case, for those who write `@PDF`.
    relaxed: HashMap<Box<str>, Box<str>>,
    /// The lengths of all names in bytes, longest first, because the longest name wins.
    lengths: Vec<usize>,
}

/// A name spoken in a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention<'m, 's> {
    pub(super) skill: &'s str,
    /// The mention as it was written.
    pub(super) text: &'m str,
    /// What stands behind it.
    pub(super) arguments: Option<&'m str>,
}

impl Mentions {
    pub(super) fn new<'a>(skills: impl Iterator<Item = &'a Skill>) -> Self {
        let mut exact = HashMap::new();
        let mut relaxed = HashMap::new();
        let mut lengths = Vec::new();
        for name in skills.map(Skill::name).filter(|name| !name.is_empty()) {
            exact.insert(name.into(), name.into());
            relaxed
                .entry(name.to_ascii_lowercase().into())
                .or_insert_with(|| name.into());
            lengths.push(name.len());
        }
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Self {
            exact,
            relaxed,
            lengths,
        }
    }

    /// Finds the names spoken in a message, in order.
    pub(super) fn find<'m>(&self, message: &'m str) -> Vec<Mention<'m, '_>> {
        let mut mentions = Vec::new();
        if self.lengths.is_empty() {
            return mentions;
        }
        let mut code = None;
        for (at, sigil) in message.match_indices(['@', '/', '$']) {
            if !may_start(message, at, sigil) {
                continue;
            }
            let Some((skill, end)) = self.longest(message, at + 1, sigil) else {
                continue;
            };
            let code = code.get_or_insert_with(|| code_ranges(message));
            if code.iter().any(|range| range.contains(&at)) {
                continue;
            }
            mentions.push(Mention {
                skill,
                text: &message[at..end],
                arguments: arguments(message, at, end),
            });
        }
        mentions
    }

    /// The longest name that stands here, and where it ends.
    fn longest(&self, message: &str, start: usize, sigil: &str) -> Option<(&str, usize)> {
        self.lengths.iter().find_map(|length| {
            let end = start + length;
            let name = message.get(start..end)?;
            if !may_end(&message[end..], sigil) {
                return None;
            }
            // `$PATH` is the environment's, whatever skills are called.
            if sigil == "$" && !name.chars().any(char::is_lowercase) {
                return None;
            }
            let skill = self.exact.get(name).or_else(|| {
                (sigil != "$")
                    .then(|| self.relaxed.get(name.to_ascii_lowercase().as_str()))
                    .flatten()
            })?;
            Some((&**skill, end))
        })
    }
}

/// Whether a sigil stands at the start of a word that is no address.
fn may_start(message: &str, at: usize, sigil: &str) -> bool {
    let before = &message[..at];
    let starts = before.chars().next_back().is_none_or(|char| {
        char.is_whitespace()
            || matches!(char, '(' | '[' | '{' | '"' | '\'' | ',' | ';' | '*')
            || matches!(
                char,
                '“' | '”' | '‘' | '«' | '„' | '—' | '（' | '，' | '。' | '、' | '：' | '「'
            )
            || sigil == "@" && is_dense(char)
    });
    let word = before.rsplit(char::is_whitespace).next().unwrap_or("");
    starts && !word.contains("://")
}

/// Whether a name may end before this text.
fn may_end(after: &str, sigil: &str) -> bool {
    let mut chars = after.chars();
    let Some(next) = chars.next() else {
        return true;
    };
    let of_a_word = |char: char| char.is_alphanumeric() && !is_dense(char) || char == '_';
    match next {
        // A path, an address, a call, an assignment, a longer word.
        '/' | '\\' | '@' | '(' | '=' | '_' | '$' | '{' | '[' => false,
        '.' | ':' | '-' => !chars.next().is_some_and(of_a_word),
        _ if sigil == "$" && next == '}' => false,
        _ => !of_a_word(next),
    }
}

/// What stands behind a mention: all of it where the message starts with the mention, else the
/// rest of the line.
fn arguments(message: &str, at: usize, end: usize) -> Option<&str> {
    let rest = &message[end..];
    let rest = if message[..at].trim().is_empty() {
        rest
    } else {
        rest.lines().next().unwrap_or("")
    };
    let rest = rest
        .trim_start_matches([':', ',', ')', '"', '\'', ']', '*', '.'])
        .trim();
    (!rest.is_empty()).then_some(rest)
}

/// Where a message holds code: between fences, and between backticks.
fn code_ranges(message: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut fence: Option<(u8, usize, usize)> = None;
    let mut prose = 0;
    let mut start = 0;
    for line in message.split_inclusive('\n') {
        let end = start + line.len();
        let text = line.trim_start_matches(' ');
        let mark = text.bytes().next().unwrap_or(b' ');
        let run = text.bytes().take_while(|&byte| byte == mark).count();
        let opens = line.len() - text.len() < 4 && matches!(mark, b'`' | b'~') && run >= 3;
        match fence {
            Some((kind, length, from))
                if opens && mark == kind && run >= length && text[run..].trim().is_empty() =>
            {
                ranges.push(from..end);
                fence = None;
                prose = end;
            }
            // What follows backticks on their line names a language; it has none itself.
            None if opens && !(mark == b'`' && text[run..].contains('`')) => {
                spans(message, prose..start, &mut ranges);
                fence = Some((mark, run, start));
            }
            _ => {}
        }
        start = end;
    }
    match fence {
        Some((_, _, from)) => ranges.push(from..message.len()),
        None => spans(message, prose..message.len(), &mut ranges),
    }
    ranges
}

/// Adds the code between backticks in a piece of prose. A run closes with a run as long.
fn spans(message: &str, piece: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let bytes = message.as_bytes();
    let run_at = |at: usize| {
        bytes[at..piece.end]
            .iter()
            .take_while(|&&b| b == b'`')
            .count()
    };
    let mut at = piece.start;
    while at < piece.end {
        let run = run_at(at);
        if run == 0 {
            at += 1;
            continue;
        }
        let mut close = at + run;
        let mut found = None;
        while close < piece.end {
            match run_at(close) {
                0 => close += 1,
                other if other == run => {
                    found = Some(close + run);
                    break;
                }
                other => close += other,
            }
        }
        match found {
            Some(end) => {
                ranges.push(at..end);
                at = end;
            }
            None => at += run,
        }
    }
}
