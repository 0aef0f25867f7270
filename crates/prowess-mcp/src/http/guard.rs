//! Who may talk to the server: by which name it was called, from which page, with which token.

use std::{fmt, net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, Request, StatusCode, Uri, header, uri::Authority},
    middleware::Next,
    response::Response,
};
use prowess::ContentHash;
use subtle::ConstantTimeEq as _;

use super::{AppState, gate::Client, reject::Rejection};

/// What a client must show. Only its hash is held, so that it cannot end up in a log.
#[derive(Clone)]
pub struct Token(ContentHash);

impl Token {
    /// Reads a token from the contents of a file; `None` where that is too short to be one.
    pub fn new(text: &str) -> Option<Self> {
        /// Shorter ones can be guessed.
        const LEAST: usize = 16;
        let text = text.trim();
        (text.len() >= LEAST).then(|| Self(ContentHash::of(text.as_bytes())))
    }

    /// Hashes are compared, so the time taken tells nothing about the token, not even its length.
    fn fits(&self, shown: &str) -> bool {
        let shown = ContentHash::of(shown.trim().as_bytes());
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

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

fn check(
    state: &AppState,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), (StatusCode, &'static str)> {
    let options = &state.options;
    let open = options.token.is_some();
    let host =
        host_of(uri, headers).ok_or((StatusCode::FORBIDDEN, "the Host header is missing"))?;
    if !is_ours(&host, &options.hosts, open) {
        return Err((
            StatusCode::FORBIDDEN,
            "the Host header names another server",
        ));
    }
    let mut origins = headers.get_all(header::ORIGIN).iter();
    if let Some(origin) = origins.next() {
        let origin = origin.to_str().ok().and_then(origin_host);
        let ours = origin.is_some_and(|host| is_ours(&host, &options.hosts, false));
        // Of two origins a browser sent neither.
        if !ours || origins.next().is_some() {
            return Err((
                StatusCode::FORBIDDEN,
                "the Origin header names another site",
            ));
        }
    }
    let Some(token) = &options.token else {
        return Ok(());
    };
    // Whether the server is up is no secret.
    if uri.path() == "/healthz" {
        return Ok(());
    }
    let shown = headers.get(header::AUTHORIZATION);
    let shown = shown.and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token)
    });
    if !shown.is_some_and(|shown| token.fits(shown)) {
        return Err((
            StatusCode::UNAUTHORIZED,
            "the bearer token is missing or wrong",
        ));
    }
    Ok(())
}

/// The host a client believes to talk to.
fn host_of(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let mut named = headers.get_all(header::HOST).iter();
    let authority = match named.next() {
        Some(value) => value.to_str().ok()?.parse::<Authority>().ok()?,
        None => uri.authority()?.clone(),
    };
    // Two hosts could mean different things to different readers.
    if named.next().is_some() {
        return None;
    }
    Some(bare(authority.host()))
}

/// The host of a page; `None` for `null` and what is no origin.
fn origin_host(origin: &str) -> Option<String> {
    let uri: Uri = origin.parse().ok()?;
    uri.scheme()?;
    Some(bare(uri.authority()?.host()))
}

fn bare(host: &str) -> String {
    let host = host.strip_prefix('[').unwrap_or(host);
    let host = host.strip_suffix(']').unwrap_or(host);
    host.to_ascii_lowercase()
}

/// Whether a name means this server. A page of another site can point a name of its own at us,
/// but neither a loopback name nor, with `any_address`, a bare address.
fn is_ours(host: &str, hosts: &[String], any_address: bool) -> bool {
    let address = host.parse::<IpAddr>().ok();
    host == "localhost"
        || address.is_some_and(|address| address.is_loopback() || any_address)
        || hosts.iter().any(|name| name.eq_ignore_ascii_case(host))
}
