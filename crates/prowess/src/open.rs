//! The skills of a project and its user in one step, as the `prowess` command finds them.

use std::{fmt, path::Path, path::PathBuf, sync::Arc};

use prowess_format::Profile;

#[cfg(feature = "watch")]
use crate::live::{LiveCatalog, LiveError, LiveOptions, LivePlaces};
use crate::{
    catalog::{Catalog, Filter, LoadError, LoadOptions, NameFrom, OnError},
    limits::Limits,
    source::{
        Source,
        clients::Clients,
        disk::{is_there, read_file, real_path},
        places::{Environment, Places, places},
    },
    trust::{Trust, TrustAll, TrustNone, TrustStore},
};

/// A store with more bytes than this was not written by this program.
const MOST_STORE_BYTES: usize = 64 * 1024 * 1024;

/// Whose project skills may reach a model. What lies in the user's own folders always may.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ProjectTrust {
    /// What the user trusted with `prowess trust`, as it was then. The default.
    #[default]
    Store,
    /// Every project, whatever is in it. For a host whose user has looked, or where the project is
    /// the host's own.
    All,
    /// No project.
    None,
    /// What the host decides.
    Custom(Arc<dyn Trust + Send + Sync>),
}

impl fmt::Debug for ProjectTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Store => "Store",
            Self::All => "All",
            Self::None => "None",
            Self::Custom(_) => "Custom",
        })
    }
}

/// How the skills around a folder are opened; [`Catalog::open`] uses the defaults.
///
/// ```no_run
/// use prowess::{OpenOptions, ProjectTrust};
///
/// let catalog = OpenOptions::new()
///     .trust(ProjectTrust::All)
///     .client("claude-code")
///     .open("path/to/project")?;
/// # Ok::<(), prowess::LoadError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OpenOptions {
    environment: Option<Environment>,
    clients: Clients,
    client: Option<String>,
    dirs: Vec<PathBuf>,
    local: bool,
    conventions: bool,
    trust: ProjectTrust,
    profile: Profile,
    on_error: OnError,
    name_from: NameFrom,
    filter: Filter,
    limits: Limits,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            environment: None,
            clients: Clients::builtin(),
            client: None,
            dirs: Vec::new(),
            local: false,
            conventions: true,
            trust: ProjectTrust::default(),
            profile: Profile::default(),
            on_error: OnError::default(),
            name_from: NameFrom::default(),
            filter: Filter::default(),
            limits: Limits::default(),
        }
    }
}

impl OpenOptions {
    /// The defaults: every client's folders in project and home, convention files, and the projects
    /// that the user trusted with the command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses the folders of this client only; of all that are known unless set.
    #[must_use]
    pub fn client(mut self, name: impl Into<String>) -> Self {
        self.client = Some(name.into());
        self
    }

    /// Uses this table of clients; the one that is shipped unless set.
    #[must_use]
    pub fn clients(mut self, clients: Clients) -> Self {
        self.clients = clients;
        self
    }

