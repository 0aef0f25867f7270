//! One measurement, in the process it is taken in.

use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};
use nix::fcntl::AtFlags;
use nix::sys::stat::fstatat;
use prowess::rank::Ranker;
use prowess::select::Policy;
use prowess::{Cache, Catalog, DiskSource, Limits, LoadOptions, Source, TrustAll};
use serde::{Deserialize, Serialize};

use super::activate;
use crate::measure::{Cost, QueryCost, cost};

/// A single measurement; it prints its cost as one line of JSON.
#[derive(Debug, Subcommand)]
pub(crate) enum Worker {
    /// Walk the tree and read every `SKILL.md`: less than this, no loader can do
    Floor(Place),
    /// Load the catalog with this project's library
    Load(Place),
    /// Load the catalog, then build the index
    Index(Place),
    /// Look at every folder and every `SKILL.md`, in the order of their paths, and open none: less
    /// than this, no start can do that is to see every change
    Stamps {
        /// The folder whose children are the skills
        dir: PathBuf,
    },
    /// Load the catalog, with a cache or without, and maybe answer a first request
    Start {
        /// The folder whose children are the skills
        dir: PathBuf,
        /// Where the cache is
        #[arg(long)]
        cache: Option<PathBuf>,
        /// Answer a request too
        #[arg(long)]
        search: bool,
    },
    /// Answer requests
    Select {
        /// The folder whose children are the skills
        dir: PathBuf,
        /// How skills are ranked
        ranker: Ranker,
        /// A file with one request a line
        queries: PathBuf,
        /// How often each request is answered
        #[arg(long)]
        repeats: usize,
    },
    /// Make the list of skills for requests, within a budget
    List {
        /// The folder whose children are the skills
        dir: PathBuf,
        /// A file with one request a line
        queries: PathBuf,
        /// How often each list is made
        #[arg(long)]
        repeats: usize,
    },
    /// Wake skills by a message
    Wake {
        /// How often
        #[arg(long)]
        repeats: usize,
    },
    /// Write a cache again and again until killed; `torture` does that
    #[cfg(target_os = "linux")]
    Rewrite {
        /// The folder whose children are the skills
        dir: PathBuf,
        /// Where the cache is
        cache: PathBuf,
    },
    /// Answer one request twice, the second time in a function of its own
    Count {
        /// The folder whose children are the skills
        dir: PathBuf,
        /// How skills are ranked
        ranker: Ranker,
        /// The request
        query: String,
    },
}

/// Where to measure, and with how many threads.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The folder whose children are the skills
    dir: PathBuf,
    /// How many threads share the work
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
}

impl Place {
    fn one(dir: &Path) -> Self {
        Self {
            dir: dir.to_path_buf(),
            threads: NonZeroUsize::MIN,
        }
    }
}

impl Worker {
    /// Takes the measurement and prints it.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Floor(place) => {
                print(&cost(|| (read_all(&place.dir, place.threads.get()), ())).0)
            }
            Self::Load(place) => print(&cost(|| load(place)).0),
            Self::Index(place) => print(&index_cost(place)),
            Self::Stamps { dir } => print(&stamps(dir)?),
            Self::Start { dir, cache, search } => {
                print(&cost(|| start(dir, cache.as_deref(), *search)).0)
            }
            Self::Select {
                dir,
                ranker,
                queries,
                repeats,
            } => {
                let queries = fs::read_to_string(queries)?;
                let (catalog, policy) = (load(&Place::one(dir)).1, policy(*ranker));
                // The first request builds the index and makes room for sums; hosts keep both.
                answer(&catalog, "first", &policy);
                let skills = catalog.index().len();
                print(&QueryCost::of(skills, &queries, *repeats, |query| {
                    answer(&catalog, query, &policy)
                }))
            }
            Self::List {
                dir,
                queries,
                repeats,
            } => print(&activate::list(
                &load(&Place::one(dir)).1,
                queries,
                *repeats,
            )?),
            Self::Wake { repeats } => print(&activate::wake(*repeats)),
            #[cfg(target_os = "linux")]
            Self::Rewrite { dir, cache } => crate::torture::rewrite(dir, cache),
            Self::Count { dir, ranker, query } => {
                let (catalog, policy) = (load(&Place::one(dir)).1, policy(*ranker));
                answer(&catalog, query, &policy);
                print(&counted_answer(&catalog, query, &policy))
            }
        }
    }
}

