//! The files a body speaks of: Markdown links, and paths in backticks into the skill's folders.

use crate::{diagnostic::Span, document::Document};

/// The folders the standard gives a skill.
const FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

/// A longer path names no file.
const LONGEST_PATH: usize = 1024;

/// Parentheses inside a link's target nest no deeper, as in `CommonMark`. Without an end to it a
/// line of a megabyte would be read again for each of its links.
const NESTED: usize = 32;

/// A longer run of backticks opens no code span, for the same reason.
const LONGEST_RUN: usize = 32;

/// A file the instructions speak of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Where it points, seen from the skill's folder.
    pub target: Target,
    /// Where the path stands in the file, without quotes, anchor or title.
    pub span: Span,
    /// Whether it is a link's target; else it stands in backticks.
    pub linked: bool,
}

/// Where a reference points.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Inside the skill: a path with `/` between its parts and no `.` or `..`.
    Inside(String),
    /// Outside the skill, as written.
    Outside(String),
}

/// A stretch of a body that is read in one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// The line, without its end.
    pub(crate) text: &'a str,
    /// Where it starts in the file.
    pub(crate) start: usize,
    /// Whether it belongs to a fenced block, fences included.
    pub(crate) fenced: bool,
}

impl Document {
    /// The files the instructions speak of, in order. Fenced code is left out: it shows the
    /// user's files as often as the skill's.
    pub fn references(&self) -> Vec<Reference> {
        let mut references = Vec::new();
        for line in lines(self) {
            if !line.fenced {
                scan(line, &mut references);
            }
        }
        references
    }
}

/// The lines of the instructions, each with whether it is fenced code.
pub(crate) fn lines(document: &Document) -> impl Iterator<Item = Line<'_>> {
    let span = document.instructions_span();
    let mut start = span.start;
    let mut fence: Option<(u8, usize)> = None;
    document
        .instructions()
        .split(['\n', '\r'])
        .map(move |text| {
            let at = start;
            start += text.len() + 1;
            let fenced = match (fence, fence_of(text)) {
                (None, Some((mark, count, _))) => {
                    fence = Some((mark, count));
                    true
                }
                (None, None) => false,
                (Some((mark, count)), found) => {
                    // Only a bare fence of the same kind, at least as long, closes a block.
                    if found.is_some_and(|(m, c, bare)| m == mark && c >= count && bare) {
                        fence = None;
                    }
                    true
                }
            };
            Line {
                text,
                start: at,
                fenced,
            }
        })
}

/// Reads a line as a fence: its mark, its length, and whether nothing follows.
pub(crate) fn fence_of(line: &str) -> Option<(u8, usize, bool)> {
    // Deeper ones are kept too: fences inside list items are indented at will.
    let line = line.trim_start();
    let mark = *line
        .as_bytes()
        .first()
        .filter(|b| matches!(b, b'`' | b'~'))?;
    let count = line.bytes().take_while(|byte| *byte == mark).count();
    let rest = &line[count..];
    // ``` `code` ``` on one line is a span, not a fence.
    let opens = count >= 3 && !(mark == b'`' && rest.contains('`'));
    opens.then(|| (mark, count, rest.trim().is_empty()))
}

fn scan(line: Line<'_>, references: &mut Vec<Reference>) {
    let text = line.text;
    if definition(line, references) {
        return;
    }
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'`', b']', &text.as_bytes()[at..]) {
        at += found;
        if text.as_bytes()[at] == b'`' {
            let count = text[at..].bytes().take_while(|byte| *byte == b'`').count();
            let open = at + count;
            let Some(length) = closing(&text[open..], count) else {
                at = open;
                continue;
            };
            code(&text[open..open + length], line.start + open, references);
            at = open + length + count;
        } else {
            at += 1;
            if let Some(target) = text[at..].strip_prefix('(') {
                let (path, skipped) = destination(target);
                link(path, line.start + at + 1 + skipped, references);
                at += 1 + skipped + path.len();
            }
        }
    }
}