    /// Adds a folder of skills that wins over all others; the last one added wins.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dirs.push(dir.into());
        self
    }

    /// Whether to leave out the folders of user and machine; `false` unless set.
    #[must_use]
    pub fn local(mut self, local: bool) -> Self {
        self.local = local;
        self
    }

    /// Whether `AGENTS.md` and its like count; `true` unless set.
    #[must_use]
    pub fn conventions(mut self, conventions: bool) -> Self {
        self.conventions = conventions;
        self
    }

    /// Whose project skills may reach a model; [`ProjectTrust::Store`] unless set.
    #[must_use]
    pub fn trust(mut self, trust: ProjectTrust) -> Self {
        self.trust = trust;
        self
    }

    /// How strictly skills are judged; `Lenient` unless set.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// What becomes of a skill with an error; what the profile stands for unless set.
    #[must_use]
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// Which name a skill answers to; its own unless set.
    #[must_use]
    pub fn name_from(mut self, name_from: NameFrom) -> Self {
        self.name_from = name_from;
        self
    }

    /// Which skills are wanted; all unless set.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// How much is looked at.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Uses these values in place of the process's own environment. Its working directory is not
    /// used: the folder that is opened takes its place.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Loads every skill that the clients of a person working in `root` would find.
    pub fn open(&self, root: impl AsRef<Path>) -> Result<Catalog, LoadError> {
        let (places_, environment) = self.places(root.as_ref())?;
        let trust = self.trust_in(&environment)?;
        let sources: Vec<Box<dyn Source>> = places(&places_, &environment)
            .into_iter()
            .map(|source| Box::new(source) as Box<dyn Source>)
            .collect();
        let options = LoadOptions {
            profile: self.profile,
            on_error: self.on_error,
            name_from: self.name_from,
            filter: self.filter.clone(),
            trust: &*trust,
            limits: self.limits.clone(),
            ..LoadOptions::default()
        };
        Catalog::load(&sources, &options)
    }

    /// The same as a catalog that follows its folders, also those that come later. The store of
    /// what is trusted is read once.
    #[cfg(feature = "watch")]
    pub fn live(&self, root: impl AsRef<Path>) -> Result<LiveCatalog, LiveError> {
        let (places, environment) = self.places(root.as_ref())?;
        let trust = self.trust_in(&environment)?;
        let options = LiveOptions {
            profile: self.profile,
            on_error: self.on_error,
            name_from: self.name_from,
            filter: self.filter.clone(),
            trust,
            limits: self.limits.clone(),
            ..LiveOptions::default()
        };
        let sources = LivePlaces {
            places,
            environment,
        };
        LiveCatalog::open(sources, options)
    }

    fn places(&self, root: &Path) -> Result<(Places, Environment), LoadError> {
        let environment = match &self.environment {
            Some(environment) => environment.clone(),
            None => Environment::of_process(),
        };
        let environment = Environment {
            working_directory: real_path(root).map_err(|source| LoadError::Root {
                path: root.to_path_buf(),
                source,
            })?,
            ..environment
        };
        let client = self.client.as_deref();
        let client = client.map(|name| self.clients.find(name)).transpose()?;
        let mut places = self.clients.places(client);
        if self.local {
            places.user.clear();
            places.system.clear();
        }
        places.conventions = self.conventions;
        places.dirs.clone_from(&self.dirs);
        Ok((places, environment))
    }

    fn trust_in(
        &self,
        environment: &Environment,
    ) -> Result<Arc<dyn Trust + Send + Sync>, LoadError> {
        Ok(match &self.trust {
            ProjectTrust::Store => Arc::new(stored(environment)?),
            ProjectTrust::All => Arc::new(TrustAll),
            ProjectTrust::None => Arc::new(TrustNone),
            ProjectTrust::Custom(trust) => Arc::clone(trust),
        })
    }
}

/// What the user has decided. A store that is not there trusts nothing, and one that cannot be
/// read is never guessed at.
fn stored(environment: &Environment) -> Result<TrustStore, LoadError> {
    let Some(path) = environment.trust_store().filter(|path| is_there(path)) else {
        return Ok(TrustStore::default());
    };
    let bytes = read_file(&path, MOST_STORE_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    TrustStore::from_json(&text).map_err(|source| LoadError::TrustStore { path, source })
}

impl Catalog {
    /// Loads the skills of the project around `root` and of its user, as the `prowess` command
    /// does: the folders of every known client from `root` up to the repository's root and in the
    /// home, flat files in `.skills`, and `AGENTS.md` with its like.
    ///
    /// Skills of a project that the user has not trusted are listed as [`State::Untrusted`] and
    /// reach no model; [`OpenOptions::trust`] decides otherwise.
    ///
    /// ```no_run
    /// use prowess::{Catalog, Policy};
    ///
    /// let catalog = Catalog::open(".")?;
    /// let selection = catalog.select("fill in this form", &Policy::default());
    /// for found in &selection.matches {
    ///     println!("{} ({:.0} %)", found.skill().name(), found.confidence * 100.0);
    /// }
    /// # Ok::<(), prowess::LoadError>(())
    /// ```
    ///
    /// [`State::Untrusted`]: crate::State::Untrusted
    pub fn open(root: impl AsRef<Path>) -> Result<Self, LoadError> {
        OpenOptions::new().open(root)
    }
}

#[cfg(test)]
mod tests;
