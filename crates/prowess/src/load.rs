//! From sources to skills: one loader for a first load, for a start from a cache, and for a
//! catalog that follows its places.
//!
//! Every source becomes a [`Root`]. Its place is judged before anything in it is opened, its files
//! are read, parsed and hashed where they are found, and each skill is judged by its place or by
//! its own files. A root that remembers (for a cache or a live catalog) is looked at again for the
//! price of what changed.

use std::{
    cell::OnceCell,
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use prowess_format::{convention, rules};

use crate::{
    cache::Cache,
    catalog::{Catalog, Discovery, LoadError, LoadOptions, NameFrom},
    display::display_path,
    observe,
    skill::{Skill, State},
    source::{
        Effort, Finding, Gate, Layout, Origin, Progress, ScanRequest, Scope, SkillFile, Source,
        disk::{
            DiskSource, is_folder, is_there, real_path,
            tree::{Dirty, FolderTree, TreeChange},
        },
        installed::Installed,
        note, within,
    },
    store::Unusable,
    trust::TrustDecision,
};

/// Scans every source and reads what it yields.
pub fn discover(sources: &[Box<dyn Source>], options: &LoadOptions<'_>) -> Discovery {
    let mut loader = Loader::new(options, None);
    discovery(&loader.open_all(sources), options)
}

impl Catalog {
    /// Loads every skill of these sources. Precedence is by scope; within one scope the earlier
    /// source wins, except that of explicit sources the later one does.
    pub fn load(sources: &[Box<dyn Source>], options: &LoadOptions<'_>) -> Result<Self, LoadError> {
        let span = observe::load(sources.len()).entered();
        let catalog = Self::assemble(discover(sources, options), options).observed(&span);
        if options.is_all_or_none() {
            let findings = catalog.errors();
            if !findings.is_empty() {
                let error = LoadError::Broken { findings };
                observe::load_failed(&span, &error);
                return Err(error);
            }
        }
        Ok(catalog)
    }

    /// Loads folders leniently; where two have a skill of one name, the later folder wins.
    ///
    /// A skill is a folder with a `SKILL.md`. Flat files in `.skills` and convention files such as
    /// `AGENTS.md` are not loaded, and [`Catalog::findings`] says so; [`Catalog::open`] takes a
    /// whole project with them.
    pub fn from_dirs<P: AsRef<Path>>(dirs: impl IntoIterator<Item = P>) -> Self {
        let options = LoadOptions::default();
        let (mut sources, mut left_out): (Vec<Box<dyn Source>>, _) = (Vec::new(), Vec::new());
        for dir in dirs {
            left_out.extend(not_loaded(dir.as_ref(), &options));
            sources.push(Box::new(DiskSource::new(dir.as_ref())));
        }
        let span = observe::load(sources.len()).entered();
        let mut discovery = discover(&sources, &options);
        discovery.findings.extend(left_out);
        Self::assemble(discovery, &options).observed(&span)
    }
}

/// The skills of a project's root that lie in no folder of their own.
fn not_loaded(dir: &Path, options: &LoadOptions<'_>) -> Vec<Finding> {
    let flat = DiskSource::new(dir.join(".skills")).layout(Layout::Flat);
    let mut paths: Vec<PathBuf> = Vec::new();
    if is_folder(&dir.join(".skills")) {
        let flat = discover(&[Box::new(flat) as Box<dyn Source>], options);
        let flat = flat.skills.iter().filter(|it| it.layout() == Layout::Flat);
        paths.extend(flat.map(|skill| skill.path().to_path_buf()));
    }
    let names = convention::ANYWHERE.iter().chain([&convention::AT_ROOT]);
    paths.extend(names.map(|name| dir.join(name)).filter(|it| is_there(it)));
    paths.sort();
    let paths = paths.into_iter();
    let found = paths.filter_map(|path| {
        let message = format!(
            "`{}` is not loaded: only folders with a `SKILL.md` are",
            display_path(&path)
        );
        let help = "open the project as a whole, with `Catalog::open`";
        let diagnostic = note(&rules::loose_file::RULE, options.profile, message, help)?;
        Some(Finding { path, diagnostic })
    });
    found.collect()
}

/// A catalog, and what became of its cache.
#[derive(Debug)]
pub struct CachedLoad {
    /// The catalog, the same as without a cache.
    pub catalog: Catalog,
    /// What a person may want to know: a cache that was damaged, or could not be written.
    pub notes: Vec<String>,
    /// How many skills were read from their own files.
    pub read: usize,
}

impl Cache {
    /// Loads every skill of these sources, reading only what changed since the last time.
    ///
    /// Never fails as a whole, like [`Catalog::assemble`]; what is broken is in the catalog.
    pub fn load(&self, sources: &[Box<dyn Source>], options: &LoadOptions<'_>) -> CachedLoad {
        let span = observe::load(sources.len()).entered();
        let mut loader = Loader::new(options, Some(self));
        let roots = loader.open_all(sources);
        CachedLoad {
            catalog: loader.catalog(&roots).observed(&span),
            notes: loader.notes,
            read: loader.read,
        }
    }
}

/// Opens sources, with a cache where there is one.
pub(crate) struct Loader<'a> {
    options: &'a LoadOptions<'a>,
    cache: Option<&'a Cache>,
    /// Whether roots are looked at again later.
    follow: bool,
    effort: Effort,
    /// What a person may want to know of the cache.
    pub(crate) notes: Vec<String>,
    /// How many skills were read from their own files.
    pub(crate) read: usize,
    working_directory: OnceCell<Option<PathBuf>>,
}

