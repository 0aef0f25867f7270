//! A catalog that follows its places: a new snapshot when something on disk changes.
//!
//! One thread of its own looks, reads and swaps; whoever asks for a snapshot gets a whole one
//! for the price of an atomic load, and keeps it as long as it likes.
//!
//! ```
//! use prowess::{Source, DiskSource, live::{LiveCatalog, LiveOptions}};
//!
//! # let home = tempfile::tempdir().unwrap();
//! # let folder = home.path().to_path_buf();
//! let sources = move || vec![Box::new(DiskSource::new(&folder)) as Box<dyn Source>];
//! let live = LiveCatalog::open(sources, LiveOptions::default())?;
//! let changes = live.subscribe();
//! for skill in live.snapshot().skills() {
//!     println!("{}", skill.name());
//! }
//! drop(live); // The thread ends, and with it every subscription.
//! assert!(changes.next().is_none());
//! # Ok::<(), prowess::live::LiveError>(())
//! ```

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use arc_swap::ArcSwap;
use prowess_format::Profile;

use crate::{
    cache::Cache,
    catalog::{Catalog, Filter, LoadError, LoadOptions, NameFrom, OnError, Precedence},
    limits::Limits,
    source::{
        Source,
        places::{Environment, Places, candidates, places},
    },
    trust::{Trust, TrustNone},
};

mod changes;
#[cfg(target_os = "linux")]
mod inotify;
mod watch;
mod watcher;

pub use changes::{Changes, SkillChange, Subscription};

/// Where a live catalog takes its skills from. A closure that gives sources is one.
pub trait Sources: Send + 'static {
    /// The sources that are there now, in order of precedence. Asked again when a folder on the
    /// way to one comes or goes.
    fn sources(&self) -> Vec<Box<dyn Source>>;

    /// Files and folders that may be missing today: once one of them comes, changes or goes, the
    /// sources are asked for again.
    fn awaited(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

impl<F: Fn() -> Vec<Box<dyn Source>> + Send + 'static> Sources for F {
    fn sources(&self) -> Vec<Box<dyn Source>> {
        self()
    }
}

/// The folders of clients as live sources, also those that are not there yet.
#[derive(Debug, Clone, Default)]
pub struct LivePlaces {
    /// Which places to look into.
    pub places: Places,
    /// What the process was started with.
    pub environment: Environment,
}

impl Sources for LivePlaces {
    fn sources(&self) -> Vec<Box<dyn Source>> {
        let found = places(&self.places, &self.environment).into_iter();
        found
            .map(|source| Box::new(source) as Box<dyn Source>)
            .collect()
    }

    fn awaited(&self) -> Vec<PathBuf> {
        candidates(&self.places, &self.environment)
    }
}

/// How changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Watching {
    /// By the system's notifications, and by looking where those do not work.
    #[default]
    Auto,
    /// By looking every so often. For network drives, whose changes nobody announces.
    Poll,
    /// By notifications about whole trees, which is what `Auto` means on other platforms than
    /// Linux: any of them makes us look at all stamps.
    Trees,
}

/// How a live catalog is loaded and kept.
#[derive(Clone)]
pub struct LiveOptions {
    /// How strictly skills are judged; `Strict` fails to open with one broken skill.
    pub profile: Profile,
    /// What becomes of a skill with an error; what the profile stands for unless set.
    pub on_error: OnError,
    /// Which name a skill answers to; its own unless set.
    pub name_from: NameFrom,
    /// Which of several explicit sources wins a name; the last unless set.
    pub precedence: Precedence,
    /// Which skills are wanted, in every snapshot.
    pub filter: Filter,
    /// Whose skills may reach a model; asked again with every change of the sources.
    pub trust: Arc<dyn Trust + Send + Sync>,
    /// Whether skills that are not trusted are read all the same, to be shown to a person.
    pub look_at_untrusted: bool,
    /// How much is looked at.
    pub limits: Limits,
    /// How many threads read; `None` takes what the machine has.
    pub threads: Option<NonZeroUsize>,
    /// How changes are noticed.
    pub watching: Watching,
    /// How long it must be quiet before a snapshot is made; five times as long at most.
    pub debounce: Duration,
    /// How often to look, where that is how changes are noticed.
    pub interval: Duration,
    /// What was read before, so that the first snapshot does not wait for all of it again.
    pub cache: Option<Cache>,
    /// A model whose vectors count beside the words in every snapshot; none unless set.
    #[cfg(feature = "embeddings")]
    pub meaning: Option<Arc<crate::meaning::Meaning>>,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            on_error: OnError::default(),
            name_from: NameFrom::default(),
            precedence: Precedence::default(),
            filter: Filter::default(),
            trust: Arc::new(TrustNone),
            look_at_untrusted: false,
            limits: Limits::default(),
            threads: None,
            watching: Watching::Auto,
            // Long enough for an editor's save and most of a branch switch, too short to notice.
            debounce: Duration::from_millis(50),
            interval: Duration::from_secs(2),
            cache: None,
            #[cfg(feature = "embeddings")]
            meaning: None,
        }
    }
}

impl LiveOptions {
    fn load_options(&self) -> LoadOptions<'_> {
        LoadOptions {
            profile: self.profile,
            on_error: self.on_error,
            name_from: self.name_from,
            precedence: self.precedence,
            filter: self.filter.clone(),
            trust: &*self.trust,
            look_at_untrusted: self.look_at_untrusted,
            limits: self.limits.clone(),
            threads: self.threads,
            progress: None,
            #[cfg(feature = "embeddings")]
            meaning: self.meaning.clone(),
        }
    }
}

