//! The door of an HTTP server on this machine: who may talk to it, and how many at one time.
//!
//! Prowess has two servers, one for MCP clients and one for the page. Both are reached by programs
//! and web pages that nobody asked in, so both stand behind the same door.
//!
//! ```
//! use axum::http::{HeaderMap, Uri};
//! use prowess_http::Guard;
//!
//! let guard = Guard::default();
//! let mut headers = HeaderMap::new();
//! headers.insert("host", "127.0.0.1:8645".parse().unwrap());
//! assert!(guard.check(&Uri::from_static("/"), &headers).is_ok());
//! // A name that somebody points at this machine is not ours.
//! headers.insert("host", "evil.example".parse().unwrap());
//! assert!(guard.check(&Uri::from_static("/"), &headers).is_err());
//! ```

pub use accept::{Bounds, Observer, serve};
pub use client::Client;
pub use guard::{Guard, Refusal, Token};

mod client;
mod guard;

mod accept;
