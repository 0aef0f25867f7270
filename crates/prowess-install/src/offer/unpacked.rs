//! The files of an archive, in memory.

use super::OfferError;
use crate::{
    disk::SkillLimits,
    file_path::FilePath,
    tree::{Mode, SkillFiles},
};

/// Every file of an archive, without the one folder that many put around all others.
#[derive(Debug)]
pub(super) struct Unpacked {
    /// How long the path of the folder around all others is, with its `/`.
    wrapping: usize,
    files: Vec<(FilePath, Mode, Vec<u8>)>,
}

impl Unpacked {
    pub(super) fn new(files: Vec<(FilePath, Mode, Vec<u8>)>) -> Self {
        let first = files.first().and_then(|it| it.0.as_str().split_once('/'));
        let wrapping = first.map_or(0, |(folder, _)| {
            let prefix = format!("{folder}/");
            let around = files.iter().all(|it| it.0.as_str().starts_with(&prefix));
            // A skill keeps the folder that gives it a name.
            let skill = format!("{prefix}SKILL.md");
            let is_skill = files.iter().any(|it| it.0.as_str() == skill);
            if around && !is_skill { prefix.len() } else { 0 }
        });
        Self { wrapping, files }
    }

    fn inside(&self) -> impl Iterator<Item = (&str, Mode, &[u8])> {
        let files = self.files.iter();
        files.map(|(path, mode, bytes)| (&path.as_str()[self.wrapping..], *mode, bytes.as_slice()))
    }

    /// Every folder with a `SKILL.md`.
    pub(super) fn skills(&self) -> Vec<(String, Option<String>)> {
        let folder = |path: &str| match path.strip_suffix("SKILL.md")? {
            "" => Some(String::new()),
            folder => folder.strip_suffix('/').map(str::to_owned),
        };
        self.inside()
            .filter_map(|(path, ..)| Some((folder(path)?, None)))
            .collect()
    }

    pub(super) fn text(&self, path: &str) -> Option<String> {
        let found = self.inside().find(|it| it.0 == path)?;
        Some(String::from_utf8_lossy(found.2).into_owned())
    }

    pub(super) fn fetch(
        &self,
        paths: &[&str],
        limits: SkillLimits,
    ) -> Result<Vec<SkillFiles>, OfferError> {
        let take = |path: &&str| {
            let prefix = below(path, "");
            let mut taken = Vec::new();
            let mut size = 0;
            for (file, mode, bytes) in self.inside() {
                let Some(file) = file.strip_prefix(&prefix) else {
                    continue;
                };
                size += bytes.len() as u64;
                let file = FilePath::new(file).map_err(|source| OfferError::Files {
                    path: (*path).to_owned(),
                    source: source.into(),
                })?;
                taken.push((file, mode, bytes.to_vec()));
            }
            let too_large = if taken.len() > limits.files {
                Some(format!("it has more than {} files", limits.files))
            } else {
                (size > limits.bytes).then(|| format!("it has more than {} bytes", limits.bytes))
            };
            if let Some(reason) = too_large {
                return Err(OfferError::Skill {
                    path: (*path).to_owned(),
                    reason,
                });
            }
            SkillFiles::new(taken).map_err(|source| OfferError::Files {
                path: (*path).to_owned(),
                source,
            })
        };
        paths.iter().map(take).collect()
    }
}

fn below(folder: &str, file: &str) -> String {
    if folder.is_empty() {
        file.to_owned()
    } else {
        format!("{folder}/{file}")
    }
}
