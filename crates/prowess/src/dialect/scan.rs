//! Finds the files that a client's loader would find.
#![expect(
    clippy::disallowed_methods,
    reason = "a source reads by our rules; here the disk is read by a client's"
)]

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use crate::source::{
    clients::{
        Client,
        rules::{Answer, Depth, RootSkill, Rules, Tier},
    },
    places::{At, Environment, user_paths},
};

/// The file that is a skill, to every client that was run.
pub(super) const SKILL: &str = "SKILL.md";

/// More entries are not looked at; no client was seen to do with so many.
const ENTRIES: usize = 100_000;

/// Larger files are not read to be judged; clients without a bound of their own were seen to.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A folder that a client looks into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) path: PathBuf,
    pub(super) tier: Tier,
    /// As it stands in the table.
    table: String,
}

/// A file that a client's loader finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// As the client finds it.
    pub(super) path: PathBuf,
    /// Where it really lies.
    pub(super) real: PathBuf,
    pub(super) tier: Tier,
    /// The number of its skills folder, in the order of precedence.
    pub(super) root: usize,
    pub(super) bytes: Vec<u8>,
}

/// The folders a client looks into, in the order of the table, nearest project first.
pub(super) fn roots(client: &Client, projects: &[PathBuf], environment: &Environment) -> Vec<Root> {
    let project = projects.iter().enumerate().flat_map(|(at, base)| {
        let is_here = at == 0;
        let is_root = at + 1 == projects.len();
        let here = client.project.iter().filter(move |folder| match folder.at {
            At::Upward => true,
            At::Here => is_here,
            At::Root => is_root,
        });
        here.map(|folder| Root {
            path: base.join(&folder.path),
            tier: Tier::Project,
            table: folder.path.clone(),
        })
    });
    let user = client.user.iter().map(|folder| (folder, Tier::User));
    let system = client.system.iter().map(|folder| (folder, Tier::System));
    let outer = user.chain(system).flat_map(|(folder, tier)| {
        let paths = user_paths(&folder.path, environment);
        paths.into_iter().map(move |path| Root {
            path,
            tier,
            table: folder.path.clone(),
        })
    });
    let mut roots: Vec<Root> = Vec::new();
    for root in project.chain(outer) {
        // A home that is the working directory has one folder for both.
        if !roots.iter().any(|known| known.path == root.path) {
            roots.push(root);
        }
    }
    roots
}

/// Every file that a client's loader finds.
pub(super) fn scan(
    client: &Client,
    rules: &Rules,
    projects: &[PathBuf],
    environment: &Environment,
) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, root) in roots(client, projects, environment).iter().enumerate() {
        let mut walk = Walk {
            rules,
            root,
            at,
            skips_hidden: skips_hidden(rules, root),
            visited: HashSet::new(),
            entries: 0,
            found: &mut found,
        };
        walk.folder(&root.path, 0);
    }
    found
}

/// Whether folders with a dot in front of their name are passed over below a skills folder.
pub(super) fn skips_hidden(rules: &Rules, root: &Root) -> bool {
    let mut exceptions = rules.hidden_skipped_in.iter().flatten();
    rules.hidden == Some(Answer::Skipped) || exceptions.any(|start| root.table.starts_with(start))
}

struct Walk<'a> {
    rules: &'a Rules,
    root: &'a Root,
    at: usize,
    skips_hidden: bool,
    visited: HashSet<PathBuf>,
    entries: usize,
    found: &'a mut Vec<Found>,
}

impl Walk<'_> {
    /// Looks into a folder that lies `depth` below the skills folder.
    fn folder(&mut self, folder: &Path, depth: u32) {
        let Ok(real) = fs::canonicalize(folder) else {
            return;
        };
        let deep = match self.rules.depth {
            Some(Depth::Any(_)) => u32::MAX,
            Some(Depth::Most(most)) => most,
            None => 1,
        };
        // Links can lead in circles; where only one level is read they cannot.
        if deep > 1 && !self.visited.insert(real.clone()) {
            return;
        }
        let is_skill = self.skill(folder, &real, depth);
        let goes_on = match (depth, self.rules.root_skill) {
            (0, Some(RootSkill::Alone)) => !is_skill,
            (0, _) => true,
            _ => !is_skill || self.rules.nested != Some(Answer::Skipped),
        };
        if depth == deep || !goes_on {
            return;
        }
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names {
            self.entries += 1;
            if self.entries > ENTRIES {
                return;
            }
            let path = folder.join(&name);
            let name = name.to_string_lossy();
            let skipped = self.rules.skipped.iter().flatten();
            let hidden = self.skips_hidden && name.starts_with('.');
            let is_link = path.is_symlink() && self.rules.folder_link == Some(Answer::Skipped);
            let passed = skipped.into_iter().any(|it| *it == name) || hidden || is_link;
            if !passed && path.is_dir() {
                self.folder(&path, depth + 1);
            }
        }
    }

    /// Takes the skill of a folder, where it has one that counts.
    fn skill(&mut self, folder: &Path, real: &Path, depth: u32) -> bool {
        let path = folder.join(SKILL);
        let is_link = path.is_symlink();
        let counts = (depth > 0
            || matches!(
                self.rules.root_skill,
                Some(RootSkill::Read | RootSkill::Alone)
            ))
            && !(is_link && self.rules.file_link == Some(Answer::Skipped));
        if !counts || !is_exactly_there(folder) || !path.is_file() {
            return false;
        }
        let Some(bytes) = read(&path) else {
            return false;
        };
        let real = if is_link {
            fs::canonicalize(&path).unwrap_or_else(|_| real.join(SKILL))
        } else {
            real.join(SKILL)
        };
        self.found.push(Found {
            path,
            real,
            tier: self.root.tier,
            root: self.at,
            bytes,
        });
        true
    }
}

/// Whether a folder holds `SKILL.md` letter for letter, also on a disk that does not mind case.
fn is_exactly_there(folder: &Path) -> bool {
    let path = folder.join(SKILL);
    if cfg!(target_os = "linux") {
        return path.symlink_metadata().is_ok();
    }
    fs::read_dir(folder)
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name() == SKILL))
}

/// The bytes of a file, where it is one and not beyond reason.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let size = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    (size <= LARGEST).then(|| fs::read(path).ok()).flatten()
}

/// Where a file really lies.
pub(super) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
