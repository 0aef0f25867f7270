//! Where a request came from.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::{body::Body, http::Request};

/// Where a request came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Client(SocketAddr);

impl Client {
    /// Programs on this machine share an address, and none may take the places of the others: each
    /// connection of theirs is a client. Another machine is one client with all its connections.
    pub fn new(mut address: SocketAddr) -> Self {
        if !address.ip().is_loopback() {
            address.set_port(0);
        }
        Self(address)
    }

    /// The client of a request; a service without a socket is on this machine.
    pub fn of(request: &Request<Body>) -> Self {
        let client = request.extensions().get::<Self>().copied();
        client.unwrap_or_else(|| Self::new((Ipv4Addr::LOCALHOST, 0).into()))
    }

    /// Its address.
    pub fn ip(self) -> IpAddr {
        self.0.ip()
    }
}
