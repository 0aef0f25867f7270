//! One connection to a server, over standard streams or HTTP.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    ClientHandler, Peer, RoleClient, ServiceError,
    model::{
        ClientConfig, ClientRequest, CustomRequest, ProtocolVersion, ReadResourceRequest,
        ReadResourceRequestParams, ServerNotification, SubscriptionFilter,
    },
    service::{NotificationContext, RunningService, Subscription},
};
use serde::Deserialize;
use serde_json::Value as Json;
use tokio::{
    sync::{Notify, watch},
    time::{sleep, timeout},
};

use super::{
    EXTENSION,
    config::{HostLimits, ServerConfig, Transport},
    fault::Fault,
    lines::Faults,
    process::Process,
    raw,
};

mod open;
mod reason;

use open::Connector;
use reason::{START_BY_HAND, TELL_OWNER, http_reason, last_words, server_fault, shown, silent};

/// A program that was told to end gets this long before it is ended.
const GRACE: Duration = Duration::from_millis(1_500);

type Service = RunningService<RoleClient, ChangeHandler>;

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    label: String,
    timeout: Duration,
    service: Mutex<Option<Service>>,
    peer: Peer<RoleClient>,
    process: Mutex<Option<Process>>,
    faults: Arc<Faults>,
    said: Arc<Mutex<Vec<u8>>>,
    news: ChangeNotices,
}

/// One part of what a resource holds: text, or bytes as base64.
#[derive(Debug, Deserialize)]
pub(super) struct Contents {
    pub(super) uri: String,
    pub(super) text: Option<String>,
    pub(super) blob: Option<String>,
}

/// What a request came back with when it came back with nothing to use.
#[derive(Debug)]
pub(super) enum RequestError {
    /// The server said no to this one.
    Answer(String),
    /// The connection is of no use any more.
    Lost(Fault),
}

impl Connection {
    /// Connects, and makes sure that the server offers skills.
    pub(super) async fn open(config: &ServerConfig, limits: &HostLimits) -> Result<Self, Fault> {
        let (faults, said) = <(Arc<Faults>, Arc<Mutex<Vec<u8>>>)>::default();
        let news = ChangeNotices::default();
        let start = Connector {
            config,
            limits,
            faults: &faults,
            said: &said,
            news: &news,
        };
        let (service, process) = match &config.transport {
            Transport::Command { .. } => start.command().await?,
            Transport::Url { .. } => (start.url().await?, None),
        };
        let peer = service.peer().clone();
        let connection = Self {
            label: config.label.clone(),
            timeout: config.timeout,
            service: Mutex::new(Some(service)),
            peer,
            process: Mutex::new(process),
            faults,
            said,
            news,
        };
        let info = connection.peer.peer_info();
        let extensions = info
            .as_ref()
            .and_then(|it| it.capabilities.extensions.as_ref());
        if extensions.is_some_and(|all| all.contains_key(EXTENSION)) {
            return Ok(connection);
        }
        connection.close().await;
        Err(Fault::NoSkills {
            label: config.label.clone(),
        })
    }

    /// Whether it can still be used.
    pub(super) fn is_open(&self) -> bool {
        !self.peer.is_transport_closed()
    }

    /// Asks for something of the extension.
    pub(super) async fn ask(&self, method: &str, params: Json) -> Result<Json, RequestError> {
        let request = CustomRequest::new(method, Some(params));
        self.send(ClientRequest::CustomRequest(request)).await
    }

    /// Reads a resource; the contents that came, whatever they are about.
    pub(super) async fn read(&self, uri: &str) -> Result<Vec<Contents>, RequestError> {
        #[derive(Deserialize)]
        struct Answer {
            contents: Vec<Contents>,
        }
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let answer = self.send(ClientRequest::ReadResourceRequest(request));
        match serde_json::from_value::<Answer>(answer.await?) {
            Ok(answer) => Ok(answer.contents),
            Err(_) => Err(RequestError::Answer(
                "its answer holds no contents".to_owned(),
            )),
        }
    }

