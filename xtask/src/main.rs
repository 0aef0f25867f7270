//! Chores of the project, run as `cargo xtask`.
//!
//! Each chore is one file; this one only reads the command line.
#![expect(
    clippy::disallowed_methods,
    reason = "chores are no part of the product; they may open files themselves"
)]

mod api;
mod bench;
mod browser;
mod clients;
mod conformance;
mod dialects;
mod fuzz;
mod generate;
mod quality;
mod serving;
mod slow;
mod unicode;

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
    Api(api::Api),
    /// Measure speed and memory against a floor and against other crates
    #[command(subcommand)]
    Bench(bench::Bench),
    Browser(browser::Browser),
    Clients(clients::Clients),
    Conformance(conformance::Conformance),
    Dialects(dialects::Dialects),
    /// Feed made-up bytes to every parser, and check what comes out
    Fuzz(fuzz::Fuzz),
    /// Write a catalog of made-up skills and print its folder
    Generate(generate::Generate),
    /// Scores the ranker on labelled requests.
    Quality(quality::Args),
    Swap(slow::Swap),
    Torture(slow::Torture),
    Unicode(unicode::Unicode),
}

fn main() -> Result<ExitCode> {
    match Arguments::parse().chore {
        Chore::Api(api) => api.run()?,
        Chore::Bench(bench) => bench.run()?,
        Chore::Browser(browser) => return browser.run(),
        Chore::Clients(clients) => return clients.run(),
        Chore::Conformance(conformance) => return conformance.run(),
        Chore::Dialects(dialects) => return dialects.run(),
        Chore::Fuzz(fuzz) => fuzz.run()?,
        Chore::Generate(generate) => generate.run()?,
        Chore::Swap(swap) => swap.run()?,
        Chore::Torture(torture) => torture.run()?,
        Chore::Unicode(unicode) => unicode.run()?,
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
