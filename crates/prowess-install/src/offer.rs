//! What a source has: its skills by path, and their files when they are asked for.

use std::path::{Path, PathBuf};

use prowess::ContentHash;
use prowess_format::{Profile, SkillName, parse};

use crate::{
    archive::{ArchiveError, ArchiveLimits, read_archive},
    disk::{self, FolderError, SkillLimits},
    git::{FetchOptions, GitError},
    lock::is_folder_name,
    source::{Place, Reference, Source, without_ending},
    tree::{SkillFiles, TreeError},
    web::{Web, WebError, WebOptions},
};

mod collection;
mod repository;
mod unpacked;
mod well_known;

pub use collection::RemotePlugin;

use collection::Collection;
use repository::Repository;
use unpacked::Unpacked;
use well_known::WellKnown;

pub(crate) use well_known::INDEX_SCHEMA;

/// Folders whose content is never a skill of its own.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// How deep below a folder skills are looked for.
const DEPTH: usize = 8;

/// A text of a source with more bytes is not read for names.
const MOST_TEXT: u64 = 1024 * 1024;

/// What a fetch may use and cost.
#[derive(Debug, Clone, Default)]
pub struct OfferOptions {
    /// For git repositories.
    pub git: FetchOptions,
    /// For downloads.
    pub web: WebOptions,
    /// For archives.
    pub archive: ArchiveLimits,
    /// For each skill.
    pub skill: SkillLimits,
    /// Where relative paths start.
    pub base: PathBuf,
    /// Whether nothing may be fetched.
    pub offline: bool,
}

/// Why a source gives nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OfferError {
    /// It is a folder that cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// It is an archive that is not taken.
    #[error("nothing is taken from `{}`", prowess::display_text(place))]
    Archive {
        /// The archive.
        place: String,
        /// Why.
        #[source]
        source: ArchiveError,
    },
    /// It cannot be downloaded.
    #[error(transparent)]
    Web(WebError),
    /// The site has no index of skills.
    #[error("`{place}` publishes no skills: nothing is at {}", asked.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" and "))]
    NoIndex {
        /// The site.
        place: String,
        /// What was asked for.
        asked: Vec<String>,
    },
    /// The index of a site is not taken.
    #[error("the index `{url}` is not taken: {}", prowess::display_text(reason))]
    Index {
        /// The index.
        url: String,
        /// Why.
        reason: String,
    },
    /// `git` could not get it.
    #[error("cannot fetch from `{url}`")]
    Git {
        /// The address.
        url: String,
        /// Why.
        #[source]
        source: GitError,
    },
    /// The repository has no such ref.
    #[error("`{url}` has no branch or tag `{reference}`")]
    NoRef {
        /// The address.
        url: String,
        /// What was asked for.
        reference: String,
    },
    /// A commit that no branch and no tag of this repository leads to.
    #[error(
        "the commit {commit} is in no branch or tag of `{url}`; it may be of a fork, so it is not taken"
    )]
    Unreachable {
        /// The address.
        url: String,
        /// The commit.
        commit: String,
    },
    /// One skill cannot be taken.
    #[error(
        "the skill in `{}` cannot be taken: {reason}",
        prowess::display_text(path)
    )]
    Skill {
        /// Its path in the source.
        path: String,
        /// Why.
        reason: String,
    },
    /// Its files are no tree.
    #[error("the skill in `{}` cannot be taken", prowess::display_text(path))]
    Files {
        /// Its path in the source.
        path: String,
        /// Why.
        #[source]
        source: TreeError,
    },
    /// Nothing can be fetched now.
    #[error("`{0}` is not asked: offline")]
    Offline(String),
    /// It was asked before in the same run, and failed.
    #[error("`{0}` was not asked again")]
    Unanswered(String),
    /// Something on this machine failed.
    #[error("cannot make a folder to fetch into")]
    Local(#[source] std::io::Error),
    /// This kind of source is not read by this program.
    #[error("`{0}` is not read by this version")]
    Unsupported(String),
}

