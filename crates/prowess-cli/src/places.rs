//! From options, config and environment to the places that hold skills.

use std::{
    io,
    path::{Path, PathBuf},
};

use prowess::{
    Cache, Catalog, Client, DiskSource, Filter, HiddenBy, JsonlSource, Limits, Scope, Skill,
    Source, State, TrustStore, format::Profile, import_jsonl, places, project_folders,
};

use crate::{
    config::{Config, LIMITS, SetBy},
    environment::Environment,
    exit::Failure,
    files,
    nearest::{did_you_mean, nearest},
    options::Options,
    render::{count, line, list},
    trust,
};

/// So many names stand in one message.
const MOST_NAMES: usize = 5;

/// A catalog that comes through a pipe is held in memory.
const MOST_CATALOG_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// A catalog file; one that is no regular file, such as a pipe, is read now.
pub(crate) fn catalog(path: &Path, limits: &Limits) -> Result<Box<dyn Source>, Failure> {
    let cannot = |error: io::Error| {
        Failure::new(format!("cannot read the catalog `{}`", path.display())).because(&error)
    };
    if files::is_regular(path) {
        return Ok(Box::new(JsonlSource::open(path).map_err(cannot)?));
    }
    let bytes = files::read_bytes(path, MOST_CATALOG_BYTES).map_err(cannot)?;
    Ok(Box::new(import_jsonl(path, &bytes, limits)))
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

impl Request {
    /// A request that contacts no server.
    pub(crate) fn local() -> Self {
        Self {
            local: true,
            ..Self::default()
        }
    }
}

/// Where a run looks: its options over its config, seen from its environment. It only answers
/// questions; what there is to say about the answers is the session's to say.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) options: &'a Options,
    pub(crate) config: &'a Config,
    pub(crate) environment: &'a Environment,
}

