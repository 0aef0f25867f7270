//! Many skills as one immutable snapshot: winners, shadowed, hidden and broken ones; and the next
//! snapshot, for the price of what changed.

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
};

use prowess_format::{Profile, Severity};

#[cfg(feature = "embeddings")]
use crate::meaning::Meaning;
use crate::{
    display::display_path,
    identity::ContentHash,
    limits::Limits,
    observe,
    skill::Skill,
    source::{Finding, Origin, Progress, clients::UnknownClient},
    trust::{BadStore, Trust, TrustNone},
};

mod confusable;
mod draft;
mod overrides;
mod resolve;
mod saved;
mod search;
#[cfg(test)]
mod tests;
mod why;

pub use draft::{Draft, Trial};
pub use overrides::{Override, UnknownOverride};
pub(crate) use saved::SavedIndex;
pub(crate) use search::build;
pub use why::DescriptionChange;

/// Which skills are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Whether skills are used at all.
    pub enabled: bool,
    /// The names that may be used; `None` allows all.
    pub allowed: Option<Vec<String>>,
    /// Tags of which a skill must have at least one, in any case; none asks for nothing.
    pub tags: Vec<String>,
    /// What the host has decided about single skills, by name.
    pub overrides: BTreeMap<String, Override>,
    /// Skills, by the hash of their file, that are used though hidden characters stand in them.
    pub hidden: Vec<ContentHash>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            enabled: true,
            allowed: None,
            tags: Vec::new(),
            overrides: BTreeMap::new(),
            hidden: Vec::new(),
        }
    }
}

/// What becomes of a skill with an error under the profile in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OnError {
    /// What the profile stands for: `Strict` loads all or none, and the others use whatever can be
    /// offered to a model.
    #[default]
    AsProfile,
    /// The skill is refused, as [`State::Broken`](crate::State::Broken), and the others load.
    Refuse,
    /// Nothing loads.
    Fail,
}

/// Which name a skill in a folder of its own answers to, where folder and frontmatter differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum NameFrom {
    /// Its `name`; the folder's where it has none.
    #[default]
    Frontmatter,
    /// The folder's.
    Folder,
}

/// Which of several explicit sources wins a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Precedence {
    /// The last one that was named.
    #[default]
    Last,
    /// The first one that was named.
    First,
}

/// How a catalog is loaded.
///
/// Fields are added as loading learns more: write `LoadOptions { threads, ..Default::default() }`.
#[derive(Clone)]
pub struct LoadOptions<'a> {
    /// How strictly skills are judged; `Lenient` unless set.
    pub profile: Profile,
    /// What becomes of a skill with an error; what the profile stands for unless set.
    pub on_error: OnError,
    /// Which name a skill answers to; its own unless set.
    pub name_from: NameFrom,
    /// Which of several explicit sources wins a name; the last unless set.
    pub precedence: Precedence,
    /// Which skills are wanted.
    pub filter: Filter,
    /// Whose skills may reach a model; [`TrustNone`] unless set, which keeps those of projects from
    /// it.
    pub trust: &'a dyn Trust,
    /// Whether skills that are not trusted are read all the same, to be shown to a person. They
    /// never reach a model; without this, not one of their bytes is read.
    pub look_at_untrusted: bool,
    /// How much is looked at.
    pub limits: Limits,
    /// How many threads read, and later build the index; `None` takes what the machine has.
    pub threads: Option<NonZeroUsize>,
    /// Where to tell how far the load is.
    pub progress: Option<&'a Progress>,
    /// A model whose vectors count beside the words; none unless set.
    #[cfg(feature = "embeddings")]
    pub meaning: Option<Arc<Meaning>>,
}

impl Default for LoadOptions<'_> {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            on_error: OnError::default(),
            name_from: NameFrom::default(),
            precedence: Precedence::default(),
            filter: Filter::default(),
            trust: &TrustNone,
            look_at_untrusted: false,
            limits: Limits::default(),
            threads: None,
            progress: None,
            #[cfg(feature = "embeddings")]
            meaning: None,
        }
    }
}

