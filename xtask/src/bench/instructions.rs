//! `cargo xtask bench instructions`: counts that are the same on every machine of a kind.
//!
//! Times depend on the machine and on what else it does. The number of instructions a request
//! takes hardly does, so a later change can be held against these counts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::json;

use super::table::{Table, thousands};
use super::worker::COUNTED;
use super::{Format, Options};
use crate::workspace;

/// Three requests that never change: keywords, a sentence, and one with typing errors.
const REQUESTS: [&str; 3] = [
    "validate invoice payment ledger audit",
    "how do I find out why the kitchen drain is leaking after the valve was changed",
    "proofraed the newsleter drfat",
];

/// The catalog they are asked of.
const SKILLS: usize = 1_000;

/// Options of `bench instructions`.
#[derive(Debug, Args)]
pub(crate) struct Instructions {
    #[command(flatten)]
    options: Options,
}

impl Instructions {
    /// Counts, and prints the table.
    pub(super) fn run(&self) -> Result<()> {
        let catalog = self.options.catalog(SKILLS)?;
        let mut table = Table::new(
            format!(
                "Instructions of a request, {} skills",
                thousands(SKILLS as f64)
            ),
            &["request", "lexical", "overlap"],
        );
        let mut rows = Vec::new();
        for request in REQUESTS {
            let count = |ranker| count(&catalog.skills_dir(), ranker, request);
            let (lexical, overlap) = (count("lexical")?, count("overlap")?);
            rows.push(json!({ "request": request, "lexical": lexical, "overlap": overlap }));
            table.row(vec![
                request.to_owned(),
                thousands(lexical as f64),
                thousands(overlap as f64),
            ]);
        }
        match self.options.format() {
            Format::Json => println!("{}", serde_json::to_string_pretty(&rows)?),
            format => println!("{}", table.render(format)),
        }
        Ok(())
    }
}

/// Counts the instructions of one request, after one that warmed everything up.
fn count(dir: &Path, ranker: &str, request: &str) -> Result<u64> {
    let out = workspace().join("target/bench/callgrind.out");
    let own = std::env::current_exe().context("cannot find this program")?;
    let status = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--collect-atstart=no"])
        .arg(format!("--toggle-collect=*{COUNTED}*"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(own)
        .args(["worker", "count"])
        .arg(dir)
        .args([ranker, request])
        .stdout(Stdio::null())
        .status()
        .context("cannot start `valgrind`; install it to count instructions")?;
    ensure!(status.success(), "valgrind ended with {status}");
    total(&fs::read_to_string(&out)?).context("callgrind counted nothing")
}

/// Reads the sum from what callgrind wrote.
fn total(report: &str) -> Option<u64> {
    let line = report
        .lines()
        .find_map(|line| line.strip_prefix("totals: "));
    line?.trim().parse().ok().filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn the_sum_is_read_from_the_report() {
        assert_eq!(
            total("events: Ir\nfn=(1) x\n3 40\n\ntotals: 40\n"),
            Some(40)
        );
        assert_eq!(total("events: Ir\n\ntotals: 0\n"), None);
    }
}
