//! What was seen of a source, as bytes: folders with their stamps, skills, and their texts.

use std::io;

use serde::{Deserialize, Serialize};

use super::{
    bytes,
    field::{Range, number},
    file::Parts,
    finding::{More, SavedFinding, SavedLocation, save_location},
    record::{FileRecord, FolderRecord, SkillRecord},
    section,
};
use crate::{
    skill::Skill,
    source::disk::seen::{FileSeen, FolderSeen},
    survey::Survey,
};

/// What only a look at a folder needs.
#[derive(Serialize, Deserialize)]
pub(super) struct FolderMore<'a> {
    pub(super) place: Option<(u64, u64)>,
    pub(super) depth: u32,
    pub(super) inside: Option<&'a [u8]>,
    #[serde(borrow)]
    pub(super) hops: Vec<&'a [u8]>,
    pub(super) location: Option<SavedLocation<'a>>,
    pub(super) folders: Vec<&'a [u8]>,
    pub(super) targets: Vec<&'a [u8]>,
}

/// The place of a folder, and what was noticed in it.
pub(super) type FindingIn<'a> = (u32, SavedFinding<'a>);

/// A survey as bytes.
pub(super) fn parts<'a>(survey: &'a Survey, key: &str) -> io::Result<Parts<'a>> {
    // In the order of paths, so that equal surveys are equal bytes.
    let mut folders: Vec<&FolderSeen> = survey.folders().collect();
    folders.sort_unstable_by(|a, b| bytes(&a.here.path).cmp(bytes(&b.here.path)));
    let files: Vec<(&FileSeen, &Skill)> = folders.iter().copied().flat_map(files).collect();
    // In the order of every catalog, so that the next one finds them sorted.
    let mut order: Vec<usize> = (0..files.len()).collect();
    let place = |at: usize| (files[at].1.name(), files[at].1.path());
    order.sort_unstable_by(|&a, &b| place(a).cmp(&place(b)));
    let mut writer = Writer::default();
    writer.reserve(files.len(), folders.len());
    let mut saved = vec![(0, Range::default()); files.len()];
    for (rank, at) in (0..).zip(order) {
        saved[at] = (rank, writer.skill(files[at].1)?);
    }
    let mut files = files.into_iter().zip(saved);
    for folder in folders {
        let count = self::files(folder).count();
        writer.folder(folder, files.by_ref().take(count))?;
    }
    writer.finish(key)
}

fn files(folder: &FolderSeen) -> impl Iterator<Item = (&FileSeen, &Skill)> {
    let files = folder.files.iter();
    files.filter_map(|file| Some((file, file.skill.as_ref()?)))
}

/// A file with its skill, the place of that among the skills, and that of its path.
type SavedFile<'a> = ((&'a FileSeen, &'a Skill), (u32, Range));

#[derive(Default)]
struct Writer<'a> {
    parts: Parts<'a>,
    findings: Vec<FindingIn<'a>>,
    folders: u32,
    files: u32,
    text: u64,
}

impl<'a> Writer<'a> {
    /// Makes room for so much; what is not of one size is guessed from real skills.
    fn reserve(&mut self, skills: usize, folders: usize) {
        for (section, bytes) in [
            (section::SKILLS, skills * SkillRecord::SIZE),
            (section::FILES, skills * FileRecord::SIZE),
            (section::FOLDERS, folders * FolderRecord::SIZE),
            (section::PATHS, skills * 100),
            (section::NAMES, skills * 70),
            (section::DESCRIPTIONS, skills * 300),
            (section::FOLDERS_MORE, folders * 100),
        ] {
            self.parts.sections[section].reserve(bytes);
        }
        self.parts.texts.reserve(skills);
    }

    fn put(&mut self, section: usize, bytes: &[u8]) -> io::Result<Range> {
        Range::put(&mut self.parts.sections[section], bytes)
    }

    /// Adds a skill; gives the place of its path.
    fn skill(&mut self, skill: &'a Skill) -> io::Result<Range> {
        let text = skill.text();
        let record = SkillRecord {
            path: self.put(section::PATHS, bytes(skill.path()))?,
            name: self.put(section::NAMES, skill.name().as_bytes())?,
            id: match skill.id() {
                Some(id) => Some(self.put(section::NAMES, id.as_bytes())?),
                None => None,
            },
            description: self.put(section::DESCRIPTIONS, skill.description().as_bytes())?,
            more: self.put(section::MORE, &More::write(skill)?)?,
            hash: skill.hash().map(|hash| *hash.as_bytes()),
            last_modified: skill.last_modified(),
            text: self.text,
            length: number(text.len())?,
            tokens: number(skill.tokens())?,
            layout: skill.layout(),
            broken: skill.is_broken(),
            explicit_only: skill.is_explicit_only(),
        };
        record.write(&mut self.parts.sections[section::SKILLS]);
        self.text += text.len() as u64;
        self.parts.texts.push(text);
        Ok(record.path)
    }

    fn folder(
        &mut self,
        folder: &'a FolderSeen,
        files: impl Iterator<Item = SavedFile<'a>>,
    ) -> io::Result<()> {
        let own = bytes(&folder.here.path);
        let mut path = None;
        let first = self.files;
        for ((file, skill), (rank, skill_path)) in files {
            let name = file.name.as_encoded_bytes();
            let record = FileRecord {
                skill: rank,
                name: number(name.len())?,
                stamp: file.stamp,
            };
            record.write(&mut self.parts.sections[section::FILES]);
            self.files += 1;
            // The path of a skill starts with that of its folder, which need not be there twice.
            if bytes(skill.path()).starts_with(own) {
                path = Some(Range {
                    start: skill_path.start,
                    length: number(own.len())?,
                });
            }
        }
        let path = match path {
            Some(path) => path,
            None => self.put(section::PATHS, own)?,
        };
        let more = postcard::to_allocvec(&more(folder)).map_err(io::Error::other)?;
        let record = FolderRecord {
            path,
            files: Range {
                start: first,
                length: self.files - first,
            },
            more: self.put(section::FOLDERS_MORE, &more)?,
            stamp: folder.stamp,
            located: folder.here.location.is_some(),
        };
        record.write(&mut self.parts.sections[section::FOLDERS]);
        let findings = folder.findings.iter();
        self.findings
            .extend(findings.map(|finding| (self.folders, SavedFinding::of(finding))));
        self.folders += 1;
        Ok(())
    }

    fn finish(mut self, key: &str) -> io::Result<Parts<'a>> {
        let findings = postcard::to_allocvec(&self.findings).map_err(io::Error::other)?;
        self.parts.sections[section::FINDINGS] = findings;
        self.parts.sections[section::KEY] = key.as_bytes().to_vec();
        Ok(self.parts)
    }
}

fn more(folder: &FolderSeen) -> FolderMore<'_> {
    let here = &folder.here;
    FolderMore {
        place: folder.place,
        depth: here.depth as u32,
        inside: here.inside.as_deref().map(bytes),
        hops: here.hops.iter().map(|it| bytes(it)).collect(),
        location: here.location.as_ref().map(save_location),
        folders: folder
            .folders
            .iter()
            .map(|it| it.as_encoded_bytes())
            .collect(),
        targets: folder.targets.iter().map(|it| bytes(it)).collect(),
    }
}
