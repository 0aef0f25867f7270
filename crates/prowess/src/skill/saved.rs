//! A skill that a cache knows: everything a list needs at once, its text when it is asked for.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use prowess_format::{Diagnostic, Document, Profile};

use super::{Body, Content, Skill, State, parse_as};
use crate::{
    cache::Texts,
    identity::ContentHash,
    source::{Layout, Location, Origin, disk::read_file},
    trust::Decision,
};

/// What a cache knows of a skill.
#[derive(Debug)]
pub(crate) struct SavedSkill {
    pub(crate) origin: Arc<Origin>,
    pub(crate) path: PathBuf,
    pub(crate) layout: Layout,
    pub(crate) name: Box<str>,
    pub(crate) id: Option<Box<str>>,
    pub(crate) hash: Option<ContentHash>,
    pub(crate) last_modified: Option<i64>,
    pub(crate) broken: bool,
    pub(crate) explicit_only: bool,
    pub(crate) description: Option<Box<str>>,
    pub(crate) tags: Vec<Box<str>>,
    pub(crate) tokens: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) location: Option<Location>,
    pub(crate) texts: Arc<Texts>,
    pub(crate) start: u64,
    pub(crate) length: usize,
    pub(crate) profile: Profile,
}

/// The part of it that stands for the document.
#[derive(Debug)]
pub(super) struct SavedBody {
    pub(super) description: Option<Box<str>>,
    pub(super) tags: Vec<Box<str>>,
    pub(super) tokens: usize,
    texts: Arc<Texts>,
    start: u64,
    length: usize,
    profile: Profile,
    document: OnceLock<Document>,
}

impl Skill {
    /// A skill as a cache knows it.
    pub(crate) fn restored(saved: SavedSkill) -> Self {
        let state = if saved.broken {
            State::Broken
        } else {
            State::Active
        };
        Self {
            content: Arc::new(Content {
                origin: saved.origin,
                path: saved.path.into_boxed_path(),
                location: saved.location.map(Box::new),
                layout: saved.layout,
                name: saved.name,
                id: saved.id,
                hash: saved.hash,
                last_modified: saved.last_modified,
                explicit_only: saved.explicit_only,
                body: Body::Saved(Box::new(SavedBody {
                    description: saved.description,
                    tags: saved.tags,
                    tokens: saved.tokens,
                    texts: saved.texts,
                    start: saved.start,
                    length: saved.length,
                    profile: saved.profile,
                    document: OnceLock::new(),
                })),
                diagnostics: saved.diagnostics,
            }),
            source: 0,
            decision: Decision::Trusted,
            seal: None,
            hidden_allowed: false,
            state,
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
        &self.content.diagnostics
    }

    /// Adds its text to those of a cache.
    pub(crate) fn append_text(&self, texts: &mut Vec<u8>) {
        match &self.content.body {
            Body::Saved(saved) if saved.document.get().is_none() => {
                texts.extend(saved.bytes(self).unwrap_or_default());
            }
            _ => texts.extend(self.document().text().as_bytes()),
        }
    }
}

impl SavedBody {
    pub(super) fn document(&self, skill: &Skill) -> &Document {
        self.document.get_or_init(|| match self.bytes(skill) {
            Some(bytes) => {
                let content = &skill.content;
                parse_as(&bytes, &content.path, content.layout, self.profile).document
            }
            None => {
                tracing::error!(
                    path = %skill.path().display(),
                    "the cache lost this skill's text and its file has changed; load the skills again"
                );
                Document::default()
            }
        })
    }

    /// The text, known to be the one that was hashed: from the cache, or else from the file.
    fn bytes(&self, skill: &Skill) -> Option<Vec<u8>> {
        // A file that was no text left nothing to keep.
        if self.length == 0 {
            return Some(Vec::new());
        }
        let whole = |bytes: &Vec<u8>| Some(ContentHash::of(bytes)) == skill.hash();
        let kept = self.texts.read(self.start, self.length).filter(whole);
        kept.or_else(|| read_file(Path::new(&skill.absolute_path()), self.length).filter(whole))
    }
}
