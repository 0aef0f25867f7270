//! What a skill's file says, as plain values that a cache can hold, and its text.

use std::{
    borrow::Cow,
    fmt,
    path::Path,
    sync::{Arc, OnceLock},
};

use prowess_format::{Diagnostic, Document, Profile};
use serde::{Deserialize, Serialize};

use super::parse_as;
use crate::{
    identity::ContentHash,
    serial,
    source::{Layout, Location, Origin, disk::read_file},
};

/// What was read from a skill's file.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(super) origin: Arc<Origin>,
    pub(super) record: Record,
    pub(super) text: LazyText,
    /// About how many tokens the instructions cost, worked out when somebody asks.
    pub(super) tokens: OnceLock<u32>,
}

/// The values everybody asks for, without the text.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(with = "serial::path")]
    pub(crate) path: Box<Path>,
    /// Rare, so it is kept out of the way.
    pub(crate) location: Option<Box<Location>>,
    pub(crate) layout: Layout,
    pub(crate) name: Box<str>,
    pub(crate) description: Box<str>,
    pub(crate) tags: Vec<Box<str>>,
    pub(crate) id: Option<Box<str>>,
    pub(crate) hash: Option<ContentHash>,
    pub(crate) last_modified: Option<i64>,
    pub(crate) manual: bool,
    /// Whether it is of no use by itself, whatever catalog it is in.
    pub(crate) broken: bool,
    #[serde(with = "serial::diagnostics")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The text of a skill: parsed, or still in the cache it was saved in.
#[derive(Debug)]
pub(super) struct LazyText {
    document: OnceLock<Document>,
    saved: Option<SavedText>,
}

/// Where the text of a skill can be read again.
#[derive(Debug, Clone)]
pub(crate) struct SavedText {
    pub(crate) store: Arc<dyn TextStore>,
    pub(crate) start: u64,
    pub(crate) length: u32,
    /// How strictly it was judged, so that it is read the same way.
    pub(crate) profile: Profile,
}

/// Something that holds texts of skills. What it gives may be damaged: a text is held against the
/// hash of its file.
pub(crate) trait TextStore: fmt::Debug + Send + Sync {
    /// The bytes at this place; `None` where they cannot be read.
    fn text(&self, start: u64, length: usize) -> Option<Vec<u8>>;
}

impl Facts {
    pub(super) fn read(origin: Arc<Origin>, record: Record, document: Document) -> Self {
        Self {
            origin,
            record,
            text: LazyText {
                document: OnceLock::from(document),
                saved: None,
            },
            tokens: OnceLock::new(),
        }
    }

    pub(super) fn saved(
        origin: Arc<Origin>,
        record: Record,
        tokens: u32,
        saved: SavedText,
    ) -> Self {
        Self {
            origin,
            record,
            text: LazyText {
                document: OnceLock::new(),
                saved: Some(saved),
            },
            tokens: OnceLock::from(tokens),
        }
    }

    pub(super) fn document(&self) -> &Document {
        self.text.document.get_or_init(|| {
            let record = &self.record;
            let profile = self.text.saved.as_ref().map(|saved| saved.profile);
            let Some(bytes) = self.saved_bytes() else {
                tracing::error!(
                    path = %record.path.display(),
                    "the cache lost this skill's text and its file has changed; load the skills again"
                );
                return Document::default();
            };
            let profile = profile.unwrap_or_default();
            parse_as(&bytes, &record.path, record.layout, profile).document
        })
    }

    /// The text, to be saved by a cache.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self.text.document.get() {
            Some(document) => Cow::Borrowed(document.text().as_bytes()),
            None => Cow::Owned(self.saved_bytes().unwrap_or_default()),
        }
    }

    /// The saved text, known to be the one that was hashed: from the cache, or else from the file.
    fn saved_bytes(&self) -> Option<Vec<u8>> {
        let saved = self.text.saved.as_ref()?;
        let length = saved.length as usize;
        // A file that was no text left nothing to save.
        if length == 0 {
            return Some(Vec::new());
        }
        let hash = self.record.hash;
        let whole = |bytes: &Vec<u8>| Some(ContentHash::of(bytes)) == hash;
        let kept = saved.store.text(saved.start, length).filter(whole);
        kept.or_else(|| {
            let path = self.origin.absolute(&self.record.path);
            read_file(&path, length).filter(whole)
        })
    }
}
