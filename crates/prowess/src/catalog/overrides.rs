//! How much of one skill a host lets through, whatever its file says.

use std::{fmt, str::FromStr};

/// What a host has decided about one skill. It never lets through more than the skill itself
/// and the other filters do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Override {
    /// Nobody can use it.
    Off,
    /// It answers when called by name, and is kept from models otherwise.
    Manual,
    /// Models see its name without its description.
    NameOnly,
    /// Models see it whole.
    Full,
}

impl Override {
    /// All of them, the most first.
    pub const ALL: [Self; 4] = [Self::Full, Self::NameOnly, Self::Manual, Self::Off];

    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Manual => "manual",
            Self::NameOnly => "name-only",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is no override.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is none of `full`, `name-only`, `manual`, `off`")]
pub struct UnknownOverride {
    /// The word that was given.
    pub word: String,
}

impl FromStr for Override {
    type Err = UnknownOverride;

    fn from_str(word: &str) -> Result<Self, UnknownOverride> {
        let known = Self::ALL.into_iter().find(|it| it.as_str() == word);
        known.ok_or_else(|| UnknownOverride {
            word: word.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{
        Catalog, Filter, LoadOptions, MemorySource, Source,
        activate::{Triggers, Turn},
        select::Policy,
    };

    fn catalog(overrides: &[(&str, Override)]) -> Catalog {
        let mut source = MemorySource::new("test");
        for name in ["a", "b", "c", "d"] {
            let text = format!("---\nname: {name}\ndescription: Fills forms.\n---\n");
            source = source.skill(format!("{name}/SKILL.md"), text);
        }
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let options = LoadOptions {
            filter: Filter {
                overrides: overrides
                    .iter()
                    .map(|(name, it)| ((*name).to_owned(), *it))
                    .collect(),
                ..Filter::default()
            },
            ..LoadOptions::default()
        };
        Catalog::load(&sources, &options).unwrap()
    }

    #[test]
    fn an_override_decides_what_a_model_sees() {
        let catalog = catalog(&[
            ("a", Override::Full),
            ("b", Override::NameOnly),
            ("c", Override::Manual),
            ("d", Override::Off),
        ]);
        expect![[r"
            <available_skills>
              <skill>
                <name>a</name>
                <description>Fills forms.</description>
                <location>a/SKILL.md</location>
              </skill>
              <skill><name>b</name></skill>
            </available_skills>"]]
        .assert_eq(&catalog.format_for_prompt());
        let policy = Policy {
            top_k: 9,
            ..Policy::default()
        };
        let found = catalog.select("fill forms", &policy).matches;
        assert_eq!(found.len(), 2, "manual and off are not chosen");
        let turn = Turn {
            message: "@c and @d",
            ..Turn::default()
        };
        let woken = Triggers::new(&catalog).activate(&catalog, &turn, None);
        let names: Vec<&str> = woken.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["c"], "manual answers to its name, off does not");
    }

    #[test]
    fn every_word_is_read_back() {
        for it in Override::ALL {
            assert_eq!(it.as_str().parse(), Ok(it));
        }
        assert!("on".parse::<Override>().is_err());
        assert!(Override::Off < Override::Manual && Override::NameOnly < Override::Full);
    }
}
