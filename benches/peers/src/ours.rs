//! This project's library, and the floors that no loader can do less than.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nix::fcntl::AtFlags;
use nix::sys::stat::fstatat;
use prowess::select::Ranker;
use prowess::select::Policy;
use prowess::{
    Cache, Catalog, DiskSource, JsonlSource, Layout, Limits, LoadOptions, Origin, Scan, ScanRequest, Scope,
    SkillFile, Source, TrustAll,
};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::measure::{Cost, QueryCost, cost};

/// Loads the catalog as a host would.
pub(crate) fn load(dir: &str, threads: NonZeroUsize) -> Cost {
    cost(|| load_from(vec![source(dir)], threads)).0
}

/// The same with a source that opens files by path, as most loaders do.
pub(crate) fn load_plain(dir: &str) -> Cost {
    cost(|| load_from(vec![Box::new(Plain::new(dir.as_ref()))], NonZeroUsize::MIN)).0
}

/// Loads a catalog; only usable skills count.
fn load_from(sources: Vec<Box<dyn Source>>, threads: NonZeroUsize) -> (usize, Catalog) {
    let options = LoadOptions {
        threads: Some(threads),
        // A busy machine may take longer than a host would wait.
        limits: Limits {
            time: Duration::from_secs(3_600),
            ..Limits::default()
        },
        trust: &TrustAll,
        ..LoadOptions::default()
    };
    let catalog = Catalog::load(&sources, &options).expect("the lenient profile always loads");
    (catalog.model_visible().count(), catalog)
}

pub(crate) fn catalog(dir: &str) -> Catalog {
    load_from(vec![source(dir)], NonZeroUsize::MIN).1
}

/// A folder of skills, or a catalog file.
fn source(dir: &str) -> Box<dyn Source> {
    if !dir.ends_with(".jsonl") {
        return Box::new(DiskSource::new(dir));
    }
    Box::new(JsonlSource::open(dir).expect("the catalog is there"))
}

/// What building the index cost, beside loading the catalog without it.
pub(crate) fn index(dir: &str) -> Value {
    let (loading, catalog) =
        cost(|| load_from(vec![source(dir)], NonZeroUsize::MIN));
    // The catalog makes its index on first use.
    let (building, memory) = cost(|| (catalog.skills().len(), catalog.index_memory()));
    json!({
        "load_cpu_us": loading.cpu_us,
        "index_cpu_us": building.cpu_us,
        "memory": memory,
        "held_kb": building.held_kb,
    })
}

/// Answers each line of a file.
pub(crate) fn select(
    dir: &str,
    ranker: &str,
    queries: &str,
    repeats: usize,
) -> Result<QueryCost, Box<dyn Error>> {
    let queries = fs::read_to_string(queries)?;
    let (catalog, policy) = (catalog(dir), policy(ranker)?);
    // The first request builds the index and makes room for sums; hosts keep both.
    answer(&catalog, "first", &policy);
    let skills = catalog.skills().len();
    Ok(QueryCost::of(skills, &queries, repeats, |query| {
        answer(&catalog, query, &policy)
    }))
}

/// Answers one request twice, the second time in a function that callgrind is told to watch.
pub(crate) fn count(dir: &str, ranker: &str, query: &str) -> Result<usize, Box<dyn Error>> {
    let (catalog, policy) = (catalog(dir), policy(ranker)?);
    answer(&catalog, query, &policy);
    Ok(counted_answer(&catalog, query, &policy))
}

#[inline(never)]
fn counted_answer(catalog: &Catalog, query: &str, policy: &Policy) -> usize {
    answer(catalog, query, policy)
}

/// As many matches as a menu might show; the peer is asked for the same.
fn policy(ranker: &str) -> Result<Policy, Box<dyn Error>> {
    Ok(Policy {
        ranker: ranker.parse::<Ranker>()?,
        top_k: 10,
        ..Policy::default()
    })
}

fn answer(catalog: &Catalog, query: &str, policy: &Policy) -> usize {
    black_box(catalog.select(query, policy)).matches.len()
}

