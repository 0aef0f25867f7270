//! Messages over streamable HTTP: one endpoint at `/mcp`, with bounds on everything.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use prowess_http::{Bounds, Observer};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

mod gate;
mod guard;
mod metrics;
mod reject;
mod sessions;
mod streams;

pub use prowess_http::Token;

use crate::{server::SkillServer, wire::MAX_MESSAGE};
use gate::InFlight;
use metrics::Metrics;
use reject::LogQuota;
use sessions::Sessions;
use streams::Streams;

/// How the endpoint is protected and bounded.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// What a client must show; `None` only on a loopback address.
    pub token: Option<Token>,
    /// Names beside the loopback ones that the server may be called by.
    pub hosts: Vec<String>,
    /// Connections at one time; more are answered with 503. Half of them may be streams that last,
    /// and one more of those ends the oldest.
    pub connections: usize,
    /// Requests of one client at one time; more are answered with 503. A client is another machine,
    /// or a connection from this one.
    pub in_flight: usize,
    /// Sessions at one time. One more takes the place of the one not used for longest, or is
    /// answered with 503 where all have something under way.
    pub sessions: usize,
    /// How long the head of a request may take, and a connection may be idle.
    pub head_timeout: Duration,
    /// How long the body of a request may take.
    pub body_timeout: Duration,
    /// How long a client may leave an answer unread.
    pub write_timeout: Duration,
    /// How long requests may go on once the server is told to end.
    pub grace: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            token: None,
            hosts: Vec::new(),
            connections: 512,
            in_flight: 100,
            sessions: 1_000,
            head_timeout: Duration::from_secs(15),
            body_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(10),
        }
    }
}

/// Why the endpoint was not opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Anyone who reaches the address could read every skill.
    #[error("`{address}` can be reached from other machines, so a token is needed")]
    NoToken {
        /// The address.
        address: SocketAddr,
    },
    /// The system said no.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// What every request meets.
#[derive(Debug)]
struct AppState {
    options: HttpOptions,
    in_flight: InFlight,
    metrics: Metrics,
    sessions: Sessions,
    streams: Streams,
    server: SkillServer,
    quota: LogQuota,
    /// Nothing more is answered, and streams end.
    ended: CancellationToken,
}

/// The whole service as a value; it needs no socket. When `end` is cancelled its streams end, and
/// what still comes is answered with 503.
pub fn app(server: &SkillServer, options: HttpOptions, end: &CancellationToken) -> Router {
    router(&app_state(server, options, end.child_token()))
}

fn app_state(
    server: &SkillServer,
    options: HttpOptions,
    ended: CancellationToken,
) -> Arc<AppState> {
    let mut sessions = LocalSessionManager::default();
    // An answer is sent once and not kept: a client that lost one asks again.
    sessions.session_config.completed_cache_ttl = Duration::ZERO;
    sessions.session_config.sse_retry = None;
    // People leave an editor open over lunch.
    sessions.session_config.keep_alive = Some(Duration::from_secs(3 * 60 * 60));
    Arc::new(AppState {
        in_flight: InFlight::new(options.in_flight),
        metrics: Metrics::default(),
        sessions: Sessions::new(Arc::new(sessions), options.sessions),
        // The other half is for those who ask and go.
        streams: Streams::new(options.connections / 2),
        server: server.clone(),
        options,
        quota: LogQuota::default(),
        ended,
    })
}

fn router(state: &Arc<AppState>) -> Router {
    let mut config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_sse_retry(None)
        .with_max_request_body_bytes(MAX_MESSAGE)
        .with_cancellation_token(state.ended.clone())
        // The guard has looked at Host and Origin for every path.
        .disable_allowed_hosts();
    config.legacy_session_mode = true;
    let server = state.server.clone();
    let service = StreamableHttpService::new(
        move || Ok(server.connect()),
        state.sessions.manager(),
        config,
    );
    let mcp = Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(
            Arc::clone(state),
            gate::pass,
        ));
    Router::new()
        .merge(mcp)
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/metrics", get(metrics_page))
        .fallback(|| async { (StatusCode::NOT_FOUND, "the endpoint is `/mcp`\n") })
        .layer(middleware::from_fn_with_state(
            Arc::clone(state),
            guard::pass,
        ))
        .with_state(Arc::clone(state))
}

async fn metrics_page(State(state): State<Arc<AppState>>) -> Response {
    let sessions = state.sessions.count().await;
    let text = state
        .metrics
        .render(sessions, state.in_flight.count(), &state.server);
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Opens the endpoint. An address that other machines reach is refused without a token.
pub async fn listen(address: SocketAddr, options: &HttpOptions) -> Result<TcpListener, HttpError> {
    if !address.ip().is_loopback() && options.token.is_none() {
        return Err(HttpError::NoToken { address });
    }
    TcpListener::bind(address)
        .await
        .map_err(|source| HttpError::Listen { address, source })
}

/// Serves every client of the endpoint until `end` is cancelled. Then nobody new is let in,
/// requests under way get their answers, and after them streams end.
pub async fn serve(
    server: &SkillServer,
    listener: TcpListener,
    options: HttpOptions,
    end: CancellationToken,
) {
    // Not a child of `end`: a request under way then still needs what answers it.
    let state = app_state(server, options, CancellationToken::new());
    let router = router(&state);
    let bounds = Bounds {
        connections: state.options.connections,
        head_timeout: state.options.head_timeout,
        write_timeout: state.options.write_timeout,
        grace: state.options.grace,
    };
    prowess_http::serve(listener, router, bounds, &state, &end).await;
}

impl Observer for AppState {
    fn connected(&self) {
        self.metrics.connected();
    }

    fn disconnected(&self) {
        self.metrics.disconnected();
    }

    fn turned_away(&self, client: IpAddr) {
        self.metrics.turned_away();
        if let Some(unsaid) = self.quota.take() {
            let most = self.options.connections;
            let unsaid = (unsaid > 0).then_some(unsaid);
            tracing::warn!(%client, most, unsaid, "a connection was turned away");
        }
    }

    async fn answered(&self) {
        self.in_flight.quiet().await;
    }

    fn end_streams(&self) {
        self.ended.cancel();
    }
}

#[cfg(test)]
mod tests;