/// Finds where a code span ends: at a run of exactly as many backticks. A search that fails has
/// seen the whole line, and can fail once for each length only.
pub(crate) fn closing(text: &str, count: usize) -> Option<usize> {
    if count > LONGEST_RUN {
        return None;
    }
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'`', &text.as_bytes()[at..]) {
        at += found;
        let run = text[at..].bytes().take_while(|byte| *byte == b'`').count();
        if run == count {
            return Some(at);
        }
        at += run;
    }
    None
}

/// Reads `[label]: path "title"`, a link's target given on a line of its own.
fn definition(line: Line<'_>, references: &mut Vec<Reference>) -> bool {
    let trimmed = line.text.trim_start();
    let Some((label, rest)) = trimmed
        .strip_prefix('[')
        .and_then(|text| text.split_once("]:"))
    else {
        return false;
    };
    let is_footnote = label.starts_with('^');
    if is_footnote || label.is_empty() || label.contains(['[', ']']) {
        return false;
    }
    let path = rest.trim_start();
    let offset = line.text.len() - path.len();
    // A sentence after the colon is prose, not a target.
    let path_end = path.find(char::is_whitespace).unwrap_or(path.len());
    let title = path[path_end..].trim_start();
    if !title.is_empty() && !title.starts_with(['"', '\'', '(']) {
        return false;
    }
    link(&path[..path_end], line.start + offset, references);
    true
}

/// The target of a link, from just after its parenthesis, and how many bytes stand before it.
fn destination(text: &str) -> (&str, usize) {
    let trimmed = text.trim_start_matches(' ');
    let skipped = text.len() - trimmed.len();
    if let Some(rest) = trimmed.strip_prefix('<') {
        let near = &rest.as_bytes()[..rest.len().min(LONGEST_PATH)];
        let end = memchr::memchr(b'>', near).unwrap_or(0);
        return (&rest[..end], skipped + 1);
    }
    let mut depth = 0_usize;
    for (at, c) in trimmed.char_indices() {
        match c {
            _ if at > LONGEST_PATH || depth > NESTED => break,
            '(' => depth += 1,
            ')' if depth == 0 => return (&trimmed[..at], skipped),
            ')' => depth -= 1,
            ' ' | '\t' => return (&trimmed[..at], skipped),
            _ => {}
        }
    }
    // Without a closing parenthesis it is no link.
    ("", skipped)
}

/// Notes a link's target, where it is a file of the skill.
fn link(target: &str, start: usize, references: &mut Vec<Reference>) {
    let end = target.find(['#', '?']).unwrap_or(target.len());
    let path = &target[..end];
    // `[text](url)` shows how a link is written; a file has an ending or lies in a folder.
    if !path.contains(['.', '/']) || has_scheme(path) || is_placeholder(path) {
        return;
    }
    let decoded = percent_decoded(path);
    push(&decoded, Span::new(start, start + end), true, references);
}

/// Notes the paths in a code span that lie in one of the skill's folders.
fn code(span: &str, start: usize, references: &mut Vec<Reference>) {
    let mut next = 0;
    for word in span.split([' ', '\t', '"', '\'', ',', '=', '(', ')']) {
        let offset = next;
        next += word.len() + 1;
        let below = word.trim_start_matches("./");
        let climbs = below.starts_with("../");
        let tail = below.trim_start_matches("../");
        let in_folder = tail
            .split_once('/')
            .is_some_and(|(first, rest)| FOLDERS.contains(&first) && !rest.is_empty());
        if !in_folder {
            continue;
        }
        let path = &word[..word.find(['#', '?', ':', ';', '&']).unwrap_or(word.len())];
        let path = path.trim_end_matches(['.', '!']);
        // Without an ending it is as likely a folder or half a sentence.
        let has_ending = path
            .rsplit('/')
            .next()
            .is_some_and(|file| file.trim_start_matches('.').contains('.'));
        if !has_ending || is_placeholder(path) || climbs && !path.starts_with("..") {
            continue;
        }
        let start = start + offset;
        push(
            path,
            Span::new(start, start + path.len()),
            false,
            references,
        );
    }
}

