//! From options, config and environment to the sources, and from those to a catalog.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use prowess::{
    Cache, Catalog, Decision, DiskSource, Filter, LoadOptions, Origin, Places, Scope, Source,
    Trust, TrustAll, TrustStore, discover,
    format::Profile,
    import_jsonl,
    live::{LiveOptions, LivePlaces, Sources},
    places, project_folders,
    trust::Seal,
};

use prowess_mcp::host::Host;

use crate::{
    args::Options,
    config::{Config, From},
    environment::Environment,
    exit::Failure,
    files,
    nearest::did_you_mean,
    progress::Bar,
    render::Output,
    trust,
};

/// A catalog of 100,000 skills of 6 KB fits; more is read in parts.
const MOST_CATALOG_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// One run of the command: what was asked, what is set, and where to answer.
pub(crate) struct Session {
    pub(crate) options: Options,
    pub(crate) config: Config,
    pub(crate) environment: Environment,
    pub(crate) output: Output,
    /// The connections to MCP servers, once a verb asked for them.
    pub(crate) host: Option<Arc<Host>>,
}

impl Session {
    /// Where project folders are looked for.
    pub(crate) fn working_directory(&self) -> &Path {
        self.options
            .root
            .as_deref()
            .unwrap_or(&self.environment.working_directory)
    }

    /// The environment as the library takes it.
    pub(crate) fn library_environment(&self) -> prowess::Environment {
        self.environment.seen_from(self.working_directory())
    }

    /// The folders around the working directory that belong to its project, nearest first.
    pub(crate) fn project(&self) -> Vec<PathBuf> {
        project_folders(&self.library_environment())
    }

    /// The repository around a path, in which links may lead anywhere.
    pub(crate) fn repository_of(&self, real: &Path) -> Option<PathBuf> {
        let folder = if files::is_folder(real) {
            real
        } else {
            real.parent()?
        };
        let folders = project_folders(&self.environment.seen_from(folder));
        // Without a repository the folder stands alone.
        folders
            .last()
            .filter(|root| files::is_there(&root.join(".git")))
            .cloned()
    }

    /// The client whose folders count, where one was named.
    pub(crate) fn client(&self) -> Result<Option<&prowess::Client>, Failure> {
        let named = self.options.client.as_ref();
        let Some(name) = named.or(self.config.client.value.as_ref()) else {
            return Ok(None);
        };
        self.config.clients.find(name).map(Some).map_err(|unknown| {
            let near = unknown.similar.as_deref();
            let hint = did_you_mean(near.as_slice());
            let all = format!(
                "`prowess clients` shows all {}",
                self.config.clients.iter().count()
            );
            Failure::usage(unknown.to_string())
                .hint(hint.map_or(all.clone(), |it| format!("{it} {all}")))
        })
    }

    /// Loads every skill the options ask for.
    pub(crate) fn load(&mut self, request: &Request) -> Result<Catalog, Failure> {
        let mut sources = self.sources(request)?;
        sources.extend(self.servers(request)?);
        let catalog = self.load_from(&sources, request);
        self.tell_servers(&catalog);
        Ok(catalog)
    }

    /// Loads the skills of these sources.
    pub(crate) fn load_from(&mut self, sources: &[Box<dyn Source>], request: &Request) -> Catalog {
        let store;
        let trust: &dyn Trust = if self.options.trust {
            &TrustAll
        } else {
            store = self.trusted_or_none();
            &store
        };
        let bar = Bar::new(self.environment.stderr_terminal && !self.environment.plain);
        let options = LoadOptions {
            profile: request.profile,
            filter: self.filter(request),
            trust,
            look_at_untrusted: request.look_at_untrusted,
            limits: self.config.limits.clone(),
            threads: self.options.threads,
            progress: Some(bar.progress()),
        };
        // The verbs tell what is broken themselves, so nothing fails as a whole here.
        let Some(cache) = self.cache().filter(|_| !request.fresh) else {
            return Catalog::assemble(discover(sources, &options), &options);
        };
        let loaded = cache.load(sources, &options);
        drop(bar);
        for note in loaded.notes {
            self.output.message(&format!("note: {note}\n"));
        }
        loaded.catalog
    }

