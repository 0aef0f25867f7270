//! The whole service as a value: the guard, the token, the page, the questions, the feed.

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::{Body, Bytes, to_bytes},
    extract::{Path, RawQuery, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header},
    middleware::{self, Next},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::{get, post},
};
use futures::{StreamExt as _, stream};
use prowess_http::{Bounds, Guard, Observer};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, broadcast::error::RecvError, watch},
};
use tokio_util::sync::CancellationToken;

use crate::{
    assets::{FILES, INDEX, POLICY},
    feed::Feed,
    question::{Engine, Fault, Question},
    secret::{Door, Secret},
};

/// A question is a few words, or one description.
const MOST_QUESTION: usize = 256 * 1024;

/// Questions that are worked on at one time; more wait for their turn.
const MOST_AT_ONCE: usize = 8;

/// Pages that follow changes at one time; a browser has few.
const MOST_FEEDS: usize = 32;

/// How a page is served.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Nothing is written to the disk.
    pub read_only: bool,
}

/// The service. Without a socket it is a [`Router`]; see [`App::router`].
pub struct App {
    state: Arc<AppState>,
}

struct AppState {
    engine: Arc<dyn Engine>,
    feed: Feed,
    door: Door,
    guard: Guard,
    options: Options,
    turns: Semaphore,
    feeds: Arc<Semaphore>,
    /// Questions under way.
    under_way: watch::Sender<usize>,
    ended: CancellationToken,
}

impl App {
    /// A page on this engine. Whoever shows `ticket` in the address gets in, once; `None` where it
    /// is too short to keep anybody out.
    pub fn new(
        engine: Arc<dyn Engine>,
        feed: Feed,
        options: Options,
        ticket: &Secret,
        session: Secret,
    ) -> Option<Self> {
        let state = AppState {
            engine,
            feed,
            door: Door::new(ticket, session)?,
            // Cookies know no ports, so a page of another port could use ours.
            guard: Guard {
                same_port: true,
                ..Guard::default()
            },
            options,
            turns: Semaphore::new(MOST_AT_ONCE),
            feeds: Arc::new(Semaphore::new(MOST_FEEDS)),
            under_way: watch::Sender::new(0),
            ended: CancellationToken::new(),
        };
        Some(Self {
            state: Arc::new(state),
        })
    }

    /// Every path, behind the guard.
    pub fn router(&self) -> Router {
        Router::new()
            .route(
                "/",
                get(|| async { page("text/html; charset=utf-8", INDEX) }),
            )
            .route("/api/events", get(events))
            .route("/api/{question}", post(ask))
            .route("/{file}", get(file))
            .fallback(|| async { Fault::missing("there is no such page") })
            .layer(middleware::from_fn_with_state(
                Arc::clone(&self.state),
                pass,
            ))
            .with_state(Arc::clone(&self.state))
    }

    /// Serves the page until `end` is cancelled.
    pub async fn serve(&self, listener: TcpListener, end: &CancellationToken) {
        let bounds = Bounds {
            grace: Duration::from_secs(2),
            ..Bounds::default()
        };
        prowess_http::serve(listener, self.router(), bounds, &self.state, end).await;
    }
}

impl Observer for AppState {
    fn turned_away(&self, client: IpAddr) {
        tracing::warn!(%client, "a connection was turned away");
    }

    async fn answered(&self) {
        // It is held here, so the wait cannot fail.
        let _ = self
            .under_way
            .subscribe()
            .wait_for(|count| *count == 0)
            .await;
    }

    fn end_streams(&self) {
        self.ended.cancel();
    }
}

