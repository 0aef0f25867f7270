//! A skill's name, and the nearest good name to a bad one.

use std::{fmt, ops::Deref, str::FromStr};

/// A skill's name, already known to follow the standard: 1 to 64 lower-case letters, digits and
/// single hyphens, with no hyphen at either end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillName(Box<str>);

/// Why a text is not a skill name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameFault {
    /// There is nothing in it.
    Empty,
    /// It has more than [`SkillName::MAX_CHARS`] characters: this many.
    TooLong(usize),
    /// A capital letter.
    UpperCase(char),
    /// Something that is no letter, digit or hyphen.
    Character(char),
    /// A hyphen at the start or the end.
    EdgeHyphen,
    /// Two hyphens in a row.
    DoubleHyphen,
}

impl SkillName {
    /// The longest name the standard allows, in characters.
    pub const MAX_CHARS: usize = 64;

    /// Takes a name that follows the standard.
    pub fn new(text: &str) -> Result<Self, NameFault> {
        check(text).map(|()| Self(text.into()))
    }

    /// Makes the nearest name that follows the standard, where the text leaves enough to go by.
    pub fn nearest(text: &str) -> Option<Self> {
        let mut name = String::new();
        for c in text.trim().chars().flat_map(char::to_lowercase) {
            if is_letter_or_digit(c) {
                name.push(c);
            } else if !name.is_empty() && !name.ends_with('-') && c != '\'' {
                name.push('-');
            }
        }
        let end = name
            .char_indices()
            .nth(Self::MAX_CHARS)
            .map_or(name.len(), |(at, _)| at);
        name.truncate(end);
        Self::new(name.trim_end_matches('-')).ok()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Tells whether a text follows the standard, without keeping it.
pub(crate) fn check(text: &str) -> Result<(), NameFault> {
    if text.is_empty() {
        return Err(NameFault::Empty);
    }
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !text.bytes().all(plain) {
        for c in text.chars() {
            // The standard speaks of Unicode letters, so `größe` and `数据` are names too.
            if c.to_lowercase().ne([c]) {
                return Err(NameFault::UpperCase(c));
            }
            if c != '-' && !is_letter_or_digit(c) {
                return Err(NameFault::Character(c));
            }
        }
    }
    if text.starts_with('-') || text.ends_with('-') {
        return Err(NameFault::EdgeHyphen);
    }
    if text.contains("--") {
        return Err(NameFault::DoubleHyphen);
    }
    if text.len() > SkillName::MAX_CHARS {
        let chars = text.chars().count();
        if chars > SkillName::MAX_CHARS {
            return Err(NameFault::TooLong(chars));
        }
    }
    Ok(())
}

fn is_letter_or_digit(c: char) -> bool {
    c.is_alphanumeric()
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong(chars) => {
                write!(
                    f,
                    "it has {chars} characters of at most {}",
                    SkillName::MAX_CHARS
                )
            }
            Self::UpperCase(c) => write!(f, "`{c}` is a capital letter"),
            Self::Character(' ') => f.write_str("it has a space"),
            Self::Character(c) => write!(f, "`{}` is no letter, digit or hyphen", c.escape_debug()),
            Self::EdgeHyphen => f.write_str("it starts or ends with a hyphen"),
            Self::DoubleHyphen => f.write_str("it has two hyphens in a row"),
        }
    }
}

impl std::error::Error for NameFault {}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SkillName {
    type Err = NameFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl Deref for SkillName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for SkillName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(texts: &[&str], expected: &Expect) {
        let told: Vec<_> = texts
            .iter()
            .map(|text| match SkillName::new(text) {
                Ok(_) => format!("{text:?} is a name\n"),
                Err(fault) => format!("{text:?}: {fault}\n"),
            })
            .collect();
        expected.assert_eq(&told.concat());
    }

    #[test]
    fn good_names_pass() {
        check(
            &["pdf-forms", "a", "7", "größe-2", "数据-分析"],
            &expect![[r#"
                "pdf-forms" is a name
                "a" is a name
                "7" is a name
                "größe-2" is a name
                "数据-分析" is a name
            "#]],
        );
    }

    #[test]
    fn each_fault_is_told() {
        check(
            &[
                "",
                "PDF",
                "pdf forms",
                "pdf_forms",
                "../etc",
                "-pdf",
                "pdf-",
                "pdf--forms",
                "a\0b",
            ],
            &expect![[r#"
                "": it is empty
                "PDF": `P` is a capital letter
                "pdf forms": it has a space
                "pdf_forms": `_` is no letter, digit or hyphen
                "../etc": `.` is no letter, digit or hyphen
                "-pdf": it starts or ends with a hyphen
                "pdf-": it starts or ends with a hyphen
                "pdf--forms": it has two hyphens in a row
                "a\0b": `\0` is no letter, digit or hyphen
            "#]],
        );
        assert_eq!(SkillName::new(&"ä".repeat(64)).err(), None);
        assert_eq!(
            SkillName::new(&"ä".repeat(65)).err(),
            Some(NameFault::TooLong(65))
        );
    }

    #[test]
    fn the_nearest_name_is_always_good() {
        let nearest = |text: &str| SkillName::nearest(text).map(|name| name.to_string());
        assert_eq!(nearest("PDF Forms").as_deref(), Some("pdf-forms"));
        assert_eq!(nearest("  Don't_Panic!  ").as_deref(), Some("dont-panic"));
        assert_eq!(nearest("../../etc/passwd").as_deref(), Some("etc-passwd"));
        assert_eq!(nearest("---").as_deref(), None);
        assert_eq!(nearest(&"abc-".repeat(20)).map(|name| name.len()), Some(63));
    }
}