impl LoadOptions<'_> {
    /// Whether one error keeps every skill out.
    pub(crate) fn is_all_or_none(&self) -> bool {
        match self.on_error {
            OnError::AsProfile => self.profile == Profile::Strict,
            OnError::Refuse => false,
            OnError::Fail => true,
        }
    }

    /// How many threads read.
    pub(crate) fn threads(&self) -> usize {
        self.threads
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
    }
}

/// Everything the sources yielded, in no order yet.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The skills, readable or not.
    pub skills: Vec<Skill>,
    /// What was noticed about other paths.
    pub findings: Vec<Finding>,
    /// One origin for each source, in their order.
    pub origins: Vec<Arc<Origin>>,
    /// Whether a limit ended a scan.
    pub partial: bool,
}

/// A load that could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Some skills have errors, and all or none were to be loaded.
    #[error("{} in the skills, so none is loaded{}", plural(.findings), list(.findings))]
    Broken {
        /// Every error, by path.
        findings: Vec<Finding>,
    },
    /// The folder to open is not there, or cannot be reached.
    #[error("cannot open `{}`", display_path(.path))]
    Root {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No client is called so.
    #[error(transparent)]
    Client(#[from] UnknownClient),
    /// What the user trusts cannot be read, so nothing was loaded.
    #[error("cannot read what is trusted in `{}`", display_path(.path))]
    TrustStore {
        /// The store.
        path: PathBuf,
        /// What is wrong with it.
        source: BadStore,
    },
}

/// So many findings are shown in one error; all are in its field.
const MOST_SHOWN: usize = 10;

/// The findings, one on each line.
fn list(findings: &[Finding]) -> String {
    let lines = findings.iter().take(MOST_SHOWN);
    let mut lines: Vec<String> = lines.map(|it| format!("\n  {it}")).collect();
    if let Some(more @ 1..) = findings.len().checked_sub(MOST_SHOWN) {
        lines.push(format!("\n  and {more} more"));
    }
    lines.concat()
}

fn plural(findings: &[Finding]) -> String {
    match findings.len() {
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    }
}

/// One immutable snapshot of many skills, sorted by name and path.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    skills: Vec<Skill>,
    /// Other ways to files that are among the skills.
    mirrors: Vec<Skill>,
    findings: Vec<Finding>,
    origins: Vec<Arc<Origin>>,
    filter: Filter,
    profile: Profile,
    on_error: OnError,
    precedence: Precedence,
    partial: bool,
    by_id: OnceLock<Vec<u32>>,
    by_path: OnceLock<Vec<u32>>,
    search: OnceLock<search::Search>,
    #[cfg(feature = "embeddings")]
    meaning: Option<Arc<Meaning>>,
    #[cfg(feature = "embeddings")]
    vectors: OnceLock<prowess_search::embed::Vectors>,
    /// Where the index is kept between starts.
    saved: Option<SavedIndex>,
    /// How many threads build the index.
    threads: usize,
}

impl Catalog {
    /// Makes a snapshot of what was discovered.
    pub fn assemble(discovery: Discovery, options: &LoadOptions<'_>) -> Self {
        let mut catalog = Self {
            skills: discovery.skills,
            mirrors: Vec::new(),
            findings: discovery.findings,
            origins: discovery.origins,
            filter: options.filter.clone(),
            profile: options.profile,
            on_error: options.on_error,
            precedence: options.precedence,
            partial: discovery.partial,
            by_id: OnceLock::new(),
            by_path: OnceLock::new(),
            search: OnceLock::new(),
            #[cfg(feature = "embeddings")]
            meaning: options.meaning.clone(),
            #[cfg(feature = "embeddings")]
            vectors: OnceLock::new(),
            saved: None,
            threads: options.threads(),
        };
        catalog.resolve();
        catalog
    }

