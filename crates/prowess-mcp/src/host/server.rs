//! One server: its list, its skills and their files, each checked before anybody sees it.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use base64::Engine as _;
use prowess::{display_text, format::Document, source::remote::told_age};
use rmcp::model::ResourceContents;
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::{
    approvals::{Approvals, Standing},
    cache::Cache,
    config::{HostOptions, ServerConfig},
    connect::{Connection, Refused},
    entry::{Entry, Manifest},
    fault::{Check, Fault},
    lane::Lane,
    list::list,
    verify,
};

/// A server that could not be reached is not tried again for this long.
const REST: Duration = Duration::from_secs(30);

/// A server and what is known of it. Cloning it shares the connection.
///
/// The calls run beside the caller, on any executor; each has a blocking twin.
#[derive(Debug, Clone)]
pub struct Server(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: ServerConfig,
    options: Arc<HostOptions>,
    lane: Arc<Lane>,
    cache: Option<Cache>,
    approvals: Option<Approvals>,
    closed: AtomicBool,
    connection: tokio::sync::Mutex<Link>,
    listing: tokio::sync::Mutex<Option<Arc<Listing>>>,
    held: Mutex<HashMap<String, Held>>,
}

#[derive(Debug, Default)]
struct Link {
    open: Option<Arc<Connection>>,
    /// When it last failed, and how.
    down: Option<(Instant, Fault)>,
}

/// A skill of the list that is in use.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) entry: Arc<Entry>,
    pub(super) approved: bool,
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
pub struct Loaded {
    /// What the server says about it.
    pub entry: Arc<Entry>,
    /// Its file as it came.
    pub bytes: Vec<u8>,
    /// What the file says.
    pub document: Document,
    /// Whether the user approved it as it is.
    pub approved: bool,
    /// How old the copy is, where one stands in for the server.
    pub age: Option<Duration>,
}

