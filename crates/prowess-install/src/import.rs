//! Skills that another installer brought: taken over as they lie there, with what its own record
//! proves about them and what it does not.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use prowess::{Clients, Environment, user_paths};
use prowess_format::{Profile, parse};
use serde_json::Value;

use crate::{
    disk,
    install::client_places,
    lock::{Lock, LockedSkill, is_client_path, is_folder_name},
    manifest::WantedSource,
    offer::{Offer, OfferError, OfferOptions, OfferedSkill, own_name},
    site::{Owner, Site, Turn},
    source::{Place, Reference, Source},
    tree::SkillFiles,
};

mod hashes;
mod record;

use hashes::{computed_hash, git_tree};
pub use record::{Record, RecordError, RecordedHash, gh_record, read_records};

/// So many files that differ are named.
const MOST_NAMED: usize = 5;

/// A skill that another installer wrote down.
#[derive(Debug)]
pub struct Import {
    /// What it wrote down.
    pub record: Record,
    /// What becomes of it.
    pub state: ImportState,
    /// What is certain about it.
    pub proved: Vec<String>,
    /// What is not.
    pub unproved: Vec<String>,
    /// Whether its source could not be asked, though it should have been.
    pub unanswered: bool,
}

/// What becomes of a skill that another installer wrote down.
#[derive(Debug)]
pub enum ImportState {
    /// It can be locked as it is.
    Ready(Box<ImportedSkill>),
    /// It is locked already, in this folder.
    Locked(String),
    /// It is not here.
    Missing,
    /// It cannot be locked.
    Refused(String),
}

/// A skill with its entry in the lock.
#[derive(Debug)]
pub struct ImportedSkill {
    /// Its entry.
    pub locked: LockedSkill,
    /// Its files as they are now.
    pub files: SkillFiles,
    /// What the config says afterwards.
    pub wanted: WantedSource,
}

/// What to import with.
#[derive(Debug)]
pub struct ImportOptions<'a> {
    /// Every client that is known; a skill may lie in its folder.
    pub clients: &'a Clients,
    /// Where the folders of clients are.
    pub environment: &'a Environment,
    /// How sources are asked.
    pub offer: &'a OfferOptions,
}

/// Looks at every skill that these records or its own frontmatter say another installer brought.
/// Each source is asked once; nothing is changed.
pub fn import(
    turn: &Turn<'_>,
    site: &Site,
    lock: &Lock,
    records: Vec<Record>,
    options: &ImportOptions<'_>,
) -> Vec<Import> {
    let folders = skill_folders(site, options);
    let mut found: Vec<(Record, Option<String>)> = Vec::new();
    for record in records {
        let name = folder_name(&record.name);
        let folder = folders.iter().find(|it| last(it) == name).cloned();
        found.push((record, folder));
    }
    // What gh wrote into the skill itself says more than what it wrote elsewhere.
    for folder in &folders {
        let text = disk::read_text(&site.folder(folder).join("SKILL.md"), 1 << 20);
        let text = text.ok().flatten().unwrap_or_default();
        if let Some(record) = gh_record(last(folder), &text) {
            found.retain(|it| it.1.as_ref() != Some(folder));
            found.push((record, Some(folder.clone())));
        }
    }
    found.sort_by(|a, b| (&a.0.name, &a.1).cmp(&(&b.0.name, &b.1)));
    let mut imports: Vec<Import> = found
        .into_iter()
        .map(|(record, folder)| look(turn, site, lock, record, folder, options))
        .collect();
    ask(&mut imports, options.offer);
    imports
}

