//! What the user and the project have set, and where each value came from.
//!
//! A project's `prowess.toml` stands over the user's `config.toml`. What could widen the
//! project's own reach stays with the user: trust, links, catalogs, folders outside the project
//! and higher limits.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use prowess::{
    Budget, Clients, ContentHash, Limits, Override, project_folders, run::RunPolicy, select::Ranker,
};

use crate::{
    commands::check::settings::Settings,
    environment::Environment,
    exit::Failure,
    files,
    options::Options,
    render::{Terminal, count},
};

mod check;
mod read;
mod reader;
mod servers;

pub(crate) use read::LIMITS;
pub(crate) use servers::NamedServer;

/// The name of a project's config.
const PROJECT_FILE: &str = "prowess.toml";

/// A config with more bytes than this is no config.
const MOST_BYTES: u64 = 1024 * 1024;

/// Whose config it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Authority {
    /// The user's own: may set everything.
    User,
    /// A project's: may not widen its own reach.
    Project,
}

/// Who decided a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum SetBy {
    /// Nobody said otherwise.
    #[default]
    Default,
    /// The user's config, or the one that was named.
    User(PathBuf),
    /// The config of a project.
    Project(PathBuf),
}

impl SetBy {
    /// As a person reads it.
    pub(crate) fn shown(&self, environment: &Environment) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::User(path) | Self::Project(path) => environment.shorten(path),
        }
    }

    /// Whether a project decided it.
    pub(crate) fn is_project(&self) -> bool {
        matches!(self, Self::Project(_))
    }
}

/// A value and who decided it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) by: SetBy,
}

impl<T> Setting<T> {
    fn new(value: T) -> Self {
        Self {
            value,
            by: SetBy::Default,
        }
    }
}

/// A folder named in a config.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) path: PathBuf,
    pub(crate) from: PathBuf,
    /// Whether the project named it; its skills are then the project's.
    pub(crate) project: bool,
}

/// Everything that can be set in a config.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The configs that were read.
    pub(crate) files: Vec<PathBuf>,
    /// `[skills] enabled`
    pub(crate) enabled: Setting<bool>,
    /// `[skills] allowed`
    pub(crate) allowed: Setting<Option<Vec<String>>>,
    /// `[skills.overrides]`, by the name of the skill
    pub(crate) overrides: BTreeMap<String, Setting<Override>>,
    /// `[sources] dirs`
    pub(crate) dirs: Vec<Named>,
    /// `[sources] catalogs`
    pub(crate) catalogs: Vec<Named>,
    /// `[sources] client`
    pub(crate) client: Setting<Option<String>>,
    /// `[sources] conventions`
    pub(crate) conventions: Setting<Option<bool>>,
    /// `[sources] links`
    pub(crate) links: Vec<Named>,
    /// `[trust] projects`
    pub(crate) trusted: Vec<Named>,
    /// `[trust] hidden`
    pub(crate) hidden: Vec<ContentHash>,
    /// `[select] ranker`
    pub(crate) ranker: Setting<Ranker>,
    /// `[prompt] budget`
    pub(crate) budget: Setting<Option<Budget>>,
    /// `[run] policy`
    pub(crate) run: Setting<RunPolicy>,
    /// `[run.skills]`, by the name of the skill
    pub(crate) run_skills: BTreeMap<String, Setting<RunPolicy>>,
    /// `[cache] enabled`
    pub(crate) cache: Setting<bool>,
    /// `[limits]`
    pub(crate) limits: Limits,
    /// The limits that were set, and by which config.
    pub(crate) limits_set: BTreeMap<&'static str, SetBy>,
    /// The table of clients, with what `[clients]` adds.
    pub(crate) clients: Clients,
    /// `[servers]`, the user's before the project's
    pub(crate) servers: Vec<NamedServer>,
    /// `[check]`
    pub(crate) check: Settings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            enabled: Setting::new(true),
            allowed: Setting::default(),
            overrides: BTreeMap::new(),
            dirs: Vec::new(),
            catalogs: Vec::new(),
            client: Setting::default(),
            conventions: Setting::default(),
            links: Vec::new(),
            trusted: Vec::new(),
            hidden: Vec::new(),
            ranker: Setting::default(),
            budget: Setting::default(),
            run: Setting::default(),
            run_skills: BTreeMap::new(),
            cache: Setting::new(true),
            limits: Limits::default(),
            limits_set: BTreeMap::new(),
            clients: Clients::builtin(),
            servers: Vec::new(),
            check: Settings::default(),
        }
    }
}

