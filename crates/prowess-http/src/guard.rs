//! Who may talk to a server: by which name it was called, from which page, with which token.

use std::{fmt, net::IpAddr};

use axum::http::{HeaderMap, StatusCode, Uri, header, uri::Authority};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What a client must show. Only its hash is held, so that it cannot end up in a log.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// Reads a token from the contents of a file; `None` where that is too short to be one.
    pub fn new(text: &str) -> Option<Self> {
        /// Shorter ones can be guessed.
        const LEAST: usize = 16;
        let text = text.trim();
        (text.len() >= LEAST).then(|| Self(Sha256::digest(text.as_bytes()).into()))
    }

    /// Whether this is the token. Hashes are compared, so the time taken tells nothing about it,
    /// not even its length.
    pub fn fits(&self, shown: &str) -> bool {
        let shown: [u8; 32] = Sha256::digest(shown.trim().as_bytes()).into();
        self.0.ct_eq(&shown).into()
    }

    /// Whether a request shows the token as its bearer.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let shown = headers.get(header::AUTHORIZATION);
        let shown = shown.and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token)
        });
        if shown.is_some_and(|shown| self.fits(shown)) {
            return Ok(());
        }
        Err((
            StatusCode::UNAUTHORIZED,
            "the bearer token is missing or wrong",
        ))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Why a request is refused: the status, and the reason in words.
pub type Refusal = (StatusCode, &'static str);

/// By which names a server may be called, and from which pages.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// Names beside the loopback ones that the server may be called by.
    pub hosts: Vec<String>,
    /// Whether the server may be called by any bare address; only where it asks for a token.
    pub any_address: bool,
    /// Whether a page of another port of this machine is another site.
    pub same_port: bool,
}

impl Guard {
    /// Looks at the name a client called, and the page it comes from.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let called =
            authority(uri, headers).ok_or((StatusCode::FORBIDDEN, "the Host header is missing"))?;
        if !is_ours(&bare(called.host()), &self.hosts, self.any_address) {
            return Err((
                StatusCode::FORBIDDEN,
                "the Host header names another server",
            ));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if let Some(origin) = origins.next() {
            let origin = origin.to_str().ok().and_then(page);
            let ours = origin.is_some_and(|origin| {
                let same = origin.port_u16() == called.port_u16() && origin.host() == called.host();
                is_ours(&bare(origin.host()), &self.hosts, false) && (same || !self.same_port)
            });
            // Of two origins a browser sent neither.
            if !ours || origins.next().is_some() {
                return Err((
                    StatusCode::FORBIDDEN,
                    "the Origin header names another site",
                ));
            }
        }
        Ok(())
    }
}

/// The host a client believes to talk to.
fn authority(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let mut named = headers.get_all(header::HOST).iter();
    let authority = match named.next() {
        Some(value) => value.to_str().ok()?.parse::<Authority>().ok()?,
        None => uri.authority()?.clone(),
    };
    // Two hosts could mean different things to different readers.
    named.next().is_none().then_some(authority)
}

/// The host of a page; `None` for `null` and what is no origin.
fn page(origin: &str) -> Option<Authority> {
    let uri: Uri = origin.parse().ok()?;
    uri.scheme()?;
    uri.authority().cloned()
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