    /// Where skills are kept between runs; `None` where they are not.
    fn cache(&self) -> Option<Cache> {
        let wanted = self.config.cache.value && !self.options.no_cache;
        let folder = self.environment.cache_folder().filter(|_| wanted)?;
        Some(Cache::new(folder.join("skills")).edition(self.environment.edition))
    }

    /// What the user trusts; nothing of projects where that cannot be told, and a word about it.
    fn trusted_or_none(&mut self) -> TrustStore {
        self.trusted().unwrap_or_else(|failure| {
            let told = failure.render(self.output.message_paint);
            self.output.message(&told);
            self.output
                .hint("until that is mended no project is trusted");
            TrustStore::default()
        })
    }

    /// What the user trusts, by command or by config.
    pub(crate) fn trusted(&self) -> Result<TrustStore, Failure> {
        let mut store = trust::read(&self.environment)?;
        for named in &self.config.trusted {
            // A folder that is not there has no skills to trust.
            if let Ok(real) = files::real_path(&named.path) {
                store.trust_folder(real);
            }
        }
        Ok(store)
    }

    /// The places to look into, in order of precedence.
    pub(crate) fn sources(&self, request: &Request) -> Result<Vec<Box<dyn Source>>, Failure> {
        self.named_folders_exist()?;
        let mut sources = self.folders(request)?;
        for catalog in self.catalogs() {
            sources.push(catalog?);
        }
        Ok(sources)
    }

    /// The folders among the places.
    fn folders(&self, request: &Request) -> Result<Vec<Box<dyn Source>>, Failure> {
        let mut sources: Vec<Box<dyn Source>> = Vec::new();
        for source in places(&self.places(request)?, &self.library_environment()) {
            sources.push(Box::new(source));
        }
        for named in &self.config.dirs {
            let scope = if named.project {
                Scope::Project
            } else {
                Scope::User
            };
            let source = DiskSource::new(&named.path)
                .scope(scope)
                .label("config")
                .repository(self.project().pop().filter(|_| named.project));
            sources.push(Box::new(source));
        }
        Ok(sources)
    }

    /// The catalogs among the places, each read now.
    fn catalogs(&self) -> impl Iterator<Item = Result<Box<dyn Source>, Failure>> {
        let named = self.config.catalogs.iter().map(|named| &named.path);
        self.options.catalog.iter().chain(named).map(|path| {
            let bytes = files::read_bytes(path, MOST_CATALOG_BYTES).map_err(|error| {
                Failure::new(format!("cannot read the catalog `{}`", path.display()))
                    .because(&error)
            })?;
            let source = import_jsonl(path, &bytes, &self.config.limits);
            Ok(Box::new(source) as Box<dyn Source>)
        })
    }

    /// The same places and rules for a catalog that follows changes on disk.
    pub(crate) fn live(
        &mut self,
        request: &Request,
    ) -> Result<(impl Sources + use<>, LiveOptions), Failure> {
        // What is wrong with the places is told now, and not when they change.
        self.sources(request)?;
        self.servers(request)?;
        let mut awaited = LivePlaces {
            places: self.places(request)?,
            environment: self.library_environment(),
        }
        .awaited();
        awaited.extend(self.options.catalog.iter().cloned());
        let named = self.config.catalogs.iter().chain(&self.config.dirs);
        awaited.extend(named.map(|named| named.path.clone()));
        let trust: Arc<dyn Trust + Send + Sync> = if self.options.trust {
            Arc::new(TrustAll)
        } else {
            // Said once, here; later a store that cannot be read simply trusts nothing.
            self.trusted_or_none();
            awaited.extend(trust::store_path(&self.environment));
            Arc::new(LiveTrust::new(&self.config, &self.environment))
        };
        let options = LiveOptions {
            profile: request.profile,
            filter: self.filter(request),
            trust,
            limits: self.config.limits.clone(),
            threads: self.options.threads,
            ..LiveOptions::default()
        };
        let seen = SessionSources {
            session: Self {
                options: self.options.clone(),
                config: self.config.clone(),
                environment: self.environment.clone(),
                output: Output::new(&self.environment, self.options.color),
                host: self.host.clone(),
            },
            request: request.clone(),
            awaited,
        };
        Ok((seen, options))
    }

    fn filter(&self, request: &Request) -> Filter {
        Filter {
            enabled: self.config.enabled.value && !self.options.no_skills,
            allowed: self.config.allowed.value.clone(),
            tags: request.tags.clone(),
            overrides: self.config.overrides(),
            hidden: self.config.hidden.clone(),
        }
    }