/// Where an offer came from, as the lock keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The source, as `prowess add` takes it, without a ref.
    pub source: String,
    /// The ref that was followed.
    pub reference: Option<String>,
    /// The commit it led to.
    pub commit: Option<String>,
    /// The digest of the artifact, where it is one file.
    pub artifact: Option<String>,
}

/// One skill of an offer, before its files are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedSkill {
    /// Its folder in the source; empty for the source itself.
    pub path: String,
    /// What its folder is called.
    pub name: String,
    /// Equal for equal contents, where the source says so.
    pub id: Option<String>,
    /// The plugin it belongs to, where a manifest of the source says so.
    pub plugin: Option<String>,
    /// Whether another skill of the source has the same name.
    pub has_namesake: bool,
}

impl OfferedSkill {
    /// What to call it so that no other of its source is meant: `name`, `plugin:name`, its path.
    pub fn qualified(&self) -> String {
        match &self.plugin {
            _ if !self.has_namesake => self.name.clone(),
            Some(plugin) => format!("{plugin}:{}", self.name),
            None => self.path.clone(),
        }
    }

    /// The digest of the one file it comes in, where the source names one.
    pub(crate) fn artifact(&self, origin: &Origin) -> Option<String> {
        let own = self.id.clone().filter(|it| it.starts_with("sha256:"));
        origin.artifact.clone().or(own)
    }
}

/// A source that was opened.
#[derive(Debug)]
pub struct Offer {
    /// Where it came from.
    pub origin: Origin,
    /// Its skills, sorted by path.
    pub skills: Vec<OfferedSkill>,
    /// Plugins that its marketplace names and that lie elsewhere.
    pub elsewhere: Vec<RemotePlugin>,
    /// What is worth saying about it: entries that were left out, what is not verified.
    pub notes: Vec<String>,
    files: Files,
    limits: SkillLimits,
}

#[derive(Debug)]
enum Files {
    Folder(PathBuf),
    Archive(Unpacked),
    Site(Box<WellKnown>),
    Git(Box<Repository>),
}

impl Offer {
    /// Opens a source and finds its skills.
    pub fn open(source: &Source, options: &OfferOptions) -> Result<Self, OfferError> {
        match &source.place {
            Place::Folder(path) => Self::folder(path, options),
            Place::ArchiveFile(_) | Place::ArchiveUrl(_) => {
                let bytes = artifact(&source.place, options)?;
                Self::archive(&source.place.to_string(), &bytes, options)
            }
            Place::Git(url) => {
                if options.offline {
                    return Err(OfferError::Offline(url.clone()));
                }
                let (repository, origin, path) = Repository::open(url, source, &options.git)?;
                let skills = choose(repository.skills(&path), &path, url);
                let mut offer = Self {
                    origin,
                    skills,
                    elsewhere: Vec::new(),
                    notes: Vec::new(),
                    files: Files::Git(Box::new(repository)),
                    limits: options.skill,
                };
                // A locked skill is known by its path.
                if !matches!(source.reference, Some(Reference::Locked(_))) {
                    offer.sort_by_plugin(&path);
                }
                Ok(offer)
            }
            Place::Site(url) if options.offline => Err(OfferError::Offline(url.clone())),
            Place::Site(url) => {
                let web = Web::new(url, &options.web)?;
                let (site, notes) = WellKnown::open(web, options.archive)?;
                Ok(Self {
                    origin: Origin {
                        source: url.clone(),
                        ..Origin::default()
                    },
                    skills: choose(site.skills(), "", url),
                    elsewhere: Vec::new(),
                    notes,
                    files: Files::Site(Box::new(site)),
                    limits: options.skill,
                })
            }
        }
    }

    fn folder(path: &Path, options: &OfferOptions) -> Result<Self, OfferError> {
        let folder = options.base.join(path);
        let real = disk::real(&folder).map_err(|source| FolderError::Unreadable {
            path: prowess::display_path(path),
            source,
        })?;
        let mut found = Vec::new();
        find(&real, String::new(), DEPTH, &mut found);
        let all = found.into_iter().map(|path| (path, None)).collect();
        let mut offer = Self {
            origin: Origin {
                source: path.display().to_string(),
                ..Origin::default()
            },
            skills: choose(all, "", &prowess::display_path(&real)),
            elsewhere: Vec::new(),
            notes: Vec::new(),
            files: Files::Folder(real),
            limits: options.skill,
        };
        offer.sort_by_plugin("");
        Ok(offer)
    }