/// Loads the catalog as the command does, with a cache or without, and may answer a request.
pub(crate) fn start(dir: &str, cache: Option<&str>, search: bool) -> Cost {
    let start = || {
        let catalog = match cache {
            None => catalog(dir),
            Some(folder) => {
                let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(dir))];
                let options = LoadOptions {
                    threads: Some(NonZeroUsize::MIN),
                    trust: &TrustAll,
                    ..LoadOptions::default()
                };
                Cache::new(folder).load(&sources, &options).catalog
            }
        };
        if search {
            let policy = Policy {
                top_k: 10,
                ..Policy::default()
            };
            answer(&catalog, "review a pull request", &policy);
        }
        (catalog.model_visible().count(), catalog)
    };
    cost(start).0
}

/// Walks the tree and reads every `SKILL.md`, one folder of the top after another, and drops the
/// text at once: less than this, no loader can do.
pub(crate) fn floor(dir: &str, threads: NonZeroUsize) -> Result<Cost, Box<dyn Error>> {
    let workers = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
    let workers = workers.build()?;
    Ok(cost(|| {
        let folders = children(dir.as_ref());
        let count = || folders.par_iter().map(|it| read_below(it)).sum();
        (workers.install(count), ())
    })
    .0)
}

fn children(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("the catalog is there");
    entries
        .map(|entry| entry.expect("the catalog is readable"))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

fn read_below(dir: &Path) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(dir).expect("the catalog is there") {
        let entry = entry.expect("the catalog is readable");
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            files += read_below(&entry.path());
        } else if entry.file_name() == "SKILL.md" {
            let text = fs::read(entry.path()).expect("the skill is readable");
            files += usize::from(!black_box(text).is_empty());
        }
    }
    files
}

/// Looks at every folder and every `SKILL.md`, in the order of their paths, and opens none: less
/// than this, no start can do that is to see every change.
pub(crate) fn stamps(dir: &str) -> Result<Cost, Box<dyn Error>> {
    let mut paths = Vec::new();
    let mut folders = vec![PathBuf::from(dir)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() != "SKILL.md" {
                continue;
            }
            paths.push(entry.path().strip_prefix(dir)?.to_path_buf());
        }
    }
    paths.sort();
    let root = fs::File::open(dir)?;
    let look = |path: &PathBuf| fstatat(&root, path, AtFlags::AT_SYMLINK_NOFOLLOW);
    let look_at_all = || paths.iter().try_for_each(|path| look(path).map(drop));
    // Listing the folders drove what the kernel knows of the files from the processor's memory.
    look_at_all()?;
    let files = paths.iter().filter(|path| path.ends_with("SKILL.md"));
    let files = files.count();
    let (cost, outcome) = cost(|| (files, look_at_all()));
    outcome?;
    Ok(cost)
}

/// Walks and reads by path: no handles, no checks, no limits.
struct Plain(Arc<Origin>);

impl Plain {
    fn new(dir: &Path) -> Self {
        Self(Arc::new(Origin::new(Scope::Explicit, "plain", dir)))
    }

    fn walk(&self, dir: &Path, visit: &(dyn Fn(SkillFile<'_>) + Sync)) {
        let Ok(entries) = fs::read_dir(dir) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.walk(&path, visit);
            } else if entry.file_name() == "SKILL.md"
                && let Ok(bytes) = fs::read(&path)
            {
                let modified = entry.metadata().and_then(|it| it.modified()).ok();
                let since = modified.and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
                visit(SkillFile {
                    origin: &self.0,
                    path,
                    layout: Layout::Folder,
                    contents: Ok(&bytes),
                    last_modified: since.map(|it| it.as_secs().cast_signed()),
                    notes: Vec::new(),
                    location: None,
                    id: None,
                });
            }
        }
    }
}

impl Source for Plain {
    fn origin(&self) -> &Arc<Origin> {
        &self.0
    }

    fn scan(&self, _: &ScanRequest<'_>, visit: &(dyn Fn(SkillFile<'_>) + Sync)) -> Scan {
        self.walk(&self.0.root, visit);
        Scan::default()
    }
}
