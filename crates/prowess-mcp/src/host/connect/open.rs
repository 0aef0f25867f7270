//! Opens a connection: starts a program or calls an address, and greets whoever answers.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::{HeaderName, HeaderValue};
use prowess::display_text;
use reqwest::Certificate;
use rmcp::{
    ClientServiceExt as _,
    model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion},
    service::{ClientInitializeError, ClientLifecycleMode},
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::{io::AsyncReadExt as _, process::ChildStderr, time::timeout};

use super::{
    ChangeHandler, ChangeNotices, GRACE, Service,
    reason::{
        SEE_URL, START_BY_HAND, TELL_OWNER, http_reason, innermost, last_words, server_fault,
        shown, silent,
    },
};
use crate::host::{
    EXTENSION,
    config::{HostLimits, ServerConfig, Transport},
    fault::Fault,
    http::{BoundedHttp, is_exposed},
    lines::{Faults, LineTransport},
    process::Process,
};

/// So much of what a server last said on its standard error is kept for a message.
const SAID_BYTES: usize = 1_024;

/// How long the SDK waits before it greets the old way.
const ASKED: Duration = Duration::from_secs(10);

/// A connection in the making.
pub(super) struct Connector<'a> {
    pub(super) config: &'a ServerConfig,
    pub(super) limits: &'a HostLimits,
    pub(super) faults: &'a Arc<Faults>,
    pub(super) said: &'a Arc<Mutex<Vec<u8>>>,
    pub(super) news: &'a ChangeNotices,
}

