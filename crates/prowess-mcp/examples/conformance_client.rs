//! A host that lists the skills of a server and loads each of them with all its files: what the
//! official conformance suite runs as a client, and `cargo xtask clients` against servers that
//! nobody here wrote.
//!
//! It is given an address, or a command with its arguments. It ends with 1 where something was
//! left out or refused, which is what three of the four scenarios of the suite want to see. The
//! suite names its scenario in `MCP_CONFORMANCE_SCENARIO`.

use std::{error::Error, process::ExitCode, time::Duration};

use prowess::{Catalog, Limits, LoadOptions};
use prowess_mcp::host::{Host, HostOptions, ServerConfig};

/// Here nothing is loaded: the suite looks whether a host fetches ahead of need.
const LIST_ONLY: &str = "sep-2640-client-no-prefetch";

#[expect(
    clippy::disallowed_methods,
    reason = "the suite speaks to its client through the environment"
)]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().ok_or("an address is missing")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let mut server = if target.starts_with("http") {
        ServerConfig::url("other", target)
    } else {
        ServerConfig::command("other", target, arguments)
    };
    // A server in Python takes its time to start on a busy machine.
    server.timeout = Duration::from_secs(60);
    let host = Host::start(vec![server], HostOptions::default())?;
    let catalog = Catalog::load(&host.sources(), &LoadOptions::default())?;
    let mut faults: Vec<String> = Vec::new();
    for finding in catalog.findings() {
        faults.push(finding.diagnostic.message.clone());
    }
    let mut files = 0;
    for skill in catalog.skills() {
        println!("{}: {}", skill.name(), skill.description());
        if scenario == LIST_ONLY {
            continue;
        }
        let skill = match skill.loaded() {
            Ok(skill) => skill,
            Err(refused) => {
                faults.push(refused.to_string());
                continue;
            }
        };
        let limits = Limits::default();
        for file in skill.resources(&limits)?.files {
            match skill.read_resource(&file.path, 0, &limits) {
                Ok(_) => files += 1,
                Err(refused) => faults.push(refused.to_string()),
            }
        }
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    println!("ok {} skills, {files} files", catalog.skills().len());
    Ok(ExitCode::SUCCESS)
}