/// Looks at every request before anything else does, and closes every answer to other sites.
async fn pass(State(state): State<Arc<AppState>>, request: Request<Body>, next: Next) -> Response {
    let mut response = match let_in(&state, &request) {
        Ok(None) => next.run(request).await,
        Ok(Some(response)) => response,
        Err(fault) => fault.into_response(),
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=()",
        ),
    ] {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// `None` lets a request in; an answer is given in its place.
fn let_in(state: &AppState, request: &Request<Body>) -> Result<Option<Response>, Fault> {
    let (uri, headers) = (request.uri(), request.headers());
    state
        .guard
        .check(uri, headers)
        .map_err(|(status, reason)| Fault::new(status, reason))?;
    // A browser says where a request comes from; what another site starts is not answered.
    let site = headers
        .get("sec-fetch-site")
        .and_then(|it| it.to_str().ok());
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        let reason = "the request comes from another site";
        return Err(Fault::new(StatusCode::FORBIDDEN, reason));
    }
    if uri.path() == "/" && request.method() == Method::GET {
        let query = uri.query().unwrap_or_default();
        let shown = query.split('&').find_map(|it| it.strip_prefix("token="));
        if let Some(cookie) = shown.and_then(|shown| state.door.open(shown)) {
            // The address without the token is what the history keeps.
            let headers = [
                (header::SET_COOKIE, cookie),
                (header::LOCATION, "/".to_owned()),
            ];
            return Ok(Some((StatusCode::SEE_OTHER, headers).into_response()));
        }
        if shown.is_some() && state.door.knows(headers) {
            let headers = [(header::LOCATION, "/")];
            return Ok(Some((StatusCode::SEE_OTHER, headers).into_response()));
        }
    }
    if state.door.knows(headers) {
        return Ok(None);
    }
    let message = "this page needs the address that `prowess ui` prints";
    let help = "an address works once, in one browser; start `prowess ui` again for another";
    if uri.path() == "/" {
        // A person reads this one.
        let text = format!("{message}\n{help}\n");
        return Ok(Some((StatusCode::UNAUTHORIZED, text).into_response()));
    }
    Err(Fault::new(StatusCode::UNAUTHORIZED, message).help(help))
}

fn page(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn file(Path(name): Path<String>) -> Result<Response, Fault> {
    let found = FILES.iter().find(|(known, ..)| *known == name);
    let (_, kind, text) = found.ok_or_else(|| Fault::missing("there is no such file"))?;
    Ok(page(kind, text))
}

/// Answers one question, away from the threads that read and write.
async fn ask(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Fault> {
    let kind = headers.get(header::CONTENT_TYPE);
    // A form of another site can send anything but this.
    if kind.is_none_or(|kind| kind != "application/json") {
        return Err(Fault::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "a question is `application/json`",
        ));
    }
    let read = tokio::time::timeout(Duration::from_secs(10), to_bytes(body, MOST_QUESTION));
    let bytes = match read.await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            return Err(Fault::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "the question is too long",
            ));
        }
        Err(_) => {
            return Err(Fault::new(
                StatusCode::REQUEST_TIMEOUT,
                "the question took too long to arrive",
            ));
        }
    };
    let question = question(&name, &bytes)?;
    if question.writes() && state.options.read_only {
        let fault = Fault::new(StatusCode::FORBIDDEN, "this page may only read");
        return Err(fault.help("start `prowess ui` without `--read-only` to change files"));
    }
    state.under_way.send_modify(|count| *count += 1);
    let answer = answer(Arc::clone(&state), question).await;
    state.under_way.send_modify(|count| *count -= 1);
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((kind, answer?).into_response())
}

async fn answer(state: Arc<AppState>, question: Question) -> Result<String, Fault> {
    let _turn = state.turns.acquire().await;
    let engine = Arc::clone(&state.engine);
    let work = tokio::task::spawn_blocking(move || engine.answer(&question));
    work.await.unwrap_or_else(|error| {
        tracing::error!(%error, "a question was not answered");
        Err(Fault::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the question could not be answered",
        ))
    })
}

fn question(name: &str, body: &Bytes) -> Result<Question, Fault> {
    let wrong = |error: &dyn std::fmt::Display| {
        Fault::new(
            StatusCode::BAD_REQUEST,
            format!("no question `{name}` like this: {error}"),
        )
    };
    let mut value: Value = serde_json::from_slice(body).map_err(|error| wrong(&error))?;
    let Some(object) = value.as_object_mut() else {
        return Err(wrong(&"it is no object"));
    };
    object.insert("ask".to_owned(), Value::from(name));
    serde_json::from_value(value).map_err(|error| wrong(&error))
}

/// Every change as it happens.
async fn events(
    State(state): State<Arc<AppState>>,
    RawQuery(_): RawQuery,
) -> Result<Response, Fault> {
    let permit = Arc::clone(&state.feeds).try_acquire_owned();
    let permit = permit
        .map_err(|_| Fault::new(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open"))?;
    let lines = stream::unfold((state.feed.listen(), permit), |(mut feed, permit)| async {
        let line = match feed.recv().await {
            Ok(line) => Event::default().data(&*line),
            // Whoever missed something asks for everything again.
            Err(RecvError::Lagged(_)) => Event::default().data(r#"{"event":"lost"}"#),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok::<_, Infallible>(line), (feed, permit)))
    });
    let hello = stream::iter([Ok(Event::default().data(r#"{"event":"hello"}"#))]);
    let ended = state.ended.clone().cancelled_owned();
    let lines = hello.chain(lines).take_until(ended);
    Ok(Sse::new(lines)
        .keep_alive(KeepAlive::default())
        .into_response())
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.message, "help": self.help });
        (self.status, Json(body)).into_response()
    }
}