/// One source, as it was last seen.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) origin: Arc<Origin>,
    decision: TrustDecision,
    /// Sorted by path where the root remembers, and in no order elsewhere.
    skills: Vec<Skill>,
    findings: Vec<Finding>,
    partial: bool,
    /// What is needed to look again.
    memory: Option<Memory>,
    /// Everything its scan depended on, apart from what lies on disk.
    key: String,
    /// Where its skills came from.
    installed: Installed,
}

#[derive(Debug)]
struct Memory {
    disk: DiskSource,
    tree: FolderTree,
}

/// What a look changed.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Skills that are gone or were read anew; see [`Skill::reading`].
    pub(crate) removed: HashSet<usize>,
    /// Where the skills stand that are new or were read anew, among those of the root.
    pub(crate) added: Vec<usize>,
    pub(crate) tree: TreeChange,
    /// How many files were read.
    read: usize,
}

impl Difference {
    #[cfg(feature = "watch")]
    pub(crate) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty() && !self.tree.findings
    }
}

impl<'a> Loader<'a> {
    pub(crate) fn new(options: &'a LoadOptions<'a>, cache: Option<&'a Cache>) -> Self {
        Self {
            options,
            cache,
            follow: false,
            effort: Effort::start(),
            notes: Vec::new(),
            read: 0,
            working_directory: OnceCell::new(),
        }
    }

    /// The same, for a catalog that looks again.
    #[cfg(feature = "watch")]
    pub(crate) fn following(options: &'a LoadOptions<'a>, cache: Option<&'a Cache>) -> Self {
        Self {
            follow: true,
            ..Self::new(options, cache)
        }
    }

    fn open_all(&mut self, sources: &[Box<dyn Source>]) -> Vec<Root> {
        let sources: Vec<&dyn Source> = sources.iter().map(|source| &**source).collect();
        self.open_each(&sources, |_| None)
    }

