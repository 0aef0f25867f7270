//! One rule's word on a skill.

use serde::Serialize;

use super::Outcome;

/// One rule's word on a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule, by its key in the table of clients.
    pub rule: &'static str,
    /// What it comes to.
    pub outcome: Outcome,
    /// What happens and why.
    pub message: String,
    /// The one step to take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

pub(super) fn changed(rule: &'static str, message: String) -> Finding {
    Finding::new(rule, Outcome::Changed, message)
}

pub(super) fn unknown(rule: &'static str, message: String) -> Finding {
    Finding::new(rule, Outcome::Unknown, message)
}

pub(super) fn dropped(rule: &'static str, message: String) -> Finding {
    Finding::new(rule, Outcome::Dropped, message)
}

impl Finding {
    fn new(rule: &'static str, outcome: Outcome, message: String) -> Self {
        Self {
            rule,
            outcome,
            message,
            help: None,
        }
    }

    /// Adds the one step to take.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