/// Every folder of a skill here, as a lock names it: the canonical ones first.
fn skill_folders(site: &Site, options: &ImportOptions<'_>) -> Vec<String> {
    let shared = site.root.join(".agents/skills");
    let mut places: Vec<PathBuf> = vec![shared.clone()];
    for client in options.clients {
        let all: Vec<PathBuf> = match site.owner {
            Owner::Project => {
                let all = client.project.iter();
                all.map(|it| site.root.join(&it.path)).collect()
            }
            Owner::User => {
                let all = client.user.iter();
                all.flat_map(|it| user_paths(&it.path, options.environment))
                    .collect()
            }
        };
        for place in all {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let mut folders = Vec::new();
    for place in places {
        let is_skill = |name: &&String| {
            let folder = place.join(name);
            disk::is_real_folder(&folder) && disk::is_there(&folder.join("SKILL.md"))
        };
        let names = disk::names(&place).unwrap_or_default();
        for name in names.iter().filter(is_skill) {
            let below = place.join(name);
            let below = below.strip_prefix(&site.root).ok().and_then(Path::to_str);
            let folder = match below {
                _ if place == shared => Some(name.clone()).filter(|it| is_folder_name(it)),
                below => below
                    .map(|it| it.replace('\\', "/"))
                    .filter(|it| is_client_path(it)),
            };
            folders.extend(folder);
        }
    }
    folders
}

fn last(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The folder that `npx skills` makes for a name.
fn folder_name(name: &str) -> String {
    let mut folder = String::new();
    for it in name.to_lowercase().chars() {
        if it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, '.' | '_') {
            folder.push(it);
        } else if !folder.ends_with('-') {
            folder.push('-');
        }
    }
    folder.trim_matches(['.', '-']).to_owned()
}

/// What can be said without asking anybody.
fn look(
    turn: &Turn<'_>,
    site: &Site,
    lock: &Lock,
    record: Record,
    folder: Option<String>,
    options: &ImportOptions<'_>,
) -> Import {
    let mut import = Import {
        record,
        state: ImportState::Missing,
        proved: Vec::new(),
        unproved: Vec::new(),
        unanswered: false,
    };
    let Some(folder) = folder else {
        return import;
    };
    if lock.get(&folder).is_some() {
        import.state = ImportState::Locked(folder);
        return import;
    }
    let files = match turn.installed(&folder) {
        Ok(Some(files)) => files,
        Ok(None) => return import,
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|it| format!(": {it}"));
            import.state = ImportState::Refused(format!("{error}{}", cause.unwrap_or_default()));
            return import;
        }
    };
    let source = import.record.source.clone().unwrap_or_default();
    let place = match Source::parse(&source, &|_| false) {
        Ok(source) => source.place,
        Err(error) => {
            import.state = ImportState::Refused(error.to_string());
            return import;
        }
    };
    let own = own_name(&files.skill_text()).filter(|it| it != last(&folder));
    let mut locked = LockedSkill {
        name: own,
        clients: Vec::new(),
        source: place.to_string(),
        reference: import.record.reference.clone(),
        pinned: import.record.pinned,
        commit: None,
        artifact: None,
        path: import.record.path.clone().unwrap_or_default(),
        digest: String::new(),
        files: Vec::new(),
        extra: BTreeMap::new(),
        folder,
    };
    locked.set_tree(files.tree());
    if !locked.is_in_client_folder() {
        for client in options.clients {
            let named = std::slice::from_ref(&client.name);
            let places = client_places(site, options.clients, named, options.environment);
            let mut places = places.unwrap_or_default().into_iter();
            if places.any(|it| turn.is_own_link(&it.folder.join(&locked.folder), &locked)) {
                locked.clients.push(client.name.clone());
            }
        }
        locked.clients.sort();
    }
    let source = match (&place, &import.record.reference) {
        (Place::Git(_), Some(reference)) => {
            let short = reference
                .trim_start_matches("refs/heads/")
                .trim_start_matches("refs/tags/");
            format!("{source}#{short}")
        }
        _ => source,
    };
    let wanted = WantedSource {
        source,
        skills: Some(vec![locked.name().to_owned()]),
        pinned: import.record.pinned,
    };
    let (proved, told) = here(&import.record, &files);
    if proved {
        import.proved.push(told);
    } else {
        import.unproved.push(told);
    }
    import.state = ImportState::Ready(Box::new(ImportedSkill {
        locked,
        files,
        wanted,
    }));
    import
}

