//! Skills as a static site that any web server or bucket can serve: an index of form 0.2.0 below
//! `/.well-known/agent-skills`, and one artifact a skill. The same skills give the same bytes.

use std::{
    io,
    path::{Path, PathBuf},
};

use prowess::{Access, ContentHash};
use serde::Serialize;

use crate::{
    disk::{self, STAGE},
    offer::INDEX_SCHEMA,
    pack::pack,
    tree::SkillFiles,
};

/// Where the files lie below the site's own folder.
const PLACE: &str = ".well-known/agent-skills";

/// One skill to publish.
#[derive(Debug)]
pub struct PublishedSkill {
    /// Its name.
    pub name: String,
    /// What it is for, at most 1,024 characters.
    pub description: String,
    /// Its files.
    pub files: SkillFiles,
}

/// One entry of the index.
#[derive(Debug, Clone, Serialize)]
pub struct IndexEntry {
    /// The skill's name.
    pub name: String,
    /// `skill-md` for a single file, else `archive`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What it is for.
    pub description: String,
    /// Where its artifact lies, seen from the index.
    pub url: String,
    /// The digest of the artifact.
    pub digest: String,
}

#[derive(Serialize)]
struct Index<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    skills: &'a [IndexEntry],
}

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The folder holds something that is no index.
    #[error("`{0}` is there already and holds no index, so it is left alone")]
    Foreign(String),
    /// Two skills with one name.
    #[error("two skills are called `{0}`")]
    Twice(String),
    /// Writing failed; everything is as it was.
    #[error("cannot write `{path}`; nothing was changed")]
    Unwritable {
        /// The folder.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Writes the site below a folder, in place of what was published there before; gives the index.
pub fn publish(
    folder: &Path,
    mut skills: Vec<PublishedSkill>,
) -> Result<Vec<IndexEntry>, PublishError> {
    let place = folder.join(PLACE);
    let unwritable = |source| PublishError::Unwritable {
        path: prowess::display_path(&place),
        source,
    };
    let before = disk::names(&place).map_err(unwritable)?;
    if !before.is_empty() && !before.iter().any(|it| it == "index.json") {
        return Err(PublishError::Foreign(prowess::display_path(&place)));
    }
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(pair) = skills.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(PublishError::Twice(pair[0].name.clone()));
    }
    let mut entries = Vec::new();
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for skill in skills {
        let (entry, bytes) = artifact(skill).map_err(unwritable)?;
        files.push((entry.url.clone().into(), bytes));
        entries.push(entry);
    }
    let index = Index {
        schema: INDEX_SCHEMA,
        skills: &entries,
    };
    let mut text = serde_json::to_vec_pretty(&index).map_err(|error| unwritable(error.into()))?;
    text.push(b'\n');
    files.push(("index.json".into(), text));
    let parent = place.parent().unwrap_or(folder);
    disk::create_folders(parent).map_err(unwritable)?;
    let stage = tempfile::Builder::new()
        .prefix(STAGE)
        .tempdir_in(parent)
        .map_err(unwritable)?;
    let new = stage.path().join("new");
    for (path, bytes) in files {
        disk::write(&new.join(path), &bytes, Access::Shared).map_err(unwritable)?;
    }
    let put = if disk::is_there(&place) {
        disk::swap(&new, &place)
    } else {
        disk::place(&new, &place)
    };
    put.map_err(unwritable)?;
    disk::sync_folder(parent);
    Ok(entries)
}

fn artifact(skill: PublishedSkill) -> io::Result<(IndexEntry, Vec<u8>)> {
    let PublishedSkill {
        name,
        description,
        files,
    } = skill;
    let single = files.tree().entries().len() == 1;
    let (kind, url, bytes) = if single {
        let bytes = files.get("SKILL.md").unwrap_or_default().to_vec();
        ("skill-md", format!("{name}/SKILL.md"), bytes)
    } else {
        ("archive", format!("{name}.tar.gz"), pack(&files)?)
    };
    let entry = IndexEntry {
        kind,
        url,
        digest: format!("sha256:{}", ContentHash::of(&bytes)),
        name,
        description,
    };
    Ok((entry, bytes))
}