    /// Reads sources, and gives a root for each. What a project holds comes last: it must not use
    /// up the time and the entries that the user's own skills need.
    pub(crate) fn open_each(
        &mut self,
        sources: &[&dyn Source],
        mut before: impl FnMut(&dyn Source) -> Option<Root>,
    ) -> Vec<Root> {
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&at| sources[at].origin().scope == Scope::Project);
        let mut roots: Vec<(usize, Root)> = Vec::with_capacity(sources.len());
        for at in order {
            let known = before(sources[at]);
            roots.push((at, self.open(sources[at], known)));
        }
        roots.sort_by_key(|(at, _)| *at);
        roots.into_iter().map(|(_, root)| root).collect()
    }

    /// Reads a source; what is known of it from before, or from a cache, is not read again.
    fn open(&mut self, source: &dyn Source, before: Option<Root>) -> Root {
        // The decision comes first: a place is judged before anything in it is opened.
        let decision = self.options.trust.decide(source.origin());
        let disk = source.as_disk(within::Crate);
        let key = self.cache.map(|_| self.key(source, disk));
        let mut root = Root {
            origin: Arc::clone(source.origin()),
            decision,
            skills: Vec::new(),
            findings: Vec::new(),
            partial: false,
            memory: None,
            key: key.unwrap_or_default(),
            installed: Installed::default(),
        };
        let may_read = decision == TrustDecision::Trusted || self.options.look_at_untrusted;
        if may_read && disk.is_some() {
            root.installed = Installed::near(source.origin());
        }
        // Of a place that is not trusted, what may be read differs from skill to skill and from
        // day to day: nothing of it is taken over or cached.
        let trusted = decision == TrustDecision::Trusted;
        let cache = self.cache.filter(|_| trusted);
        let cache = cache.filter(|_| disk.is_some_and(DiskSource::can_be_cached));
        match disk.filter(|_| self.follow || cache.is_some()) {
            Some(disk) => self.look_first(&mut root, disk, before, cache),
            None => self.scan(&mut root, source),
        }
        root
    }

    /// Reads a source as a whole.
    fn scan(&mut self, root: &mut Root, source: &dyn Source) {
        let skills = Mutex::new(Vec::new());
        let scan = requesting(root.decision, self.options, &self.effort, |request| {
            source.scan(request, &|file: SkillFile<'_>| {
                let mut skill = read_skill(file, self.options);
                if let Some(remote) = source.remote(skill.path()) {
                    skill.set_remote(remote);
                }
                request.progress.skills.fetch_add(1, Ordering::Relaxed);
                let mut skills = skills.lock().unwrap_or_else(PoisonError::into_inner);
                skills.push(skill);
            })
        });
        root.skills = skills.into_inner().unwrap_or_else(PoisonError::into_inner);
        root.findings = scan.findings;
        root.partial = scan.partial;
        // What waits for trust is found and not opened.
        let opened = root.skills.iter().filter(|skill| skill.hash().is_some());
        self.read += opened.count();
    }

    /// Looks at folders with what is known of them, and saves them where that is worth it.
    fn look_first(
        &mut self,
        root: &mut Root,
        disk: &DiskSource,
        before: Option<Root>,
        cache: Option<&Cache>,
    ) {
        let trusted = TrustDecision::Trusted;
        let before = before.filter(|it| (it.decision, root.decision) == (trusted, trusted));
        let keep = before.is_some();
        let mut tree = FolderTree::default();
        let mut age = None;
        if let Some(Root {
            skills,
            memory: Some(memory),
            ..
        }) = before
        {
            (root.skills, tree) = (skills, memory.tree);
        } else if let Some(cache) = cache {
            match cache.recall(&root.key, &root.origin, self.options.profile) {
                Ok(recalled) => {
                    (root.skills, tree) = (recalled.skills, recalled.tree);
                    age = Some(recalled.age);
                }
                Err(Unusable::Damaged) => self.notes.push(format!(
                    "the cache `{}` is damaged and is made anew",
                    display_path(&cache.path(&root.key))
                )),
                Err(Unusable::Missing | Unusable::Foreign) => {}
            }
        }
        root.memory = Some(Memory {
            disk: disk.clone(),
            tree,
        });
        let difference = root.look(self.options, &self.effort, None, keep);
        self.read += difference.read;
        let (Some(cache), Some(memory), false) = (cache, &root.memory, keep) else {
            return;
        };
        let changed = difference.read + difference.removed.len();
        if cache.is_worth_saving(&memory.tree, age, changed, difference.tree.stamps)
            && let Err(error) = cache.save(&root.key, &root.skills, &memory.tree)
        {
            self.notes.push(format!(
                "the cache `{}` cannot be written: {error}",
                display_path(&cache.path(&root.key))
            ));
        }
    }

    /// A catalog of these roots, whose index is kept in the cache once somebody searches.
    pub(crate) fn catalog(&self, roots: &[Root]) -> Catalog {
        let mut catalog = Catalog::assemble(discovery(roots, self.options), self.options);
        if let Some(cache) = self.cache {
            let keys: Vec<&str> = roots.iter().map(|root| &*root.key).collect();
            cache.keep_index(&mut catalog, &keys.join("\n"));
        }
        catalog
    }

    /// Everything a scan depends on, apart from what lies on disk.
    fn key(&self, source: &dyn Source, disk: Option<&DiskSource>) -> String {
        let Some(disk) = disk else {
            return format!("{:?}", source.origin());
        };
        let relative = disk.origin().root.is_relative();
        let here = || real_path(Path::new(".")).ok();
        let here = relative.then(|| self.working_directory.get_or_init(here));
        let options = self.options;
        format!(
            "{disk:?} {here:?} {} {:?} {:?}",
            options.profile.as_str(),
            options.name_from,
            options.limits
        )
    }
}

