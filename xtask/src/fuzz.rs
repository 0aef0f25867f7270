//! Feeds made-up bytes to every parser for a while, and says how many.
//!
//! `cargo fuzz` needs a nightly compiler and a program to install. The instrumentation it asks
//! for is an option of the stable compiler too, so this chore builds and runs the targets with
//! nothing but `cargo`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use clap::Args;

/// What libFuzzer needs to see which ways were taken. Checks that a release leaves out stay in:
/// an overflow is a fault.
const FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0 \
    -Cdebug-assertions --cfg fuzzing";

/// Longer inputs find little more and are slower; the readers' limits have tests of their own.
const MOST_BYTES: usize = 1024;

/// An input that takes longer is a hang.
const SECONDS_PER_INPUT: u32 = 10;

/// Feed made-up bytes to every parser, and check what comes out
#[derive(Args)]
pub(crate) struct Fuzz {
    /// How long each target runs
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Only these targets; can be repeated
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// Leave these targets out; can be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "target")]
    skip: Vec<String>,
    /// Only run the committed seeds once, with no search
    #[arg(long)]
    seeds: bool,
}

impl Fuzz {
    pub(crate) fn run(&self) -> Result<()> {
        let folder = crate::workspace().join("fuzz");
        let known = targets(&folder)?;
        for name in self.target.iter().chain(&self.skip) {
            if !known.contains(name) {
                bail!("no target `{name}`; there are: {}", known.join(", "));
            }
        }
        let wanted = known
            .iter()
            .filter(|name| self.target.is_empty() || self.target.contains(name))
            .filter(|name| !self.skip.contains(name));
        let binaries = build(&folder)?;
        let mut total = 0;
        println!("{:<16}{:>14}{:>12}", "target", "executions", "per second");
        for name in wanted {
            let run = self.run_one(&folder, &binaries, name)?;
            total += run.executions;
            println!("{name:<16}{:>14}{:>12}", run.executions, run.per_second);
        }
        println!("{:<16}{total:>14}", "all");
        Ok(())
    }

    fn run_one(&self, folder: &Path, binaries: &Path, name: &str) -> Result<Ran> {
        let corpus = folder.join("corpus").join(name);
        let artifacts = folder.join("artifacts").join(name);
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&artifacts)?;
        let mut command = Command::new(binaries.join(name));
        if self.seeds {
            command.arg("-runs=0");
        } else {
            let seconds = (self.minutes * 60.0).ceil().max(1.0);
            command.arg(format!("-max_total_time={seconds}"));
            command.arg(&corpus);
        }
        let output = command
            .arg(folder.join("seeds").join(name))
            .arg(format!("-max_len={MOST_BYTES}"))
            .arg(format!("-timeout={SECONDS_PER_INPUT}"))
            .arg("-print_final_stats=1")
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .output()
            .with_context(|| format!("cannot start the target `{name}`"))?;
        let told = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            let from = told.find("thread '").unwrap_or(0);
            bail!("`{name}` found a fault:\n{}", &told[from..]);
        }
        let count = |what: &str| {
            let line = told.lines().find_map(|line| line.strip_prefix(what))?;
            line.trim().parse().ok()
        };
        Ok(Ran {
            executions: count("stat::number_of_executed_units:").unwrap_or(0),
            per_second: count("stat::average_exec_per_sec:").unwrap_or(0),
        })
    }
}

struct Ran {
    executions: u64,
    per_second: u64,
}

/// The targets, in order: every file below `fuzz_targets`.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join("fuzz_targets"))? {
        let path = entry?.path();
        if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Builds every target and gives the folder they are in.
fn build(folder: &Path) -> Result<PathBuf> {
    let host = host()?;
    let done = Command::new(env!("CARGO"))
        // Not `--locked`: the lock of this workspace follows the crates it tests.
        .args(["build", "--quiet", "--release", "--bins"])
        // With a target named, build scripts and macros stay without instruments.
        .args(["--target", &host])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("RUSTFLAGS", FLAGS)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .context("cannot start cargo")?;
    if !done.success() {
        bail!("the fuzz targets do not build; libFuzzer needs a C++ compiler");
    }
    Ok(folder.join("target").join(host).join("release"))
}

fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let told = String::from_utf8(output.stdout)?;
    let line = told.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned)
        .context("rustc does not say what machine this is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_built_and_has_seeds_of_its_own() {
        let folder = crate::workspace().join("fuzz");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let names = targets(&folder).unwrap();
        assert!(names.len() >= 9);
        for name in names {
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            let seeds = fs::read_dir(folder.join("seeds").join(&name)).unwrap();
            assert!(seeds.count() >= 2, "{name}");
        }
    }
}
