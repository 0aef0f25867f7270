//! Agent Skills over the Model Context Protocol: a server and a verifying host.
pub mod host;
