//! What may come in at one time: bytes of a message, requests of a client, sessions.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use axum::{
    body::{Body, to_bytes},
    extract::State,
    http::{Method, Request, StatusCode, header},
    middleware::Next,
    response::Response,
};
use http_body_util::BodyExt as _;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use tokio::sync::watch;

use super::{Desk, metrics::LONG, refuse::Refused};
use crate::wire::{self, Fault, MAX_MESSAGE};

/// Where a request came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client(pub(super) IpAddr);

impl Client {
    /// The address a request came from; a service without a socket is on this machine.
    pub(super) fn of(request: &Request<Body>) -> IpAddr {
        let client = request.extensions().get::<Self>();
        client.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |client| client.0)
    }
}

/// Requests under way, by client.
#[derive(Debug)]
pub(super) struct InFlight {
    most: usize,
    counts: Mutex<HashMap<IpAddr, usize>>,
    /// Those of all clients that will end by themselves.
    short: watch::Sender<usize>,
}

impl InFlight {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            counts: Mutex::default(),
            short: watch::Sender::new(0),
        }
    }

    /// Waits until every request that ends by itself has its answer.
    pub(super) async fn quiet(&self) {
        // It is held here, so the wait cannot fail.
        let _ = self.short.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Requests under way, streams among them.
    pub(super) fn count(&self) -> usize {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.values().sum()
    }

    fn enter(&self, client: IpAddr) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(client).or_default();
        if *count >= self.most {
            return false;
        }
        *count += 1;
        drop(counts);
        self.short.send_modify(|count| *count += 1);
        true
    }

    /// A request turns out to last as long as its client likes.
    fn lasts(&self) {
        self.short.send_modify(|count| *count -= 1);
    }

    fn leave(&self, client: IpAddr, lasting: bool) {
        if !lasting {
            self.lasts();
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&client) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&client);
            }
        }
    }
}

/// A request under way; it ends when its answer was sent or given up.
struct Visit {
    desk: Arc<Desk>,
    client: IpAddr,
    method: &'static str,
    began: Instant,
    status: StatusCode,
}

impl Drop for Visit {
    fn drop(&mut self) {
        let took = self.began.elapsed();
        self.desk.in_flight.leave(self.client, self.method == LONG);
        self.desk.metrics.finished(self.method, took);
        tracing::debug!(
            client = %self.client,
            method = self.method,
            status = self.status.as_u16(),
            microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "answered"
        );
    }
}

/// Lets a message in, or says why not.
pub(super) async fn pass(
    State(desk): State<Arc<Desk>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let client = Client::of(&request);
    if desk.ended.is_cancelled() {
        return Refused::busy("the server is ending").answer(&desk, client);
    }
    if !desk.in_flight.enter(client) {
        return Refused::busy("too many requests at one time").answer(&desk, client);
    }
    let mut visit = Visit {
        desk: Arc::clone(&desk),
        client,
        method: "other",
        began: Instant::now(),
        status: StatusCode::BAD_REQUEST,
    };
    let (parts, body) = request.into_parts();
    let announced = parts.headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > MAX_MESSAGE as u64) {
        return Refused::message(&Fault::too_large()).answer(&desk, client);
    }
    let read = tokio::time::timeout(desk.options.body_timeout, to_bytes(body, MAX_MESSAGE));
    let bytes = match read.await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Refused::broken(&error).answer(&desk, client),
        Err(_) => return Refused::slow().answer(&desk, client),
    };
    let message = match wire::read(&bytes) {
        Ok(message) => message,
        Err(unfit) => return Refused::message(&unfit).answer(&desk, client),
    };
    if let ClientJsonRpcMessage::Request(request) = &message {
        visit.method = super::metrics::known(request.request.method());
        if visit.method == LONG {
            desk.in_flight.lasts();
        }
        let opens = matches!(request.request, ClientRequest::InitializeRequest(_));
        if opens && desk.sessions.sessions.read().await.len() >= desk.options.sessions {
            return Refused::busy("too many sessions at one time").answer(&desk, client);
        }
    }
    let response = next
        .run(Request::from_parts(parts, Body::from(bytes)))
        .await;
    visit.status = response.status();
    desk.metrics.answered(visit.method, visit.status);
    // An answer may be a stream; the request goes on until its end.
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _under_way = &visit;
            frame
        }))
    })
}
