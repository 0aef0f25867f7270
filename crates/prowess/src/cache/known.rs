//! What a cache knows of a source, and whether the source still is what it was.

use std::{ffi::OsStr, sync::Arc, time::Duration};

use prowess_format::Profile;

use super::{
    bytes,
    file::{Opened, Unusable},
    finding::read_location,
    kept::Kept,
    path,
    record::{FileRecord, FolderRecord},
    saved::{FindingIn, FolderMore},
    section,
};
use crate::{
    skill::Skill,
    source::{
        Finding, Source as _,
        disk::{
            DiskSource,
            handle::Kind,
            seen::{FileSeen, FolderSeen, Stamp},
            walk::Here,
        },
    },
    survey::Survey,
};

/// What a cache knows of a source.
#[derive(Debug)]
pub(super) struct Known {
    kept: Arc<Kept>,
    folders: Vec<u8>,
    files: Vec<u8>,
    findings: Vec<u8>,
}

impl Known {
    /// Reads what was saved under this key; `None` where it was saved under another.
    pub(super) fn read(
        opened: Opened,
        key: &str,
        disk: &DiskSource,
        profile: Profile,
    ) -> Result<Option<Self>, Unusable> {
        if opened.section(section::KEY)? != key.as_bytes() {
            return Ok(None);
        }
        let folders = opened.section(section::FOLDERS)?;
        let files = opened.section(section::FILES)?;
        let findings = opened.section(section::FINDINGS)?;
        let kept = Kept::read(opened, disk, profile)?;
        Ok(Some(Self {
            kept,
            folders,
            files,
            findings,
        }))
    }

    /// How long ago it was saved.
    pub(super) fn age(&self) -> Duration {
        self.kept.file().age()
    }

    fn folders(&self) -> &[[u8; FolderRecord::SIZE]] {
        self.folders.as_chunks().0
    }

    /// The files of a folder, with the paths of their skills.
    fn files(&self, folder: &FolderRecord) -> impl Iterator<Item = (FileRecord, &[u8])> {
        let (files, _) = self.files.as_chunks();
        let start = folder.files.start as usize;
        let own = files.get(start..start + folder.files.length as usize);
        own.unwrap_or_default().iter().map(|file| {
            let file = FileRecord::read(file);
            (file, self.kept.path(file.skill))
        })
    }

    /// Whether every folder and file has the stamp it had.
    pub(super) fn is_as_it_was(&self, disk: &DiskSource) -> bool {
        let root = bytes(&disk.origin().root);
        let paths = self.kept.paths();
        let Some(look) = disk.stamps() else {
            return false;
        };
        let is = |path: &[u8], kind: Kind, stamp: Option<Stamp>| {
            let Some(below) = path.strip_prefix(root) else {
                return false;
            };
            look.is(below.strip_prefix(b"/").unwrap_or(below), kind, stamp)
        };
        self.folders().iter().all(|folder| {
            let folder = FolderRecord::read(folder);
            !folder.located
                && is(folder.path.of(paths), Kind::Folder, folder.stamp)
                && self
                    .files(&folder)
                    .all(|(file, path)| is(path, Kind::File, file.stamp))
        })
    }

    /// Every skill and everything that was noticed about other paths.
    pub(super) fn all(&self) -> Option<(Vec<Skill>, Vec<Finding>)> {
        let findings = self
            .findings()?
            .iter()
            .map(|(_, it)| it.read())
            .collect::<Option<_>>()?;
        Some((self.kept.skills().collect(), findings))
    }

    fn findings(&self) -> Option<Vec<FindingIn<'_>>> {
        postcard::from_bytes(&self.findings).ok()
    }

    /// The same as a survey, which can be looked at again.
    pub(super) fn survey(&self) -> Result<Survey, Unusable> {
        let more = self.kept.file().section(section::FOLDERS_MORE)?;
        let mut survey = Survey::with_capacity(self.folders().len());
        let mut findings = self
            .findings()
            .ok_or(Unusable::Damaged)?
            .into_iter()
            .peekable();
        for (number, folder) in (0..).zip(self.folders()) {
            let folder = FolderRecord::read(folder);
            let of_folder = std::iter::from_fn(|| findings.next_if(|it| it.0 == number));
            let of_folder = of_folder.map(|(_, it)| it.read());
            let of_folder = of_folder.collect::<Option<_>>().ok_or(Unusable::Damaged)?;
            let more =
                postcard::from_bytes(folder.more.of(&more)).map_err(|_| Unusable::Damaged)?;
            survey.restore(self.folder(&folder, &more, of_folder));
        }
        Ok(survey)
    }

    fn folder(
        &self,
        folder: &FolderRecord,
        more: &FolderMore<'_>,
        findings: Vec<Finding>,
    ) -> FolderSeen {
        let files = self.files(folder).map(|(file, path)| {
            let name = path.len().saturating_sub(file.name as usize);
            FileSeen {
                name: name_of(&path[name..]).to_os_string(),
                stamp: file.stamp,
                skill: self.kept.skill(file.skill),
            }
        });
        FolderSeen {
            place: more.place,
            stamp: folder.stamp,
            folders: more
                .folders
                .iter()
                .map(|it| name_of(it).to_os_string())
                .collect(),
            files: files.collect(),
            findings,
            targets: more
                .targets
                .iter()
                .map(|it| path(it).to_path_buf())
                .collect(),
            here: Here {
                path: path(folder.path.of(self.kept.paths())).to_path_buf(),
                depth: more.depth as usize,
                inside: more.inside.map(|it| Arc::from(path(it))),
                hops: more.hops.iter().map(|it| path(it).to_path_buf()).collect(),
                location: more.location.map(read_location),
                replaced: false,
            },
        }
    }
}

fn name_of(bytes: &[u8]) -> &OsStr {
    path(bytes).as_os_str()
}