impl Connector<'_> {
    /// Starts a program and greets it. The SDK waits ten seconds for an answer to the question
    /// which versions are spoken and then greets the old way, which a newer server that was slow to
    /// start refuses. Such a one is started again and only asked.
    pub(super) async fn command(&self) -> Result<(Service, Option<Process>), Fault> {
        let begun = Instant::now();
        match self.start(lifecycle()).await {
            Err(_) if begun.elapsed() >= ASKED && self.config.timeout > ASKED => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let only = ClientLifecycleMode::Discover { preferred_versions };
                self.start(only).await
            }
            started => started,
        }
    }

    async fn start(&self, mode: ClientLifecycleMode) -> Result<(Service, Option<Process>), Fault> {
        let (mut process, pipes) = Process::start(&self.config.transport).map_err(|error| {
            let command = display_text(&self.config.transport.place());
            let reason = format!("cannot be started: `{command}`: {error}");
            let help = "see whether `command` names a program that is installed";
            self.fault(reason, help)
        })?;
        let listener = tokio::spawn(listen(pipes.errors, Arc::clone(self.said)));
        let most = self.limits.message_bytes;
        let transport =
            LineTransport::new(pipes.output, pipes.input, most, Arc::clone(self.faults));
        let greeted = self.client().serve_with_lifecycle(transport, mode);
        match timeout(self.config.timeout, greeted).await {
            Ok(Ok(service)) => Ok((service, Some(process))),
            Ok(Err(error)) => {
                // What it says on its way out explains more than our side can.
                let _ = timeout(GRACE, process.wait()).await;
                let _ = timeout(GRACE, listener).await;
                Err(match error {
                    // Whether it went before or after we wrote to it is all the same.
                    ClientInitializeError::TransportError { .. }
                        if self.faults.reason().is_none() =>
                    {
                        self.ended()
                    }
                    error => self.greeting_fault(&error),
                })
            }
            Err(_) => Err(self.too_slow()),
        }
    }

    pub(super) async fn url(&self) -> Result<Service, Fault> {
        let Transport::Url {
            url,
            token,
            headers,
            authorities,
        } = &self.config.transport
        else {
            return Err(self.fault("has no address".to_owned(), ""));
        };
        if token.is_some() && is_exposed(url) {
            let reason = "is not asked: everybody on the way could read its token".to_owned();
            let help = "write `https://` in its `url`; where the way is safe, put `Authorization` into `headers`";
            return Err(self.fault(reason, help));
        }
        let most = self.limits.message_bytes;
        let http = BoundedHttp::new(
            url,
            self.believed(authorities.as_deref())?,
            self.config.timeout,
            most,
            Arc::clone(self.faults),
            self.news.followed(),
        )
        .map_err(|error| {
            self.fault(format!("cannot be reached: {}", innermost(&error)), SEE_URL)
        })?;
        let mut own = HashMap::new();
        for (name, value) in headers {
            let (Ok(name), Ok(value)) = (
                HeaderName::try_from(name.as_str()),
                HeaderValue::try_from(value.as_str()),
            ) else {
                let reason = format!("cannot be sent the header `{}`", display_text(name));
                return Err(self.fault(reason, "mend `headers` in the config"));
            };
            own.insert(name, value);
        }
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .custom_headers(own)
            .max_sse_event_size(most);
        if let Some(token) = token {
            config = config.auth_header(token);
        }
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let greeted = self.client().serve_with_lifecycle(transport, lifecycle());
        match timeout(self.config.timeout, greeted).await {
            Ok(Ok(service)) => Ok(service),
            Ok(Err(error)) => Err(self.greeting_fault(&error)),
            Err(_) => Err(self.too_slow()),
        }
    }

    /// The certificate authorities that the user named for this server.
    fn believed(&self, pem: Option<&str>) -> Result<Vec<Certificate>, Fault> {
        let Some(pem) = pem else {
            return Ok(Vec::new());
        };
        let named = Certificate::from_pem_bundle(pem.as_bytes()).unwrap_or_default();
        if named.is_empty() {
            let reason = "is not asked: its `ca-file` holds no certificate".to_owned();
            return Err(self.fault(reason, "name a file with `BEGIN CERTIFICATE` in it"));
        }
        Ok(named)
    }

    fn ended(&self) -> Fault {
        let reason = format!("ended before it answered{}", last_words(self.said));
        self.fault(reason, START_BY_HAND)
    }

    fn too_slow(&self) -> Fault {
        match self.faults.reason() {
            Some(reason) => self.fault(reason.to_owned(), TELL_OWNER),
            None => {
                let said = last_words(self.said);
                let reason = format!("{}{said}", silent(self.config.timeout));
                self.fault(reason, "see whether it runs, or raise its `timeout`")
            }
        }
    }

    /// Why a greeting failed.
    fn greeting_fault(&self, error: &ClientInitializeError) -> Fault {
        if let Some(reason) = self.faults.reason() {
            return self.fault(reason.to_owned(), TELL_OWNER);
        }
        match error {
            ClientInitializeError::TransportError { error, .. } => {
                let (reason, help) = http_reason(&*error.error);
                self.fault(reason, help)
            }
            ClientInitializeError::JsonRpcError(error) => {
                let reason = format!("refuses the connection: {}", shown(&error.message));
                self.fault(reason, TELL_OWNER)
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                self.greeting_fault(fallback)
            }
            ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
                let reason = "speaks no version of the protocol that is known here".to_owned();
                self.fault(reason, "update the server, or this program")
            }
            ClientInitializeError::ConnectionClosed(_) => self.ended(),
            _ => self.fault(
                "answers with something that is no greeting".to_owned(),
                TELL_OWNER,
            ),
        }
    }

    /// Who we are, and that we know skills.
    fn client(&self) -> ChangeHandler {
        let mut capabilities = ClientCapabilities::default();
        let mut extensions = rmcp::model::ExtensionCapabilities::new();
        extensions.insert(EXTENSION.to_owned(), serde_json::Map::new());
        capabilities.extensions = Some(extensions);
        let us = Implementation::new("prowess", env!("CARGO_PKG_VERSION"));
        self.news.handler(ClientConfig::new(capabilities, us))
    }

    fn fault(&self, reason: String, help: &str) -> Fault {
        server_fault(&self.config.label, reason, help)
    }
}

/// The newest version first; a server that does not know it is greeted the old way.
fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    }
}

/// Keeps the end of what a program says on its standard error.
async fn listen(mut errors: ChildStderr, said: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 512];
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend_from_slice(&buffer[..count]);
        let over = said.len().saturating_sub(SAID_BYTES);
        said.drain(..over);
    }
}