    async fn send(&self, request: ClientRequest) -> Result<Json, RequestError> {
        let lost = |reason: String, help: &str| {
            RequestError::Lost(server_fault(&self.label, reason, help))
        };
        match timeout(self.timeout, self.peer.send_request(request)).await {
            Ok(Ok(result)) => raw::unwrap(result).ok_or_else(|| {
                RequestError::Answer("its answer is to another question".to_owned())
            }),
            Ok(Err(ServiceError::McpError(error))) => {
                Err(RequestError::Answer(shown(&error.message)))
            }
            Ok(Err(error)) => Err(match (self.faults.reason(), &error) {
                (Some(reason), _) => lost(reason.to_owned(), TELL_OWNER),
                (None, ServiceError::TransportSend(error)) => {
                    let (reason, help) = http_reason(&*error.error);
                    lost(reason, help)
                }
                (None, _) => lost(self.ended(), START_BY_HAND),
            }),
            Err(_) => Err(match self.faults.reason() {
                Some(reason) => lost(reason.to_owned(), TELL_OWNER),
                None => lost(
                    silent(self.timeout),
                    "see whether it is busy, or raise its `timeout`",
                ),
            }),
        }
    }

    fn ended(&self) -> String {
        format!("has ended{}", last_words(&self.said))
    }

    /// Begins to hear of news. Ask for the list after that, and none is missed.
    pub(super) async fn hear(&self) -> ChangeFeed {
        let Some(info) = self.peer.peer_info() else {
            return ChangeFeed::Nothing;
        };
        let resources = info.capabilities.resources.as_ref();
        if resources.and_then(|it| it.list_changed) != Some(true) {
            return ChangeFeed::Nothing;
        }
        if info.protocol_version < ProtocolVersion::V_2026_07_28 {
            self.news.followed.send_replace(true);
            return ChangeFeed::Notifications;
        }
        let mut wanted = SubscriptionFilter::default();
        wanted.resources_list_changed = Some(true);
        match timeout(self.timeout, self.peer.listen(wanted)).await {
            Ok(Ok(subscription)) => ChangeFeed::Subscription(Box::new(subscription)),
            Ok(Err(_)) | Err(_) => ChangeFeed::Nothing,
        }
    }

    /// Waits for news; `false` where there will be no more of them.
    pub(super) async fn news(&self, hearing: &mut ChangeFeed) -> bool {
        match hearing {
            ChangeFeed::Subscription(subscription) => loop {
                match subscription.next().await {
                    Ok(Some(ServerNotification::ResourceListChangedNotification(_))) => {
                        return true;
                    }
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => return false,
                }
            },
            ChangeFeed::Notifications => loop {
                tokio::select! {
                    () = self.news.came.notified() => return true,
                    () = sleep(LOOK) => if !self.is_open() {
                        return false;
                    },
                }
            },
            ChangeFeed::Nothing => std::future::pending().await,
        }
    }

    /// Says good-bye; a program that does not go is ended.
    pub(super) async fn close(&self) {
        let service = take(&self.service);
        if let Some(mut service) = service {
            let _ = service.close_with_timeout(GRACE).await;
        }
        if let Some(mut process) = take(&self.process) {
            // Its standard input is closed by now, which tells it to end. Whatever is left of it
            // and of what it started ends when it is dropped.
            let _ = timeout(GRACE, process.wait()).await;
        }
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// How often it is looked whether a connection is still there.
const LOOK: Duration = Duration::from_secs(1);

/// Notices of one connection, on their way from the one who hears them to the one who waits for them.
#[derive(Debug)]
pub(super) struct ChangeNotices {
    came: Arc<Notify>,
    followed: watch::Sender<bool>,
}

impl Default for ChangeNotices {
    fn default() -> Self {
        Self {
            came: Arc::default(),
            followed: watch::Sender::new(false),
        }
    }
}

impl ChangeNotices {
    /// Whether anybody waits for news.
    pub(super) fn followed(&self) -> watch::Receiver<bool> {
        self.followed.subscribe()
    }

    /// Our side of a connection, as the server sees it.
    pub(super) fn handler(&self, config: ClientConfig) -> ChangeHandler {
        ChangeHandler {
            config,
            came: Arc::clone(&self.came),
        }
    }
}

/// Our side of a connection: asks for nothing by itself, and hears news.
#[derive(Debug)]
pub(super) struct ChangeHandler {
    config: ClientConfig,
    came: Arc<Notify>,
}

impl ClientHandler for ChangeHandler {
    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.came.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
}

/// A way to hear of news.
#[derive(Debug)]
pub(super) enum ChangeFeed {
    /// A subscription, as newer servers have them.
    Subscription(Box<Subscription>),
    /// Notices that come as they come.
    Notifications,
    /// The server tells nothing.
    Nothing,
}
