//! Agent Skills over the Model Context Protocol: a server and a verifying host.

// What is served.
pub mod server;
pub mod uri;

// How messages come and go.
pub mod http;
pub mod stdio;
mod wire;

// What other servers publish.
pub mod host;

/// The page about serving; its Rust lines run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/MCP.md")]
struct Page;