    /// Adds another catalog, as if its sources had been named after this one's.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        let offset = self.origins.len() as u32;
        let theirs = other.skills.into_iter().chain(other.mirrors);
        self.skills.extend(theirs.map(|mut skill| {
            skill.source += offset;
            skill
        }));
        self.origins.extend(other.origins);
        self.findings.extend(other.findings);
        self.partial |= other.partial;
        self.by_id = OnceLock::new();
        self.by_path = OnceLock::new();
        self.search = OnceLock::new();
        #[cfg(feature = "embeddings")]
        {
            self.meaning = self.meaning.or(other.meaning);
            self.vectors = OnceLock::new();
        }
        self.saved = None;
        self.resolve();
        self
    }

    /// Keeps the index there, once somebody searches.
    pub(crate) fn keep_index(&mut self, saved: SavedIndex) {
        self.saved = Some(saved);
    }

    /// Every skill in every state, sorted by name and path.
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// The skills a model may be told about, sorted by name.
    pub fn model_visible(&self) -> impl Iterator<Item = &Skill> {
        self.skills.iter().filter(|skill| skill.is_model_visible())
    }

    /// The skill that answers to this name.
    pub fn get(&self, name: &str) -> Option<&Skill> {
        self.named(name).iter().find(|skill| skill.is_callable())
    }

    /// Every skill of this name, in every state.
    pub fn named(&self, name: &str) -> &[Skill] {
        let start = self.skills.partition_point(|skill| skill.name() < name);
        let count = self.skills[start..].partition_point(|skill| skill.name() == name);
        &self.skills[start..start + count]
    }

    /// The skill with this id; of several copies, the one in use.
    pub fn by_id(&self, id: &str) -> Option<&Skill> {
        let order = self.by_id.get_or_init(|| {
            self.order_by(|a, b| (a.id(), !a.is_callable()).cmp(&(b.id(), !b.is_callable())))
        });
        let at = order.partition_point(|&at| self.skills[at as usize].id() < Some(id));
        let skill = &self.skills[*order.get(at)? as usize];
        (skill.id() == Some(id)).then_some(skill)
    }

    /// The skill whose file was found at this path.
    pub fn by_path(&self, path: &Path) -> Option<&Skill> {
        let order = self
            .by_path
            .get_or_init(|| self.order_by(|a, b| a.path().cmp(b.path())));
        let at = order.partition_point(|&at| self.skills[at as usize].path() < path);
        let skill = order.get(at).map(|&at| &self.skills[at as usize]);
        skill.filter(|skill| skill.path() == path).or_else(|| {
            let is_mirror = self.mirrors.iter().any(|mirror| mirror.path() == path);
            let leads_here = |skill: &&Skill| skill.also_at().iter().any(|it| it == path);
            is_mirror.then(|| self.skills.iter().find(leads_here))?
        })
    }

    /// What was noticed about paths that are no skill.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Where the skills came from, in the order the sources were named.
    pub fn origins(&self) -> &[Arc<Origin>] {
        &self.origins
    }

    /// Whether a limit ended a scan before everything was seen.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// How strictly the skills were judged.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The skills of which the host lets models see only the name.
    pub(crate) fn names_only(&self) -> impl Iterator<Item = &str> {
        let overrides = self.filter.overrides.iter();
        let of_name = overrides.filter(|(_, decided)| **decided == Override::NameOnly);
        of_name.map(|(name, _)| name.as_str())
    }

    fn order_by(&self, mut compare: impl FnMut(&Skill, &Skill) -> std::cmp::Ordering) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.skills.len() as u32).collect();
        order.sort_by(|&a, &b| compare(&self.skills[a as usize], &self.skills[b as usize]));
        order
    }

    /// Every error, about skills and about other paths.
    pub(crate) fn errors(&self) -> Vec<Finding> {
        self.findings_from(Severity::Error).collect()
    }

    /// Tells observers what is in it, and what is wrong.
    pub(crate) fn observed(self, span: &tracing::Span) -> Self {
        let findings = self.findings_from(Severity::Warning);
        observe::catalog(span, self.model_visible().count(), findings);
        self
    }

    /// What was noticed about skills and other paths, at least so severe.
    pub(crate) fn findings_from(&self, least: Severity) -> impl Iterator<Item = Finding> {
        let of_skills = self.skills.iter().flat_map(|skill| {
            let diagnostics = skill.diagnostics();
            diagnostics.map(|diagnostic| (skill.path(), diagnostic))
        });
        let of_paths = self.findings.iter().map(|it| (&*it.path, &it.diagnostic));
        of_skills
            .chain(of_paths)
            .filter(move |(_, diagnostic)| diagnostic.severity <= least)
            .map(|(path, diagnostic)| Finding {
                path: path.to_path_buf(),
                diagnostic: diagnostic.clone(),
            })
    }
}

