//! One connection to a server, over standard streams or HTTP.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{ClientRequest, CustomRequest, ReadResourceRequest, ReadResourceRequestParams},
    service::RunningService,
};
use serde::Deserialize;
use serde_json::Value as Json;
use tokio::time::timeout;

use super::{
    EXTENSION,
    config::{HostLimits, ServerConfig, Transport},
    fault::Fault,
    lines::Faults,
    process::Process,
    raw,
};

mod hear;
mod open;
mod reason;

use hear::{Ears, News};
use open::Opening;
use reason::{START_BY_HAND, TELL_OWNER, http_reason, last_words, server_fault, shown, silent};

/// A program that was told to end gets this long before it is ended.
const GRACE: Duration = Duration::from_millis(1_500);

type Service = RunningService<RoleClient, Ears>;

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
    news: News,
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
pub(super) enum Refused {
    /// The server said no to this one.
    Said(String),
    /// The connection is of no use any more.
    Lost(Fault),
}

impl Connection {
    /// Connects, and makes sure that the server offers skills.
    pub(super) async fn open(config: &ServerConfig, limits: &HostLimits) -> Result<Self, Fault> {
        let (faults, said) = <(Arc<Faults>, Arc<Mutex<Vec<u8>>>)>::default();
        let news = News::default();
        let start = Opening {
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
    pub(super) async fn ask(&self, method: &str, params: Json) -> Result<Json, Refused> {
        let request = CustomRequest::new(method, Some(params));
        self.send(ClientRequest::CustomRequest(request)).await
    }

    /// Reads a resource; the contents that came, whatever they are about.
    pub(super) async fn read(&self, uri: &str) -> Result<Vec<Contents>, Refused> {
        #[derive(Deserialize)]
        struct Answer {
            contents: Vec<Contents>,
        }
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let answer = self.send(ClientRequest::ReadResourceRequest(request));
        match serde_json::from_value::<Answer>(answer.await?) {
            Ok(answer) => Ok(answer.contents),
            Err(_) => Err(Refused::Said("its answer holds no contents".to_owned())),
        }
    }

    async fn send(&self, request: ClientRequest) -> Result<Json, Refused> {
        let lost =
            |reason: String, help: &str| Refused::Lost(server_fault(&self.label, reason, help));
        match timeout(self.timeout, self.peer.send_request(request)).await {
            Ok(Ok(result)) => raw::unwrap(result)
                .ok_or_else(|| Refused::Said("its answer is to another question".to_owned())),
            Ok(Err(ServiceError::McpError(error))) => Err(Refused::Said(shown(&error.message))),
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
