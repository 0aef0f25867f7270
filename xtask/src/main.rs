//! Chores of the project, run as `cargo xtask`.
//!
//! Each chore is one file; this one only reads the command line.
#![expect(
    clippy::disallowed_methods,
    reason = "chores are no part of the product; they may open files themselves"
)]

mod bench;
mod clients;
mod conformance;
#[cfg(unix)]
mod differential;
mod fuzz;
mod generate;
mod measure;
mod quality;
mod serving;
#[cfg(unix)]
mod swap;
#[cfg(target_os = "linux")]
mod torture;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Chores of the Prowess project
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Measure speed and memory against a floor and against other crates
    #[command(subcommand)]
    Bench(bench::Bench),
    Clients(clients::Clients),
    Conformance(conformance::Conformance),
    /// Load the same faulty skills with other crates and with ours
    #[cfg(unix)]
    Differential(differential::Differential),
    /// Feed made-up bytes to every parser, and check what comes out
    Fuzz(fuzz::Fuzz),
    /// Write a catalog of made-up skills and print its folder
    Generate(generate::Generate),
    /// Scores the ranker on labelled requests.
    Quality(quality::Args),
    /// Swap links under a reader, and count what it reads outside of the skill
    #[cfg(unix)]
    Swap(swap::Swap),
    /// Disturb the live catalog and the cache in every way, and see that nothing is lost
    #[cfg(target_os = "linux")]
    Torture(torture::Torture),
    /// One measurement in a process of its own; `bench` starts it
    #[command(subcommand, hide = true)]
    Worker(bench::worker::Worker),
}

fn main() -> Result<ExitCode> {
    match Arguments::parse().chore {
        Chore::Bench(bench) => bench.run()?,
        Chore::Clients(clients) => return clients.run(),
        Chore::Conformance(conformance) => return conformance.run(),
        #[cfg(unix)]
        Chore::Differential(_) => differential::Differential::run()?,
        Chore::Fuzz(fuzz) => fuzz.run()?,
        Chore::Generate(generate) => generate.run()?,
        #[cfg(unix)]
        Chore::Swap(swap) => swap.run()?,
        #[cfg(target_os = "linux")]
        Chore::Torture(torture) => torture.run()?,
        Chore::Worker(worker) => worker.run()?,
        Chore::Quality(args) => return Ok(quality::run(&args)),
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .expect("xtask lies in the workspace")
        .to_path_buf()
}
