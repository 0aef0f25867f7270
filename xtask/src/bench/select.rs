//! `cargo xtask bench select`: from a request to ranked skills.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde::Deserialize;

use super::table::{Table, figure, thousands, times};
use super::{Options, Peers, With, percentile};
use crate::generate::{Asked, Generated, queries};
use crate::quality::Data;
use crate::workspace;

/// How many requests we answer, each of them `Options::repeats` times.
const QUERIES: usize = 400;

/// How many skills a peer may read for its answers; it needs about 60 µs for each.
const PEER_BUDGET: usize = 200_000;

/// Options of `bench select`.
#[derive(Debug, Args)]
pub(crate) struct Select {
    #[command(flatten)]
    options: Options,
    /// Leave out adk-skill, which takes long to build and to answer, and ask only tantivy
    #[arg(long, conflicts_with = "no_peers")]
    tantivy_only: bool,
    /// Real skills and requests: a folder with `skills.jsonl` and `queries.jsonl`; else
    /// `data/selection` in `PROWESS_SHARED` or `../shared`, where it is there
    #[arg(long)]
    real: Option<PathBuf>,
}

/// What a series of requests cost, as `benches/peers` prints it.
#[derive(Debug, Deserialize)]
struct QueryCost {
    /// How many skills were searched.
    skills: usize,
    /// How many matches came back in all.
    matches: usize,
    /// Processor time of each run of each request.
    runs_ns: Vec<Vec<u64>>,
}

/// What building the index cost, beside loading the catalog without it.
#[derive(Debug, Deserialize)]
struct IndexCost {
    load_cpu_us: u64,
    index_cpu_us: u64,
    /// Bytes the index says it keeps.
    memory: usize,
    /// By how much the process grew for it.
    held_kb: u64,
}

/// Processor time of the requests at one size, in microseconds.
#[derive(Debug, Clone)]
struct Figures {
    /// The best run of each request: what else the machine does can only slow a run down.
    best: Vec<f64>,
    /// Every run, sorted.
    all: Vec<f64>,
}

impl Figures {
    fn of(cost: &QueryCost) -> Self {
        let micros = |ns: &u64| *ns as f64 / 1e3;
        let best = cost.runs_ns.iter().filter_map(|runs| runs.iter().min());
        let mut all: Vec<f64> = cost.runs_ns.iter().flatten().map(micros).collect();
        all.sort_by(f64::total_cmp);
        Self {
            best: best.map(micros).collect(),
            all,
        }
    }
}

/// How many times faster `ours` is than `peer`, on the requests both answered.
fn times_faster(ours: &Figures, peer: &Figures) -> f64 {
    let both = ours.best.iter().zip(&peer.best);
    let (ours, peer) = both.fold((0.0, 0.0), |sum, (ours, peer)| (sum.0 + ours, sum.1 + peer));
    peer / ours
}

impl Select {
    /// Measures every ranker at every size and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let peers = if self.tantivy_only {
            Peers::build(With::Tantivy)?
        } else {
            self.options.peers()?
        };
        let file = workspace().join("target/bench/queries.txt");
        let head = [
            "skills, ranker",
            "p50 µs",
            "p99 µs",
            "most µs",
            "times faster than adk-skill",
        ];
        let mut requests = Table::new("CPU time of a request of five words", &head);
        let head = [
            "skills",
            "load ms",
            "index ms",
            "of loading",
            "index MB",
            "process grew by MB",
            "of the text",
        ];
        let mut indexes = Table::new("The index, CPU time of all threads", &head);
        let mut duel = Duel::new(&peers, self.options.repeats);
        for &size in &self.options.sizes {
            let catalog = self.options.catalog(size)?;
            fs::write(&file, queries(Asked::Mixed, QUERIES))
                .context("cannot write the requests")?;
            eprintln!("asking {} skills", catalog.skills);
            indexes.row(self.index(&peers, &catalog)?);
            let adk = if self.options.no_peers || self.tantivy_only {
                None
            } else {
                Some(adk(&peers, &catalog, &file)?)
            };
            for ranker in ["lexical", "overlap"] {
                let ours = own(&peers, ranker, &catalog, &file, self.options.repeats)?;
                let faster = adk.as_ref().map(|adk| times_faster(&ours, adk));
                requests.row(row(size, ranker, &ours, faster));
            }
            if let Some(adk) = &adk {
                requests.row(row(size, "adk-skill 0.6.0", adk, None));
            }
            if !self.options.no_peers {
                let name = format!("{} generated", thousands(size as f64));
                for (kind, asked) in [
                    ("mixed words", Asked::Mixed),
                    ("rare words", Asked::Rare),
                    ("frequent words", Asked::Frequent),
                ] {
                    let requests = queries(asked, QUERIES);
                    duel.run(&name, &catalog.skills_dir(), kind, &requests)?;
                }
            }
        }
        if !self.options.no_peers {
            self.real(&mut duel)?;
        }
        let mut tables = vec![requests, indexes];
        tables.extend((!self.options.no_peers).then_some(duel.table));
        self.options.print.show(&tables);
        Ok(())
    }

    /// Puts real requests to real skills, where they are at hand.
    fn real(&self, duel: &mut Duel<'_>) -> Result<()> {
        let Some(data) = Data::load(self.real.clone(), "c1000") else {
            eprintln!("no real skills here: `--real DIR` names some");
            return Ok(());
        };
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
        let natural = data.queries.iter().filter(|query| query.is_natural());
        let requests: String = natural
            .take(QUERIES)
            .map(|query| one_line(&query.text))
            .collect();
        let name = format!("{} real", thousands(data.skills.len() as f64));
        duel.run(&name, &data.skills_file, "as people asked", &requests)
    }

    /// Builds the index a few times and shows the middle one.
    fn index(&self, peers: &Peers, catalog: &Generated) -> Result<Vec<String>> {
        let dir = catalog.skills_dir();
        let mut runs: Vec<IndexCost> = Vec::new();
        for _ in 0..self.options.repeats {
            runs.push(peers.run(&["index", &dir.to_string_lossy()])?);
        }
        let ratio = |cost: &IndexCost| cost.index_cpu_us as f64 / cost.load_cpu_us as f64;
        runs.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        let cost = runs.swap_remove(runs.len() / 2);
        Ok(vec![
            thousands(catalog.skills as f64),
            figure(cost.load_cpu_us as f64 / 1e3),
            figure(cost.index_cpu_us as f64 / 1e3),
            times(cost.index_cpu_us as f64, cost.load_cpu_us as f64),
            figure(cost.memory as f64 / 1e6),
            figure(cost.held_kb as f64 * 1024.0 / 1e6),
            times(cost.memory as f64, catalog.bytes as f64),
        ])
    }
}

