//! The parts of a skill a word can stand in.

use std::ops::Range;

/// A part of a skill. What a word is worth depends on where it stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// The skill's name.
    Name,
    /// What the description says it does and when to use it.
    Description,
    /// What the description says it is not for.
    NotFor,
    /// The labels.
    Tags,
    /// Headings of the instructions.
    Headings,
    /// Prose of the instructions.
    Prose,
    /// Fenced code in the instructions.
    Code,
}

impl Field {
    /// Every field, in the order of their numbers.
    pub const ALL: [Self; Field::COUNT] = [
        Self::Name,
        Self::Description,
        Self::NotFor,
        Self::Tags,
        Self::Headings,
        Self::Prose,
        Self::Code,
    ];

    pub(crate) const COUNT: usize = 7;

    /// The field's word, as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::NotFor => "not-for",
            Self::Tags => "tags",
            Self::Headings => "headings",
            Self::Prose => "prose",
            Self::Code => "code",
        }
    }
}

/// How a word ends that negates what follows.
const NOT: [&str; 4] = ["not", "n't", "n’t", "never"];

/// What follows a negation where a clause says what a skill is not for.
const NOT_FOR: &[&str] = &[
    "for ",
    "use ",
    "trigger",
    "when ",
    "intended",
    "suitable",
    "meant",
    "to be used",
    "activate",
    "applicable",
    "apply",
];

/// The longest of them has so many words.
const NOT_FOR_WORDS: usize = 3;

/// Where the next clause starts that says what a skill is not for, in lower-case text.
///
/// A word counts once, however often it is repeated on the spot: `not not to to be used` rules
/// out what `not to be used` does, so that nobody gains by writing a word twice.
fn next_not_for(lower: &str) -> Option<usize> {
    let (mut at, mut start, mut before) = (0, 0, "");
    while let Some(word) = lower[at..].split_ascii_whitespace().next() {
        at += lower[at..].find(word).unwrap_or(0);
        if before != word {
            (start, before) = (at, word);
        }
        at += word.len();
        let mut after = lower[at..].split_ascii_whitespace().peekable();
        let negates = NOT.iter().any(|not| word.ends_with(not));
        // Of a repeated word only the last is looked at, which also keeps this linear.
        if !negates || after.peek() == Some(&word) {
            continue;
        }
        let mut next = String::new();
        let mut last = "";
        let changed = after.filter(|word| std::mem::replace(&mut last, word) != *word);
        for word in changed.take(NOT_FOR_WORDS) {
            next.push_str(word);
            next.push(' ');
        }
        if NOT_FOR.iter().any(|what| next.starts_with(what)) {
            return Some(start);
        }
    }
    None
}

/// Splits a description into what it says and what it rules out.
pub fn clauses(description: &str, mut found: impl FnMut(Field, &str)) {
    let lower = description.to_ascii_lowercase();
    let mut at = 0;
    while at < lower.len() {
        let Some(start) = next_not_for(&lower[at..]).map(|start| at + start) else {
            break;
        };
        let end = lower[start..]
            .match_indices(['.', ';', '\n', '。', '；'])
            .map(|(end, mark)| start + end + mark.len())
            // A full stop inside a word (`node.js`) does not end a sentence.
            .find(|&end| {
                lower[end..]
                    .chars()
                    .next()
                    .is_none_or(|next| !next.is_alphanumeric())
            })
            .unwrap_or(lower.len());
        found(Field::Description, &description[at..start]);
        found(Field::NotFor, &description[start..end]);
        at = end;
    }
    found(Field::Description, &description[at..]);
}

/// The mark a line starts with that opens or closes a block of code.
fn fence_mark(line: &str) -> Option<&'static str> {
    // Hardly any line does; its first letters tell.
    let first = line.bytes().find(|byte| *byte != b' ')?;
    if !matches!(first, b'`' | b'~' | b'\t'..=b'\r' | 0x80..) {
        return None;
    }
    let trimmed = line.trim_start();
    ["```", "~~~"]
        .into_iter()
        .find(|mark| trimmed.starts_with(mark))
}

/// Splits instructions into headings, prose and fenced code, line by line, as ranges of bytes.
pub(crate) fn sections(body: &str, mut found: impl FnMut(Field, Range<usize>)) {
    let mut fence: Option<&str> = None;
    let mut rest = body;
    // Lines of one kind are handed over together.
    let mut block = 0;
    let mut kind = Field::Prose;
    let mut at = 0;
    while at < body.len() {
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        let (line, after) = rest.split_at(length);
        let mark = fence_mark(line);
        let here = match (fence, mark) {
            (Some(open), mark) => {
                if mark == Some(open) {
                    fence = None;
                }
                Field::Code
            }
            (None, Some(mark)) => {
                fence = Some(mark);
                Field::Code
            }
            (None, None) if line.starts_with('#') => Field::Headings,
            (None, None) => Field::Prose,
        };
        if here != kind {
            found(kind, block..at);
            (block, kind) = (at, here);
        }
        at += length;
        rest = after;
    }
    found(kind, block..body.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::fmt::Write as _;

    #[test]
    fn a_description_is_split_at_what_it_rules_out() {
        let mut out = String::new();
        clauses(
            "Fills PDF forms. Do NOT use for node.js or scans; use ocr. Not for Word files.",
            |field, text| writeln!(out, "{}: {text:?}", field.name()).unwrap(),
        );
        expect![[r#"
            description: "Fills PDF forms. Do "
            not-for: "NOT use for node.js or scans;"
            description: " use ocr. "
            not-for: "Not for Word files."
            description: ""
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn a_word_said_again_rules_out_what_it_rules_out_once() {
        let not_for = |description: &str| {
            let mut found = String::new();
            clauses(description, |field, text| {
                if field == Field::NotFor {
                    found.push_str(text);
                }
            });
            found
        };
        for (description, expected) in [
            (
                "Fills forms, not to be used on scans",
                "not to be used on scans",
            ),
            (
                "Not to to to be used on scans",
                "Not to to to be used on scans",
            ),
            (
                "Not not not to be used on scans",
                "Not not not to be used on scans",
            ),
            ("A knot knot for climbers", "knot knot for climbers"),
            ("never never apply  apply it", "never never apply  apply it"),
            ("not for", "not for"),
            ("not not", ""),
        ] {
            assert_eq!(not_for(description), expected, "{description}");
        }
        // Long runs are read once.
        assert_eq!(not_for(&"not ".repeat(200_000)), "");
        assert_eq!(not_for(&"not a ".repeat(200_000)), "");
    }

    #[test]
    fn instructions_are_split_into_headings_prose_and_code() {
        let mut out = String::new();
        let body = "# Title\nText\nmore\n```sh\n# not a heading\n~~~\n```\n## Next\nend";
        sections(body, |field, part| {
            writeln!(out, "{}: {:?}", field.name(), &body[part]).unwrap();
        });
        expect![[r###"
            prose: ""
            headings: "# Title\n"
            prose: "Text\nmore\n"
            code: "```sh\n# not a heading\n~~~\n```\n"
            headings: "## Next\n"
            prose: "end"
        "###]]
        .assert_eq(&out);
    }
}