impl Root {
    /// Looks again: at what was announced, or at all stamps. With `keep`, a skill whose file broke
    /// stays as it was. A root that does not remember is left alone.
    pub(crate) fn look(
        &mut self,
        options: &LoadOptions<'_>,
        effort: &Effort,
        dirty: Option<&Dirty>,
        keep: bool,
    ) -> Difference {
        let Some(Memory { disk, tree }) = &mut self.memory else {
            return Difference::default();
        };
        let fresh = Mutex::new(Vec::new());
        let read = AtomicUsize::new(0);
        let change = requesting(self.decision, options, effort, |request| {
            tree.look(disk, request, dirty, &|file: SkillFile<'_>| {
                let skill = read_skill(file, options);
                request.progress.skills.fetch_add(1, Ordering::Relaxed);
                if skill.hash().is_some() {
                    read.fetch_add(1, Ordering::Relaxed);
                }
                let mut fresh = fresh.lock().unwrap_or_else(PoisonError::into_inner);
                fresh.push(skill);
            })
        });
        self.partial = tree.is_partial();
        let mut fresh: Vec<Skill> = fresh.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A folder may be looked at twice in one go; what the second look did not find is gone.
        fresh.retain(|skill| tree.has_file(skill.path()));
        let mut difference = Difference {
            read: read.into_inner(),
            tree: change,
            ..Difference::default()
        };
        self.merge(fresh, keep, &mut difference);
        difference
    }

    /// Puts what was read in the place of what was known. Both are in the order of paths.
    fn merge(&mut self, mut fresh: Vec<Skill>, keep: bool, difference: &mut Difference) {
        if fresh.is_empty() && difference.tree.files_gone.is_empty() {
            return;
        }
        fresh.sort_by(|a, b| a.path().cmp(b.path()));
        fresh.dedup_by(|later, earlier| {
            let same = later.path() == earlier.path();
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        let old = std::mem::take(&mut self.skills);
        let mut all = Vec::with_capacity(old.len() + fresh.len());
        let Difference {
            removed,
            added,
            tree,
            ..
        } = difference;
        let mut fresh = fresh.into_iter().peekable();
        for skill in old {
            while let Some(new) = fresh.next_if(|new| new.path() < skill.path()) {
                added.push(all.len());
                all.push(new);
            }
            match fresh.next_if(|new| new.path() == skill.path()) {
                Some(new) => {
                    let new = replacement(&skill, new, keep);
                    if !(new.shares_content(&skill) && new.stale == skill.stale) {
                        removed.insert(skill.reading());
                        added.push(all.len());
                    }
                    all.push(new);
                }
                None if tree.files_gone.contains(skill.path()) => {
                    removed.insert(skill.reading());
                }
                None => all.push(skill),
            }
        }
        for new in fresh {
            added.push(all.len());
            all.push(new);
        }
        self.skills = all;
    }
}

/// Reads a file that a source found.
fn read_skill(file: SkillFile<'_>, options: &LoadOptions<'_>) -> Skill {
    let mut skill = Skill::read(file, options.profile);
    if options.name_from == NameFrom::Folder {
        skill.use_folder_name();
    }
    skill
}

/// What to use once a file was read again: the skill from before, where the file reads the same
/// or may not break it.
fn replacement(old: &Skill, new: Skill, keep: bool) -> Skill {
    if old.stale.is_none() && old.reads_like(&new) {
        old.clone()
    } else if keep && new.state() == State::Broken && old.state() != State::Broken {
        old.kept_instead_of(&new)
    } else {
        new
    }
}

#[cfg(feature = "watch")]
impl Root {
    /// Whether this is the root of a source.
    pub(crate) fn is_of(&self, source: &dyn Source) -> bool {
        let own = self.memory.as_ref().map(|memory| &memory.disk);
        own.is_some() && own == source.as_disk(within::Crate)
    }

    /// The folders it was seen with; `None` for a source that can only be read as a whole.
    pub(crate) fn tree(&self) -> Option<&FolderTree> {
        self.memory.as_ref().map(|memory| &memory.tree)
    }

    /// Looks at what was announced; `None` where that is nothing of this root.
    pub(crate) fn look_at(
        &mut self,
        options: &LoadOptions<'_>,
        effort: &Effort,
        dirty: &Dirty,
    ) -> Option<Difference> {
        let tree = self.tree()?;
        let announced = dirty.keys().filter(|path| tree.folder(path).is_some());
        let announced: Vec<PathBuf> = announced.cloned().collect();
        let dirty = match announced.len() {
            0 => return None,
            1 => Some(dirty),
            // Folders looked at one by one, by name, could be of two kinds if one above them is
            // swapped meanwhile. A look from the root down sees one kind.
            _ => None,
        };
        let mut difference = self.look(options, effort, dirty, true);
        // What is no skill's own file has no stamp here, and was announced all the same.
        difference.tree.folders.extend(announced);
        Some(difference)
    }

    /// The skills to put into the next snapshot, judged: those that are new, and those to judge
    /// again because something in their folders may have changed. Where a place asks, a skill is
    /// trusted by all of its files, not by the one that was read.
    pub(crate) fn updated(
        &self,
        difference: &mut Difference,
        place: usize,
        options: &LoadOptions<'_>,
    ) -> Vec<Skill> {
        let mut at: Vec<usize> = std::mem::take(&mut difference.added);
        for touched in self.touched(&difference.tree) {
            if !at.contains(&touched) {
                difference.removed.insert(self.skills[touched].reading());
                at.push(touched);
            }
        }
        let placed = |at: usize| self.placed(self.skills[at].clone(), place, options);
        at.into_iter().map(placed).collect()
    }

    fn touched(&self, change: &TreeChange) -> Vec<usize> {
        let Some(tree) = self.tree().filter(|_| self.decision == TrustDecision::Ask) else {
            return Vec::new();
        };
        let mut homes: Vec<&Path> = Vec::new();
        for path in &change.folders {
            let node = tree.folder(path);
            let inside = node.and_then(|node| node.here.inside.as_deref());
            homes.push(inside.unwrap_or(path));
        }
        // A folder of a skill that is gone was a file of it, too.
        let gone = change.folders_gone.iter();
        let above = gone.flat_map(|path| path.ancestors().skip(1));
        homes.extend(above.filter(|path| tree.folder(path).is_some()));
        homes.sort();
        homes.dedup();
        let nodes = homes.into_iter().filter_map(|path| tree.folder(path));
        let paths = nodes.flat_map(|node| {
            let files = node.files.iter();
            files.map(|file| node.here.path.join(&file.name))
        });
        let find = |path: PathBuf| self.skills.binary_search_by(|it| it.path().cmp(&path));
        paths.filter_map(|path| find(path).ok()).collect()
    }

    /// The folder or file it is opened at, where that is on disk, also one that is not there.
    pub(crate) fn place(&self) -> Option<PathBuf> {
        self.memory.as_ref()?;
        let real = self.origin.real_root.as_ref();
        Some(real.unwrap_or(&self.origin.root).clone())
    }
}

impl Root {
    /// A skill of this root as part of a catalog, in which the root has this place.
    fn placed(&self, mut skill: Skill, place: usize, options: &LoadOptions<'_>) -> Skill {
        skill.source = place as u32;
        if !self.installed.is_empty() {
            let path = skill.absolute_path();
            let folder = path.parent();
            skill.installed = folder.and_then(|folder| self.installed.from(folder));
        }
        judge(&mut skill, self.decision, options);
        skill
    }
}

/// Everything the roots hold, to be made a catalog.
fn discovery(roots: &[Root], options: &LoadOptions<'_>) -> Discovery {
    let mut all = Discovery {
        findings: findings(roots),
        partial: is_partial(roots),
        ..Discovery::default()
    };
    for (place, root) in roots.iter().enumerate() {
        let placed = |skill: &Skill| root.placed(skill.clone(), place, options);
        all.skills.extend(root.skills.iter().map(placed));
        all.origins.push(Arc::clone(&root.origin));
    }
    all
}

/// What was noticed about paths that are no skill, in the order every reader sees: threads finish
/// in any.
pub(crate) fn findings(roots: &[Root]) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for root in roots {
        all.extend(root.findings.iter().cloned());
        let tree = root.memory.as_ref().map(|memory| &memory.tree);
        all.extend(tree.into_iter().flat_map(FolderTree::findings).cloned());
    }
    all.sort_by(|a, b| order(a).cmp(&order(b)));
    all
}

