//! `cargo xtask bench select`: from a request to ranked skills.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::peers::Peers;
use super::table::{Table, Target, figure, targets, thousands};
use super::worker::IndexCost;
use super::{Format, Options, busy, child};
use crate::generate::{Generated, queries};
use crate::measure::QueryCost;
use crate::workspace;

/// How many requests we answer, each of them `Options::repeats` times.
const QUERIES: usize = 400;

/// How many skills a peer may read for its answers; it needs about 60 µs for each.
const PEER_BUDGET: usize = 200_000;

/// The size at which the issue sets its ratios.
const JUDGED: usize = 10_000;

/// Options of `bench select`.
#[derive(Debug, Args)]
pub(crate) struct Select {
    #[command(flatten)]
    options: Options,
}

/// Something that answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ranker {
    Lexical,
    Overlap,
    Adk,
}

impl Ranker {
    fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Overlap => "overlap",
            Self::Adk => "adk-skill 0.6.0",
        }
    }
}

/// Processor time of the requests at one size, in microseconds.
#[derive(Debug, Clone, Serialize)]
struct Figures {
    /// The best run of each request: what else the machine does can only slow a run down.
    best: Vec<f64>,
    p50: f64,
    p99: f64,
    most: f64,
    matches: usize,
}

impl Figures {
    fn of(cost: &QueryCost) -> Self {
        let micros = |ns: &u64| *ns as f64 / 1e3;
        let best = cost.runs_ns.iter().filter_map(|runs| runs.iter().min());
        let best = best.map(micros).collect();
        let mut all: Vec<f64> = cost.runs_ns.iter().flatten().map(micros).collect();
        all.sort_by(f64::total_cmp);
        let at = |percent: usize| all[(all.len() - 1) * percent / 100];
        Self {
            p50: at(50),
            p99: at(99),
            most: at(100),
            best,
            matches: cost.matches,
        }
    }
}

/// How many times faster `ours` is than `peer`, on the requests both answered.
fn times_faster(ours: &Figures, peer: &Figures) -> f64 {
    let both = ours.best.iter().zip(&peer.best);
    let (ours, peer) = both.fold((0.0, 0.0), |sum, (ours, peer)| (sum.0 + ours, sum.1 + peer));
    peer / ours
}

type Measured = BTreeMap<(usize, Ranker), Figures>;
type Indexes = BTreeMap<usize, (IndexCost, f64)>;

impl Select {
    /// Measures every ranker at every size and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let peers = if self.options.no_peers {
            None
        } else {
            Some(Peers::build()?)
        };
        let file = workspace().join("target/bench/queries.txt");
        let (mut all, mut indexes) = (Measured::new(), Indexes::new());
        for &size in &self.options.sizes {
            let catalog = self.options.catalog(size)?;
            fs::write(&file, queries(QUERIES)).context("cannot write the requests")?;
            eprintln!("asking {} skills", catalog.skills);
            indexes.insert(size, (self.index(&catalog)?, catalog.bytes as f64));
            for ranker in [Ranker::Lexical, Ranker::Overlap] {
                let cost = own(ranker, &catalog, &file, self.options.repeats)?;
                all.insert((size, ranker), Figures::of(&cost));
            }
            if let Some(peers) = &peers {
                let cost = adk(peers, &catalog, &file)?;
                all.insert((size, Ranker::Adk), Figures::of(&cost));
            }
        }
        self.print(&all, &indexes)
    }

    /// Builds the index a few times and keeps the median of each figure.
    fn index(&self, catalog: &Generated) -> Result<IndexCost> {
        let dir = catalog.skills_dir();
        let dir = dir.to_string_lossy();
        let mut runs: Vec<IndexCost> = Vec::new();
        for _ in 0..self.options.repeats {
            runs.push(child(&["index", &dir])?);
        }
        runs.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        Ok(runs.swap_remove(runs.len() / 2))
    }

    fn print(&self, all: &Measured, indexes: &Indexes) -> Result<()> {
        let targets_met = judge(all, indexes);
        let format = self.options.format();
        if format == Format::Json {
            let rows: Vec<_> = all
                .iter()
                .map(|((skills, ranker), figures)| {
                    json!({ "skills": skills, "ranker": ranker.name(), "us": figures })
                })
                .collect();
            let built: Vec<_> = indexes.values().map(|(cost, _)| cost).collect();
            let whole = json!({ "select": rows, "index": built, "targets": targets_met });
            println!("{}", serde_json::to_string_pretty(&whole)?);
            return Ok(());
        }
        println!("{}", query_table(all).render(format));
        println!("{}", index_table(indexes).render(format));
        println!(
            "{}",
            targets("Targets of selection", &targets_met).render(format)
        );
        println!("{}", busy());
        Ok(())
    }
}