/// What is new in a snapshot.
#[cfg(feature = "watch")]
#[derive(Debug, Default)]
pub(crate) struct Update {
    /// The readings of skills that are gone; see [`Skill::reading`].
    pub(crate) removed: std::collections::HashSet<usize>,
    pub(crate) added: Vec<Skill>,
    /// Everything that was noticed about other paths, sorted.
    pub(crate) findings: Vec<Finding>,
    pub(crate) partial: bool,
}

#[cfg(feature = "watch")]
impl Catalog {
    /// The snapshot after this one, of the same sources. What is not named is not read again,
    /// neither from disk nor for the index.
    pub(crate) fn updated(&self, update: Update) -> Self {
        let Update {
            removed,
            mut added,
            findings,
            partial,
        } = update;
        let stays = |skill: &&Skill| removed.is_empty() || !removed.contains(&skill.reading());
        let known = self.skills.iter().filter(stays).cloned();
        let mirrors = self.mirrors.iter().filter(stays).cloned().collect();
        let kept: Vec<Skill> = known.collect();
        added.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        let mut next = Self {
            skills: merged(kept, added),
            mirrors,
            findings,
            partial,
            origins: self.origins.clone(),
            filter: self.filter.clone(),
            profile: self.profile,
            on_error: self.on_error,
            precedence: self.precedence,
            by_id: OnceLock::new(),
            by_path: OnceLock::new(),
            search: OnceLock::new(),
            #[cfg(feature = "embeddings")]
            meaning: self.meaning.clone(),
            #[cfg(feature = "embeddings")]
            vectors: OnceLock::new(),
            saved: self.saved.clone(),
            threads: self.threads,
        };
        next.resolve();
        next.take_index(self);
        next
    }

    /// Derives the index from that of another snapshot, where that has one.
    pub(crate) fn take_index(&mut self, before: &Self) {
        let Some(old) = before.search.get() else {
            return;
        };
        let reading = |skills: &[Skill], at: u32| skills[at as usize].reading();
        let old_positions = old.positions.iter();
        let old_keys: Vec<usize> = old_positions
            .map(|&at| reading(&before.skills, at))
            .collect();
        let positions = self.searchable();
        let keys: Vec<usize> = positions
            .iter()
            .map(|&at| reading(&self.skills, at))
            .collect();
        let skills = positions.iter().map(|&at| &self.skills[at as usize]);
        let skills: Vec<&Skill> = skills.collect();
        let (index, _) = saved::follow(&old.index, &old_keys, &keys, &skills);
        // The cell was empty: this snapshot is still ours alone.
        let _ = self.search.set(search::Search { index, positions });
    }
}

/// Where a skill stands in every catalog.
fn order(skill: &Skill) -> (&str, &Path, u32) {
    (skill.name(), skill.path(), skill.source)
}

/// Two sorted lists as one.
#[cfg(feature = "watch")]
fn merged(one: Vec<Skill>, other: Vec<Skill>) -> Vec<Skill> {
    if other.is_empty() {
        return one;
    }
    let mut all = Vec::with_capacity(one.len() + other.len());
    let mut others = other.into_iter().peekable();
    for skill in one {
        while let Some(next) = others.next_if(|next| order(next) < order(&skill)) {
            all.push(next);
        }
        all.push(skill);
    }
    all.extend(others);
    all
}
