//! `cargo xtask bench`: what loading, selecting and serving cost, beside a floor and beside peers.
//!
//! Every figure comes from a process of its own (`benches/peers`), so that one run cannot warm the
//! allocator, or raise the memory, of the next, and is processor time, which other work on the
//! machine disturbs least. What takes microseconds and needs no such care is measured by divan.

mod containment;
mod live;
mod load;
mod peers;
mod select;
mod serve;
mod start;
mod table;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::generate::{self, Fields, Generated};
use peers::{Peers, With};
use table::Table;

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Discovery, parsing, hashing and the catalog, against just reading the files
    Load(load::Load),
    /// Opening files so that no read can leave its folder, against plain paths
    Containment(containment::Containment),
    /// Ranking skills for a request, against adk-skill and tantivy
    Select(select::Select),
    /// Waking skills by a message, and the list within a budget, against plain loops and a peer
    Activate(Options),
    /// The second start, with a cache, against the first
    Start(Options),
    /// From saving a file to the snapshot that holds it
    Live(live::Live),
    /// `prowess serve` under load, against a minimal server on fastmcp
    Serve(serve::Serve),
}

impl Bench {
    /// Takes the measurement and prints its tables.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Load(load) => load.run(),
            Self::Containment(containment) => containment.run(),
            Self::Select(select) => select.run(),
            Self::Activate(options) => peers::activate(options),
            Self::Start(options) => start::run(options),
            Self::Live(live) => live.run(),
            Self::Serve(serve) => serve.run(),
        }
    }
}

/// Options that most measurements share.
#[derive(Debug, Args)]
pub(crate) struct Options {
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
    #[command(flatten)]
    print: Print,
}

impl Options {
    fn catalog(&self, skills: usize) -> Result<Generated> {
        generate::catalog(skills, self.fields)
    }

    fn peers(&self) -> Result<Peers> {
        Peers::build(if self.no_peers { With::None } else { With::All })
    }
}

/// How tables are printed.
#[derive(Debug, Clone, Args)]
struct Print {
    /// Print each table as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Print {
    /// Prints tables, and how busy the machine was: a reader knows what the times are worth.
    fn show(&self, tables: &[Table]) {
        if self.json {
            for table in tables {
                println!("{}", table.json());
            }
            return;
        }
        for table in tables {
            println!("{}", table.markdown());
        }
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').nth(1).unwrap_or("unknown");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        println!("Load of the machine over the last five minutes: {load}, on {cores} cores.");
    }
}

/// What one run cost, as `benches/peers` prints it.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
struct Cost {
    /// How many skills came out; a run that skipped some did less work.
    skills: usize,
    /// Processor time of all threads, user and system.
    cpu_us: u64,
    wall_us: u64,
    /// The most memory held, less what the process held before it began.
    peak_kb: u64,
}

/// One way to do the work that is measured; a run says what it cost.
struct Way<'a> {
    name: String,
    run: Box<dyn FnMut() -> Result<Cost> + 'a>,
}

impl<'a> Way<'a> {
    fn new(name: impl Into<String>, run: impl FnMut() -> Result<Cost> + 'a) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// What a way cost: medians, where nothing else is said.
#[derive(Debug, Clone)]
struct Figures {
    name: String,
    cpu_us: f64,
    cpu_min_us: f64,
    /// The best run: a wall clock counts what else the machine does.
    wall_us: f64,
    peak_bytes: f64,
}

/// Takes every way in turn, so that a busy moment of the machine falls on all of them alike. A
/// round before fills the caches and is not counted.
fn in_turns(skills: usize, repeats: usize, mut ways: Vec<Way<'_>>) -> Result<Vec<Figures>> {
    let mut costs: Vec<Vec<Cost>> = ways.iter().map(|_| Vec::new()).collect();
    for round in 0..=repeats {
        for (way, costs) in ways.iter_mut().zip(&mut costs) {
            let cost = (way.run)()?;
            ensure!(
                cost.skills == skills,
                "{} gave {} of {skills} skills; what skips files cannot be compared",
                way.name,
                cost.skills
            );
            if round > 0 || repeats == 0 {
                costs.push(cost);
            }
        }
    }
    let figures = |(way, costs): (Way<'_>, Vec<Cost>)| {
        let all = |pick: fn(&Cost) -> u64| costs.iter().map(|cost| pick(cost) as f64).collect();
        let least = |pick: fn(&Cost) -> u64| costs.iter().map(pick).min().unwrap_or(0) as f64;
        Figures {
            name: way.name,
            cpu_us: median(all(|cost| cost.cpu_us)),
            cpu_min_us: least(|cost| cost.cpu_us),
            wall_us: least(|cost| cost.wall_us),
            peak_bytes: median(all(|cost| cost.peak_kb)) * 1024.0,
        }
    };
    Ok(ways.into_iter().zip(costs).map(figures).collect())
}

/// The middle of `values`; half of the runs took longer.
fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "a median needs a value");
    values.sort_by(f64::total_cmp);
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    f64::midpoint(low, high)
}

/// The value that `percent` of the sorted values do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() - 1) * percent / 100]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert!((median(vec![9.0, 1.0, 3.0]) - 3.0).abs() < f64::EPSILON);
        assert!((median(vec![9.0, 1.0, 3.0, 4.0]) - 3.5).abs() < f64::EPSILON);
    }

    #[test]
    fn ways_take_turns_and_the_first_round_does_not_count() -> Result<()> {
        let mut times = [1_000, 5, 1, 3].into_iter();
        let run = || {
            let cpu_us = times.next().unwrap_or(0);
            Ok(Cost {
                skills: 2,
                cpu_us,
                ..Cost::default()
            })
        };
        let figures = in_turns(2, 3, vec![Way::new("one", run)])?;
        assert_eq!((figures[0].cpu_us, figures[0].cpu_min_us), (3.0, 1.0));
        let skips = Way::new("skips", || Ok(Cost::default()));
        assert!(in_turns(2, 1, vec![skips]).is_err());
        Ok(())
    }
}
