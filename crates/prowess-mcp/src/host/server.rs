//! One server: its list, its skills and their files, each checked before anybody sees it.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use prowess::{RemoteFile, display_text, format::Document, source::remote::told_age};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    approvals::{Approvals, Extent, Standing},
    cache::Cache,
    config::{HostOptions, ServerConfig},
    connect::Connection,
    entry::Entry,
    fault::Fault,
    list::list,
    runtime::HostRuntime,
};

mod fetch;

/// A server that could not be reached is not tried again for this long.
const REST: Duration = Duration::from_secs(30);

/// Changes that come together are looked at together, and no server makes us ask without end.
const PAUSE: Duration = Duration::from_millis(200);

/// A server that went away is looked for this often.
const AWAY: Duration = Duration::from_secs(30);

/// A server and what is known of it. Cloning it shares the connection.
///
/// The calls run beside the caller, on any executor; each has a blocking twin.
#[derive(Debug, Clone)]
pub struct Server(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: ServerConfig,
    options: Arc<HostOptions>,
    runtime: Arc<HostRuntime>,
    cache: Option<Cache>,
    approvals: Option<Approvals>,
    closed: CancellationToken,
    connection: tokio::sync::Mutex<ConnectionSlot>,
    listing: tokio::sync::Mutex<Option<Arc<Listing>>>,
    held: Mutex<HashMap<String, SkillRecord>>,
}

#[derive(Debug, Default)]
struct ConnectionSlot {
    open: Option<Arc<Connection>>,
    /// When it last failed, and how.
    down: Option<(Instant, Fault)>,
}

/// A skill of the list that is in use.
#[derive(Debug, Clone)]
pub(super) struct SkillRecord {
    pub(super) entry: Arc<Entry>,
    pub(super) approved: Option<Extent>,
    /// The age of the list it stands in, where the server did not give one.
    pub(super) age: Option<Duration>,
}

/// The skills of a server.
#[derive(Debug, Default)]
pub struct Listing {
    /// The skills, in the server's order.
    pub entries: Vec<Arc<Entry>>,
    /// What went wrong.
    pub faults: Vec<Fault>,
    /// How old the list is, where a copy stands in for the server.
    pub age: Option<Duration>,
    /// Whether a limit cut it.
    pub partial: bool,
}

/// A skill whose file passed every check.
#[derive(Debug, Clone)]
pub struct LoadedSkill {
    /// What the server says about it.
    pub entry: Arc<Entry>,
    /// Its file as it came.
    pub bytes: Vec<u8>,
    /// What the file says.
    pub document: Document,
    /// How far the user approved it as it is.
    pub approved: Option<Extent>,
    /// How old the copy is, where one stands in for the server.
    pub age: Option<Duration>,
}

impl Server {
    pub(super) fn new(
        config: ServerConfig,
        options: Arc<HostOptions>,
        runtime: Arc<HostRuntime>,
    ) -> Self {
        let cache = options.cache.clone();
        let approvals = options.approvals.clone();
        Self(Arc::new(Inner {
            cache: cache
                .map(|folder| Cache::new(&folder, &config.label, &config.transport.identity())),
            approvals: approvals.map(Approvals::new),
            config,
            options,
            runtime,
            closed: CancellationToken::new(),
            connection: tokio::sync::Mutex::default(),
            listing: tokio::sync::Mutex::default(),
            held: Mutex::default(),
        }))
    }

    /// What the user calls it.
    pub fn label(&self) -> &str {
        &self.0.config.label
    }

    /// Where it is, without anything secret.
    pub fn place(&self) -> PathBuf {
        self.0.config.transport.place().into()
    }

    /// Lists its skills, the first time this is asked; later the same list is given. A server
    /// that cannot be asked gives the list that was kept, or none, and a fault.
    pub async fn list(&self) -> Arc<Listing> {
        let server = self.clone();
        let listing = self.beside(async move { server.0.list().await }).await;
        listing.unwrap_or_default()
    }

