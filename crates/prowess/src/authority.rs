//! What a skill may do: host policy ∩ user grant ∩ what the skill asks for.
//!
//! A skill's `allowed-tools` is a wish. It never widens what the host and the user allow, and a
//! pattern nobody understands grants nothing.

use std::fmt;

use prowess_format::{Document, Span, ToolPattern};
use serde::{Deserialize, Serialize};

mod argument;
#[cfg(test)]
mod tests;

/// What the host takes `allowed-tools` to mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// The standard's sense: what the skill lists runs without asking, the rest asks as usual.
    #[default]
    Preapprove,
    /// What many users expect: the skill may use what it lists and nothing else.
    Restrict,
    /// The list informs people; it decides nothing.
    Advisory,
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is refused.
    Denied,
    /// The host asks, as it does without any skill.
    Ask,
    /// It runs without asking.
    Allowed,
}

/// Patterns of tools that someone allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// `None` allows everything; an empty list allows nothing.
    patterns: Option<Vec<Pattern>>,
}

/// One pattern that stands on its own: `Read`, `Bash(git add:*)`, `mcp__db__*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    tool: String,
    argument: Option<String>,
    readable: bool,
}

impl Pattern {
    /// Reads a pattern. What can not be read matches nothing.
    pub fn new(text: &str) -> Self {
        Self::from(ToolPattern::new(text.trim(), Span::default()))
    }

    /// The name of the tool, perhaps with `*`.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether it can mean more than one tool.
    pub fn is_open(&self) -> bool {
        self.tool.contains(['*', '?'])
    }

    /// Whether it speaks about this tool at all.
    pub fn names(&self, tool: &str) -> bool {
        self.readable && argument::glob(&self.tool, tool)
    }

    /// Whether it covers this call. Where an argument is not known, only a pattern without one
    /// covers it: unknown is not granted.
    pub fn covers(&self, call: &Call<'_>) -> bool {
        self.names(call.tool)
            && match (&self.argument, call.argument) {
                (None, _) => true,
                (Some(pattern), Some(argument)) => argument::covers(pattern, argument),
                (Some(_), None) => false,
            }
    }
}

impl From<ToolPattern<'_>> for Pattern {
    fn from(pattern: ToolPattern<'_>) -> Self {
        Self {
            tool: pattern.tool.to_owned(),
            argument: pattern.argument.map(str::to_owned),
            readable: pattern.is_readable(),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(f, "{}({argument})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

/// A call a model wants to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What patterns are compared with: a command, a path, a domain. `None` where the host does
    /// not say.
    pub argument: Option<&'a str>,
}

impl Grant {
    /// Allows everything the others allow.
    pub fn everything() -> Self {
        Self { patterns: None }
    }

    /// Allows nothing.
    pub fn nothing() -> Self {
        Self {
            patterns: Some(Vec::new()),
        }
    }

    /// Allows what the patterns cover.
    pub fn of<T: AsRef<str>>(patterns: impl IntoIterator<Item = T>) -> Self {
        Self {
            patterns: Some(
                patterns
                    .into_iter()
                    .map(|text| Pattern::new(text.as_ref()))
                    .collect(),
            ),
        }
    }

    /// Whether a call is allowed.
    pub fn covers(&self, call: &Call<'_>) -> bool {
        self.patterns
            .as_ref()
            .is_none_or(|patterns| patterns.iter().any(|pattern| pattern.covers(call)))
    }

    /// Whether some call of this tool is allowed.
    pub fn names(&self, tool: &str) -> bool {
        self.patterns
            .as_ref()
            .is_none_or(|patterns| patterns.iter().any(|pattern| pattern.names(tool)))
    }
}

/// Who decides about calls while a skill is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// What `allowed-tools` means here.
    pub permission: Permission,
    /// What the host lets any skill use. What is outside is refused.
    pub host: Grant,
    /// What the user lets skills use without asking.
    pub user: Grant,
    /// What the skill asks for.
    pub asked: Vec<Pattern>,
    /// What the skill asks to be kept from.
    pub refused: Vec<Pattern>,
}

impl Default for Authority {
    /// The host offers all its tools, and the user has granted nothing yet.
    fn default() -> Self {
        Self {
            permission: Permission::default(),
            host: Grant::everything(),
            user: Grant::nothing(),
            asked: Vec::new(),
            refused: Vec::new(),
        }
    }
}

impl Authority {
    /// The same host and user, for another skill.
    #[must_use]
    pub fn for_skill(&self, document: &Document) -> Self {
        fn owned(patterns: Vec<ToolPattern<'_>>) -> Vec<Pattern> {
            patterns.into_iter().map(Pattern::from).collect()
        }
        Self {
            asked: owned(document.allowed_tools()),
            refused: owned(document.disallowed_tools()),
            ..self.clone()
        }
    }

    /// Judges a call.
    pub fn judge(&self, call: &Call<'_>) -> Verdict {
        if !self.host.covers(call) {
            return Verdict::Denied;
        }
        if self.permission == Permission::Advisory {
            return Verdict::Ask;
        }
        // A skill may always ask for less, also where only the tool is known.
        if self.refused.iter().any(|pattern| {
            pattern.covers(call) || pattern.names(call.tool) && call.argument.is_none()
        }) {
            return Verdict::Denied;
        }
        let asked = self.asked.iter().any(|pattern| pattern.covers(call));
        match (asked, self.permission) {
            (true, _) if self.user.covers(call) => Verdict::Allowed,
            (false, Permission::Restrict) => Verdict::Denied,
            _ => Verdict::Ask,
        }
    }
}