    /// Opens an archive, wherever its bytes came from; `place` is what the lock calls it.
    pub(crate) fn archive(
        place: &str,
        bytes: &[u8],
        options: &OfferOptions,
    ) -> Result<Self, OfferError> {
        let files =
            read_archive(bytes, &options.archive).map_err(|source| OfferError::Archive {
                place: place.to_owned(),
                source,
            })?;
        let unpacked = Unpacked::new(files);
        let mut offer = Self {
            origin: Origin {
                source: place.to_owned(),
                artifact: Some(format!("sha256:{}", ContentHash::of(bytes))),
                ..Origin::default()
            },
            skills: choose(unpacked.skills(), "", without_ending(place)),
            elsewhere: Vec::new(),
            notes: Vec::new(),
            files: Files::Archive(unpacked),
            limits: options.skill,
        };
        offer.sort_by_plugin("");
        Ok(offer)
    }

    /// Reads the manifests of plugins, and says which skill belongs to which.
    fn sort_by_plugin(&mut self, top: &str) {
        let files = &mut self.files;
        let collection = Collection::read(top, &mut |paths| texts(files, paths));
        for skill in &mut self.skills {
            skill.plugin = collection.plugin_of(&skill.path).map(str::to_owned);
        }
        self.elsewhere = collection.remote;
        self.notes.extend(collection.notes);
    }

    /// Gets the files of these skills, in one request where the source is elsewhere.
    pub fn fetch(&mut self, paths: &[&str]) -> Result<Vec<SkillFiles>, OfferError> {
        match &mut self.files {
            Files::Folder(root) => {
                let limits = self.limits;
                let read = |path: &&str| {
                    disk::read_folder(&root.join(path), limits).map_err(|error| OfferError::Skill {
                        path: (*path).to_owned(),
                        reason: error.to_string(),
                    })
                };
                paths.iter().map(read).collect()
            }
            Files::Archive(unpacked) => unpacked.fetch(paths, self.limits),
            Files::Site(site) => site.fetch(paths, self.limits),
            Files::Git(repository) => repository.fetch(paths, self.limits),
        }
    }

    /// The skills that a person means by a name or a path. A name is looked for among the folders
    /// first; where it is none, every `SKILL.md` is asked for its own.
    pub fn named(&mut self, wanted: &str) -> Result<Vec<OfferedSkill>, OfferError> {
        let by_path = |it: &&OfferedSkill| {
            let of_plugin = wanted.split_once(':').is_some_and(|(plugin, name)| {
                it.plugin.as_deref() == Some(plugin) && (name == "*" || it.name == name)
            });
            it.path == wanted.trim_matches('/') || it.name == wanted || of_plugin
        };
        let found: Vec<OfferedSkill> = self.skills.iter().filter(by_path).cloned().collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let path = |it: &OfferedSkill| match it.path.as_str() {
            "" => "SKILL.md".to_owned(),
            folder => format!("{folder}/SKILL.md"),
        };
        let paths: Vec<String> = self.skills.iter().map(path).collect();
        // The names of an index are the skills' own.
        if matches!(self.files, Files::Site(_)) {
            return Ok(Vec::new());
        }
        let texts = match &mut self.files {
            Files::Git(repository) => repository.texts(&paths)?,
            files => texts(files, &paths),
        };
        let mut found = Vec::new();
        for (skill, text) in self.skills.iter().zip(texts) {
            if text.and_then(|it| own_name(&it)).as_deref() == Some(wanted) {
                found.push(skill.clone());
            }
        }
        Ok(found)
    }
}

/// The bytes of an archive, on this machine or elsewhere.
pub(crate) fn artifact(place: &Place, options: &OfferOptions) -> Result<Vec<u8>, OfferError> {
    match place {
        Place::ArchiveUrl(url) if options.offline => Err(OfferError::Offline(url.clone())),
        Place::ArchiveUrl(url) => {
            let web = Web::new(url, &options.web)?;
            Ok(web.get(web.named())?.bytes)
        }
        Place::ArchiveFile(path) => {
            let real = disk::real(&options.base.join(path));
            let bytes = real.and_then(|path| disk::read(&path, options.archive.bytes));
            Ok(bytes.map_err(|source| FolderError::Unreadable {
                path: prowess::display_path(path),
                source,
            })?)
        }
        other => Err(OfferError::Unsupported(other.to_string())),
    }
}

