//! Keywords in a message: whole words, in any case, found in one pass.

use aho_corasick::AhoCorasick;
use unicode_normalization::UnicodeNormalization;

use prowess_search::is_dense;

use crate::skill::Skill;

/// Every keyword of a catalog as one automaton.
#[derive(Debug)]
pub(super) struct Keywords {
    automaton: Option<AhoCorasick>,
    /// For each pattern of the automaton: the skill it activates, and the keyword as it was written.
    owners: Vec<(Box<str>, Box<str>)>,
}

impl Keywords {
    pub(super) fn new<'a>(skills: impl Iterator<Item = &'a Skill>) -> Self {
        let mut patterns = Vec::new();
        let mut owners: Vec<(Box<str>, Box<str>)> = Vec::new();
        for skill in skills {
            for keyword in skill.document().trigger_keywords() {
                let folded = fold(keyword.text);
                if !folded.trim().is_empty() {
                    patterns.push(folded);
                    owners.push((skill.name().into(), keyword.text.into()));
                }
            }
        }
        // Building fails only beyond what fits in memory; frontmatter is bounded far below that.
        let automaton = (!patterns.is_empty())
            .then(|| AhoCorasick::new(&patterns).ok())
            .flatten();
        Self { automaton, owners }
    }

    /// Reports each skill and keyword that a message has.
    pub(super) fn find(&self, message: &str, mut found: impl FnMut(&str, &str)) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        let text = fold(message);
        for hit in automaton.find_overlapping_iter(&text) {
            if is_whole(&text, hit.start(), hit.end()) {
                let (skill, keyword) = &self.owners[hit.pattern().as_usize()];
                found(skill, keyword);
            }
        }
    }
}

/// Text without case, with every run of white space as one blank, and with one way to write an
/// accent: file systems and keyboards disagree on that.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let text = text.trim();
    if text.is_ascii() {
        text.chars().for_each(|char| push(char, &mut folded));
    } else {
        text.nfc().for_each(|char| push(char, &mut folded));
    }
    folded
}

fn push(char: char, folded: &mut String) {
    match char {
        _ if char.is_ascii_alphanumeric() => folded.push(char.to_ascii_lowercase()),
        _ if char.is_whitespace() => {
            if !folded.ends_with(' ') {
                folded.push(' ');
            }
        }
        // Where lower case keeps two letters apart that fold to one.
        'ß' | 'ẞ' => folded.push_str("ss"),
        'ς' => folded.push('σ'),
        'ſ' => folded.push('s'),
        _ => folded.extend(char.to_lowercase()),
    }
}

/// Whether a hit is not part of a longer word. Scripts without blanks between words have no such
/// borders, and neither have signs: `c++` ends where it ends.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let of_a_word = |char: char| (char.is_alphanumeric() || char == '_') && !is_dense(char);
    let apart = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
        (Some(inner), Some(outer)) => !(of_a_word(inner) && of_a_word(outer)),
        _ => true,
    };
    let hit = &text[start..end];
    apart(hit.chars().next(), text[..start].chars().next_back())
        && apart(hit.chars().next_back(), text[end..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fires(keyword: &str, message: &str) -> bool {
        let keywords = Keywords {
            automaton: AhoCorasick::new([fold(keyword)]).ok(),
            owners: vec![("skill".into(), keyword.into())],
        };
        let mut fired = false;
        keywords.find(message, |_, _| fired = true);
        fired
    }

    #[test]
    fn only_whole_words_fire() {
        assert!(fires("clippy", "Run Clippy, please"));
        assert!(fires("clippy", "`cargo clippy`"));
        assert!(!fires("clippy", "splinterclippyx"));
        assert!(!fires("clippy", "clippy_lints"));
        assert!(fires("c++", "some C++17"));
        assert!(!fires("c", "abc"));
    }

    #[test]
    fn case_is_folded_in_every_script() {
        assert!(fires("straße", "STRASSE"));
        assert!(fires("ΣΊΣΥΦΟΣ", "σίσυφος"));
        assert!(fires("Отчёт", "отчёт готов"));
        assert!(fires("表格", "请填写表格并保存"));
        assert!(!fires("resume", "résumé"), "an accent is not case");
        assert!(
            fires("caf\u{e9}", "Cafe\u{301} au lait"),
            "one way to write it"
        );
    }

    #[test]
    fn a_keyword_of_two_words_may_be_broken_over_lines() {
        assert!(fires("tax form", "my Tax\n  Form"));
        assert!(!fires("tax form", "tax forms"));
    }
}