fn own(ranker: Ranker, catalog: &Generated, file: &Path, repeats: usize) -> Result<QueryCost> {
    let dir = catalog.skills_dir();
    let (dir, file) = (dir.to_string_lossy(), file.to_string_lossy());
    let cost: QueryCost = child(&[
        "select",
        &dir,
        ranker.name(),
        &file,
        "--repeats",
        &repeats.to_string(),
    ])?;
    complete(&cost, catalog)?;
    Ok(cost)
}

fn adk(peers: &Peers, catalog: &Generated, file: &Path) -> Result<QueryCost> {
    let few = (PEER_BUDGET / catalog.skills).clamp(2, 40);
    let short: PathBuf = file.with_file_name("queries-peer.txt");
    fs::write(&short, queries(few)).context("cannot write the requests")?;
    let cost = peers.run(
        "adk-select",
        &catalog.root,
        &[&short.to_string_lossy(), "2"],
    )?;
    complete(&cost, catalog)?;
    Ok(cost)
}

fn complete(cost: &QueryCost, catalog: &Generated) -> Result<()> {
    let (seen, all) = (cost.skills, catalog.skills);
    ensure!(
        seen == all,
        "{seen} of {all} skills were searched; that cannot be compared"
    );
    ensure!(
        cost.matches > 0,
        "nothing was found; that cannot be compared"
    );
    Ok(())
}

fn query_table(all: &Measured) -> Table {
    let head = [
        "skills, ranker",
        "p50 µs",
        "p99 µs",
        "most µs",
        "times faster than adk-skill",
    ];
    let mut table = Table::new("CPU time of a request of five words", &head);
    for ((size, ranker), figures) in all {
        let faster = match all.get(&(*size, Ranker::Adk)) {
            Some(adk) if *ranker != Ranker::Adk => thousands(times_faster(figures, adk)),
            _ => "-".into(),
        };
        table.row(vec![
            format!("{}, {}", thousands(*size as f64), ranker.name()),
            figure(figures.p50),
            figure(figures.p99),
            figure(figures.most),
            faster,
        ]);
    }
    table
}

fn index_table(indexes: &Indexes) -> Table {
    let head = [
        "skills",
        "load ms",
        "index ms",
        "of loading",
        "index MB",
        "process grew by MB",
        "of the text",
    ];
    let mut table = Table::new("The index, CPU time of all threads", &head);
    for (size, (cost, text)) in indexes {
        table.row(vec![
            thousands(*size as f64),
            figure(cost.load_cpu_us as f64 / 1e3),
            figure(cost.index_cpu_us as f64 / 1e3),
            format!("{:.2}x", cost.ratio()),
            figure(cost.memory as f64 / 1e6),
            figure(cost.held_kb as f64 * 1024.0 / 1e6),
            format!("{:.2}x", cost.memory as f64 / text),
        ]);
    }
    table
}

/// Holds the figures against the limits the issue sets; a figure not taken is left out.
fn judge(all: &Measured, indexes: &Indexes) -> Vec<Target> {
    let mut list = Vec::new();
    for (ranker, limit) in [(Ranker::Lexical, 5_000.0), (Ranker::Overlap, 10_000.0)] {
        if let (Some(ours), Some(adk)) =
            (all.get(&(JUDGED, ranker)), all.get(&(JUDGED, Ranker::Adk)))
        {
            let what = format!("`{}` against adk-skill at 10,000", ranker.name());
            list.push(Target::at_least(what, times_faster(ours, adk), limit, "x"));
        }
        if let Some(ours) = all.get(&(100_000, ranker)) {
            let what = format!("`{}` p50 at 100,000", ranker.name());
            list.push(Target::at_most(what, ours.p50, 1_000.0, " µs"));
        }
    }
    for (size, (cost, text)) in indexes.iter().filter(|(size, _)| **size >= JUDGED) {
        let size = thousands(*size as f64);
        let what = format!("building the index against loading at {size}");
        list.push(Target::at_most(what, cost.ratio(), 1.5, "x"));
        let what = format!("index memory against the text at {size}");
        list.push(Target::at_most(what, cost.memory as f64 / text, 0.6, "x"));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_both_answered_are_compared() {
        let cost = |runs_ns| QueryCost {
            skills: 9,
            matches: 1,
            runs_ns,
        };
        let ours = Figures::of(&cost(vec![vec![2_000, 1_000, 9_000], vec![4_000]]));
        let peer = Figures::of(&cost(vec![vec![100_000]]));
        assert!((times_faster(&ours, &peer) - 100.0).abs() < 1e-9);
        assert_eq!((ours.p50, ours.most), (2.0, 9.0));
    }
}
