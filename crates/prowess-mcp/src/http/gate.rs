//! What may come in at one time: bytes of a message, requests of a client, sessions, streams.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header},
    middleware::Next,
    response::Response,
};
use bytes::BytesMut;
use futures::StreamExt as _;
use http_body_util::BodyExt as _;
use prowess_http::Client;
use tokio::sync::watch;

use super::{AppState, metrics::LONG, reject::Rejection, sessions::Call, streams::Stream};
use crate::wire::{self, Fault, MAX_MESSAGE};

/// The header by which a client of an older revision names its session.
pub(super) const SESSION: &str = "mcp-session-id";

/// Bytes of messages that have not arrived whole, of all clients together.
const MAX_ARRIVING: usize = 64 * 1024 * 1024;

/// Requests under way.
#[derive(Debug)]
pub(super) struct InFlight {
    /// Places of each client; only a request that is here whole takes one.
    most: usize,
    places: Mutex<HashMap<Client, usize>>,
    all: AtomicUsize,
    /// Those that will end by themselves.
    short: watch::Sender<usize>,
    /// Bytes of messages that have not arrived whole.
    arriving: AtomicUsize,
}

impl InFlight {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            places: Mutex::default(),
            all: AtomicUsize::new(0),
            short: watch::Sender::new(0),
            arriving: AtomicUsize::new(0),
        }
    }

    /// Waits until every request that ends by itself has its answer.
    pub(super) async fn quiet(&self) {
        // It is held here, so the wait cannot fail.
        let _ = self.short.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Requests under way, streams among them.
    pub(super) fn count(&self) -> usize {
        self.all.load(Relaxed)
    }

    fn begin(&self) {
        self.all.fetch_add(1, Relaxed);
        self.short.send_modify(|count| *count += 1);
    }

    fn enter(&self, client: Client) -> bool {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = places.entry(client).or_default();
        let free = *taken < self.most;
        *taken += usize::from(free);
        free
    }

    /// A request turns out to last as long as its client likes.
    fn lasts(&self) {
        self.short.send_modify(|count| *count -= 1);
    }

    fn leave(&self, client: Client) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut taken) = places.entry(client) {
            *taken.get_mut() -= 1;
            if *taken.get() == 0 {
                taken.remove();
            }
        }
    }

    fn end(&self, lasting: bool) {
        self.all.fetch_sub(1, Relaxed);
        if !lasting {
            self.lasts();
        }
    }
}

/// A request under way; it ends when its answer was sent or given up.
struct RequestGuard {
    state: Arc<AppState>,
    client: Client,
    method: &'static str,
    began: Instant,
    status: StatusCode,
    /// Whether it has a place among those of its client.
    admitted: bool,
    call: Option<Call>,
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let took = self.began.elapsed();
        drop(self.call.take());
        if self.admitted {
            self.state.in_flight.leave(self.client);
        }
        self.state.in_flight.end(self.method == LONG);
        self.state.metrics.finished(self.method, took);
        tracing::debug!(
            client = %self.client.ip(),
            method = self.method,
            status = self.status.as_u16(),
            microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "answered"
        );
    }
}

/// Lets a request in, or says why not.
pub(super) async fn pass(
    State(state): State<Arc<AppState>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let client = Client::of(&request);
    if state.ended.is_cancelled() {
        return Rejection::busy("the server is ending").answer(&state, client.ip());
    }
    let admitted = match *request.method() {
        Method::POST => message(&state, client, request, next).await,
        Method::GET => Ok(listen(&state, request, next).await),
        _ => Ok(next.run(request).await),
    };
    admitted.unwrap_or_else(|refused| refused.answer(&state, client.ip()))
}

/// A stream of what the server says by itself. It belongs to a session, which it keeps.
async fn listen(state: &Arc<AppState>, request: Request<Body>, next: Next) -> Response {
    let session = session_of(request.headers());
    let call = session.and_then(|session| state.sessions.begin(&session, None).ok());
    let response = next.run(request).await;
    if !response.status().is_success() {
        return response;
    }
    let stream = state.streams.open();
    ended_by(stream, response.map(|body| holding(body, call)))
}

