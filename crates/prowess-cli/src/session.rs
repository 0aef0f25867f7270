//! One run of the command: what was asked, what is set, and where to answer.

use std::{path::PathBuf, sync::Arc};

use prowess::{
    Catalog, LoadOptions, Source, Trust, TrustAll, TrustStore, discover,
    live::{LiveOptions, LivePlaces, Sources},
};
use prowess_mcp::host::Host;

use crate::{
    config::Config,
    environment::Environment,
    exit::Failure,
    options::Options,
    places::{Places, Request},
    progress::Bar,
    render::Terminal,
    servers,
    trust::{self, LiveTrust},
};

/// What a verb works with.
pub(crate) struct Session {
    pub(crate) options: Options,
    pub(crate) config: Config,
    pub(crate) environment: Environment,
    pub(crate) output: Terminal,
    /// The connections to MCP servers, once a verb asked for them.
    pub(crate) host: Option<Arc<Host>>,
}

impl Session {
    /// Where this run looks.
    pub(crate) fn places(&self) -> Places<'_> {
        Places {
            options: &self.options,
            config: &self.config,
            environment: &self.environment,
        }
    }

    /// Loads every skill the options ask for.
    pub(crate) fn load(&mut self, request: &Request) -> Result<Catalog, Failure> {
        let mut sources = self.places().sources(request)?;
        sources.extend(self.connect(request)?);
        let catalog = self.load_from(&sources, request);
        servers::report(&catalog, &[], &mut self.output);
        // A verb that judges files reports all of this itself.
        if !request.fresh {
            self.report_left_out(&catalog);
        }
        Ok(catalog)
    }

    /// Says what settings keep out of a catalog.
    pub(crate) fn report_left_out(&mut self, catalog: &Catalog) {
        for note in self.places().left_out(catalog) {
            self.output.warning(&note);
        }
    }

    /// Loads the skills of these sources.
    pub(crate) fn load_from(&mut self, sources: &[Box<dyn Source>], request: &Request) -> Catalog {
        let store;
        let trust: &dyn Trust = if self.options.trust {
            &TrustAll
        } else {
            store = self.trusted_or_nothing();
            &store
        };
        let bar = Bar::new(self.environment.stderr_terminal && !self.environment.plain);
        let options = LoadOptions {
            profile: request.profile,
            filter: self.places().filter(request),
            trust,
            look_at_untrusted: request.look_at_untrusted,
            limits: self.config.limits.clone(),
            threads: self.options.threads,
            progress: Some(bar.progress()),
            ..LoadOptions::default()
        };
        // The verbs report what is broken themselves, so nothing fails as a whole here.
        let Some(cache) = self.places().cache().filter(|_| !request.fresh) else {
            return Catalog::assemble(discover(sources, &options), &options);
        };
        let loaded = cache.load(sources, &options);
        drop(bar);
        self.output.notes(&loaded.notes);
        loaded.catalog
    }

    /// The same places and rules for a catalog that follows changes on disk.
    pub(crate) fn live(
        &mut self,
        request: &Request,
    ) -> Result<(impl Sources + use<>, LiveOptions), Failure> {
        // What is wrong with the places is reported now, and not when they change.
        self.places().sources(request)?;
        self.connect(request)?;
        let mut awaited = LivePlaces {
            places: self.places().wanted(request)?,
            environment: self.places().library_environment(),
        }
        .awaited();
        awaited.extend(self.options.catalog.iter().cloned());
        let named = self.config.catalogs.iter().chain(&self.config.dirs);
        awaited.extend(named.map(|named| named.path.clone()));
        let trust: Arc<dyn Trust + Send + Sync> = if self.options.trust {
            Arc::new(TrustAll)
        } else {
            awaited.extend(trust::store_path(&self.environment));
            // Said once, here; later a store that cannot be read simply trusts nothing.
            let store = self.trusted_or_nothing();
            let folders = self.config.trusted.iter().map(|it| it.path.clone());
            Arc::new(LiveTrust::new(store, folders.collect(), &self.environment))
        };
        let options = LiveOptions {
            profile: request.profile,
            filter: self.places().filter(request),
            trust,
            limits: self.config.limits.clone(),
            threads: self.options.threads,
            cache: self.places().cache(),
            ..LiveOptions::default()
        };
        let sources = LiveSources {
            options: self.options.clone(),
            config: self.config.clone(),
            environment: self.environment.clone(),
            host: self.host.clone().filter(|_| !request.local),
            request: request.clone(),
            awaited,
        };
        Ok((sources, options))
    }

    /// One source for each server to be asked. They are all asked at once, while the folders are
    /// read.
    fn connect(&mut self, request: &Request) -> Result<Vec<Box<dyn Source>>, Failure> {
        if request.local || !self.places().skills_enabled() {
            return Ok(Vec::new());
        }
        if self.host.is_none() {
            let chosen = self.servers()?;
            if chosen.is_empty() {
                return Ok(Vec::new());
            }
            self.host = Some(Arc::new(servers::open_host(chosen, &self.environment)?));
        }
        Ok(self.host.as_deref().map(Host::sources).unwrap_or_default())
    }

    /// What the user trusts; nothing of projects where that cannot be told, and a word about it.
    fn trusted_or_nothing(&mut self) -> TrustStore {
        self.places().trusted().unwrap_or_else(|failure| {
            failure.report(&mut self.output);
            self.output
                .hint("until that is fixed no project is trusted");
            TrustStore::default()
        })
    }

    /// The servers to be asked.
    pub(crate) fn servers(&mut self) -> Result<Vec<prowess_mcp::host::ServerConfig>, Failure> {
        let places = Places {
            options: &self.options,
            config: &self.config,
            environment: &self.environment,
        };
        servers::chosen(places, &mut self.output)
    }
}

/// The places of a run, to be looked at again and again.
struct LiveSources {
    options: Options,
    config: Config,
    environment: Environment,
    host: Option<Arc<Host>>,
    request: Request,
    awaited: Vec<PathBuf>,
}

impl Sources for LiveSources {
    fn sources(&self) -> Vec<Box<dyn Source>> {
        let places = Places {
            options: &self.options,
            config: &self.config,
            environment: &self.environment,
        };
        let mut sources = places.sources_at_hand(&self.request);
        sources.extend(self.host.iter().flat_map(|host| host.sources()));
        sources
    }

    fn awaited(&self) -> Vec<PathBuf> {
        self.awaited.clone()
    }
}
