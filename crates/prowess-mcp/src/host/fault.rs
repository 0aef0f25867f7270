//! What can go wrong with a server, told as a sentence and one step.

use std::path::Path;

use prowess::{
    FetchError, Finding,
    format::{Diagnostic, Position, Severity, Span},
};

/// A check that a skill or a file did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// It has another size than the list says.
    Size {
        /// What the list says.
        listed: u64,
        /// What came.
        found: u64,
    },
    /// It has another digest than the list says.
    Digest,
    /// A field of the file is not what the list says.
    Frontmatter {
        /// The field.
        field: String,
    },
    /// The file is not in the list.
    Unlisted,
    /// The answer holds another file than was asked for.
    Answer,
    /// The bytes are not what a skill can be read from.
    Form {
        /// What is wrong with them.
        reason: String,
    },
}

impl Check {
    fn reason(&self) -> String {
        match self {
            Self::Size { listed, found } => {
                format!("its size is {found} bytes and the list says {listed}")
            }
            Self::Digest => "its digest is not the one in the list".to_owned(),
            Self::Frontmatter { field } => {
                format!("its field `{field}` is not what the list says")
            }
            Self::Unlisted => "it is not in the list of the skill's files".to_owned(),
            Self::Answer => "the server answered with another file".to_owned(),
            Self::Form { reason } => reason.clone(),
        }
    }
}

/// What went wrong with a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It could not be reached, or its answer made no sense.
    #[error("the MCP server `{label}` {reason}")]
    Server {
        /// The server.
        label: String,
        /// What it did: `does not answer within 10 s`.
        reason: String,
        /// The one step to take.
        help: String,
    },
    /// It does not declare the extension.
    #[error(
        "the MCP server `{label}` offers no skills: it does not declare `{}`",
        super::EXTENSION
    )]
    NoSkills {
        /// The server.
        label: String,
    },
    /// A limit ended its list.
    #[error("the list of the MCP server `{label}` is cut: {reason}")]
    Limit {
        /// The server.
        label: String,
        /// Which limit.
        reason: String,
    },
    /// One entry of its list is left out.
    #[error("a skill of the MCP server `{label}` is left out: `{uri}` {reason}")]
    Entry {
        /// The server.
        label: String,
        /// The skill, safe to show.
        uri: String,
        /// What is wrong with the entry.
        reason: String,
    },
    /// Something failed a check.
    #[error("`{uri}` of the MCP server `{label}` is not used: {}{}", check.reason(), change_note(*.changed))]
    Check {
        /// The server.
        label: String,
        /// The file, safe to show.
        uri: String,
        /// The check.
        check: Check,
        /// Whether the server now tells other files for the skill than before.
        changed: bool,
    },
    /// The list does not have the skill.
    #[error("the MCP server `{label}` lists no skill `{uri}`")]
    Unknown {
        /// The server.
        label: String,
        /// The skill, safe to show.
        uri: String,
    },
    /// An approval no longer fits.
    #[error(
        "`{uri}` of the MCP server `{label}` has changed since it was approved, so the approval is taken back"
    )]
    Revoked {
        /// The server.
        label: String,
        /// The skill, safe to show.
        uri: String,
    },
    /// Nobody let its scripts run, as its files are now.
    #[error("scripts of `{name}` of the MCP server `{label}` do not run: nobody approved that")]
    NotToRun {
        /// The server.
        label: String,
        /// The skill's name, safe to show.
        name: String,
    },
    /// Copies stand in for a server.
    #[error(
        "the MCP server `{label}` {reason}, so copies {age} old are used for {skills} of its skills"
    )]
    Copies {
        /// The server.
        label: String,
        /// What it did.
        reason: String,
        /// How old they are.
        age: String,
        /// How many there are.
        skills: usize,
        /// The one step to take.
        help: String,
    },
    /// A copy or an approval could not be kept.
    #[error("cannot keep {what} of the MCP server `{label}`: {reason}")]
    Store {
        /// The server.
        label: String,
        /// What was to be kept.
        what: &'static str,
        /// What the system said.
        reason: String,
    },
}

fn change_note(changed: bool) -> &'static str {
    if changed {
        "; the server lists other files by now, and an approval is taken back"
    } else {
        ""
    }
}

impl Fault {
    /// The stable word for the kind of fault.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Server { .. } => "server-unreachable",
            Self::NoSkills { .. } => "server-without-skills",
            Self::Limit { .. } => "server-limit",
            Self::Entry { .. } => "server-entry",
            Self::Check { .. } => "server-check",
            Self::Unknown { .. } => "server-unknown-skill",
            Self::Revoked { .. } => "approval-revoked",
            Self::NotToRun { .. } => "scripts-not-approved",
            Self::Copies { .. } => "server-copies",
            Self::Store { .. } => "server-store",
        }
    }

    /// The one step to take.
    pub fn help(&self) -> String {
        match self {
            Self::Server { help, .. } | Self::Copies { help, .. } => help.clone(),
            Self::NoSkills { label } => {
                format!("take `[servers.{label}]` out of the config, or set `enabled = false`")
            }
            Self::Limit { .. } => "ask its owner to publish fewer skills at one address".to_owned(),
            Self::Entry { .. } => "tell the owner of the server".to_owned(),
            Self::Check { changed: true, .. } => {
                "list the skills again, look at the new ones, and approve anew".to_owned()
            }
            Self::Check {
                check: Check::Unlisted,
                ..
            } => "ask for a file that the skill lists".to_owned(),
            Self::Check { .. } => {
                "do not use the skill, and tell the owner of the server".to_owned()
            }
            Self::Unknown { .. } => "`prowess list` shows what it offers".to_owned(),
            Self::Revoked { label, uri } => {
                format!(
                    "look at it, then run `prowess approve {label}/{}`",
                    name_of(uri)
                )
            }
            Self::NotToRun { label, name } => {
                format!("look at its scripts, then run `prowess approve {label}/{name} --run`")
            }
            Self::Store { .. } => "make room, or let the folder be written to".to_owned(),
        }
    }

    /// What a catalog tells about it.
    pub(super) fn finding(&self, place: &Path) -> Finding {
        Finding {
            path: place.to_path_buf(),
            diagnostic: Diagnostic {
                code: self.code(),
                severity: Severity::Warning,
                span: Span::at(0),
                position: Position { line: 1, column: 1 },
                message: self.to_string(),
                help: Some(self.help()),
                fix: None,
            },
        }
    }
}

impl From<Fault> for FetchError {
    fn from(fault: Fault) -> Self {
        Self {
            message: fault.to_string(),
            help: fault.help(),
        }
    }
}

/// The name in a skill's URI.
pub(super) fn name_of(uri: &str) -> &str {
    uri.rsplit('/').nth(1).unwrap_or(uri)
}
