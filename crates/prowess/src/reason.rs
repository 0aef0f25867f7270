//! Why a skill is active.

use serde::{Deserialize, Serialize};

/// Why a skill is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The user spoke its name: `@name`, `/name`, `$name`.
    Explicit,
    /// The model called the `skill` tool.
    Invoked,
    /// A file of the turn, or a path in the message, fits one of its globs.
    TriggerGlob,
    /// The message has one of its keywords as a whole word.
    TriggerKeyword,
    /// It asks to be active in every conversation.
    Always,
    /// It was chosen by query, or by tag.
    Selected,
}

impl Reason {
    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Invoked => "invoked",
            Self::TriggerGlob => "trigger-glob",
            Self::TriggerKeyword => "trigger-keyword",
            Self::Always => "always",
            Self::Selected => "selected",
        }
    }
}
