//! One connection to a server, over standard streams or HTTP.

use std::{
    collections::HashMap,
    error::Error,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::{HeaderName, HeaderValue};
use prowess::display_text;
use rmcp::{
    ClientServiceExt as _, Peer, RoleClient, ServiceError,
    model::{
        ClientCapabilities, ClientConfig, ClientRequest, CustomRequest, Implementation,
        ProtocolVersion, ReadResourceRequest, ReadResourceRequestParams, ResourceContents,
        ServerResult,
    },
    service::{ClientInitializeError, ClientLifecycleMode, RunningService},
    transport::{
        StreamableHttpClientTransport,
        async_rw::AsyncRwTransport,
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use serde_json::Value as Json;
use tokio::{
    io::AsyncReadExt as _,
    process::{Child, ChildStderr, Command},
    time::timeout,
};

use super::{
    EXTENSION,
    bounded::{Bounded, Noticed},
    config::{HostLimits, ServerConfig, Transport},
    fault::Fault,
    http::BoundedHttp,
};

/// So much of what a server last said on its standard error is kept for a message.
const SAID_BYTES: usize = 1_024;

/// A program that was told to end gets this long before it is ended.
const GRACE: Duration = Duration::from_millis(1_500);

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    label: String,
    timeout: Duration,
    service: Mutex<Option<RunningService<RoleClient, ClientConfig>>>,
    peer: Peer<RoleClient>,
    child: Mutex<Option<Child>>,
    noticed: Arc<Noticed>,
    said: Arc<Mutex<Vec<u8>>>,
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
        let (noticed, said) = <(Arc<Noticed>, Arc<Mutex<Vec<u8>>>)>::default();
        let start = Opening {
            config,
            limits,
            noticed: &noticed,
            said: &said,
        };
        let (service, child) = match &config.transport {
            Transport::Command { .. } => start.command().await?,
            Transport::Url { .. } => (start.url().await?, None),
        };
        let peer = service.peer().clone();
        let connection = Self {
            label: config.label.clone(),
            timeout: config.timeout,
            service: Mutex::new(Some(service)),
            peer,
            child: Mutex::new(child),
            noticed,
            said,
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
        match self.send(ClientRequest::CustomRequest(request)).await? {
            ServerResult::CustomResult(result) => Ok(result.0),
            _ => Err(Refused::Said(format!(
                "an answer to `{method}` that is none"
            ))),
        }
    }

    /// Reads a resource; the contents that came, whatever they are about.
    pub(super) async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, Refused> {
        let params = ReadResourceRequestParams::new(uri);
        let request = ReadResourceRequest::new(params);
        match self
            .send(ClientRequest::ReadResourceRequest(request))
            .await?
        {
            ServerResult::ReadResourceResult(result) => Ok(result.contents),
            _ => Err(Refused::Said(
                "an answer to `resources/read` that is none".to_owned(),
            )),
        }
    }

    async fn send(&self, request: ClientRequest) -> Result<ServerResult, Refused> {
        let lost =
            |reason: String, help: &str| Refused::Lost(server_fault(&self.label, reason, help));
        match timeout(self.timeout, self.peer.send_request(request)).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(ServiceError::McpError(error))) => Err(Refused::Said(shown(&error.message))),
            Ok(Err(error)) => Err(match (self.noticed.told(), &error) {
                (Some(told), _) => lost(told.to_owned(), TELL_OWNER),
                (None, ServiceError::TransportSend(error)) => {
                    let (reason, help) = http_reason(&*error.error);
                    lost(reason, help)
                }
                (None, _) => lost(self.ended(), START_BY_HAND),
            }),
            Err(_) => Err(match self.noticed.told() {
                Some(told) => lost(told.to_owned(), TELL_OWNER),
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
        if let Some(mut child) = take(&self.child) {
            // Its standard input is closed by now, which tells it to end.
            if timeout(GRACE, child.wait()).await.is_err() {
                let _ = child.kill().await;
            }
        }
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A connection in the making.
struct Opening<'a> {
    config: &'a ServerConfig,
    limits: &'a HostLimits,
    noticed: &'a Arc<Noticed>,
    said: &'a Arc<Mutex<Vec<u8>>>,
}

type Service = RunningService<RoleClient, ClientConfig>;

impl Opening<'_> {
    async fn command(&self) -> Result<(Service, Option<Child>), Fault> {
        let Transport::Command {
            command,
            args,
            env,
            directory,
        } = &self.config.transport
        else {
            return Err(self.fault("has no command".to_owned(), ""));
        };
        let mut program = Command::new(command);
        program
            .args(args)
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = directory {
            program.current_dir(directory);
        }
        let mut child = program.spawn().map_err(|error| {
            let reason = format!("cannot be started: `{}`: {error}", display_text(command));
            self.fault(
                reason,
                "see whether `command` names a program that is installed",
            )
        })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(self.fault("has no standard streams".to_owned(), ""));
        };
        let errors = child.stderr.take();
        let listener = errors.map(|errors| tokio::spawn(listen(errors, Arc::clone(self.said))));
        let most = self.limits.message_bytes;
        let output = Bounded::new(output, most, Arc::clone(self.noticed));
        // The bound above speaks first.
        let transport = AsyncRwTransport::new_client(output, input).with_max_line_length(most + 1);
        let greeted = client().serve_with_lifecycle(transport, lifecycle());
        match timeout(self.config.timeout, greeted).await {
            Ok(Ok(service)) => Ok((service, Some(child))),
            Ok(Err(error)) => {
                // What it says on its way out explains more than our side can.
                let _ = timeout(GRACE, child.wait()).await;
                if let Some(listener) = listener {
                    let _ = timeout(GRACE, listener).await;
                }
                Err(match error {
                    // Whether it went before or after we wrote to it is all the same.
                    ClientInitializeError::TransportError { .. }
                        if self.noticed.told().is_none() =>
                    {
                        self.ended()
                    }
                    error => self.greeting_fault(&error),
                })
            }
            Err(_) => Err(self.too_slow()),
        }
    }

    async fn url(&self) -> Result<Service, Fault> {
        let Transport::Url {
            url,
            token,
            headers,
        } = &self.config.transport
        else {
            return Err(self.fault("has no address".to_owned(), ""));
        };
        let most = self.limits.message_bytes;
        let http = BoundedHttp::new(url, self.config.timeout, most, Arc::clone(self.noticed))
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
        let greeted = client().serve_with_lifecycle(transport, lifecycle());
        match timeout(self.config.timeout, greeted).await {
            Ok(Ok(service)) => Ok(service),
            Ok(Err(error)) => Err(self.greeting_fault(&error)),
            Err(_) => Err(self.too_slow()),
        }
    }

    fn ended(&self) -> Fault {
        let reason = format!("ended before it answered{}", last_words(self.said));
        self.fault(reason, START_BY_HAND)
    }

    fn too_slow(&self) -> Fault {
        match self.noticed.told() {
            Some(told) => self.fault(told.to_owned(), TELL_OWNER),
            None => {
                let said = last_words(self.said);
                let reason = format!("{}{said}", silent(self.config.timeout));
                self.fault(reason, "see whether it runs, or raise its `timeout`")
            }
        }
    }

    /// Why a greeting failed.
    fn greeting_fault(&self, error: &ClientInitializeError) -> Fault {
        if let Some(told) = self.noticed.told() {
            return self.fault(told.to_owned(), TELL_OWNER);
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

    fn fault(&self, reason: String, help: &str) -> Fault {
        server_fault(&self.config.label, reason, help)
    }
}

const TELL_OWNER: &str = "tell the owner of the server";
const START_BY_HAND: &str = "start its command by hand and see what it says";
const SEE_URL: &str = "see whether its `url` is right and the server runs";

fn server_fault(label: &str, reason: String, help: &str) -> Fault {
    Fault::Server {
        label: label.to_owned(),
        reason,
        help: help.to_owned(),
    }
}

fn silent(time: Duration) -> String {
    format!("does not answer within {} s", time.as_secs_f32())
}

/// Who we are, and that we know skills.
fn client() -> ClientConfig {
    let mut capabilities = ClientCapabilities::default();
    let mut extensions = rmcp::model::ExtensionCapabilities::new();
    extensions.insert(EXTENSION.to_owned(), serde_json::Map::new());
    capabilities.extensions = Some(extensions);
    let us = Implementation::new("prowess", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(capabilities, us)
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

/// The last line a program said, to go behind what happened.
fn last_words(said: &Mutex<Vec<u8>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(&said);
    match text.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("; it says: {}", shown(line.trim())),
        None => String::new(),
    }
}

/// Why an exchange over HTTP failed, and what to do.
fn http_reason(error: &(dyn Error + 'static)) -> (String, &'static str) {
    let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() else {
        return (format!("is lost: {}", innermost(error)), START_BY_HAND);
    };
    match error {
        StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => (
            "does not let us in".to_owned(),
            "name a file with a token that it takes in `token-file`",
        ),
        StreamableHttpError::HttpStatus(status) => {
            (format!("answers with HTTP {}", status.status), SEE_URL)
        }
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or_default();
            let told = match kind {
                "" => "without a content type".to_owned(),
                kind => format!("with `{}`", shown(kind)),
            };
            (format!("answers {told} where JSON is expected"), SEE_URL)
        }
        StreamableHttpError::UnexpectedServerResponse(what) => {
            (format!("gives {}", shown(what)), TELL_OWNER)
        }
        StreamableHttpError::Client(error) => {
            (format!("cannot be reached: {}", innermost(error)), SEE_URL)
        }
        _ => (format!("is lost: {}", innermost(error)), SEE_URL),
    }
}

/// The cause that says most.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    shown(&cause.to_string())
}

/// What a server wrote, on one safe line that fills no screen.
fn shown(text: &str) -> String {
    const MOST: usize = 160;
    let line: Vec<&str> = text.split_whitespace().collect();
    let line: String = line.join(" ").chars().take(MOST).collect();
    display_text(&line)
}