fn order(finding: &Finding) -> (&PathBuf, &'static str, &str) {
    let diagnostic = &finding.diagnostic;
    (&finding.path, diagnostic.code, &diagnostic.message)
}

pub(crate) fn is_partial(roots: &[Root]) -> bool {
    roots.iter().any(|root| root.partial)
}

/// Asks a place for its skills. Where it is not trusted, only what the user has looked at before
/// is opened, unless all is to be shown.
fn requesting<T>(
    place: TrustDecision,
    options: &LoadOptions<'_>,
    effort: &Effort,
    scan: impl FnOnce(&ScanRequest<'_>) -> T,
) -> T {
    let idle = Progress::default();
    let may_open = |path: &Path| place == TrustDecision::Ask && options.trust.knows(path);
    let gate = if place == TrustDecision::Trusted || options.look_at_untrusted {
        Gate::open()
    } else {
        Gate::ask(&may_open)
    };
    scan(&ScanRequest {
        limits: &options.limits,
        profile: options.profile,
        threads: options.threads(),
        progress: options.progress.unwrap_or(&idle),
        effort,
        gate,
    })
}

/// Settles whether a skill may reach a model: by its place, or else by its own files.
fn judge(skill: &mut Skill, place: TrustDecision, options: &LoadOptions<'_>) {
    if let Some(hash) = skill.hash()
        && options.filter.hidden.contains(&hash)
    {
        skill.allow_hidden(options.profile);
    }
    skill.decision = place;
    skill.seal = None;
    if place != TrustDecision::Ask {
        return;
    }
    let Some(path) = skill.real_path() else {
        return;
    };
    // Only a skill that was trusted once is worth reading whole.
    let known = options.trust.knows(&path);
    let seal = known
        .then(|| skill.seal(&options.limits).ok())
        .flatten()
        .map(Arc::new);
    skill.decision = options.trust.decide_skill(&path, seal.as_deref());
    if skill.decision == TrustDecision::Trusted {
        skill.seal = seal;
    }
}