/// How the first snapshot was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Start {
    /// How many skills were read from their own files.
    pub read: usize,
    /// What a person may want to know: a cache that was damaged, or could not be written.
    pub notes: Vec<String>,
}

/// A live catalog that could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The skills could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// There is no thread to watch with.
    #[error("cannot start the thread that watches")]
    Thread(#[source] std::io::Error),
}

/// A handle on a catalog that follows its places. Dropping it ends its thread.
#[derive(Debug)]
pub struct LiveCatalog {
    shared: Arc<Shared>,
    start: Start,
    orders: Sender<Order>,
    thread: Option<JoinHandle<()>>,
}

/// What the handle and its thread both see.
#[derive(Debug)]
struct Shared {
    current: ArcSwap<Catalog>,
    generation: AtomicU64,
    /// How often notices were lost and everything had to be looked at.
    lost: AtomicU64,
    subscribers: changes::Subscribers,
}

/// What the handle asks of its thread.
#[derive(Debug)]
enum Order {
    /// Look at everything again, and say when that is done.
    Refresh(Sender<()>),
    /// Something may have changed.
    Wake,
    /// Do this while no event is read.
    #[cfg(all(target_os = "linux", any(test, feature = "testing")))]
    Stall(Work),
    /// End.
    Stop,
}

/// Something to do on the thread that watches.
#[cfg(all(target_os = "linux", any(test, feature = "testing")))]
struct Work(Box<dyn FnOnce() + Send>);

#[cfg(all(target_os = "linux", any(test, feature = "testing")))]
impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Work")
    }
}

impl LiveCatalog {
    /// Loads every skill and keeps watching.
    pub fn open(sources: impl Sources, options: LiveOptions) -> Result<Self, LiveError> {
        let (orders, inbox) = channel();
        let (ready, loaded) = channel();
        let wake = orders.clone();
        let thread = thread::Builder::new()
            .name("prowess-live".to_owned())
            .spawn(move || watcher::run(&sources, &options, &ready, wake, &inbox))
            .map_err(LiveError::Thread)?;
        match loaded.recv() {
            Ok(Ok((shared, start))) => Ok(Self {
                shared,
                start,
                orders,
                thread: Some(thread),
            }),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(LiveError::Thread(std::io::Error::other(
                "it ended before it had read the skills",
            ))),
        }
    }

    /// The catalog as it is now. It never changes under its reader; ask again for a newer one.
    pub fn snapshot(&self) -> Arc<Catalog> {
        self.shared.current.load_full()
    }

    /// How the first snapshot was made.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// How many snapshots there have been; the first is 1.
    pub fn generation(&self) -> u64 {
        self.shared.generation.load(Ordering::Acquire)
    }

    /// Tells what was added, changed and removed from now on. Changes that wait for their reader
    /// become one, so a slow reader costs no memory.
    pub fn subscribe(&self) -> Subscription {
        self.shared.subscribers.subscribe()
    }

    /// Calls `tell` with each new snapshot and what is different in it, on the thread that watches;
    /// keep it short. It is dropped with this handle, so what it holds must not hold the handle:
    /// the snapshot is handed over for that.
    ///
    /// ```no_run
    /// # use std::sync::{Arc, Mutex};
    /// # use prowess::{Catalog, OpenOptions};
    /// let live = OpenOptions::new().live(".")?;
    /// let in_use = Arc::new(Mutex::new(live.snapshot()));
    /// let slot = Arc::clone(&in_use);
    /// live.on_change(move |snapshot, changes| {
    ///     println!("{} skills differ", changes.len());
    ///     *slot.lock().unwrap() = Arc::clone(snapshot);
    /// });
    /// # Ok::<(), prowess::live::LiveError>(())
    /// ```
    pub fn on_change(&self, tell: impl Fn(&Arc<Catalog>, &Changes) + Send + 'static) {
        self.shared.subscribers.call(Box::new(tell));
    }

    /// Looks at everything again, without waiting for a notice, and returns when that is done.
    pub fn refresh(&self) {
        let (done, wait) = channel();
        if self.orders.send(Order::Refresh(done)).is_ok() {
            // A thread that ended has nothing newer.
            let _ = wait.recv();
        }
    }

    /// How often notices were lost, so that everything had to be looked at.
    #[cfg(any(test, feature = "testing"))]
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// Does `work` while no event is read, so that the system's queue of events overflows if
    /// `work` makes enough of them.
    #[cfg(all(target_os = "linux", any(test, feature = "testing")))]
    pub fn stalled(&self, work: impl FnOnce() + Send + 'static) {
        let (done, wait) = channel::<()>();
        let work = move || {
            work();
            drop(done);
        };
        if self.orders.send(Order::Stall(Work(Box::new(work)))).is_ok() {
            // Nothing is sent; the end of the channel is the end of the work.
            let _ = wait.recv();
        }
    }
}

impl Drop for LiveCatalog {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::Stop);
        if let Some(thread) = self.thread.take() {
            // What went wrong there was told there.
            let _ = thread.join();
        }
        self.shared.subscribers.close();
    }
}

#[cfg(test)]
mod tests;