impl Config {
    /// Reads the user's config and then the project's, or only the one that was named.
    pub(crate) fn read(
        options: &Options,
        environment: &Environment,
        output: &mut Terminal,
    ) -> Result<Self, Failure> {
        let mut config = Self::default();
        if let Some(path) = &options.config {
            let text = read_file(path)?
                .ok_or_else(|| Failure::new(format!("there is no config `{}`", path.display())))?;
            config.add(path, &text, Authority::User, environment, output)?;
            return Ok(config);
        }
        if let Some(path) = environment.config_folder().map(|it| it.join("config.toml"))
            && let Some(text) = read_file(&path)?
        {
            config.add(&path, &text, Authority::User, environment, output)?;
        }
        let start = options
            .root
            .as_deref()
            .unwrap_or(&environment.working_directory);
        let folders = project_folders(&environment.seen_from(start));
        for folder in folders.iter().filter(|_| !options.no_project) {
            let path = folder.join(PROJECT_FILE);
            if leads_out(&path, folders.last()) {
                let shown = environment.shorten(&path);
                return Err(Failure::new(format!(
                    "the config `{shown}` is a link that leads out of its project, and is not read"
                ))
                .hint("put the file itself there, or leave the project out with `--no-project`"));
            }
            if let Some(text) = read_file(&path)? {
                let authority = Authority::Project;
                config.add(&path, &text, authority, environment, output)?;
                break;
            }
        }
        Ok(config)
    }

    /// What was decided about single skills, as the library takes it.
    pub(crate) fn overrides(&self) -> BTreeMap<String, Override> {
        let all = self.overrides.iter();
        all.map(|(name, it)| (name.clone(), it.value)).collect()
    }

    /// Who says that scripts of this skill run.
    pub(crate) fn run_of(&self, skill: &str) -> &Setting<RunPolicy> {
        self.run_skills.get(skill).unwrap_or(&self.run)
    }

    /// Takes over what one file says; any error in it is shown, and nothing runs half configured.
    fn add(
        &mut self,
        path: &Path,
        text: &str,
        authority: Authority,
        environment: &Environment,
        output: &mut Terminal,
    ) -> Result<(), Failure> {
        let report = read::apply(self, path, text, authority, environment);
        self.files.push(path.to_path_buf());
        let shown = environment.shorten(path);
        for diagnostic in &report.diagnostics {
            output.diagnostic(diagnostic, &shown, Some(text));
        }
        if report.is_usable() {
            return Ok(());
        }
        let errors = count(report.errors(), "error");
        let first = match report.more {
            0 => String::new(),
            _ => format!(", the first {} shown", report.diagnostics.len()),
        };
        Err(
            Failure::new(format!("the config `{shown}` has {errors}{first}"))
                .hint("fix it, or name another with `--config FILE`"),
        )
    }
}

/// Whether a project's config is a link to a file outside of the project: what a repository points
/// at is not for it to show.
fn leads_out(path: &Path, project: Option<&PathBuf>) -> bool {
    // A link to nothing is no config, which is noticed when it is read.
    let Some(file) = files::real_path(path).ok().filter(|_| files::is_link(path)) else {
        return false;
    };
    let project = project.and_then(|project| files::real_path(project).ok());
    project.is_none_or(|project| !file.starts_with(project))
}

/// The text of a config; `None` where there is none.
fn read_file(path: &Path) -> Result<Option<String>, Failure> {
    match files::read_text(path, MOST_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(
            Failure::new(format!("cannot read the config `{}`", path.display()))
                .because(&error)
                .hint("fix it, or name another with `--config FILE`"),
        ),
    }
}
