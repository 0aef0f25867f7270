//! Where to look: from folders a client knows to the sources that are there.

use std::{
    collections::HashSet,
    env,
    path::{Path, PathBuf},
};

use super::{
    Layout, Scope, Source as _,
    disk::{DiskSource, is_there, real_path},
};

/// What the process was started with. The library reads it in [`Environment::of_process`] only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, where it is set.
    pub xdg_config_home: Option<PathBuf>,
    /// `XDG_STATE_HOME`, where it is set.
    pub xdg_state_home: Option<PathBuf>,
    /// `CODEX_HOME`, where it is set.
    pub codex_home: Option<PathBuf>,
    /// Where the user works.
    pub working_directory: PathBuf,
}

impl Environment {
    /// Reads the variables of this process. A folder that is empty or relative counts as unset, and
    /// a working directory that is gone as `.`.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads it")]
    pub fn of_process() -> Self {
        let folder = |name: &str| {
            let path = env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        Self {
            home: folder("HOME").or_else(|| folder("USERPROFILE")),
            xdg_config_home: folder("XDG_CONFIG_HOME"),
            xdg_state_home: folder("XDG_STATE_HOME"),
            codex_home: folder("CODEX_HOME"),
            working_directory: env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        }
    }

    /// Where `prowess trust` remembers what the user decided; `None` without a home.
    pub fn trust_store(&self) -> Option<PathBuf> {
        let set = self.xdg_state_home.clone();
        let state = set.or_else(|| Some(self.home.as_ref()?.join(".local/state")))?;
        Some(state.join("prowess/trust.json"))
    }
}

/// A folder some client looks into.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillFolder {
    /// A short word for the place, such as the client's name.
    pub label: String,
    /// For a project, a relative path; for a user, a path that may start with `~/`,
    /// `$XDG_CONFIG_HOME/` or `$CODEX_HOME/`; for a system, an absolute path.
    pub path: String,
    /// How skills are laid out there.
    pub layout: Layout,
    /// Where a project's folder is looked for.
    pub at: At,
}

/// Where a project's folder is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum At {
    /// From the working directory up to the root of the repository.
    #[default]
    Upward,
    /// At the root of the repository only.
    Root,
    /// In the working directory only.
    Here,
}

impl SkillFolder {
    /// Creates a place laid out in folders.
    pub fn new(label: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            path: path.into(),
            ..Self::default()
        }
    }
}

/// Which places to look into, nearest first within each list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Folders and files that were named; the later one wins.
    pub dirs: Vec<PathBuf>,
    /// Folders of a project, looked for from the working directory up to the repository's root.
    pub project: Vec<SkillFolder>,
    /// Folders of the user.
    pub user: Vec<SkillFolder>,
    /// Folders of the machine.
    pub system: Vec<SkillFolder>,
    /// Whether to read the project's `AGENTS.md` and its like.
    pub conventions: bool,
    /// Folders that links may lead into.
    pub allowed_links: Vec<PathBuf>,
}

/// The sources that are there, in order of precedence. A folder reached by two ways is looked
/// into once, under the nearer one; a user's own folder is never taken for a project's.
pub fn places(places: &Places, environment: &Environment) -> Vec<DiskSource> {
    let home = environment.home.as_deref();
    let mut sources = Vec::new();
    let mut seen = HashSet::new();
    for dir in &places.dirs {
        let source = DiskSource::new(dir);
        let repository = source
            .real_root()
            .and_then(|real| repository_of(real, home));
        seen.extend(source.real_root().map(Path::to_path_buf));
        sources.push(source.repository(repository));
    }
    let user = user_sources(&places.user, environment);
    let system = places.system.iter().map(|folder| {
        DiskSource::new(&folder.path)
            .scope(Scope::System)
            .label(&folder.label)
            .layout(folder.layout)
    });
    let outer: Vec<_> = user.into_iter().chain(system).collect();
    let theirs: HashSet<_> = outer
        .iter()
        .filter_map(|source| source.real_root().map(Path::to_path_buf))
        .collect();
    for source in project_sources(places, environment) {
        let Some(real) = source.real_root() else {
            continue;
        };
        if !theirs.contains(real) && seen.insert(real.to_path_buf()) {
            sources.push(source);
        }
    }
    if places.conventions {
        sources.extend(convention_sources(environment));
    }
    for source in outer {
        if source
            .real_root()
            .is_some_and(|real| seen.insert(real.to_path_buf()))
        {
            let repository = source
                .real_root()
                .and_then(|real| repository_of(real, home));
            sources.push(source.repository(repository));
        }
    }
    // Installers put a skill into one folder and links to it into those of other clients.
    let known: Vec<PathBuf> = sources
        .iter()
        .filter_map(|source| source.real_root().map(Path::to_path_buf))
        .collect();
    sources
        .into_iter()
        .map(|source| places.allowed_links.iter().fold(source, DiskSource::allow))
        .map(|source| source.allow_places(&known))
        .collect()
}