/// Ours and tantivy on the same skills and requests, one after the other.
struct Duel<'a> {
    peers: &'a Peers,
    repeats: usize,
    table: Table,
}

impl<'a> Duel<'a> {
    fn new(peers: &'a Peers, repeats: usize) -> Self {
        let head = [
            "skills, requests",
            "prowess p50 µs",
            "p99 µs",
            "tantivy p50 µs",
            "p99 µs",
            "times faster at p50",
            "on the sum",
        ];
        Self {
            peers,
            repeats,
            table: Table::new("CPU time of a request beside tantivy 0.27.0", &head),
        }
    }

    fn run(&mut self, skills: &str, place: &Path, kind: &str, requests: &str) -> Result<()> {
        eprintln!("asking {skills} skills with {kind}, ours and tantivy");
        let file = workspace().join("target/bench/queries-duel.txt");
        fs::write(&file, requests).context("cannot write the requests")?;
        let (place, file) = (place.to_string_lossy(), file.to_string_lossy());
        let repeats = self.repeats.to_string();
        let ours: QueryCost = self
            .peers
            .run(&["select", &place, "lexical", &file, &repeats])?;
        let theirs: QueryCost = self
            .peers
            .run(&["tantivy-select", &place, &file, &repeats])?;
        ensure!(
            ours.skills == theirs.skills,
            "{} and {} skills were searched; that cannot be compared",
            ours.skills,
            theirs.skills
        );
        let (ours, theirs) = (Figures::of(&ours), Figures::of(&theirs));
        let at = |figures: &Figures, percent| percentile(&figures.all, percent);
        self.table.row(vec![
            format!("{skills}, {kind}"),
            figure(at(&ours, 50)),
            figure(at(&ours, 99)),
            figure(at(&theirs, 50)),
            figure(at(&theirs, 99)),
            times(at(&theirs, 50), at(&ours, 50)),
            format!("{}x", figure(times_faster(&ours, &theirs))),
        ]);
        Ok(())
    }
}

fn row(size: usize, ranker: &str, figures: &Figures, faster: Option<f64>) -> Vec<String> {
    let at = |percent| figure(percentile(&figures.all, percent));
    vec![
        format!("{}, {ranker}", thousands(size as f64)),
        at(50),
        at(99),
        at(100),
        faster.map_or_else(|| "-".to_owned(), thousands),
    ]
}

fn own(
    peers: &Peers,
    ranker: &str,
    catalog: &Generated,
    file: &Path,
    repeats: usize,
) -> Result<Figures> {
    let dir = catalog.skills_dir();
    let (dir, file) = (dir.to_string_lossy(), file.to_string_lossy());
    let repeats = repeats.to_string();
    let cost = peers.run(&["select", &dir, ranker, &file, &repeats])?;
    complete(&cost, catalog)
}

fn adk(peers: &Peers, catalog: &Generated, file: &Path) -> Result<Figures> {
    let few = (PEER_BUDGET / catalog.skills).clamp(2, 40);
    let short = file.with_file_name("queries-peer.txt");
    fs::write(&short, queries(Asked::Mixed, few)).context("cannot write the requests")?;
    let (root, short) = (catalog.root.to_string_lossy(), short.to_string_lossy());
    let cost = peers.run(&["adk-select", &root, &short, "2"])?;
    complete(&cost, catalog)
}

fn complete(cost: &QueryCost, catalog: &Generated) -> Result<Figures> {
    let (searched, all) = (cost.skills, catalog.skills);
    ensure!(
        searched == all,
        "{searched} of {all} skills were searched; that cannot be compared"
    );
    ensure!(
        cost.matches > 0,
        "nothing was found; that cannot be compared"
    );
    Ok(Figures::of(cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_both_answered_are_compared() {
        let figures = |runs_ns| {
            Figures::of(&QueryCost {
                skills: 9,
                matches: 1,
                runs_ns,
            })
        };
        let ours = figures(vec![vec![2_000, 1_000, 9_000], vec![4_000]]);
        let peer = figures(vec![vec![100_000]]);
        assert!((times_faster(&ours, &peer) - 100.0).abs() < 1e-9);
        assert_eq!(
            row(9, "lexical", &ours, None)[1..4],
            ["2.00", "4.00", "9.00"]
        );
    }
}