impl<'a> Places<'a> {
    /// Where project folders are looked for.
    pub(crate) fn start(self) -> &'a Path {
        let root = self.options.root.as_deref();
        root.unwrap_or(&self.environment.working_directory)
    }

    /// The environment as the library takes it.
    pub(crate) fn library_environment(self) -> prowess::Environment {
        self.environment.seen_from(self.start())
    }

    /// The folders around the working directory that belong to its project, nearest first.
    pub(crate) fn project(self) -> Vec<PathBuf> {
        project_folders(&self.library_environment())
    }

    /// The repository around a path, in which links may lead anywhere.
    pub(crate) fn repository_of(self, real: &Path) -> Option<PathBuf> {
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
    pub(crate) fn client(self) -> Result<Option<&'a Client>, Failure> {
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

    /// The folders and catalogs, in order of precedence.
    pub(crate) fn sources(self, request: &Request) -> Result<Vec<Box<dyn Source>>, Failure> {
        self.named_folders_exist()?;
        let mut sources = self.folders(request)?;
        for catalog in self.catalogs() {
            sources.push(catalog?);
        }
        Ok(sources)
    }

    /// What of them can be had now: one that went away costs only itself.
    pub(crate) fn sources_at_hand(self, request: &Request) -> Vec<Box<dyn Source>> {
        let mut sources = self.folders(request).unwrap_or_default();
        sources.extend(self.catalogs().flatten());
        sources
    }

    fn folders(self, request: &Request) -> Result<Vec<Box<dyn Source>>, Failure> {
        let mut sources: Vec<Box<dyn Source>> = Vec::new();
        for source in places(&self.wanted(request)?, &self.library_environment()) {
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

    /// The catalogs; a pipe is read now.
    fn catalogs(self) -> impl Iterator<Item = Result<Box<dyn Source>, Failure>> {
        let named = self.config.catalogs.iter().map(|named| &named.path);
        let paths = self.options.catalog.iter().chain(named);
        paths.map(move |path| catalog(path, &self.config.limits))
    }

    /// The kinds of folders, as the library takes them.
    pub(crate) fn wanted(self, request: &Request) -> Result<prowess::Places, Failure> {
        let (options, config) = (self.options, self.config);
        let client = self.client()?.filter(|_| !request.every_client);
        let mut wanted = config.clients.places(client);
        if options.local {
            wanted.user.clear();
            wanted.system.clear();
        }
        if options.no_project {
            wanted.project.clear();
        }
        wanted.conventions = !options.no_project && self.conventions();
        wanted.dirs.clone_from(&options.dir);
        wanted.allowed_links.clone_from(&options.allow_link);
        let links = config.links.iter().map(|named| named.path.clone());
        wanted.allowed_links.extend(links);
        Ok(wanted)
    }

    /// Whether `AGENTS.md` and its like count: whoever names a root means all of it.
    pub(crate) fn conventions(self) -> bool {
        let by_config = self.config.conventions.value;
        self.options.conventions || by_config.unwrap_or(self.options.root.is_some())
    }

    /// A folder that was named and is not there is a slip of the one who named it.
    fn named_folders_exist(self) -> Result<(), Failure> {
        let named = [
            ("--dir", &self.options.dir),
            ("--allow-link", &self.options.allow_link),
        ];
        let named = named
            .into_iter()
            .flat_map(|(flag, paths)| paths.iter().map(move |path| (flag, path)));
        for (flag, path) in named.chain(self.options.root.iter().map(|path| ("--root", path))) {
            if let Err(error) = files::can_be_seen(path) {
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

    /// Which skills count.
    pub(crate) fn filter(self, request: &Request) -> Filter {
        Filter {
            enabled: self.skills_enabled(),
            allowed: self.config.allowed.value.clone(),
            tags: request.tags.clone(),
            overrides: self.config.overrides(),
            hidden: self.config.hidden.clone(),
        }
    }

    /// Whether skills are used at all.
    pub(crate) fn skills_enabled(self) -> bool {
        self.config.enabled.value && !self.options.no_skills
    }

    /// Where skills are kept between runs; `None` where they are not.
    pub(crate) fn cache(self) -> Option<Cache> {
        let wanted = self.config.cache.value && !self.options.no_cache;
        let folder = self.environment.cache_folder().filter(|_| wanted)?;
        Some(Cache::new(folder.join("skills")).edition(self.environment.edition))
    }

    /// What the user trusts, by command or by config.
    pub(crate) fn trusted(self) -> Result<TrustStore, Failure> {
        let mut store = trust::read(self.environment)?;
        trust::add_folders(&mut store, self.config.trusted.iter().map(|it| &it.path));
        Ok(store)
    }

    /// What settings keep out of a catalog without having been asked to by this user, now: a scan
    /// that a limit ended, what a project's config hides, and names that allow nobody.
    pub(crate) fn left_out(self, catalog: &Catalog) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(catalog.is_partial().then(|| self.ended_early()));
        notes.extend(self.hidden_by_project(catalog));
        notes.extend(self.allowed_nobody(catalog));
        notes
    }

    fn ended_early(self) -> String {
        let set: Vec<String> = LIMITS
            .iter()
            .filter_map(|(key, (get, _))| {
                let by = self.config.limits_set.get(key)?.shown(self.environment);
                Some(format!(
                    "`limits.{key}` is {} by `{by}`",
                    get(&self.config.limits)
                ))
            })
            .collect();
        let text = "a limit ended the scan early, so skills may be missing";
        match set.as_slice() {
            [] => format!("{text}; `prowess check` says where"),
            set => format!("{text}: {}", list(set)),
        }
    }

    fn hidden_by_project(self, catalog: &Catalog) -> Option<String> {
        let config = self.config;
        let decided = |skill: &&Skill| match skill.state() {
            State::Hidden(HiddenBy::Disabled) => Some(&config.enabled.by),
            State::Hidden(HiddenBy::Names) => Some(&config.allowed.by),
            State::Hidden(HiddenBy::Manual | HiddenBy::Off) => {
                config.overrides.get(skill.name()).map(|it| &it.by)
            }
            _ => None,
        };
        let is_projects = |skill: &&Skill| decided(skill).is_some_and(SetBy::is_project);
        let hidden: Vec<&Skill> = catalog.skills().iter().filter(is_projects).collect();
        let by = decided(hidden.first()?)?.shown(self.environment);
        let names = hidden.iter().take(MOST_NAMES);
        let mut names: Vec<String> = names.map(|it| format!("`{}`", line(it.name()))).collect();
        if hidden.len() > MOST_NAMES {
            names.push(format!("{} more", hidden.len() - MOST_NAMES));
        }
        Some(format!(
            "the project's config `{by}` hides {}: {}",
            count(hidden.len(), "skill"),
            list(&names)
        ))
    }

    /// A name in `skills.allowed` that no skill has: a slip where another is near, and of
    /// consequence where nothing is left.
    fn allowed_nobody(self, catalog: &Catalog) -> Option<String> {
        let allowed = self.config.allowed.value.as_ref()?;
        let names = || catalog.skills().iter().map(Skill::name);
        let unknown = allowed.iter().filter(|it| !names().any(|name| name == *it));
        let unknown: Vec<&String> = unknown.collect();
        let by = self.config.allowed.by.shown(self.environment);
        let slip = unknown.iter().find_map(|it| {
            let near = did_you_mean(&nearest(it, names()))?;
            Some(format!(
                "`{}`, which no skill here is called; {near}",
                line(it)
            ))
        });
        if let Some(slip) = slip {
            return Some(format!("`skills.allowed` in `{by}` names {slip}"));
        }
        let all = !allowed.is_empty() && unknown.len() == allowed.len();
        (all && !catalog.skills().is_empty()).then(|| {
            format!("`skills.allowed` in `{by}` names none of the skills here, so none is used")
        })
    }
}