    fn places(&self, request: &Request) -> Result<Places, Failure> {
        let client = self.client()?.filter(|_| !request.every_client);
        let mut wanted = self.config.clients.places(client);
        if self.options.local {
            wanted.user.clear();
            wanted.system.clear();
        }
        if self.options.no_project {
            wanted.project.clear();
        }
        let asked = self.options.conventions;
        let by_config = self.config.conventions.value;
        wanted.conventions =
            !self.options.no_project && (asked || by_config.unwrap_or(self.options.root.is_some()));
        wanted.dirs.clone_from(&self.options.dir);
        wanted.allowed_links.clone_from(&self.options.allow_link);
        let links = self.config.links.iter().map(|named| named.path.clone());
        wanted.allowed_links.extend(links);
        Ok(wanted)
    }

    /// A folder that was named and is not there is a slip of the one who named it.
    fn named_folders_exist(&self) -> Result<(), Failure> {
        let named = [
            ("--dir", &self.options.dir),
            ("--allow-link", &self.options.allow_link),
        ];
        let named = named
            .into_iter()
            .flat_map(|(flag, paths)| paths.iter().map(move |path| (flag, path)));
        for (flag, path) in named.chain(self.options.root.iter().map(|path| ("--root", path))) {
            if let Err(error) = files::real_path(path) {
                let failure = Failure::new(format!("cannot look into `{}`", path.display()));
                return Err(if error.kind() == io::ErrorKind::NotFound {
                    failure.hint(format!("`{flag}` names a folder that is not there"))
                } else {
                    failure.because(&error)
                });
            }
        }
        Ok(())
    }

    /// Where a value came from, as a person reads it.
    pub(crate) fn told(&self, from: &From) -> String {
        match from {
            From::Default => "default".to_owned(),
            From::File(path) => self.environment.shorten(path),
        }
    }
}

/// The places of a run, to be looked at again and again.
struct SessionSources {
    session: Session,
    request: Request,
    awaited: Vec<PathBuf>,
}

impl Sources for SessionSources {
    fn sources(&self) -> Vec<Box<dyn Source>> {
        // What was there at the start may be gone now; the others still count.
        let mut sources = self.session.folders(&self.request).unwrap_or_default();
        sources.extend(self.session.catalogs().flatten());
        if let Some(host) = self.session.host.as_deref().filter(|_| !self.request.local) {
            sources.extend(host.sources());
        }
        sources
    }

    fn awaited(&self) -> Vec<PathBuf> {
        self.awaited.clone()
    }
}

/// What the user trusts at the moment, read again whenever the places are judged.
struct LiveTrust {
    folders: Vec<PathBuf>,
    environment: Environment,
    store: RwLock<Arc<TrustStore>>,
}

impl LiveTrust {
    fn new(config: &Config, environment: &Environment) -> Self {
        Self {
            folders: config.trusted.iter().map(|it| it.path.clone()).collect(),
            environment: environment.clone(),
            store: RwLock::default(),
        }
    }

    fn store(&self) -> Arc<TrustStore> {
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&store)
    }
}

impl Trust for LiveTrust {
    fn decide(&self, origin: &Origin) -> Decision {
        let mut store = trust::read(&self.environment).unwrap_or_default();
        for folder in &self.folders {
            if let Ok(real) = files::real_path(folder) {
                store.trust_folder(real);
            }
        }
        let decision = store.decide(origin);
        *self.store.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(store);
        decision
    }

    fn knows(&self, path: &Path) -> bool {
        self.store().knows(path)
    }

    fn decide_skill(&self, path: &Path, seal: Option<&Seal>) -> Decision {
        self.store().decide_skill(path, seal)
    }
}

/// What a verb needs from a load.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each answers a question of its own"
)]
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// How strictly skills are judged.
    pub(crate) profile: Profile,
    /// Tags of which a skill must have one.
    pub(crate) tags: Vec<String>,
    /// Read what is not trusted too, to show it to a person. Nothing of it may reach a model.
    pub(crate) look_at_untrusted: bool,
    /// Look where every client looks, though one was named.
    pub(crate) every_client: bool,
    /// Read every skill from its own file: the verb judges files.
    pub(crate) fresh: bool,
    /// Contact no server: the verb is about files.
    pub(crate) local: bool,
}
