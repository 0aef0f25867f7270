//! The host side of Skills over MCP: skills that servers publish, verified, beside the local ones.
//!
//! A [`Host`] connects to the servers its user configured, all at once, and lists their skills.
//! Each server becomes a [`Source`] of the catalog. Nothing else is fetched
//! until a skill is loaded; then its file is compared with the list by size, digest and
//! frontmatter, and every further file at each read. What fails a check is not used.
//!
//! ```no_run
//! use prowess::{Catalog, LoadOptions};
//! use prowess_mcp::host::{Host, HostOptions, ServerConfig};
//!
//! let servers = vec![ServerConfig::url("acme", "https://skills.example.com/mcp")];
//! let host = Host::start(servers, HostOptions::default())?;
//! let catalog = Catalog::load(&host.sources(), &LoadOptions::default())?;
//! let skill = catalog.get("pdf-forms").expect("the server offers it").loaded()?;
//! println!("{}", skill.instructions());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The calls of the library block; a small runtime of the host's own does the work, so they can be
//! made from any thread. [`Server`] has the same calls for async code on any executor.

use std::{io, sync::Arc};

use prowess::Source;

mod approvals;
mod cache;
mod config;
mod connect;
mod disk;
mod entry;
mod fault;
mod http;
mod lines;
mod list;
mod process;
mod raw;
mod runtime;
mod server;
mod source;
#[cfg(test)]
mod tests;
mod verify;

pub use approvals::{Approval, Approvals, Extent, Standing};
pub use config::{HostLimits, HostOptions, ServerConfig, Transport, is_label};
pub use entry::{Entry, FileDigest, Manifest};
pub use fault::{Check, Fault};
pub use server::{Listing, LoadedSkill, Server};

use runtime::HostRuntime;

/// The id of the extension that servers declare.
pub const EXTENSION: &str = "io.modelcontextprotocol/skills";

/// Connections to the servers whose skills are used.
#[derive(Debug)]
pub struct Host {
    // Dropped first: a server that is closed needs the runtime.
    servers: Vec<Server>,
    runtime: Arc<HostRuntime>,
}

impl Host {
    /// Starts to list the skills of every server that is enabled, all at once, and returns at
    /// once. A server that does not answer costs a finding when its source is scanned.
    pub fn start(servers: Vec<ServerConfig>, options: HostOptions) -> io::Result<Self> {
        let host = Self::idle(servers, options)?;
        for server in &host.servers {
            server.start_listing();
        }
        Ok(host)
    }

    /// Prepares the same and contacts nobody until asked.
    pub fn idle(servers: Vec<ServerConfig>, options: HostOptions) -> io::Result<Self> {
        let runtime = Arc::new(HostRuntime::start()?);
        let options = Arc::new(options);
        let servers = servers
            .into_iter()
            .filter(|server| server.enabled)
            .map(|server| Server::new(server, Arc::clone(&options), Arc::clone(&runtime)))
            .collect();
        Ok(Self { servers, runtime })
    }

    /// One source for each server, in the order they were named.
    pub fn sources(&self) -> Vec<Box<dyn Source>> {
        let sources = self.servers.iter().map(source::ServerSource::new);
        sources
            .map(|source| Box::new(source) as Box<dyn Source>)
            .collect()
    }

    /// Follows every server from now on: each is asked for its list again when it says that the
    /// list changed, and every [`HostOptions::ask_again`] where it says nothing. `tell` is called
    /// after a list came that is another one; the [sources](Self::sources) then give it. With a
    /// live catalog that is `move |_| live.refresh()`.
    pub fn follow(&self, tell: impl Fn(&Server) + Send + Sync + 'static) {
        let tell: Arc<dyn Fn(&Server) + Send + Sync> = Arc::new(tell);
        for server in &self.servers {
            server.follow(Arc::clone(&tell));
        }
    }

    /// The server with this label.
    pub fn server(&self, label: &str) -> Option<&Server> {
        self.servers.iter().find(|server| server.label() == label)
    }

    /// Every server that is enabled.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let servers = self.servers.clone();
        // Together: one that hangs does not keep the others waiting.
        self.runtime.wait(async move {
            futures::future::join_all(servers.iter().map(Server::close)).await;
        });
    }
}

/// The page for those who use it; its Rust lines run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/HOST.md")]
struct HostPage;
