//! The table of every client's skill folders, and what is known of the client's rules.
//!
//! The table is data (`clients.toml`); a config extends it in the same words. Nothing here
//! opens a file or reads the environment: folders are resolved against values.
//!
//! ```
//! use prowess::Clients;
//!
//! let clients = Clients::builtin();
//! assert_eq!(clients.find("claude")?.user[0].path, "~/.claude/skills");
//! assert_eq!(clients.find("cluade").unwrap_err().similar.as_deref(), Some("claude-code"));
//! # Ok::<(), prowess::UnknownClient>(())
//! ```

use std::path::{Path, PathBuf};

use prowess_format::{Diagnostic, nearest};

use super::places::{At, Environment, Places, SkillFolder, user_paths};

pub mod rules;

mod read;

use rules::{Rules, Tier};

/// The table that is shipped.
const BUILTIN: &str = include_str!("clients.toml");

/// The folder most clients share; it is looked at before all others.
const SHARED: &str = ".agents/skills";

/// The same in the user's home.
const SHARED_USER: &str = "~/.agents/skills";

/// Every known client, in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clients {
    clients: Vec<Client>,
}

/// One client: its names, its folders and its rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Client {
    /// The name used on the command line.
    pub name: String,
    /// The name people use.
    pub title: String,
    /// Other names it answers to.
    pub aliases: Vec<String>,
    /// Folders beside the code, relative to a project.
    pub project: Vec<SkillFolder>,
    /// Folders in the user's home.
    pub user: Vec<SkillFolder>,
    /// Folders of the machine.
    pub system: Vec<SkillFolder>,
    /// What it does with the skills it finds; `None` where only the folders are known.
    pub rules: Option<Rules>,
}

/// A name that is no client's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no client named `{name}`")]
pub struct UnknownClient {
    /// What was asked for.
    pub name: String,
    /// The client that was probably meant.
    pub similar: Option<String>,
}

/// Where a skill lies among the folders of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The shelf: project, user or system.
    pub tier: Tier,
    /// The folder, resolved.
    pub folder: PathBuf,
    /// How many folders deep the skill's file lies; `<folder>/<name>/SKILL.md` is 1.
    pub depth: usize,
}

impl Clients {
    /// Reads the table that is shipped.
    pub fn builtin() -> Self {
        let mut clients = Self {
            clients: Vec::new(),
        };
        let diagnostics = clients.extend_from_toml(BUILTIN);
        debug_assert!(diagnostics.is_empty(), "{diagnostics:?}");
        clients
    }

    /// Adds what the `[clients]` table of a config says; its other tables are not looked at.
    ///
    /// A new name adds a client. A known one gains folders, and its rules are replaced one by
    /// one. What can not be understood is left out and told; the rest counts.
    #[must_use]
    pub fn extend_from_toml(&mut self, text: &str) -> Vec<Diagnostic> {
        read::extend(self, text)
    }

