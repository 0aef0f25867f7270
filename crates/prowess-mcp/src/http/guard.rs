//! Who may talk to the server.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, Request, Uri},
    middleware::Next,
    response::Response,
};
use prowess_http::{Client, Guard, Refusal};

use super::{AppState, reject::Rejection};

/// Looks at every request before anything else does.
pub(super) async fn pass(
    State(state): State<Arc<AppState>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    if let Err((status, reason)) = check(&state, uri, headers) {
        let client = Client::of(&request);
        return Rejection::new(status, reason).answer(&state, client.ip());
    }
    next.run(request).await
}

fn check(state: &AppState, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
    let options = &state.options;
    let guard = Guard {
        hosts: options.hosts.clone(),
        any_address: options.token.is_some(),
        same_port: false,
    };
    guard.check(uri, headers)?;
    match &options.token {
        // Whether the server is up is no secret.
        Some(token) if uri.path() != "/healthz" => token.check(headers),
        _ => Ok(()),
    }
}
