//! Streamable HTTP with a bound on every answer. The client that comes with the SDK reads a JSON
//! body whole, however long it is.

use std::{borrow::Cow, collections::HashMap, net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream::BoxStream};
use http::{HeaderName, HeaderValue, StatusCode, header};
use reqwest::{Certificate, Client, Response, redirect::Policy};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, SseError, StreamableHttpClient, StreamableHttpError,
        StreamableHttpPostResponse,
    },
};
use sse_stream::{Sse, SseStream};
use tokio::sync::watch;

use super::{lines::Faults, raw::RawResults};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

/// As many redirects as a browser follows are too many for a program.
const REDIRECTS: usize = 4;

/// An HTTP client that gives up on an answer that is too long.
#[derive(Debug, Clone)]
pub(super) struct BoundedHttp {
    client: Client,
    most: usize,
    faults: Arc<Faults>,
    followed: watch::Receiver<bool>,
    results: RawResults,
}

type HttpError = StreamableHttpError<reqwest::Error>;

impl BoundedHttp {
    pub(super) fn new(
        url: &str,
        authorities: Vec<Certificate>,
        timeout: Duration,
        most: usize,
        faults: Arc<Faults>,
        followed: watch::Receiver<bool>,
    ) -> Result<Self, reqwest::Error> {
        // Fails where a host has chosen another one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .connect_timeout(timeout)
            // An answer that was cut short would otherwise hold up the next request.
            .pool_max_idle_per_host(0)
            .redirect(same_origin())
            .tls_certs_merge(authorities);
        if is_loopback(url) {
            builder = builder.no_proxy();
        }
        Ok(Self {
            client: builder.build()?,
            most,
            faults,
            followed,
            results: RawResults::default(),
        })
    }

    /// The body, as far as it may go.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > self.most {
                return Err(self.too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn too_large(&self) -> HttpError {
        self.faults.note_too_large();
        unexpected("an answer that is too large")
    }

    /// The same for an answer in events.
    fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let bounded = bound(response.bytes_stream(), self.most, Arc::clone(&self.faults));
        let results = self.results.clone();
        SseStream::from_bytes_stream(bounded.boxed())
            .map(move |event| {
                event.map(|event| Sse {
                    data: event.data.map(|data| results.wrap(&data).into_owned()),
                    ..event
                })
            })
            .boxed()
    }
}

fn bound<S, E>(
    stream: S,
    most: usize,
    faults: Arc<Faults>,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send,
    E: std::error::Error + Send + Sync + 'static,
{
    stream.scan(0_usize, move |seen, chunk| {
        let chunk = chunk.map_err(std::io::Error::other).and_then(|chunk| {
            *seen = seen.saturating_add(chunk.len());
            if *seen > most {
                faults.note_too_large();
                return Err(std::io::Error::other("an answer is too large"));
            }
            Ok(chunk)
        });
        futures::future::ready(Some(chunk))
    })
}

impl StreamableHttpClient for BoundedHttp {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let mut request = self
            .client
            .post(&*uri)
            .header(header::ACCEPT, format!("{EVENTS}, {JSON}"));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        self.results.expect(&message);
        let in_session = session.is_some();
        if let Some(session) = session {
            request = request.header(SESSION, &*session);
        }
        let response = request.json(&message).send().await?;
        let status = response.status();
        let answered = |name| {
            let value = response.headers().get(name);
            value.and_then(|it| it.to_str().ok()).map(str::to_owned)
        };
        if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
            let challenge = answered(header::WWW_AUTHENTICATE).unwrap_or_default();
            return Err(HttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && in_session {
            return Err(HttpError::SessionExpired);
        }
        let kind = answered(header::CONTENT_TYPE).unwrap_or_default();
        let session = answered(HeaderName::from_static(SESSION));
        let wants_answer = matches!(message, ClientJsonRpcMessage::Request(_));
        if !status.is_success() {
            let body = self.body(response).await?;
            return refused(&message, in_session, status, &body);
        }
        if kind.starts_with(EVENTS) {
            let events = self.events(response);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if !wants_answer {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !kind.starts_with(JSON) {
            return Err(HttpError::UnexpectedContentType(Some(kind)));
        }
        let body = self.body(response).await?;
        let answer = self
            .results
            .read(&body)
            .map_err(|_| unexpected("an answer that is no JSON-RPC"))?;
        Ok(StreamableHttpPostResponse::Json(answer, session))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpError> {
        let mut request = self.client.delete(&*uri).header(SESSION, &*session);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        // A server that keeps the session forgets it in its own time.
        request.send().await.map(drop).map_err(HttpError::Client)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, HttpError> {
        // Most hosts ask once and are gone. Only who follows a server hears what it says by itself.
        let mut followed = self.followed.clone();
        if followed.wait_for(|followed| *followed).await.is_err() {
            return Err(HttpError::ServerDoesNotSupportSse);
        }
        let mut request = self.client.get(&*uri).header(header::ACCEPT, EVENTS);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = session {
            request = request.header(SESSION, &*session);
        }
        if let Some(event) = last_event {
            request = request.header(LAST_EVENT, event);
        }
        let response = request.send().await?;
        let kind = response.headers().get(header::CONTENT_TYPE);
        let events = kind.is_some_and(|kind| kind.as_bytes().starts_with(EVENTS.as_bytes()));
        if !response.status().is_success() || !events {
            return Err(HttpError::ServerDoesNotSupportSse);
        }
        Ok(self.events(response))
    }
}

/// What a status other than success means.
fn refused(
    message: &ClientJsonRpcMessage,
    in_session: bool,
    status: StatusCode,
    body: &[u8],
) -> Result<StreamableHttpPostResponse, HttpError> {
    let told: Option<ServerJsonRpcMessage> = serde_json::from_slice(body).ok();
    let told = told.filter(|told| matches!(told, ServerJsonRpcMessage::Error(_)));
    // An older server refuses the question which versions it speaks; it is then greeted the old
    // way. It need not repeat the id of a question it did not understand.
    if let ClientJsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && !in_session
        && status.is_client_error()
    {
        let error = match told {
            Some(ServerJsonRpcMessage::Error(error)) => error.error,
            _ => ErrorData::invalid_request(format!("HTTP {status}"), None),
        };
        let error = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(error, None));
    }
    match told {
        Some(error) => Ok(StreamableHttpPostResponse::Json(error, None)),
        None => Err(HttpStatusError::new(status.as_u16(), None).into()),
    }
}

fn unexpected(what: &'static str) -> HttpError {
    HttpError::UnexpectedServerResponse(Cow::Borrowed(what))
}

/// Follows only what keeps the message and stays with the server the user named: headers and
/// tokens are for nobody else.
fn same_origin() -> Policy {
    Policy::custom(|attempt| {
        let keeps_body = matches!(
            attempt.status(),
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        let first = attempt.previous().first();
        let same = first.is_some_and(|first| first.origin() == attempt.url().origin());
        if keeps_body && same && attempt.previous().len() <= REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

/// Whether what is sent to an address can be read on the way.
pub(super) fn is_exposed(url: &str) -> bool {
    !is_loopback(url) && reqwest::Url::parse(url).is_ok_and(|url| url.scheme() == "http")
}

/// Whether an address is on this machine, where no proxy can reach it.
fn is_loopback(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| {
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || address.parse().is_ok_and(|it: IpAddr| it.is_loopback())
    })
}
