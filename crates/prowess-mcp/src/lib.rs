//! Agent Skills over the Model Context Protocol: a server and a verifying host.

#![cfg_attr(docsrs, feature(doc_cfg))]

// What is served.
pub mod server;
pub mod uri;

// How messages come and go.
#[cfg(feature = "http")]
pub mod http;
pub mod stdio;
mod wire;

// What other servers publish.
#[cfg(feature = "host")]
pub mod host;

/// The page about serving; its Rust lines run as tests.
#[cfg(all(doctest, feature = "host", feature = "http"))]
#[doc = include_str!("../../../docs/MCP.md")]
struct Page;
