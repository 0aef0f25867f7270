//! What a page can ask, and who answers.

use axum::http::StatusCode;
use serde::Deserialize;

/// Answers the questions of a page with the JSON that the command prints.
pub trait Engine: Send + Sync + 'static {
    /// Answers one question; the answer is JSON in the shape named there.
    fn answer(&self, question: &Question) -> Result<String, Fault>;
}

/// One question: `POST /api/NAME`, with what it needs as a JSON object. A skill is named by its
/// path, as `list` gives it: two skills may have one name, and even one id.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Question {
    /// What runs here (`ui-about.json`).
    About {},
    /// Every skill in every state, or as one client has them (`list.json`).
    List {
        /// Only the first so many, for a first look.
        first: Option<usize>,
        /// As this client shows them.
        client: Option<String>,
    },
    /// Everything known about one skill (`show.json`).
    Show {
        /// The skill.
        path: String,
    },
    /// What happened to it, here and in each client (`why.json`).
    Why {
        /// The skill.
        path: String,
    },
    /// What is wrong with it (`check.json`).
    Check {
        /// The skill.
        path: String,
    },
    /// How many findings each skill has, as `check` counts them (`ui-findings.json`).
    Findings {},
    /// The text of its file as it stands on disk (`ui-text.json`).
    Text {
        /// The skill.
        path: String,
    },
    /// A file beside its instructions (`read.json`).
    Read {
        /// The skill.
        path: String,
        /// The file, seen from the skill's folder.
        file: String,
    },
    /// Whether it is trusted, and what changed since (`ui-trust.json`).
    Trust {
        /// The skill.
        path: String,
    },
    /// What `check --fix` would change in its file, or changes (`ui-edit.json`).
    Fix {
        /// The skill.
        path: String,
        /// Only this rule; every fix where it is left out.
        code: Option<String>,
        /// Writes the file; only shows how it would differ where it is left out.
        #[serde(default)]
        write: bool,
    },
    /// What requests give with another description, and how its file would differ
    /// (`ui-draft.json`).
    Draft {
        /// The skill.
        path: String,
        /// The description to try; the one it has where it is left out.
        description: Option<String>,
        /// The requests to try.
        #[serde(default)]
        requests: Vec<String>,
    },
    /// Writes a description into its file (`ui-edit.json`).
    Save {
        /// The skill.
        path: String,
        /// What it says from then on.
        description: String,
        /// The file as it was seen, by its hash; another one is not written.
        hash: String,
    },
    /// Skills that compete for the same requests (`rivals.json`).
    Rivals {
        /// At most so many pairs.
        top: Option<usize>,
    },
    /// How well skills are found, by the requests in their folders (`eval.json`).
    Eval {},
    /// What moved since a git revision (`drift.json`).
    Drift {
        /// The revision.
        rev: String,
    },
    /// What fits into a prompt (`budget.json`).
    Budget {
        /// The room there is, such as `8000c` or `2000t`.
        budget: String,
        /// The task at hand, which orders the skills.
        query: Option<String>,
    },
    /// Who answers a request (`select.json`, explained).
    Select(Choice),
    /// Why a skill stands where it stands for a request (`why-query.json`).
    WhyQuery {
        /// The skill.
        path: String,
        /// The request.
        query: String,
        /// How scores are made.
        ranker: Option<String>,
    },
}

/// How a choice is made.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The request.
    pub query: String,
    /// At most so many matches.
    pub top_k: Option<usize>,
    /// How scores are made.
    pub ranker: Option<String>,
    /// From this confidence on, the first match is taken without asking.
    pub confident: Option<f32>,
    /// Below this confidence nothing is relevant.
    pub relevant: Option<f32>,
}

impl Question {
    /// Whether an answer changes something on the disk.
    pub fn writes(&self) -> bool {
        matches!(self, Self::Fix { write: true, .. } | Self::Save { .. })
    }
}

/// A question without an answer: what a person reads, and one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Fault {
    /// What was asked for is not there.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// What was asked for cannot be done.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// What a person reads.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// One step to take.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            help: None,
        }
    }
}