/// Every folder that [`places`] would look into if it were there.
pub fn candidates(places: &Places, environment: &Environment) -> Vec<PathBuf> {
    let project = project_sources(places, environment);
    let user = user_sources(&places.user, environment);
    let roots = project.iter().chain(&user);
    let mut paths: Vec<PathBuf> = places.dirs.clone();
    paths.extend(roots.map(|source| source.origin().root.clone()));
    paths.extend(
        places
            .system
            .iter()
            .map(|folder| folder.path.clone().into()),
    );
    paths
}

/// The folders from the working directory up to the root of its repository, nearest first. Without
/// a repository, the working directory alone: who knows whose the folders above are.
pub fn project_folders(environment: &Environment) -> Vec<PathBuf> {
    let working = &environment.working_directory;
    let Ok(real) = real_path(working) else {
        return Vec::new();
    };
    match repository_of(&real, environment.home.as_deref()) {
        Some(root) => real
            .ancestors()
            .take_while(|folder| folder.starts_with(&root))
            .map(Path::to_path_buf)
            .collect(),
        None => vec![working.clone()],
    }
}

fn project_sources(places: &Places, environment: &Environment) -> Vec<DiskSource> {
    let folders = project_folders(environment);
    let repository = folders.last();
    folders
        .iter()
        .flat_map(|near| {
            let is_root = Some(near) == repository;
            let is_here = Some(near) == folders.first();
            let here = move |folder: &&SkillFolder| match folder.at {
                At::Upward => true,
                At::Root => is_root,
                At::Here => is_here,
            };
            places.project.iter().filter(here).map(move |folder| {
                DiskSource::new(near.join(&folder.path))
                    .scope(Scope::Project)
                    .label(&folder.label)
                    .layout(folder.layout)
                    .repository(repository.cloned())
            })
        })
        .collect()
}

/// The nearest folder comes first, so that its `AGENTS.md` wins over those above it. The last one
/// holds all of them.
fn convention_sources(environment: &Environment) -> Vec<DiskSource> {
    let folders = project_folders(environment);
    let sources = folders.iter().map(|folder| {
        DiskSource::new(folder)
            .scope(Scope::Project)
            .label("conventions")
            .layout(Layout::Convention)
            .repository(folders.last().cloned())
    });
    sources.collect()
}

fn user_sources(folders: &[SkillFolder], environment: &Environment) -> Vec<DiskSource> {
    folders
        .iter()
        .flat_map(|folder| {
            user_paths(&folder.path, environment)
                .into_iter()
                .map(|path| {
                    DiskSource::new(path)
                        .scope(Scope::User)
                        .label(&folder.label)
                        .layout(folder.layout)
                })
        })
        .collect()
}

/// A user folder as it may stand on this machine. `~/.config` is where most programs keep what
/// `XDG_CONFIG_HOME` can move, so both are looked into. A variable that is empty or relative
/// counts as not set.
pub fn user_paths(path: &str, environment: &Environment) -> Vec<PathBuf> {
    let usable = |path: &'_ Option<PathBuf>| path.clone().filter(|path| path.is_absolute());
    let (home, config) = (
        usable(&environment.home),
        usable(&environment.xdg_config_home),
    );
    let (home, config) = (home.as_deref(), config.as_deref());
    let home_config = home.map(|home| home.join(".config"));
    let mut paths = Vec::new();
    if let Some(rest) = path.strip_prefix("$XDG_CONFIG_HOME/") {
        paths.extend(
            config
                .or(home_config.as_deref())
                .map(|base| base.join(rest)),
        );
    } else if let Some(rest) = path.strip_prefix("$CODEX_HOME/") {
        let codex = usable(&environment.codex_home).or(home.map(|home| home.join(".codex")));
        paths.extend(codex.map(|base| base.join(rest)));
    } else if let Some(rest) = path.strip_prefix("~/") {
        if let Some(rest) = rest.strip_prefix(".config/") {
            paths.extend(config.map(|base| base.join(rest)));
        }
        paths.extend(home.map(|base| base.join(rest)));
    } else {
        paths.push(PathBuf::from(path));
    }
    paths.dedup();
    paths
}

