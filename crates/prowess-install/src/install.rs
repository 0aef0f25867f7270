//! From files that were fetched to a change of a site: who gets which folder, and what is there.

use std::path::PathBuf;

use prowess::Clients;

use crate::{
    disk,
    lock::{Lock, LockedSkill, is_folder_name, owner},
    offer::{OfferedSkill, Origin, install_name},
    site::{Change, Site, SiteError, Turn},
    store::Store,
    tree::SkillFiles,
};

/// What becomes of one skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is new.
    New,
    /// Its very files are there already; they are taken over.
    Adopted,
    /// It is installed already, as it is.
    Same,
    /// It takes the place of another version of itself.
    Replaced,
}

impl Outcome {
    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Adopted => "adopted",
            Self::Same => "same",
            Self::Replaced => "replaced",
        }
    }
}

/// One skill that is about to be installed.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its entry in the lock.
    pub locked: LockedSkill,
    /// Its files.
    pub files: SkillFiles,
    /// What becomes of it.
    pub outcome: Outcome,
}

/// Why a skill is not installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Neither its own name nor its folder's can be a folder.
    #[error(
        "the skill in `{}` has no name that can be a folder",
        prowess::display_text(path)
    )]
    NoName {
        /// Its path in the source.
        path: String,
    },
    /// It was changed here.
    #[error("`{folder}` was changed here, so it is not replaced")]
    Edited {
        /// Its folder.
        folder: String,
    },
    /// The site says no.
    #[error(transparent)]
    Site(#[from] SiteError),
}

/// Finds a folder for each skill, and says what becomes of it.
pub fn plan(
    turn: &Turn<'_>,
    site: &Site,
    lock: &Lock,
    origin: &Origin,
    skills: Vec<(OfferedSkill, SkillFiles)>,
    pinned: bool,
) -> Result<Vec<Item>, InstallError> {
    let mut planned: Vec<Item> = Vec::new();
    for (skill, files) in skills {
        let name = install_name(&files, &skill).ok_or_else(|| InstallError::NoName {
            path: skill.path.clone(),
        })?;
        let own = |it: &&LockedSkill| {
            let moved = !skill.has_namesake && it.name() == name;
            it.source == origin.source && (it.path == skill.path || moved)
        };
        let before = lock.skills().iter().find(own);
        let taken = |folder: &str| {
            lock.skills()
                .iter()
                .chain(planned.iter().map(|it| &it.locked))
                .any(|it| it.folder.eq_ignore_ascii_case(folder))
        };
        let folder = match before {
            Some(before) => before.folder.clone(),
            None if taken(&name) => {
                let owner = owner(&origin.source);
                let by_plugin = skill.plugin.as_ref().map(|it| format!("{it}-{name}"));
                let by_owner = format!("{owner}-{name}");
                by_plugin
                    .filter(|it| skill.has_namesake && !taken(it))
                    .unwrap_or(by_owner)
            }
            None => name.clone(),
        };
        if !is_folder_name(&folder) || (before.is_none() && taken(&folder)) {
            return Err(SiteError::Foreign {
                path: prowess::display_path(&site.folder(&folder)),
            }
            .into());
        }
        let mut locked = LockedSkill {
            name: (folder != name).then_some(name),
            folder,
            source: origin.source.clone(),
            reference: origin.reference.clone(),
            pinned,
            commit: origin.commit.clone(),
            artifact: skill.artifact(origin),
            path: skill.path.clone(),
            clients: before.map(|it| it.clients.clone()).unwrap_or_default(),
            digest: String::new(),
            files: Vec::new(),
            extra: before.map(|it| it.extra.clone()).unwrap_or_default(),
        };
        locked.set_tree(files.tree());
        let outcome = outcome(turn, site, before, &locked)?;
        planned.push(Item {
            locked,
            files,
            outcome,
        });
    }
    Ok(planned)
}

