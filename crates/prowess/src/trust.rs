//! Whose skills may reach a model: a policy the host sets.
//!
//! A place is judged first, before anything in it is opened. Where the place itself is no answer,
//! each of its skills is judged by its real path and by a seal over all its files, so that what a
//! user looked at is what a model gets.

use std::path::Path;

use crate::source::{Origin, Scope};

pub use crate::resource::{Changes, Seal, SealError, SealedFile, SealedKind};

mod record;
mod store;

pub use record::BadStore;
pub use store::{Approval, Entry, TrustStore};

/// What may happen to a place, or to one skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrustDecision {
    /// It may be given to a model.
    Trusted,
    /// Nobody has decided. It is shown to people and not given to a model.
    Ask,
    /// It was trusted and is not what it was then. It asks again.
    Changed,
    /// The user said no, to this and to whatever becomes of it.
    Denied,
}

impl TrustDecision {
    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Ask => "ask",
            Self::Changed => "changed",
            Self::Denied => "denied",
        }
    }
}

/// Decides whose skills may reach a model.
pub trait Trust: Sync {
    /// Judges a place before anything in it is opened. `Ask` leaves the answer to its skills.
    fn decide(&self, origin: &Origin) -> TrustDecision;

    /// Whether the skill at this real path was trusted once, so that its files may be read to see
    /// if they still are what they were. Of a place that asks, no other file is opened.
    fn knows(&self, _path: &Path) -> bool {
        false
    }

    /// Judges one skill of a place that asks, by its real path and its files.
    fn decide_skill(&self, _path: &Path, _seal: Option<&Seal>) -> TrustDecision {
        TrustDecision::Ask
    }
}

/// Trusts every place.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustAll;

impl Trust for TrustAll {
    fn decide(&self, _origin: &Origin) -> TrustDecision {
        TrustDecision::Trusted
    }
}

/// Trusts what the user named or installed, and no project.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustNone;

impl Trust for TrustNone {
    fn decide(&self, origin: &Origin) -> TrustDecision {
        if origin.scope == Scope::Project {
            TrustDecision::Ask
        } else {
            TrustDecision::Trusted
        }
    }
}
