//! One server: its list, its skills and their files, each checked before anybody sees it.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use prowess::format::Document;
use tokio_util::sync::CancellationToken;

use super::{
    approvals::Approvals,
    cache::Cache,
    config::{HostOptions, ServerConfig},
    connect::Connection,
    entry::Entry,
    fault::Fault,
    lane::Lane,
};

mod fetch;
mod follow;
mod state;

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
    closed: CancellationToken,
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
            cache: cache
                .map(|folder| Cache::new(&folder, &config.label, &config.transport.identity())),
            approvals: approvals.map(Approvals::new),
            config,
            options,
            lane,
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

    /// Lists anew whenever the server says that it has another list, and from time to time where it
    /// says nothing, until it is closed. After each list that is another one `tell` is called.
    pub(super) fn follow(&self, tell: Arc<dyn Fn(&Server) + Send + Sync>) {
        let server = self.clone();
        self.0.lane.handle().spawn(async move {
            let told = || {
                let (server, tell) = (server.clone(), Arc::clone(&tell));
                // Whoever is told may wait for this very lane.
                let told = tokio::task::spawn_blocking(move || tell(&server));
                async move { drop(told.await) }
            };
            // It waits for years, and most of what it does along the way is seldom.
            let following = Box::pin(server.0.follow(told));
            server.0.closed.run_until_cancelled(following).await
        });
    }

    /// What is held about a skill of the list; this asks nobody.
    pub(super) fn held(&self, uri: &str) -> Option<Held> {
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

    /// Runs a future on the lane; `None` where it panicked or the lane is gone.
    async fn beside<F>(&self, future: F) -> Option<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.lane.handle().spawn(future).await.ok()
    }
}