/// A message of a client.
async fn message(
    state: &Arc<AppState>,
    client: Client,
    request: Request<Body>,
    next: Next,
) -> Result<Response, Rejection> {
    let mut guard = RequestGuard {
        state: Arc::clone(state),
        client,
        method: "other",
        began: Instant::now(),
        status: StatusCode::BAD_REQUEST,
        admitted: false,
        call: None,
    };
    state.in_flight.begin();
    let (parts, body) = request.into_parts();
    // Only a message that is here takes a place: a client that sends byte by byte has none.
    let read = tokio::time::timeout(
        state.options.body_timeout,
        arrived(state, &parts.headers, body),
    );
    let bytes = read.await.map_err(|_| Rejection::slow())??;
    let head = wire::head(&bytes).map_err(|unfit| Rejection::message(&unfit))?;
    guard.admitted = state.in_flight.enter(client);
    if !guard.admitted {
        return Err(Rejection::busy("too many requests at one time"));
    }
    let opens = head.method.as_deref() == Some("initialize");
    if let (Some(method), true) = (&head.method, head.id.is_some()) {
        guard.method = super::metrics::known(method);
        if guard.method == LONG {
            state.in_flight.lasts();
        }
    }
    if let Some(session) = session_of(&parts.headers) {
        let id = head.id.as_ref().filter(|_| head.method.is_some());
        let call = state.sessions.begin(&session, id);
        guard.call = Some(call.map_err(|unfit| Rejection::message(&unfit))?);
    } else if opens && !state.sessions.make_room().await {
        return Err(Rejection::busy("too many sessions at one time"));
    }
    drop(head);
    let response = next
        .run(Request::from_parts(parts, Body::from(bytes)))
        .await;
    if opens && let Some(session) = session_of(response.headers()) {
        state.sessions.opened(&session);
    }
    guard.status = response.status();
    state.metrics.answered(guard.method, guard.status);
    let lasts = guard.method == LONG && guard.status.is_success();
    // An answer may be a stream; the request goes on until its end.
    let response = response.map(|body| holding(body, guard));
    Ok(if lasts {
        ended_by(state.streams.open(), response)
    } else {
        response
    })
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(SESSION)?;
    value.to_str().ok().map(str::to_owned)
}

/// Keeps a guard for as long as a body is sent.
fn holding<T: Send + Sync + 'static>(body: Body, guard: T) -> Body {
    Body::new(body.map_frame(move |frame| {
        let _under_way = &guard;
        frame
    }))
}

/// A response that ends when its place is given to another, and its connection with it: one that
/// waited for another request would still take the place.
fn ended_by(stream: Stream, mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response.map(|body| {
        let ended = stream.ended();
        let frames = body.into_data_stream().take_until(ended);
        holding(Body::from_stream(frames), stream)
    })
}

/// The whole body of a request, within the bounds for one message and for all of them.
async fn arrived(
    state: &AppState,
    headers: &HeaderMap,
    mut body: Body,
) -> Result<Bytes, Rejection> {
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > MAX_MESSAGE as u64) {
        return Err(Rejection::message(&Fault::too_large()));
    }
    let mut arriving = Arriving(&state.in_flight.arriving, 0);
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            let reason = "the request did not arrive whole";
            return Err(Rejection::new(StatusCode::BAD_REQUEST, reason));
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > MAX_MESSAGE {
            return Err(Rejection::message(&Fault::too_large()));
        }
        if arriving.add(data.len()) > MAX_ARRIVING {
            return Err(Rejection::busy("too much is arriving at one time"));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}

/// Bytes of one message that are counted among those of all.
struct Arriving<'a>(&'a AtomicUsize, usize);

impl Arriving<'_> {
    /// Counts some more; how many there are of all messages.
    fn add(&mut self, bytes: usize) -> usize {
        self.1 += bytes;
        self.0.fetch_add(bytes, Relaxed) + bytes
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Relaxed);
    }
}
