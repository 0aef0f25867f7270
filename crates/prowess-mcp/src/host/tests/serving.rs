//! Our own server on a port of its own, for a host to talk to.

use std::{net::SocketAddr, time::Duration};

use tokio::{net::TcpListener, runtime::Runtime};
use tokio_util::sync::CancellationToken;

use crate::{
    host::ServerConfig,
    http::{self, HttpOptions},
    server::SkillServer,
};

/// A server under way; it ends when it is dropped.
pub(super) struct Serving {
    address: SocketAddr,
    end: CancellationToken,
    _runtime: Runtime,
}

impl Serving {
    pub(super) fn start(server: &SkillServer) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let end = CancellationToken::new();
        let (server, ended) = (server.clone(), end.clone());
        runtime.spawn(async move {
            http::serve(&server, listener, HttpOptions::default(), ended).await;
        });
        Self {
            address,
            end,
            _runtime: runtime,
        }
    }

    pub(super) fn config(&self, label: &str) -> ServerConfig {
        let mut config = ServerConfig::url(label, format!("http://{}/mcp", self.address));
        // The machine may have much else to do.
        config.timeout = Duration::from_secs(60);
        config
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.end.cancel();
    }
}