/// What becomes of skills that come with their entries in a lock: each keeps its folder, and
/// nothing of another source gives way to it.
pub fn plan_locked(
    turn: &Turn<'_>,
    site: &Site,
    lock: &Lock,
    skills: Vec<(LockedSkill, SkillFiles)>,
) -> Result<Vec<Item>, InstallError> {
    let mut planned = Vec::new();
    for (locked, files) in skills {
        let same = |it: &LockedSkill| it.folder.eq_ignore_ascii_case(&locked.folder);
        let before = lock.skills().iter().find(|it| same(it));
        if before.is_some_and(|it| it.source != locked.source || it.path != locked.path) {
            return Err(SiteError::Foreign {
                path: prowess::display_path(&site.folder(&locked.folder)),
            }
            .into());
        }
        let outcome = outcome(turn, site, before, &locked)?;
        planned.push(Item {
            locked,
            files,
            outcome,
        });
    }
    Ok(planned)
}

/// What becomes of a skill, by what lies in its folder now.
fn outcome(
    turn: &Turn<'_>,
    site: &Site,
    before: Option<&LockedSkill>,
    locked: &LockedSkill,
) -> Result<Outcome, InstallError> {
    let installed = turn.installed(&locked.folder);
    let digest = |files: &SkillFiles| files.tree().digest().to_string();
    Ok(match (installed, before) {
        (Ok(None), _) => Outcome::New,
        (Ok(Some(there)), Some(_)) if digest(&there) == locked.digest => Outcome::Same,
        (Ok(Some(there)), Some(before)) if digest(&there) == before.digest => Outcome::Replaced,
        (_, Some(before)) => {
            return Err(InstallError::Edited {
                folder: before.folder.clone(),
            });
        }
        (Ok(Some(there)), None) if digest(&there) == locked.digest => Outcome::Adopted,
        (_, None) => {
            return Err(SiteError::Foreign {
                path: prowess::display_path(&site.folder(&locked.folder)),
            }
            .into());
        }
    })
}

/// Where clients that read elsewhere find the skills of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientPlace {
    /// The client.
    pub client: String,
    /// The folder it looks into.
    pub folder: PathBuf,
}

/// The clients that need a link: those that were named, or those that have a folder here.
pub fn client_places(
    site: &Site,
    clients: &Clients,
    named: &[String],
    environment: &prowess::Environment,
) -> Result<Vec<ClientPlace>, prowess::UnknownClient> {
    let mut places: Vec<ClientPlace> = Vec::new();
    let mut add = |client: &prowess::Client, only_here: bool| {
        let Some(folder) = site.client_folder(client, environment) else {
            return;
        };
        let known = places.iter().any(|it| it.folder == folder);
        if !known && (!only_here || site.has_client(&folder)) {
            places.push(ClientPlace {
                client: client.name.clone(),
                folder,
            });
        }
    };
    if named.is_empty() {
        clients.iter().for_each(|client| add(client, true));
    }
    for name in named {
        add(clients.find(name)?, false);
    }
    Ok(places)
}

/// A change that installs these skills, and what it leaves alone.
pub fn change_for(
    turn: &Turn<'_>,
    lock: &Lock,
    items: &[Item],
    places: &[ClientPlace],
    store: &Store,
) -> std::io::Result<(Change, Vec<String>)> {
    let mut change = Change::default();
    let mut notes = Vec::new();
    let mut lock = lock.clone();
    for item in items {
        store.put(&item.files)?;
        let mut locked = item.locked.clone();
        if matches!(item.outcome, Outcome::New | Outcome::Replaced) {
            change
                .install
                .push((locked.folder.clone(), item.files.clone()));
        }
        let places = if locked.is_in_client_folder() {
            &[]
        } else {
            places
        };
        for place in places {
            let link = place.folder.join(&locked.folder);
            if !disk::is_there(&link) {
                change.link.push((link, locked.folder.clone()));
            } else if !turn.is_own_link(&link, &locked) {
                notes.push(format!(
                    "`{}` is there already and is left alone, so {} does not get `{}`",
                    prowess::display_path(&link),
                    place.client,
                    locked.folder
                ));
                continue;
            }
            if !locked.clients.contains(&place.client) {
                locked.clients.push(place.client.clone());
                locked.clients.sort();
            }
        }
        lock.insert(locked);
    }
    change.lock = Some(lock);
    Ok((change, notes))
}
