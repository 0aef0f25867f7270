//! A skill on its way to a cache and back.

use std::borrow::Cow;

use prowess_format::Diagnostic;

use super::{Content, Skill, State};
use crate::{cache::KeptSkill, trust::Decision};

impl Skill {
    /// A skill as a cache knows it.
    pub(crate) fn kept(kept: KeptSkill) -> Self {
        Self {
            state: if kept.is_broken() {
                State::Broken
            } else {
                State::Active
            },
            content: Content::Kept(kept),
            source: 0,
            decision: Decision::Trusted,
            seal: None,
            hidden_allowed: false,
            notes: Vec::new(),
            stale: None,
            remote: None,
        }
    }

    /// Whether it is of no use by itself, whatever catalog it is in.
    pub(crate) fn is_broken(&self) -> bool {
        self.state == State::Broken
    }

    /// What was noticed about its file.
    pub(crate) fn own_diagnostics(&self) -> &[Diagnostic] {
        match &self.content {
            Content::Read(reading) => &reading.diagnostics,
            Content::Kept(kept) => kept.diagnostics(),
        }
    }

    /// Its text, to be kept by a cache.
    pub(crate) fn text(&self) -> Cow<'_, [u8]> {
        match &self.content {
            Content::Read(reading) => Cow::Borrowed(reading.document.text().as_bytes()),
            Content::Kept(kept) => Cow::Owned(kept.bytes().unwrap_or_default()),
        }
    }
}