    /// Every client, in the order of the table.
    pub fn iter(&self) -> std::slice::Iter<'_, Client> {
        self.clients.iter()
    }

    /// The clients whose rules are known well enough for a verdict.
    pub fn main(&self) -> impl Iterator<Item = &Client> {
        self.iter().filter(|client| client.rules.is_some())
    }

    /// Finds a client by its name, its title or an alias; case and spaces do not matter.
    pub fn find(&self, name: &str) -> Result<&Client, UnknownClient> {
        self.known(name).ok_or_else(|| UnknownClient {
            name: name.to_owned(),
            similar: self.nearest(name),
        })
    }

    /// The client of this name, without a word on what else it could be.
    fn known(&self, name: &str) -> Option<&Client> {
        self.iter()
            .find(|client| same(&client.name, name))
            .or_else(|| self.iter().find(|client| client.answers_to(name)))
    }

    /// The name of the client whose name or alias is nearest to a misspelt one.
    fn nearest(&self, wanted: &str) -> Option<String> {
        let names = self.iter().flat_map(|client| {
            let aliases = client.aliases.iter().map(String::as_str);
            std::iter::once(client.name.as_str()).chain(aliases)
        });
        let near = nearest(&wanted.trim().replace([' ', '_'], "-"), names);
        Some(self.known(near.first()?)?.name.clone())
    }

    /// The folders of one client, or of all: each once, `.agents/skills` first.
    pub fn places(&self, client: Option<&Client>) -> Places {
        let clients: Vec<&Client> = client.map_or_else(|| self.iter().collect(), |it| vec![it]);
        let mut project = once(clients.iter().map(|it| &*it.project), SHARED);
        // Where a skill is written in `skills` and kept for running in `.skills`, the text for
        // running wins (ADK's two stages).
        let at = |path: &str| project.iter().position(|it| it.path == path);
        if let (Some(design), Some(run)) = (at("skills"), at(".skills"))
            && design < run
        {
            project[design..=run].rotate_right(1);
        }
        Places {
            project,
            user: once(clients.iter().map(|it| &*it.user), SHARED_USER),
            system: once(clients.iter().map(|it| &*it.system), ""),
            ..Places::default()
        }
    }

    /// Finds the folder of the table a skill's file lies in.
    ///
    /// `projects` are the folders a project's folders hang below: the working directory and its
    /// parents up to the repository. User and system folders are tried first, because a home
    /// folder that is itself a repository would otherwise make its user skills a project's.
    pub fn locate(
        &self,
        file: &Path,
        projects: &[PathBuf],
        environment: &Environment,
    ) -> Option<Placement> {
        let places = self.places(None);
        let user = places.user.iter().map(|it| (Tier::User, it));
        let system = places.system.iter().map(|it| (Tier::System, it));
        let outer = user.chain(system).flat_map(|(tier, it)| {
            let paths = user_paths(&it.path, environment);
            paths.into_iter().map(move |path| (tier, path))
        });
        let inner = projects.iter().flat_map(|project| {
            let folders = places.project.iter();
            folders.map(|it| (Tier::Project, project.join(&it.path)))
        });
        outer
            .chain(inner)
            .filter_map(|(tier, folder)| {
                let below = file.strip_prefix(&folder).ok()?;
                let depth = below.components().count().checked_sub(1)?;
                Some(Placement {
                    tier,
                    folder,
                    depth,
                })
            })
            // The innermost folder says how deep the skill lies.
            .min_by_key(|located| located.depth)
    }
}

impl<'a> IntoIterator for &'a Clients {
    type Item = &'a Client;
    type IntoIter = std::slice::Iter<'a, Client>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Client {
    /// Whether this is the client's title or an alias.
    fn answers_to(&self, name: &str) -> bool {
        same(&self.title, name) || self.aliases.iter().any(|alias| same(alias, name))
    }

    /// Whether the client was run, so that its list can be told.
    pub fn is_run(&self) -> bool {
        let rules = self.rules.as_ref();
        rules.is_some_and(|rules| rules.version.is_some())
    }

    /// Whether the client looks into a folder; `projects` as in [`Clients::locate`].
    pub fn looks_into(
        &self,
        folder: &Path,
        projects: &[PathBuf],
        environment: &Environment,
    ) -> bool {
        let fixed = self.user.iter().chain(&self.system);
        fixed
            .flat_map(|it| user_paths(&it.path, environment))
            .any(|it| it == folder)
            || self.project.iter().any(|it| match it.at {
                At::Upward => projects.iter().any(|base| base.join(&it.path) == folder),
                At::Root => projects
                    .last()
                    .is_some_and(|base| base.join(&it.path) == folder),
                At::Here => projects
                    .first()
                    .is_some_and(|base| base.join(&it.path) == folder),
            })
    }
}

/// Whether two names differ only in what people do not care about: case, and `-` or a space.
fn same(left: &str, right: &str) -> bool {
    let plain = |byte: u8| match byte {
        b' ' | b'_' => b'-',
        _ => byte.to_ascii_lowercase(),
    };
    let (left, right) = (left.trim().bytes(), right.trim().bytes());
    left.map(plain).eq(right.map(plain))
}

/// Each folder once, in the order of the table, with the shared one in front. A folder is called
/// after the client that names it first of all its own, not after one that reads it too.
fn once<'a>(clients: impl Iterator<Item = &'a [SkillFolder]>, shared: &str) -> Vec<SkillFolder> {
    let mut unique: Vec<SkillFolder> = Vec::new();
    let mut owned: Vec<bool> = Vec::new();
    for (at, folder) in clients.flat_map(|folders| folders.iter().enumerate()) {
        let Some(known) = unique.iter().position(|it| it.path == folder.path) else {
            unique.push(folder.clone());
            owned.push(at == 0);
            continue;
        };
        if unique[known].at != folder.at {
            // Looked for in one place by one client and in another by the next: upward covers both.
            unique[known].at = At::Upward;
        }
        if at == 0 && !owned[known] {
            unique[known].label.clone_from(&folder.label);
            owned[known] = true;
        }
    }
    unique.sort_by_key(|folder| folder.path != shared);
    if let Some(first) = unique.first_mut().filter(|first| first.path == shared) {
        // It is nobody's in particular.
        "agents".clone_into(&mut first.label);
    }
    unique
}

#[cfg(test)]
mod tests;
