//! Text as Python sees it: code points, among them surrogates that no UTF-8 can hold.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::age::is_newer;

/// A sequence of code points. An escape such as `"\ud83e"` may leave half a pair in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Text(Vec<u32>);

impl Text {
    pub(super) fn push(&mut self, char: char) {
        self.0.push(u32::from(char));
    }

    pub(super) fn push_code(&mut self, code: u32) {
        self.0.push(code);
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The length in code points.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The text without white space at its ends.
    pub(super) fn strip(&self) -> Self {
        let solid = |code: &u32| !is_space(*code);
        let start = self.0.iter().position(solid).unwrap_or(self.0.len());
        let end = self
            .0
            .iter()
            .rposition(solid)
            .map_or(start, |last| last + 1);
        Self(self.0[start..end].to_vec())
    }

    /// The text in compatibility normal form (NFKC).
    pub(super) fn normalize(&self) -> Self {
        self.by_known_runs(|run| run.nfkc().collect())
    }

    /// The text in lower case.
    pub(super) fn lower(&self) -> Self {
        self.by_known_runs(str::to_lowercase)
    }

    /// Rewrites the stretches the reference's Unicode tables know; the rest stays.
    fn by_known_runs(&self, rewrite: impl Fn(&str) -> String) -> Self {
        let mut result = Self::default();
        let mut run = String::new();
        for code in &self.0 {
            if let Some(char) = known(*code) {
                run.push(char);
            } else {
                result.extend(&rewrite(&run));
                run.clear();
                result.push_code(*code);
            }
        }
        result.extend(&rewrite(&run));
        result
    }

    fn extend(&mut self, text: &str) {
        self.0.extend(text.chars().map(u32::from));
    }

    /// Whether every code point is a letter, a digit or a hyphen.
    pub(super) fn is_name(&self) -> bool {
        self.0.iter().all(|code| {
            *code == u32::from('-')
                || known(*code).is_some_and(|char| {
                    matches!(
                        char.general_category_group(),
                        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
                    )
                })
        })
    }

    pub(super) fn starts_with(&self, char: char) -> bool {
        self.0.first() == Some(&u32::from(char))
    }

    pub(super) fn ends_with(&self, char: char) -> bool {
        self.0.last() == Some(&u32::from(char))
    }

    pub(super) fn contains(&self, char: char) -> bool {
        self.0.contains(&u32::from(char))
    }

    pub(super) fn has_twice(&self, char: char) -> bool {
        let code = u32::from(char);
        self.0.windows(2).any(|pair| pair == [code, code])
    }

    /// The text with halves put together where both stand; a lone half is replaced.
    pub(super) fn to_pairs(&self) -> String {
        let mut units = Vec::with_capacity(self.0.len());
        for code in &self.0 {
            match char::from_u32(*code) {
                Some(char) => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
                None => units.push(*code as u16),
            }
        }
        String::from_utf16_lossy(&units)
    }

    pub(super) fn codes(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }
}

/// The character behind a code point, where the reference's tables have one.
fn known(code: u32) -> Option<char> {
    char::from_u32(code).filter(|char| !is_newer(*char))
}

/// White space for `str.strip`: four separators more than Unicode's property.
fn is_space(code: u32) -> bool {
    char::from_u32(code).is_some_and(|char| char.is_whitespace() || matches!(code, 0x1c..=0x1f))
}

/// Whether `repr` shows the code point as it is.
pub(super) fn is_shown(code: u32) -> bool {
    code == u32::from(' ')
        || known(code).is_some_and(|char| {
            !matches!(
                char.general_category(),
                GeneralCategory::Control
                    | GeneralCategory::Format
                    | GeneralCategory::Surrogate
                    | GeneralCategory::PrivateUse
                    | GeneralCategory::Unassigned
                    | GeneralCategory::LineSeparator
                    | GeneralCategory::ParagraphSeparator
                    | GeneralCategory::SpaceSeparator
            )
        })
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.chars().map(u32::from).collect())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0.iter().copied().eq(other.chars().map(u32::from))
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

/// Half a pair is shown as its escape, as Python does on standard error.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for code in &self.0 {
            match char::from_u32(*code) {
                Some(char) => write!(f, "{char}")?,
                None => write!(f, "\\u{code:04x}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_and_digits_make_a_name() {
        for name in ["pdf-2", "技能", "навык", "²", "ⅷ"] {
            assert!(Text::from(name).is_name(), "{name}");
        }
        // Vowel signs are alphabetic, and marks all the same.
        for name in ["हिन्दी", "a_b", "a b", "a\u{200d}b", "\u{1e4d0}"] {
            assert!(!Text::from(name).is_name(), "{name}");
        }
    }

    #[test]
    fn white_space_goes_with_its_rarer_kinds() {
        assert_eq!(Text::from("\u{a0}\u{1c} a b\u{3000}\u{85}").strip(), "a b");
        assert_eq!(Text::from(" \t").strip(), "");
    }

    #[test]
    fn half_a_pair_survives_normalizing_and_lower_case() {
        let mut text = Text::from("ﬁA");
        text.push_code(0xd83e);
        text.extend("É");
        assert_eq!(text.normalize().to_string(), "fiA\\ud83eÉ");
        assert_eq!(text.lower().to_string(), "ﬁa\\ud83eé");
        assert_eq!(text.len(), 4);
    }
}