fn print(value: &impl Serialize) -> Result<()> {
    println!("{}", serde_json::to_string(value)?);
    Ok(())
}

/// What building the index cost, beside loading the catalog without it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct IndexCost {
    pub(super) load_cpu_us: u64,
    pub(super) index_cpu_us: u64,
    /// Bytes the index says it keeps.
    pub(super) memory: usize,
    /// By how much the process grew for it.
    pub(super) held_kb: u64,
}

impl IndexCost {
    /// Time of building as a share of the time of loading.
    pub(super) fn ratio(&self) -> f64 {
        self.index_cpu_us as f64 / self.load_cpu_us as f64
    }
}

fn index_cost(place: &Place) -> IndexCost {
    let (loading, catalog) = cost(|| load(place));
    // The catalog makes its index on first use.
    let (building, memory) = cost(|| {
        let index = catalog.index();
        (index.len(), index.memory())
    });
    IndexCost {
        load_cpu_us: loading.cpu_us,
        index_cpu_us: building.cpu_us,
        memory,
        held_kb: building.held_kb,
    }
}

/// As many matches as a menu might show; the peer is asked for the same.
fn policy(ranker: Ranker) -> Policy {
    Policy {
        ranker,
        top_k: 10,
        ..Policy::default()
    }
}

fn answer(catalog: &Catalog, query: &str, policy: &Policy) -> usize {
    black_box(catalog.select(query, policy)).matches.len()
}

/// The name of the function below, which `bench instructions` tells callgrind to watch.
pub(super) const COUNTED: &str = "counted_answer";

#[inline(never)]
fn counted_answer(catalog: &Catalog, query: &str, policy: &Policy) -> usize {
    answer(catalog, query, policy)
}

/// Loads the catalog as a host would; only usable skills count.
fn load(place: &Place) -> (usize, Catalog) {
    let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(&place.dir))];
    let options = LoadOptions {
        threads: Some(place.threads),
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

/// Loads the catalog as the command does, and answers a request if asked to.
fn start(dir: &Path, cache: Option<&Path>, search: bool) -> (usize, Catalog) {
    let catalog = match cache {
        None => load(&Place::one(dir)).1,
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
        answer(&catalog, "review a pull request", &policy(Ranker::Lexical));
    }
    (catalog.model_visible().count(), catalog)
}

/// Walks `dir`, reads every `SKILL.md` and counts them.
///
/// One thread walks the top folder; then all of them take one skill folder after another,
/// walk it to the bottom and read what they find. The text is dropped at once.
fn read_all(dir: &Path, threads: usize) -> usize {
    let folders = children(dir);
    let (next, total) = (AtomicUsize::new(0), Mutex::new(0));
    let work = || {
        let mut files = 0;
        // The order does not matter, only that no folder is taken twice.
        while let Some(folder) = folders.get(next.fetch_add(1, Ordering::Relaxed)) {
            files += read_below(folder);
        }
        *total.lock().expect("no thread panicked") += files;
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    total.into_inner().expect("no thread panicked")
}

/// What it costs to look at everything a catalog is made of, once it is known where that is.
fn stamps(dir: &Path) -> Result<Cost> {
    let mut paths = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
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

#[cfg(test)]
mod tests {
    use super::read_all;
    use crate::generate::{Fields, catalog_in};

    #[test]
    fn the_floor_reads_every_skill_with_any_number_of_threads() -> anyhow::Result<()> {
        let home = tempfile::tempdir()?;
        let made = catalog_in(home.path(), 30, Fields::Rich)?;
        for threads in [1, 2, 5] {
            assert_eq!(read_all(&made.skills_dir(), threads), 30);
        }
        Ok(())
    }
}