/// The texts at these paths, where they are; a repository that does not answer has none.
fn texts(files: &mut Files, paths: &[String]) -> Vec<Option<String>> {
    match files {
        Files::Folder(root) => {
            let text = |path: &String| disk::read_text(&root.join(path), MOST_TEXT).ok()?;
            paths.iter().map(text).collect()
        }
        Files::Archive(unpacked) => paths.iter().map(|it| unpacked.text(it)).collect(),
        Files::Git(repository) => repository
            .texts(paths)
            .unwrap_or_else(|_| vec![None; paths.len()]),
        Files::Site(_) => vec![None; paths.len()],
    }
}

/// The name that a `SKILL.md` gives itself.
pub fn own_name(text: &str) -> Option<String> {
    let parsed = parse(text.as_bytes(), Profile::Lenient);
    parsed.document.name().map(str::to_owned)
}

/// The folder a skill is installed in: its own name, or that of its folder where its own is none.
pub fn install_name(files: &SkillFiles, skill: &OfferedSkill) -> Option<String> {
    let own = own_name(&files.skill_text()).filter(|it| SkillName::new(it).is_ok());
    own.or_else(|| Some(skill.name.clone()))
        .filter(|it| is_folder_name(it))
}

/// Looks for skills below a folder, following no link. What lies inside a skill is its own.
fn find(folder: &Path, below: String, depth: usize, found: &mut Vec<String>) {
    if disk::is_there(&folder.join("SKILL.md")) {
        found.push(below);
        return;
    }
    if depth == 0 {
        return;
    }
    for name in disk::names(folder).unwrap_or_default() {
        let path = folder.join(&name);
        if !SKIPPED.contains(&name.as_str()) && disk::is_real_folder(&path) {
            let below = if below.is_empty() {
                name
            } else {
                format!("{below}/{name}")
            };
            find(&path, below, depth - 1, found);
        }
    }
}

/// Of folders with the same content, as repositories have them for several clients, the one in
/// the plainest place stands for all. A skill inside another is a file of it.
fn choose(mut all: Vec<(String, Option<String>)>, top: &str, place: &str) -> Vec<OfferedSkill> {
    let hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
    all.sort_by(|a, b| {
        let rank = |path: &str| (hidden(path), path.matches('/').count());
        (rank(&a.0), &a.0).cmp(&(rank(&b.0), &b.0))
    });
    let mut skills: Vec<OfferedSkill> = Vec::new();
    for (path, id) in all {
        let inside =
            |it: &OfferedSkill| it.path.is_empty() || path.starts_with(&format!("{}/", it.path));
        if skills.iter().any(inside) || path.split('/').any(|part| SKIPPED.contains(&part)) {
            continue;
        }
        let name = match path.rsplit('/').next().filter(|it| !it.is_empty()) {
            Some(name) => name,
            // The source itself is the skill: it is called as its place is.
            None => last_part(if top.is_empty() { place } else { top }),
        };
        let twin = |it: &OfferedSkill| it.name == name && id.is_some() && it.id == id;
        if skills.iter().any(twin) {
            continue;
        }
        skills.push(OfferedSkill {
            name: name.to_owned(),
            path,
            id,
            plugin: None,
            has_namesake: false,
        });
    }
    let names: Vec<String> = skills.iter().map(|it| it.name.clone()).collect();
    for skill in &mut skills {
        skill.has_namesake = names.iter().filter(|it| **it == skill.name).count() > 1;
    }
    skills.sort_by(|a, b| a.path.cmp(&b.path));
    skills
}

fn last_part(place: &str) -> &str {
    let place = place.trim_end_matches(['/', '\\']).trim_end_matches(".git");
    place.rsplit(['/', '\\', ':']).next().unwrap_or(place)
}