impl Server {
    pub(super) fn new(config: ServerConfig, options: Arc<HostOptions>, lane: Arc<Lane>) -> Self {
        let cache = options.cache.clone();
        let approvals = options.approvals.clone();
        Self(Arc::new(Inner {
            cache: cache.map(|folder| Cache::new(&folder, &config.label)),
            approvals: approvals.map(Approvals::new),
            config,
            options,
            lane,
            closed: AtomicBool::new(false),
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
        let listing = self.0.lane.wait(async move { server.0.list().await });
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
        let listing = self.0.lane.wait(async move { server.0.relist().await });
        listing.unwrap_or_default()
    }

    /// Fetches a skill's file and checks it.
    pub async fn load(&self, uri: &str) -> Result<Loaded, Fault> {
        let (server, uri) = (self.clone(), uri.to_owned());
        let loaded = self.beside(async move { server.0.load(&uri).await }).await;
        loaded.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// The same, for code that can wait.
    pub fn load_blocking(&self, uri: &str) -> Result<Loaded, Fault> {
        let (server, uri) = (self.clone(), uri.to_owned());
        let loaded = self.0.lane.wait(async move { server.0.load(&uri).await });
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
            .lane
            .wait(async move { server.0.read(&uri, &path).await });
        file.unwrap_or_else(|| Err(self.0.stopped()))
    }

    /// Where approvals of its skills are kept.
    pub fn approvals(&self) -> Option<&Approvals> {
        self.0.approvals.as_ref()
    }

    /// Begins to list without waiting for it.
    pub(super) fn start_listing(&self) {
        let server = self.clone();
        self.0
            .lane
            .handle()
            .spawn(async move { server.0.list().await });
    }

    /// What is held about a skill of the list; this asks nobody.
    pub(super) fn held(&self, uri: &str) -> Option<Held> {
        self.0.held().get(uri).cloned()
    }

    /// Ends the connection. What was not fetched by then is not fetched any more.
    pub(super) async fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        let mut link = self.0.connection.lock().await;
        if let Some(connection) = link.open.take() {
            connection.close().await;
        }
    }

    /// Runs a future on the lane; `None` where it panicked or the lane is gone.
    async fn beside<F>(&self, future: F) -> Option<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.lane.handle().spawn(future).await.ok()
    }
}

impl Inner {
    fn label(&self) -> String {
        self.config.label.clone()
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, Held>> {
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
        if self.closed.load(Ordering::Relaxed) {
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
        *self.listing.lock().await = None;
        self.list().await
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
            let known = Held {
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
        let reason = match fault {
            Fault::Server { reason, .. } => reason,
            other => other.to_string(),
        };
        listing.faults.push(Fault::Copies {
            label: self.label(),
            reason,
            age: told_age(age),
            skills: entries.len(),
        });
        listing.age = Some(age);
        entries
    }

    /// Whether a skill is approved as it is. An approval of other files is taken back.
    fn approved(&self, entry: &Entry, faults: &mut Vec<Fault>) -> bool {
        let Some(approvals) = &self.approvals else {
            return false;
        };
        match approvals.standing(&self.config.label, entry) {
            Standing::Approved => true,
            Standing::None => false,
            Standing::Changed => {
                faults.push(self.revoke(approvals, &entry.uri));
                false
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

    /// The skill as it is held, after listing where nobody has listed yet.
    async fn skill(&self, uri: &str) -> Result<Held, Fault> {
        let listing = self.list().await;
        let held = self.held().get(uri).cloned();
        let Some(held) = held else {
            let down = listing.entries.is_empty().then(|| listing.faults.first());
            return Err(match down.flatten() {
                Some(fault) => fault.clone(),
                None => Fault::Unknown {
                    label: self.label(),
                    uri: display_text(uri),
                },
            });
        };
        Ok(held)
    }

    async fn load(&self, uri: &str) -> Result<Loaded, Fault> {
        let held = self.skill(uri).await?;
        let bytes = self.bytes(&held, uri).await?;
        let document = match verify::frontmatter(&held.entry.frontmatter, &bytes) {
            Ok(document) => document,
            Err(check) => return Err(self.failed(&held.entry, uri, check).await),
        };
        // Asked again: it may have been given or taken back since the list came.
        let approved = self.approved(&held.entry, &mut Vec::new());
        Ok(Loaded {
            entry: held.entry,
            bytes,
            document,
            approved,
            age: held.age,
        })
    }

    async fn read(&self, uri: &str, path: &str) -> Result<Vec<u8>, Fault> {
        let held = self.skill(uri).await?;
        match held.entry.file(path) {
            Some(file) => self.bytes(&held, &file).await,
            None => {
                let folder = uri.strip_suffix("/SKILL.md").unwrap_or(uri);
                let asked = format!("{folder}/{path}");
                Err(self.failed(&held.entry, &asked, Check::Unlisted).await)
            }
        }
    }

    /// The bytes of a file of the list, checked: a copy where one passes, else from the server.
    async fn bytes(&self, held: &Held, uri: &str) -> Result<Vec<u8>, Fault> {
        let listed = match &held.entry.manifest {
            Manifest::Dynamic => None,
            Manifest::Listed(files) => match files.get(uri) {
                Some(listed) => Some(*listed),
                None => return Err(self.failed(&held.entry, uri, Check::Unlisted).await),
            },
        };
        if let (Some(cache), Some(listed)) = (&self.cache, listed)
            && let Some((bytes, _)) = cache.file(uri, listed)
        {
            return Ok(bytes);
        }
        let contents = self.fetch(uri).await?;
        let checked = take(contents, uri).and_then(|bytes| match listed {
            Some(listed) => verify::file(listed, &bytes).map(|()| bytes),
            None if bytes.len() as u64 > self.options.limits.skill_bytes => Err(Check::Form {
                reason: "it is larger than a skill may be".to_owned(),
            }),
            None => Ok(bytes),
        });
        let bytes = match checked {
            Ok(bytes) => bytes,
            Err(check) => return Err(self.failed(&held.entry, uri, check).await),
        };
        if let (Some(cache), Some(_)) = (&self.cache, listed)
            && let Err(error) = cache.keep_file(uri, &bytes)
        {
            // The file is good all the same; it will be fetched again.
            tracing::warn!(server = self.config.label, %error, "cannot keep a copy");
        }
        Ok(bytes)
    }

    /// Reads a resource; once more where the connection turned out to be a dead one.
    async fn fetch(&self, uri: &str) -> Result<Vec<ResourceContents>, Fault> {
        loop {
            let (connection, used_before) = self.connection().await?;
            let fault = match connection.read(uri).await {
                Ok(contents) => return Ok(contents),
                Err(Refused::Said(why)) => {
                    return Err(Fault::Server {
                        label: self.label(),
                        reason: format!("does not give `{}`: {why}", display_text(uri)),
                        help: "list the skills again".to_owned(),
                    });
                }
                Err(Refused::Lost(fault)) => fault,
            };
            let ended = !connection.is_open();
            self.drop_connection(&fault).await;
            if !(used_before && ended) {
                return Err(fault);
            }
            self.connection.lock().await.down = None;
        }
    }

    /// After a failed check: asks the server what it says about the skill now. Other files than
    /// before take an approval back.
    async fn failed(&self, entry: &Entry, uri: &str, check: Check) -> Fault {
        let changed = self.refresh(entry).await;
        tracing::warn!(
            server = self.config.label,
            uri,
            ?check,
            changed,
            "a check failed"
        );
        Fault::Check {
            label: self.label(),
            uri: display_text(uri),
            check,
            changed,
        }
    }

    async fn refresh(&self, entry: &Entry) -> bool {
        let Ok((connection, _)) = self.connection().await else {
            return false;
        };
        let answer = connection
            .ask("skills/get", json!({"uri": entry.uri}))
            .await;
        let Ok(answer) = answer else {
            return false;
        };
        let skill = answer.get("skill").unwrap_or(&Json::Null);
        let fresh = match Entry::read(skill, &self.options.limits) {
            Ok(fresh) if fresh.uri == entry.uri => fresh,
            _ => return false,
        };
        let changed = fresh.manifest != entry.manifest;
        if changed && let Some(approvals) = &self.approvals {
            self.revoke(approvals, &entry.uri);
        }
        let held = Held {
            approved: self.approved(&fresh, &mut Vec::new()),
            entry: Arc::new(fresh),
            age: None,
        };
        self.held().insert(entry.uri.clone(), held);
        changed
    }
}

/// The bytes of the file that was asked for.
fn take(contents: Vec<ResourceContents>, asked: &str) -> Result<Vec<u8>, Check> {
    for content in contents {
        match content {
            ResourceContents::TextResourceContents { uri, text, .. } if uri == asked => {
                return Ok(text.into_bytes());
            }
            ResourceContents::BlobResourceContents { uri, blob, .. } if uri == asked => {
                let bytes = base64::engine::general_purpose::STANDARD.decode(blob);
                return bytes.map_err(|_| Check::Form {
                    reason: "it is no base64".to_owned(),
                });
            }
            _ => {}
        }
    }
    Err(Check::Answer)
}
