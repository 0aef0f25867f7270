//! Builds and starts `benches/peers`, the package that holds other people's crates.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::de::DeserializeOwned;

use super::measured;
use crate::workspace;

/// The built program.
#[derive(Debug)]
pub(super) struct Peers(PathBuf);

impl Peers {
    /// Builds the program, which takes some minutes the first time and a second later on.
    pub(super) fn build() -> Result<Self> {
        let package = workspace().join("benches/peers");
        let target = package.join("target");
        eprintln!("building the peers (some minutes the first time)");
        let status = Command::new(env!("CARGO"))
            .args([
                "build",
                "--quiet",
                "--release",
                "--locked",
                "--manifest-path",
            ])
            .arg(package.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .status()
            .context("cannot start cargo")?;
        ensure!(
            status.success(),
            "the peers did not build; `--no-peers` leaves them out"
        );
        Ok(Self(target.join("release/peers")))
    }

    /// Runs one measurement: `what` names it, `root` holds the catalog or tells what to do.
    pub(super) fn run<T: DeserializeOwned>(
        &self,
        what: &str,
        root: &Path,
        more: &[&str],
    ) -> Result<T> {
        measured(Command::new(&self.0).arg(what).arg(root).args(more))
    }
}
