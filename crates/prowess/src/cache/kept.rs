//! The skills of one source as a cache keeps them: looked up in its bytes, and not made anew.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use prowess_format::{Diagnostic, Document, Profile};

use super::{
    field::Range,
    file::{Opened, Unusable},
    finding::More,
    record::SkillRecord,
    section,
};
use crate::{
    identity::ContentHash,
    skill::{Skill, parse_as},
    source::{Layout, Location, Origin, Source as _, disk::DiskSource, disk::read_file},
};

/// What a cache keeps of one source, in use as long as one of its skills is.
#[derive(Debug)]
pub(super) struct Kept {
    origin: Arc<Origin>,
    profile: Profile,
    file: Opened,
    /// Names and ids.
    names: String,
    paths: Vec<u8>,
    skills: Vec<u8>,
    more: Vec<u8>,
    /// Read with the first question; `None` where it is damaged.
    descriptions: OnceLock<Option<String>>,
    slots: Vec<Slot>,
}

/// What was made of a skill's bytes, once somebody asked.
#[derive(Debug, Default)]
struct Slot {
    document: OnceLock<Box<Document>>,
    more: OnceLock<Box<More>>,
}

impl Kept {
    pub(super) fn read(
        file: Opened,
        disk: &DiskSource,
        profile: Profile,
    ) -> Result<Arc<Self>, Unusable> {
        let names = file.section(section::NAMES)?;
        let skills = file.section(section::SKILLS)?;
        let count = skills.len() / SkillRecord::SIZE;
        Ok(Arc::new(Self {
            origin: Arc::clone(disk.origin()),
            profile,
            names: String::from_utf8(names).map_err(|_| Unusable::Damaged)?,
            paths: file.section(section::PATHS)?,
            skills,
            more: file.section(section::MORE)?,
            descriptions: OnceLock::new(),
            slots: (0..count).map(|_| Slot::default()).collect(),
            file,
        }))
    }

    /// Every skill, in the order of catalogs.
    pub(super) fn skills(self: &Arc<Self>) -> impl Iterator<Item = Skill> {
        (0..self.slots.len() as u32).filter_map(|at| self.skill(at))
    }

    /// The skill at this place, where there is one.
    pub(super) fn skill(self: &Arc<Self>, at: u32) -> Option<Skill> {
        let there = (at as usize) < self.slots.len();
        there.then(|| {
            Skill::kept(KeptSkill {
                kept: Arc::clone(self),
                at,
            })
        })
    }

    /// The path of the skill at this place.
    pub(super) fn path(&self, at: u32) -> &[u8] {
        let (records, _) = self.skills.as_chunks();
        let record = records.get(at as usize).map(SkillRecord::read);
        record.map_or(&[], |record| record.path.of(&self.paths))
    }

    /// The sections behind the skills.
    pub(super) fn file(&self) -> &Opened {
        &self.file
    }

    pub(super) fn paths(&self) -> &[u8] {
        &self.paths
    }

    fn description(&self, range: Range) -> Option<&str> {
        let read = || String::from_utf8(self.file.section(section::DESCRIPTIONS).ok()?).ok();
        let all = self.descriptions.get_or_init(read).as_deref()?;
        Some(range.of_text(all))
    }
}

/// One skill in a cache.
#[derive(Debug, Clone)]
pub(crate) struct KeptSkill {
    kept: Arc<Kept>,
    at: u32,
}

impl KeptSkill {
    #[inline]
    fn bytes_of_record(&self) -> &[u8; SkillRecord::SIZE] {
        let (records, _) = self.kept.skills.as_chunks();
        &records[self.at as usize]
    }

    fn record(&self) -> SkillRecord {
        SkillRecord::read(self.bytes_of_record())
    }

    fn slot(&self) -> &Slot {
        &self.kept.slots[self.at as usize]
    }

    /// A number that is different for each skill in use.
    pub(crate) fn reading(&self) -> usize {
        std::ptr::from_ref(self.slot()).addr()
    }

    pub(crate) fn name(&self) -> &str {
        SkillRecord::name(self.bytes_of_record()).of_text(&self.kept.names)
    }

    pub(crate) fn id(&self) -> Option<&str> {
        Some(self.record().id?.of_text(&self.kept.names))
    }

    pub(crate) fn path(&self) -> &Path {
        super::path(self.record().path.of(&self.kept.paths))
    }

    pub(crate) fn origin(&self) -> &Arc<Origin> {
        &self.kept.origin
    }

    pub(crate) fn hash(&self) -> Option<ContentHash> {
        self.record().hash.map(ContentHash::from_bytes)
    }

    pub(crate) fn last_modified(&self) -> Option<i64> {
        self.record().last_modified
    }

    pub(crate) fn layout(&self) -> Layout {
        self.record().layout
    }

    pub(crate) fn is_broken(&self) -> bool {
        SkillRecord::is_broken_or_explicit_only(self.bytes_of_record()).0
    }

    pub(crate) fn is_explicit_only(&self) -> bool {
        SkillRecord::is_broken_or_explicit_only(self.bytes_of_record()).1
    }

    pub(crate) fn tokens(&self) -> usize {
        self.record().tokens as usize
    }

    pub(crate) fn description(&self) -> &str {
        let saved = self.kept.description(self.record().description);
        // The text has a sum of its own.
        saved.unwrap_or_else(|| self.document().description().unwrap_or_default())
    }

    pub(crate) fn tags(&self) -> Vec<&str> {
        let tags = self.more().into_iter().flat_map(|more| &more.tags);
        tags.map(|tag| &**tag).collect()
    }

    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        self.more().map_or(&[], |more| &more.diagnostics)
    }

    pub(crate) fn location(&self) -> Option<&Location> {
        self.more()?.location.as_ref()
    }

    fn more(&self) -> Option<&More> {
        let range = self.record().more;
        // Most skills have nothing to tell.
        (range.length > 0).then(|| {
            let read = || Box::new(More::read(range.of(&self.kept.more)));
            &**self.slot().more.get_or_init(read)
        })
    }

    pub(crate) fn document(&self) -> &Document {
        self.slot().document.get_or_init(|| {
            Box::new(match self.bytes() {
                Some(bytes) => {
                    parse_as(&bytes, self.path(), self.layout(), self.kept.profile).document
                }
                None => {
                    tracing::error!(
                        path = %self.path().display(),
                        "the cache lost this skill's text and its file has changed; load the skills again"
                    );
                    Document::default()
                }
            })
        })
    }

    /// The text, known to be the one that was hashed: from the cache, or else from the file.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        let record = self.record();
        let length = record.length as usize;
        // A file that was no text left nothing to keep.
        if length == 0 {
            return Some(Vec::new());
        }
        let hash = self.hash();
        let whole = |bytes: &Vec<u8>| Some(ContentHash::of(bytes)) == hash;
        let kept = self.kept.file.text(record.text, length).filter(whole);
        kept.or_else(|| {
            let path = self.kept.origin.absolute(self.path());
            read_file(&path, length).filter(whole)
        })
    }
}
