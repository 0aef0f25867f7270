//! Builds and starts `benches/peers`, the program that takes one measurement.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde::de::DeserializeOwned;

use super::Options;
use crate::workspace;

/// The built program.
#[derive(Debug)]
pub(super) struct Peers(pub(super) PathBuf);

/// Which of other people's crates are built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    /// Every one; some minutes the first time.
    All,
    /// The search library alone.
    Tantivy,
    None,
}

impl Peers {
    /// Builds the program.
    pub(super) fn build(with: With) -> Result<Self> {
        let mut cargo = cargo("build");
        cargo.arg("--release");
        match with {
            With::All => {}
            With::Tantivy => drop(cargo.args(["--no-default-features", "--features", "tantivy"])),
            With::None => drop(cargo.arg("--no-default-features")),
        }
        if with != With::None {
            eprintln!("building the peers (some minutes the first time)");
        }
        ensure!(
            cargo.status().context("cannot start cargo")?.success(),
            "the peers did not build; `--no-peers` leaves them out"
        );
        Ok(Self(workspace().join("benches/peers/target/release/peers")))
    }

    /// Takes one measurement and reads the JSON it prints.
    pub(super) fn run<T: DeserializeOwned>(&self, arguments: &[&str]) -> Result<T> {
        let output = Command::new(&self.0)
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start the peers")?;
        let status = output.status;
        ensure!(status.success(), "{arguments:?} ended with {status}");
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{arguments:?} printed something else than its cost"))
    }
}

/// Starts the benches of activation, which divan takes in one process with the peer.
pub(super) fn activate(options: &Options) -> Result<()> {
    let mut folders = Vec::new();
    for &size in &options.sizes {
        folders.push(options.catalog(size)?.skills_dir());
    }
    let status = cargo("bench")
        .args(["--bench", "activate"])
        .env("PROWESS_BENCH_SKILLS", std::env::join_paths(folders)?)
        .status();
    ensure!(
        status.context("cannot start cargo")?.success(),
        "the bench ended early"
    );
    Ok(())
}

/// Not `--locked`: the lock of this workspace follows the crate it measures.
fn cargo(verb: &str) -> Command {
    let package = workspace().join("benches/peers");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([verb, "--quiet", "--manifest-path"]);
    cargo.arg(package.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(package.join("target"));
    cargo
}
