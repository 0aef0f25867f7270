//! How strictly a skill is judged.

use std::{fmt, str::FromStr};

/// Decides what is an error, what is a warning, and what is let pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Loads whatever has a usable description; the rest are warnings. For loading.
    #[default]
    Lenient,
    /// The specification, as published. For `check`.
    Standard,
    /// The verdict of the reference validator, quirk for quirk.
    SkillsRef,
    /// Fails loud: unknown fields and repaired text are errors.
    Strict,
}

impl Profile {
    /// Every profile, in the order a person would meet them.
    pub const ALL: [Self; 4] = [Self::Lenient, Self::Standard, Self::SkillsRef, Self::Strict];

    /// The word used on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lenient => "lenient",
            Self::Standard => "standard",
            Self::SkillsRef => "skills-ref",
            Self::Strict => "strict",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.as_str() == text)
            .ok_or_else(|| {
                format!(
                    "no profile named `{text}`; there are lenient, standard, skills-ref, strict"
                )
            })
    }
}