/// The nearest folder, from `folder` upwards, that holds a `.git`; what is in it is not read.
///
/// The user's home is no repository: links inside it could lead to any of the user's files.
pub(crate) fn repository_of(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let home = home.and_then(|home| real_path(home).ok());
    folder
        .ancestors()
        .take_while(|ancestor| ancestor.parent().is_some() && Some(*ancestor) != home.as_deref())
        .find(|ancestor| is_there(&ancestor.join(".git")))
        .map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing::Tree;

    fn folders(paths: &[&str]) -> Vec<SkillFolder> {
        paths
            .iter()
            .map(|path| SkillFolder::new(*path, *path))
            .collect()
    }

    fn tell(tree: &Tree, wanted: &Places, working: &str) -> String {
        let environment = Environment {
            home: Some(tree.at("home")),
            working_directory: tree.at(working),
            ..Environment::default()
        };
        let told: Vec<_> = places(wanted, &environment)
            .iter()
            .map(|source| {
                let origin = source.origin();
                let repository = origin.repository.as_deref().unwrap_or(Path::new("-"));
                format!(
                    "{} {} in {}\n",
                    origin.scope,
                    origin.root.display(),
                    repository.display()
                )
            })
            .collect();
        told.concat()
            .replace(&format!("{}/", tree.root().display()), "")
    }

    fn everywhere(tree: &Tree) -> Places {
        Places {
            dirs: vec![tree.at("named")],
            project: folders(&[".agents/skills", ".claude/skills"]),
            user: folders(&["~/.agents/skills", "~/.config/x/skills"]),
            ..Places::default()
        }
    }

    #[test]
    fn projects_are_searched_from_here_to_the_root_of_the_repository() {
        let tree = Tree::new()
            .folder("home/.agents/skills")
            .folder("home/.config/x/skills")
            .folder("home/work/.agents/skills")
            .folder("home/work/mono/.git")
            .folder("home/work/mono/.agents/skills")
            .folder("home/work/mono/.claude/skills")
            .folder("home/work/mono/web/app/.agents/skills")
            .folder("named");
        expect![[r#"
            explicit named in -
            project home/work/mono/web/app/.agents/skills in home/work/mono
            project home/work/mono/.agents/skills in home/work/mono
            project home/work/mono/.claude/skills in home/work/mono
            user home/.agents/skills in -
            user home/.config/x/skills in -
        "#]]
        .assert_eq(&tell(&tree, &everywhere(&tree), "home/work/mono/web/app"));
    }

    #[test]
    fn without_a_repository_only_the_working_directory_counts() {
        let tree = Tree::new()
            .folder("home/.git")
            .folder("home/.agents/skills")
            .folder("home/x/.agents/skills")
            .folder("home/x/y/.agents/skills");
        let wanted = Places {
            dirs: Vec::new(),
            ..everywhere(&tree)
        };
        expect![[r#"
            project home/x/y/.agents/skills in home/x/y
            user home/.agents/skills in -
        "#]]
        .assert_eq(&tell(&tree, &wanted, "home/x/y"));
        // The user's own folder is the user's, also for one who works at home.
        expect![[r#"
            user home/.agents/skills in -
        "#]]
        .assert_eq(&tell(&tree, &wanted, "home"));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_reached_by_two_ways_is_searched_once() {
        let tree = Tree::new()
            .folder("repo/.git")
            .folder("repo/.agents/skills")
            .link("repo/.claude/skills", "../.agents/skills");
        let wanted = Places {
            dirs: Vec::new(),
            ..everywhere(&tree)
        };
        expect![[r#"
            project repo/.agents/skills in repo
        "#]]
        .assert_eq(&tell(&tree, &wanted, "repo"));
    }
}
