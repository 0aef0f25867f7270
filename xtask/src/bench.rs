//! `cargo xtask bench`: what loading and selecting cost, beside a floor and beside peers.
//!
//! Every figure comes from a child process of its own, so that one run cannot warm the
//! allocator, or raise the memory, of the next.

pub(crate) mod activate;
mod containment;
mod instructions;
mod list;
mod live;
mod load;
mod peers;
mod select;
mod serve;
mod start;
mod table;
pub(crate) mod worker;

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

use crate::generate::{self, Fields, Generated};

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Discovery, parsing, hashing and the catalog, against just reading the files
    Load(load::Load),
    /// Opening files so that no read can leave its folder, against plain paths
    Containment(containment::Containment),
    /// Ranking skills for a request, against adk-skill
    Select(select::Select),
    /// Waking skills by a message, and the list within a budget, against plain loops
    Activate(activate::Activate),
    /// The second start, with a cache, against the first
    Start(start::Start),
    /// From saving a file to the snapshot that holds it
    Live(live::Live),
    /// `prowess serve` under load, against a minimal server on fastmcp
    Serve(serve::Serve),
    /// Instructions of three fixed requests, to compare changes on any machine
    Instructions(instructions::Instructions),
}

impl Bench {
    /// Runs the measurement and prints its tables.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Load(load) => load.run(),
            Self::Containment(containment) => containment.run(),
            Self::Select(select) => select.run(),
            Self::Activate(activate) => activate.run(),
            Self::Start(start) => start.run(),
            Self::Live(live) => live.run(),
            Self::Serve(serve) => serve.run(),
            Self::Instructions(instructions) => instructions.run(),
        }
    }
}

/// Options every measurement shares.
#[derive(Debug, Args)]
struct Options {
    /// Catalog sizes
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    sizes: Vec<usize>,
    /// How often each figure is taken; the tables show the median
    #[arg(long, default_value_t = 7)]
    repeats: usize,
    /// Frontmatter fields of the generated skills
    #[arg(long, value_enum, default_value_t = Fields::Common)]
    fields: Fields,
    /// Leave out the peers, which take some minutes to build the first time
    #[arg(long)]
    no_peers: bool,
    /// Print one JSON object with every figure
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the tables of `docs/BENCHMARKS.md`
    #[arg(long)]
    markdown: bool,
}

impl Options {
    fn format(&self) -> Format {
        match (self.json, self.markdown) {
            (true, _) => Format::Json,
            (_, true) => Format::Markdown,
            _ => Format::Human,
        }
    }

    fn catalog(&self, skills: usize) -> Result<Generated> {
        generate::catalog(skills, self.fields)
    }
}

/// How tables are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Human,
    Json,
    Markdown,
}

/// Starts this program again for one measurement.
fn child<T: DeserializeOwned>(arguments: &[&str]) -> Result<T> {
    let own = std::env::current_exe().context("cannot find this program")?;
    measured(Command::new(own).arg("worker").args(arguments))
}

/// Runs `command` and reads the JSON it prints.
fn measured<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} ended with {}",
        output.status
    );
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{command:?} printed something else than its cost"))
}

/// Says how busy the machine was, so that a reader knows what the times are worth.
fn busy() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').nth(1).unwrap_or("unknown").to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("Load of the machine over the last five minutes: {load}, on {cores} cores.")
}

/// The middle of `values`; half of the runs took longer.
fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "a median needs a value");
    values.sort_by(f64::total_cmp);
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert!((median(vec![9.0, 1.0, 3.0]) - 3.0).abs() < f64::EPSILON);
        assert!((median(vec![9.0, 1.0, 3.0, 4.0]) - 3.5).abs() < f64::EPSILON);
    }
}
