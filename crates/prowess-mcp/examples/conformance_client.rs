//! What the official conformance suite runs as a client: a host that lists the skills of a
//! server and, where the scenario asks for it, loads each of them with its files.
//!
//! The suite gives the address of its server as the last argument and the scenario in
//! `MCP_CONFORMANCE_SCENARIO`. The example ends with 1 where a skill was refused, which is what
//! three of the four scenarios want to see.

use std::{error::Error, process::ExitCode};

use prowess::{Catalog, Limits, LoadOptions};
use prowess_mcp::host::{Host, HostOptions, ServerConfig};

/// Here nothing is loaded: the suite looks whether a host fetches ahead of need.
const LIST_ONLY: &str = "sep-2640-client-no-prefetch";

#[expect(
    clippy::disallowed_methods,
    reason = "the suite speaks to its client through the environment"
)]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let url = std::env::args()
        .next_back()
        .ok_or("an address is missing")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let servers = vec![ServerConfig::url("suite", url)];
    let host = Host::start(servers, HostOptions::default())?;
    let catalog = Catalog::load(&host.sources(), &LoadOptions::default())?;
    for finding in catalog.findings() {
        eprintln!("{}", finding.diagnostic.message);
    }
    for skill in catalog.skills() {
        println!("{}: {}", skill.name(), skill.description());
    }
    if scenario == LIST_ONLY {
        return Ok(ExitCode::SUCCESS);
    }
    let mut exit = ExitCode::SUCCESS;
    for skill in catalog.skills() {
        let skill = match skill.loaded() {
            Ok(skill) => skill,
            Err(refused) => {
                eprintln!("{refused}");
                exit = ExitCode::FAILURE;
                continue;
            }
        };
        println!("{}", skill.instructions());
        let limits = Limits::default();
        for file in skill.resources(&limits)?.files {
            let page = skill.read_resource(&file.path, 0, &limits)?;
            println!("{}: {} bytes", page.path, page.size);
        }
    }
    Ok(exit)
}