    /// The same, for code that can wait.
    pub fn list_blocking(&self) -> Arc<Listing> {
        let server = self.clone();
        let listing = self.0.runtime.wait(async move { server.0.list().await });
        listing.unwrap_or_default()
    }

    /// Lists its skills anew, whatever was listed before.
    pub async fn relist(&self) -> Arc<Listing> {
        let server = self.clone();
        let listing = self.beside(async move { server.0.relist().await }).await;
        listing.unwrap_or_default()
    }

    /// The same, for code that can wait.
    pub fn relist_blocking(&self) -> Arc<Listing> {
        let server = self.clone();
        let listing = self.0.runtime.wait(async move { server.0.relist().await });
        listing.unwrap_or_default()
    }

    /// Fetches a skill's file and checks it.
    pub async fn load(&self, uri: &str) -> Result<LoadedSkill, Fault> {
        let (server, uri) = (self.clone(), uri.to_owned());
        let loaded = self.beside(async move { server.0.load(&uri).await }).await;
        loaded.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// The same, for code that can wait.
    pub fn load_blocking(&self, uri: &str) -> Result<LoadedSkill, Fault> {
        let (server, uri) = (self.clone(), uri.to_owned());
        let loaded = self
            .0
            .runtime
            .wait(async move { server.0.load(&uri).await });
        loaded.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// Fetches a file of a skill, by its path below the skill, and checks it.
    pub async fn read(&self, uri: &str, path: &str) -> Result<Vec<u8>, Fault> {
        let (server, uri, path) = (self.clone(), uri.to_owned(), path.to_owned());
        let file = self.beside(async move { server.0.read(&uri, &path).await });
        file.await.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// The same, for code that can wait.
    pub fn read_blocking(&self, uri: &str, path: &str) -> Result<Vec<u8>, Fault> {
        let (server, uri, path) = (self.clone(), uri.to_owned(), path.to_owned());
        let file = self
            .0
            .runtime
            .wait(async move { server.0.read(&uri, &path).await });
        file.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// Fetches every file of a skill whose files are listed, for code that can wait, and checks
    /// each.
    pub fn files_blocking(&self, uri: &str) -> Result<Vec<RemoteFile>, Fault> {
        let (server, uri) = (self.clone(), uri.to_owned());
        let files = self.0.runtime.wait(async move {
            let held = server.0.skill(&uri).await?;
            server.0.files(&held).await
        });
        files.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// The same where the user let the scripts of the skill run, as its files are now.
    pub(super) fn files_to_run_blocking(&self, uri: &str) -> Result<Vec<RemoteFile>, Fault> {
        let (server, uri) = (self.clone(), uri.to_owned());
        let files = self
            .0
            .runtime
            .wait(async move { server.0.files_to_run(&uri).await });
        files.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// Where approvals of its skills are kept.
    pub fn approvals(&self) -> Option<&Approvals> {
        self.0.approvals.as_ref()
    }

    /// Begins to list without waiting for it.
    pub(super) fn start_listing(&self) {
        let server = self.clone();
        self.0
            .runtime
            .handle()
            .spawn(async move { server.0.list().await });
    }

    /// Lists anew whenever the server says that it has another list, and from time to time where it
    /// says nothing, until it is closed. After each list that is another one `tell` is called.
    pub(super) fn follow(&self, tell: Arc<dyn Fn(&Server) + Send + Sync>) {
        let server = self.clone();
        self.0.runtime.handle().spawn(async move {
            let told = || {
                let (server, tell) = (server.clone(), Arc::clone(&tell));
                // Whoever is told may wait for this very runtime.
                let told = tokio::task::spawn_blocking(move || tell(&server));
                async move { drop(told.await) }
            };
            // It waits for years, and most of what it does along the way is seldom.
            let following = Box::pin(server.0.follow(told));
            server.0.closed.run_until_cancelled(following).await
        });
    }

    /// What is held about a skill of the list; this asks nobody.
    pub(super) fn held(&self, uri: &str) -> Option<SkillRecord> {
        self.0.held().get(uri).cloned()
    }

    /// Ends the connection. What was not fetched by then is not fetched any more.
    pub(super) async fn close(&self) {
        self.0.closed.cancel();
        let mut link = self.0.connection.lock().await;
        if let Some(connection) = link.open.take() {
            connection.close().await;
        }
    }

    /// Runs a future on the runtime; `None` where it panicked or the runtime is gone.
    async fn beside<F>(&self, future: F) -> Option<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.runtime.handle().spawn(future).await.ok()
    }
}

impl Inner {
    fn label(&self) -> String {
        self.config.label.clone()
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, SkillRecord>> {
        // Changed in single steps, so it is whole even after a panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> Fault {
        Fault::Server {
            label: self.label(),
            reason: "is no longer connected".to_owned(),
            help: "start again".to_owned(),
        }
    }

    /// The connection, made where there is none; and whether it was there before.
    async fn connection(&self) -> Result<(Arc<Connection>, bool), Fault> {
        let mut link = self.connection.lock().await;
        if self.closed.is_cancelled() {
            return Err(self.stopped());
        }
        if let Some(open) = link.open.as_ref().filter(|it| it.is_open()) {
            return Ok((Arc::clone(open), true));
        }
        link.open = None;
        if let Some((when, fault)) = &link.down
            && when.elapsed() < REST
        {
            return Err(fault.clone());
        }
        match Connection::open(&self.config, &self.options.limits).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                link.open = Some(Arc::clone(&connection));
                link.down = None;
                Ok((connection, false))
            }
            Err(fault) => {
                link.down = Some((Instant::now(), fault.clone()));
                Err(fault)
            }
        }
    }

    /// Forgets a connection that is of no use any more.
    async fn drop_connection(&self, fault: &Fault) {
        let mut link = self.connection.lock().await;
        link.down = Some((Instant::now(), fault.clone()));
        if let Some(connection) = link.open.take() {
            connection.close().await;
        }
    }

    async fn list(&self) -> Arc<Listing> {
        let mut listing = self.listing.lock().await;
        if let Some(listing) = &*listing {
            return Arc::clone(listing);
        }
        let listed = Arc::new(self.ask_list().await);
        *listing = Some(Arc::clone(&listed));
        listed
    }

    async fn relist(&self) -> Arc<Listing> {
        // Whoever asks anew has a reason to try a server that was away.
        self.connection.lock().await.down = None;
        // Others go on with the list they have, however long this takes.
        let listed = Arc::new(self.ask_list().await);
        *self.listing.lock().await = Some(Arc::clone(&listed));
        listed
    }

    async fn ask_list(&self) -> Listing {
        let mut listing = Listing::default();
        let entries = match self.fresh_list().await {
            Ok((entries, faults)) => {
                listing.partial = faults.iter().any(|it| matches!(it, Fault::Limit { .. }));
                listing.faults = faults;
                self.keep_list(&entries, &mut listing.faults);
                entries
            }
            Err(fault) => self.kept_list(fault, &mut listing),
        };
        let mut held = self.held();
        held.clear();
        for entry in entries {
            let entry = Arc::new(entry);
            let approved = self.approved(&entry, &mut listing.faults);
            let known = SkillRecord {
                entry: Arc::clone(&entry),
                approved,
                age: listing.age,
            };
            held.insert(entry.uri.clone(), known);
            listing.entries.push(entry);
        }
        listing
    }

    async fn fresh_list(&self) -> Result<(Vec<Entry>, Vec<Fault>), Fault> {
        let (connection, _) = self.connection().await?;
        let (label, limits) = (&self.config.label, &self.options.limits);
        let listed = match timeout(self.config.timeout, list(&connection, label, limits)).await {
            Ok(listed) => listed,
            Err(_) => Err(Fault::Server {
                label: self.label(),
                reason: format!(
                    "does not finish its list within {} s",
                    self.config.timeout.as_secs_f32()
                ),
                help: "see whether it is busy, or raise its `timeout`".to_owned(),
            }),
        };
        match listed {
            Ok(pages) => Ok((pages.entries, pages.faults)),
            Err(fault) => {
                self.drop_connection(&fault).await;
                Err(fault)
            }
        }
    }

    fn keep_list(&self, entries: &[Entry], faults: &mut Vec<Fault>) {
        let kept = self.cache.as_ref().map(|cache| cache.keep_list(entries));
        if let Some(Err(error)) = kept {
            faults.push(Fault::Store {
                label: self.label(),
                what: "a copy of the list",
                reason: error.to_string(),
            });
        }
    }

    /// The list of an earlier day, with its age, in place of one that could not be had.
    fn kept_list(&self, fault: Fault, listing: &mut Listing) -> Vec<Entry> {
        // A server that says it has no skills has none.
        let down = !matches!(fault, Fault::NoSkills { .. });
        let cache = self.cache.as_ref().filter(|_| down);
        let kept = cache.and_then(|cache| cache.list(&self.options.limits));
        let Some((entries, age)) = kept.filter(|(entries, _)| !entries.is_empty()) else {
            listing.faults.push(fault);
            return Vec::new();
        };
        let (reason, help) = match fault {
            Fault::Server { reason, help, .. } => (reason, help),
            other => (other.to_string(), other.help()),
        };
        listing.faults.push(Fault::Copies {
            label: self.label(),
            reason,
            age: told_age(age),
            skills: entries.len(),
            help,
        });
        listing.age = Some(age);
        entries
    }

    /// How far a skill is approved as it is. An approval of other files is taken back.
    fn approved(&self, entry: &Entry, faults: &mut Vec<Fault>) -> Option<Extent> {
        let approvals = self.approvals.as_ref()?;
        match approvals.standing(&self.config.label, entry) {
            Standing::Approved(extent) => Some(extent),
            Standing::None => None,
            Standing::Changed => {
                faults.push(self.revoke(approvals, &entry.uri));
                None
            }
        }
    }

    fn revoke(&self, approvals: &Approvals, uri: &str) -> Fault {
        let (label, shown) = (self.label(), display_text(uri));
        match approvals.revoke(&self.config.label, uri) {
            Ok(_) => Fault::Revoked { label, uri: shown },
            // It fits no files that are listed, so it has no effect either way.
            Err(error) => Fault::Store {
                label,
                what: "the revoked approval",
                reason: error.to_string(),
            },
        }
    }
}

impl Inner {
    /// Goes on until it is dropped.
    async fn follow<F: Future<Output = ()>>(&self, tell: impl Fn() -> F) {
        let mut known = self.list().await;
        loop {
            let Ok((connection, _)) = self.connection().await else {
                sleep(AWAY).await;
                self.look(&mut known, &tell).await;
                continue;
            };
            let mut hearing = connection.hear().await;
            loop {
                // First what happened before anybody listened.
                self.look(&mut known, &tell).await;
                let again = self.options.ask_again;
                match timeout(again, connection.news(&mut hearing)).await {
                    Ok(true) => sleep(PAUSE).await,
                    // Silence: maybe it only does not tell.
                    Err(_) => {}
                    Ok(false) => break,
                }
                if !connection.is_open() {
                    break;
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// Lists anew, and tells where that gave another list.
    async fn look<F: Future<Output = ()>>(&self, known: &mut Arc<Listing>, tell: &impl Fn() -> F) {
        let now = self.relist().await;
        let same = now.entries == known.entries
            && now.partial == known.partial
            && now.age.is_some() == known.age.is_some();
        *known = now;
        if !same {
            tracing::info!(
                server = self.config.label,
                skills = known.entries.len(),
                "the list of a server changed"
            );
            tell().await;
        }
    }
}
