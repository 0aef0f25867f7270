//! `cargo xtask swap` and `cargo xtask torture`: the tests that are too slow for every run.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use clap::Args;

/// Swap links under a reader, and count what it reads outside of the skill
#[derive(Debug, Args)]
pub(crate) struct Swap {
    /// How often each of the three is read
    #[arg(long, default_value_t = 1_000_000)]
    times: u64,
}

impl Swap {
    pub(crate) fn run(&self) -> Result<()> {
        let variable = ("PROWESS_SWAP_TIMES", self.times);
        ignored("-p prowess --test swap", variable)
    }
}

/// Disturb the live catalog, the cache, the trust store and the server in every way, and see that
/// nothing is lost
#[derive(Debug, Args)]
pub(crate) struct Torture {
    /// How long each of them takes that has no end of its own
    #[arg(long, default_value_t = 30)]
    seconds: u64,
}

impl Torture {
    pub(crate) fn run(&self) -> Result<()> {
        let variable = ("PROWESS_TORTURE_SECONDS", self.seconds);
        ignored(
            "-p prowess --features testing,watch --test torture",
            variable,
        )?;
        ignored("-p prowess-cli --test faults endure", variable)
    }
}

/// Runs the ignored tests of one file, one after the other, and shows what they print.
fn ignored(test: &str, (variable, value): (&str, u64)) -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["test", "--release"])
        .args(test.split(' '))
        .args(["--", "--ignored", "--nocapture", "--test-threads=1"])
        .current_dir(crate::workspace())
        .env(variable, value.to_string())
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "a test failed");
    Ok(())
}
