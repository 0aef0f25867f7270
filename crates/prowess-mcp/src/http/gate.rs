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
    response::{IntoResponse as _, Response},
};
use http_body_util::BodyExt as _;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};

use super::Desk;
use crate::wire::{self, Fault, MAX_MESSAGE};

/// Where a request came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client(pub(super) IpAddr);

/// Requests under way, by client.
#[derive(Debug)]
pub(super) struct InFlight {
    most: usize,
    counts: Mutex<HashMap<IpAddr, usize>>,
}

impl InFlight {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            counts: Mutex::default(),
        }
    }

    fn enter(&self, client: IpAddr) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(client).or_default();
        if *count >= self.most {
            return false;
        }
        *count += 1;
        true
    }

    fn leave(&self, client: IpAddr) {
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
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.desk.in_flight.leave(self.client);
        self.desk
            .metrics
            .finished(self.method, self.began.elapsed());
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
    let client = request.extensions().get::<Client>();
    let client = client.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |client| client.0);
    if !desk.in_flight.enter(client) {
        return busy(&desk, "too many requests at one time");
    }
    let mut visit = Visit {
        desk: Arc::clone(&desk),
        client,
        method: "other",
        began: Instant::now(),
    };
    let (parts, body) = request.into_parts();
    let announced = parts.headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > MAX_MESSAGE as u64) {
        return fault(&desk, StatusCode::PAYLOAD_TOO_LARGE, &Fault::too_large());
    }
    let read = tokio::time::timeout(desk.options.body_timeout, to_bytes(body, MAX_MESSAGE));
    let bytes = match read.await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return fault(&desk, StatusCode::PAYLOAD_TOO_LARGE, &Fault::too_large()),
        Err(_) => {
            desk.metrics.refused(StatusCode::REQUEST_TIMEOUT);
            let text = "the request took too long to arrive\n";
            return (StatusCode::REQUEST_TIMEOUT, text).into_response();
        }
    };
    let message = match wire::read(&bytes) {
        Ok(message) => message,
        Err(unfit) => return fault(&desk, StatusCode::BAD_REQUEST, &unfit),
    };
    if let ClientJsonRpcMessage::Request(request) = &message {
        visit.method = super::metrics::known(request.request.method());
        let opens = matches!(request.request, ClientRequest::InitializeRequest(_));
        if opens && desk.sessions.sessions.read().await.len() >= desk.options.sessions {
            return busy(&desk, "too many sessions at one time");
        }
    }
    tracing::debug!(method = visit.method, "request");
    let response = next
        .run(Request::from_parts(parts, Body::from(bytes)))
        .await;
    desk.metrics.answered(visit.method, response.status());
    // An answer may be a stream; the request goes on until its end.
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _under_way = &visit;
            frame
        }))
    })
}

fn busy(desk: &Desk, reason: &'static str) -> Response {
    desk.metrics.refused(StatusCode::SERVICE_UNAVAILABLE);
    tracing::warn!(reason, "a request was refused");
    let text = format!("{reason}\n");
    let wait = [(header::RETRY_AFTER, "1")];
    (StatusCode::SERVICE_UNAVAILABLE, wait, text).into_response()
}

fn fault(desk: &Desk, status: StatusCode, fault: &Fault) -> Response {
    desk.metrics.refused(status);
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, fault.to_json()).into_response()
}