/// What the record says about the files that are here, and whether that holds.
fn here(record: &Record, files: &SkillFiles) -> (bool, String) {
    let file = &record.file;
    match &record.hash {
        RecordedHash::None => (false, format!("`{file}` says nothing about its files")),
        RecordedHash::Files(hash) => match computed_hash(files) {
            Some(own) if own == *hash => (
                true,
                format!(
                    "its files have the hash in `{file}`, which covers names and bytes, and neither modes nor `node_modules`"
                ),
            ),
            Some(_) => (
                false,
                format!(
                    "its files do not have the hash in `{file}`: they were changed, or the installer left out some that the source has"
                ),
            ),
            None => (
                false,
                format!(
                    "the hash in `{file}` cannot be made again: names that are not ASCII are sorted as on the machine it was made on"
                ),
            ),
        },
        RecordedHash::GitTree(tree) if git_tree(files) == *tree => (
            true,
            format!(
                "its files and modes are the git tree {} that `{file}` names",
                short(tree)
            ),
        ),
        RecordedHash::GitTree(tree) => (
            false,
            format!(
                "its files are not the git tree {} that `{file}` names: they were changed, or the installer left some out",
                short(tree)
            ),
        ),
        RecordedHash::GhTree(tree) => (
            false,
            format!(
                "gh rewrote `SKILL.md` when it installed it, so its files cannot be the git tree {} that it names",
                short(tree)
            ),
        ),
    }
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// Asks the source of every skill that can be locked, each source once.
fn ask(imports: &mut [Import], options: &OfferOptions) {
    let mut sources: BTreeMap<(String, Option<String>), Vec<usize>> = BTreeMap::new();
    for (at, import) in imports.iter().enumerate() {
        if let ImportState::Ready(skill) = &import.state {
            let from = (skill.locked.source.clone(), skill.locked.reference.clone());
            sources.entry(from).or_default().push(at);
        }
    }
    for ((from, reference), places) in sources {
        let mut offer = open(&from, reference, options);
        for at in places {
            let import = &mut imports[at];
            let there = match &mut offer {
                Ok(offer) => there(offer, &import.record),
                Err(error) => Err(chain(error)),
            };
            match there {
                Ok((offered, files)) => {
                    let Ok(offer) = &offer else { continue };
                    compare(import, &offered, &files, offer);
                }
                Err(reason) => {
                    import.unanswered = !options.offline;
                    let told = format!("`{from}` could not say more: {reason}");
                    import.unproved.push(told);
                }
            }
        }
    }
}

fn open(
    from: &str,
    reference: Option<String>,
    options: &OfferOptions,
) -> Result<Offer, OfferError> {
    let mut source =
        Source::parse(from, &|_| false).map_err(|_| OfferError::Unsupported(from.to_owned()))?;
    source.reference = reference.map(Reference::Name);
    Offer::open(&source, options)
}

/// The error and what caused it, as one sentence.
fn chain(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}

/// The skill as its source has it: where the record says, else by its name.
fn there(offer: &mut Offer, record: &Record) -> Result<(OfferedSkill, SkillFiles), String> {
    let by_path = record.path.as_ref();
    let by_path = by_path.and_then(|path| offer.skills.iter().find(|it| it.path == *path));
    let offered = match by_path.cloned() {
        Some(offered) => offered,
        None => match offer.named(&record.name).as_deref() {
            Ok([one]) => one.clone(),
            Ok(_) => return Err(format!("it has no skill `{}`", record.name)),
            Err(error) => return Err(chain(error)),
        },
    };
    let files = offer.fetch(&[&offered.path]);
    let files = files.map_err(|error| chain(&error))?;
    let files = files.into_iter().next();
    Ok((offered, files.ok_or("it sent nothing")?))
}

/// Says how the files here and those of the source go together.
fn compare(import: &mut Import, offered: &OfferedSkill, files: &SkillFiles, offer: &Offer) {
    let ImportState::Ready(skill) = &mut import.state else {
        return;
    };
    let origin = &offer.origin;
    let at = match &origin.commit {
        Some(commit) => format!("`{}` at {}", origin.source, short(commit)),
        None => format!("`{}`", origin.source),
    };
    let made_from = match &import.record.hash {
        RecordedHash::None => None,
        RecordedHash::Files(hash) => computed_hash(files).map(|it| it == *hash),
        RecordedHash::GitTree(tree) | RecordedHash::GhTree(tree) => Some(git_tree(files) == *tree),
    };
    match made_from {
        Some(true) => import
            .proved
            .push(format!("{at} still has what it was installed from")),
        Some(false) => {
            import
                .unproved
                .push(format!("{at} has other files than it was installed from"));
        }
        None => {}
    }
    let locked = &mut skill.locked;
    locked.path.clone_from(&offered.path);
    if origin.reference.is_some() {
        locked.reference.clone_from(&origin.reference);
    }
    if files.tree().digest() == skill.files.tree().digest() {
        locked.commit.clone_from(&origin.commit);
        locked.artifact = offered.artifact(origin);
        // A commit stands for itself.
        if origin.commit.is_some() && origin.reference.is_none() {
            locked.reference = None;
        }
        import.proved.push(format!("every file is the one of {at}"));
    } else if is_gh_copy(&skill.files, files) {
        import.proved.push(format!(
            "apart from what gh changed in `SKILL.md` and in modes, every file is the one of {at}"
        ));
    } else {
        let named = differing(&skill.files, files);
        let no_commit = origin
            .commit
            .as_ref()
            .map_or("", |_| ", so no commit is locked");
        import.unproved.push(format!(
            "it differs from {at} in {named}{no_commit}; `prowess update` shows the diff"
        ));
    }
}

/// Whether these are the same files but for what gh does to them: keys of its own in the
/// frontmatter, which it writes anew, and scripts that can be run.
fn is_gh_copy(here: &SkillFiles, there: &SkillFiles) -> bool {
    let others = |files: &SkillFiles| -> Vec<(String, prowess::ContentHash)> {
        let entries = files.tree().entries().iter();
        entries
            .filter(|it| it.path.as_str() != "SKILL.md")
            .map(|it| (it.path.to_string(), it.hash))
            .collect()
    };
    let means = |files: &SkillFiles| {
        let text = files.skill_text();
        let document = parse(text.as_bytes(), Profile::Lenient).document;
        let mut fields: BTreeMap<String, Value> = BTreeMap::new();
        for field in document.fields() {
            let value = serde_json::to_value(&field.node.value).unwrap_or_default();
            fields.insert(field.key.to_string(), value);
        }
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            metadata.retain(|key, _| !key.starts_with("github-") && key != "local-path");
        }
        fields.retain(|key, value| {
            key != "metadata" || *value != Value::Object([].into_iter().collect())
        });
        (fields, document.instructions().to_owned())
    };
    gh_record("", &here.skill_text()).is_some()
        && others(here) == others(there)
        && means(here) == means(there)
}

/// The files that are not alike, named as far as that helps.
fn differing(here: &SkillFiles, there: &SkillFiles) -> String {
    let unlike = |one: &SkillFiles, other: &SkillFiles| -> Vec<String> {
        let entries = one.tree().entries().iter();
        entries
            .filter(|it| other.tree().get(it.path.as_str()) != Some(it))
            .map(|it| it.path.to_string())
            .collect()
    };
    let mut paths = unlike(here, there);
    paths.extend(unlike(there, here));
    paths.sort();
    paths.dedup();
    let more = paths.len().saturating_sub(MOST_NAMED);
    let mut named: Vec<String> = paths
        .iter()
        .take(MOST_NAMED)
        .map(|it| format!("`{it}`"))
        .collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    named.join(", ")
}