fn push(path: &str, span: Span, linked: bool, references: &mut Vec<Reference>) {
    references.push(Reference {
        target: resolve(path),
        span,
        linked,
    });
}

/// Follows `.` and `..`, never further up than the skill's folder.
pub(crate) fn resolve(path: &str) -> Target {
    let outside = || Target::Outside(path.to_owned());
    if path.starts_with(['/', '\\', '~']) {
        return outside();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return outside();
                }
            }
            part => parts.push(part),
        }
    }
    Target::Inside(parts.join("/"))
}

/// Whether a path starts with a scheme or a drive: `https:`, `mailto:`, `C:`; or a host: `//`.
fn has_scheme(path: &str) -> bool {
    path.starts_with("//")
        || path.split_once(':').is_some_and(|(scheme, _)| {
            !scheme.is_empty()
                && scheme
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
}

/// Whether a path stands for many paths, or shows how one is written.
fn is_placeholder(path: &str) -> bool {
    path.contains(['*', '<', '>', '{', '}', '$', '[', ']', '|', '…', '\\'])
        || path.contains("...")
        || path.contains("path/to")
        || path.contains("/XX")
        || path.contains("YYYY")
        || path.contains("xxx")
}

fn percent_decoded(path: &str) -> String {
    if !path.contains('%') {
        return path.to_owned();
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        if *first == b'%'
            && let (Some(high), Some(low)) = (hex(tail.first()), hex(tail.get(1)))
        {
            bytes.push((high * 16 + low) as u8);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{Profile, parse};

    fn check(body: &str, expected: &Expect) {
        let text = format!("---\nname: a\ndescription: b\n---\n{body}");
        let document = parse(text.as_bytes(), Profile::Lenient).document;
        let told: Vec<_> = document
            .references()
            .iter()
            .map(|reference| format!("{:?} at `{}`\n", reference.target, reference.span.of(&text)))
            .collect();
        expected.assert_eq(&told.concat());
    }

    #[test]
    fn links_and_backticked_paths_are_found() {
        check(
            r#"See [the guide](references/guide.md#fields "Guide"), ![logo](<assets/my logo.png>),
`scripts/fill.py`, run `python ./scripts/fill.py --fast`, or [FORMS](FORMS.md).

[api]: references/API%20v2.md
"#,
            &expect![[r#"
                Inside("references/guide.md") at `references/guide.md`
                Inside("assets/my logo.png") at `assets/my logo.png`
                Inside("scripts/fill.py") at `scripts/fill.py`
                Inside("scripts/fill.py") at `./scripts/fill.py`
                Inside("FORMS.md") at `FORMS.md`
                Inside("references/API v2.md") at `references/API%20v2.md`
            "#]],
        );
    }

    #[test]
    fn what_is_no_file_of_the_skill_is_passed_over() {
        check(
            "[a](https://x.y/z.md) [b](#steps) [c](mailto:a@b.c) [d](url) [e](path/to/file.md)\n\
             `scripts/` `references/<name>.md` `assets/*.png` `npm run scripts` `my/scripts/a.py`\n\
             ```\n[f](references/a.md) `scripts/b.py`\n```\n[^1]: references/note.md\n",
            &expect![""],
        );
    }

    #[test]
    fn what_leaves_the_skill_is_told_apart() {
        check(
            "[a](../other/SKILL.md) [b](/etc/passwd.d) [c](references/../x.md) \
             `../../scripts/a.sh` [d](~/x.md)",
            &expect![[r#"
                Outside("../other/SKILL.md") at `../other/SKILL.md`
                Outside("/etc/passwd.d") at `/etc/passwd.d`
                Inside("x.md") at `references/../x.md`
                Outside("../../scripts/a.sh") at `../../scripts/a.sh`
                Outside("~/x.md") at `~/x.md`
            "#]],
        );
    }
}
