//! `cargo xtask bench load`: from a folder of files to a catalog.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::peers::Peers;
use super::table::{Table, Target, figure, targets, thousands};
use super::{Format, Options, busy, child, list, median};
use crate::generate::{Fields, Generated};
use crate::measure::Cost;

/// The size at which the issue sets its limits.
const JUDGED: usize = 10_000;

/// The catalog size `prowess list` is timed on.
const LISTED: usize = 1_000;

/// Options of `bench load`.
#[derive(Debug, Args)]
pub(crate) struct Load {
    #[command(flatten)]
    options: Options,
    /// Thread counts for the floor and for us; the peers have one thread
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
}

/// Something that loads a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Loader {
    /// Walk and read, nothing else.
    Floor(usize),
    /// This project, with a number of threads.
    Prowess(usize),
    Adk,
    Phi,
    AgentSkills,
}

impl Loader {
    fn name(self) -> String {
        match self {
            Self::Floor(threads) => format!("floor: walk and read, {}", threads_word(threads)),
            Self::Prowess(threads) => format!("prowess, {}", threads_word(threads)),
            Self::Adk => "adk-skill 0.6.0".into(),
            Self::Phi => "phi-core (no YAML, no bodies)".into(),
            Self::AgentSkills => "agent-skills (no hashes)".into(),
        }
    }

    fn threads(self) -> usize {
        match self {
            Self::Floor(threads) | Self::Prowess(threads) => threads,
            _ => 1,
        }
    }

    fn run(self, catalog: &Generated, peers: Option<&Peers>) -> Result<Cost> {
        let dir = catalog.skills_dir();
        let dir = dir.to_string_lossy();
        let own =
            |what: &str, threads: usize| child(&[what, &dir, "--threads", &threads.to_string()]);
        let peer = |what: &str| {
            peers
                .expect("peers are built")
                .run(what, &catalog.root, &[])
        };
        let cost: Cost = match self {
            Self::Floor(threads) => own("floor", threads),
            Self::Prowess(threads) => own("load", threads),
            Self::Adk => peer("adk-load"),
            Self::Phi => peer("phi-load"),
            Self::AgentSkills => peer("agent-skills-load"),
        }?;
        ensure!(
            cost.skills == catalog.skills,
            "{} loaded {} of {} skills; a loader that skips files cannot be compared",
            self.name(),
            cost.skills,
            catalog.skills
        );
        Ok(cost)
    }
}

fn threads_word(count: usize) -> String {
    match count {
        1 => "1 thread".into(),
        _ => format!("{count} threads"),
    }
}

/// The figures of one loader at one size: medians, where nothing else is said.
#[derive(Debug, Clone, Copy, Serialize)]
struct Figures {
    cpu_us: f64,
    cpu_min_us: f64,
    /// The best run: a wall clock counts what else the machine does.
    wall_us: f64,
    peak_bytes: f64,
}

impl Figures {
    fn of(runs: &[Cost]) -> Self {
        let all = |pick: fn(&Cost) -> u64| runs.iter().map(|run| pick(run) as f64).collect();
        Self {
            cpu_us: median(all(|run| run.cpu_us)),
            cpu_min_us: runs.iter().map(|run| run.cpu_us).min().unwrap_or(0) as f64,
            wall_us: runs.iter().map(|run| run.wall_us).min().unwrap_or(0) as f64,
            peak_bytes: median(all(|run| run.peak_kb)) * 1024.0,
        }
    }
}

type Measured = BTreeMap<(usize, Loader), Figures>;

impl Load {
    /// Measures every loader at every size and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let peers = if self.options.no_peers {
            None
        } else {
            Some(Peers::build()?)
        };
        let command = list::build()?;
        let (mut all, mut texts) = (Measured::new(), BTreeMap::new());
        for &size in &self.options.sizes {
            let catalog = self.options.catalog(size)?;
            texts.insert(size, catalog.bytes as f64);
            for (loader, figures) in self.measure(&catalog, peers.as_ref())? {
                all.insert((size, loader), figures);
            }
        }
        let sample = self.options.catalog(LISTED)?;
        // The library's figures stand even where the command cannot run.
        let listed = list::list(&command, &sample, self.options.repeats)
            .inspect_err(|error| eprintln!("`prowess list` is not in the table: {error:#}"))
            .ok();
        self.print(&all, &texts, listed)
    }

    fn loaders(&self) -> Vec<Loader> {
        let mut loaders = Vec::new();
        for &threads in &self.threads {
            loaders.extend([Loader::Floor(threads), Loader::Prowess(threads)]);
        }
        if !self.options.no_peers {
            loaders.extend([Loader::Adk, Loader::Phi]);
            if self.options.fields == Fields::Common {
                loaders.push(Loader::AgentSkills);
            }
        }
        loaders
    }

    /// Takes turns, so that a busy moment of the machine falls on all loaders alike.
    fn measure(
        &self,
        catalog: &Generated,
        peers: Option<&Peers>,
    ) -> Result<Vec<(Loader, Figures)>> {
        eprintln!("loading {} skills", catalog.skills);
        // The first walk fills the page cache; it is not counted.
        Loader::Floor(1).run(catalog, peers)?;
        let mut runs: BTreeMap<Loader, Vec<Cost>> = BTreeMap::new();
        for _ in 0..self.options.repeats {
            for loader in self.loaders() {
                runs.entry(loader)
                    .or_default()
                    .push(loader.run(catalog, peers)?);
            }
        }
        Ok(runs
            .into_iter()
            .map(|(loader, runs)| (loader, Figures::of(&runs)))
            .collect())
    }

    fn print(
        &self,
        all: &Measured,
        texts: &BTreeMap<usize, f64>,
        listed: Option<f64>,
    ) -> Result<()> {
        let targets_met = judge(all, texts, listed);
        let format = self.options.format();
        if format == Format::Json {
            let rows: Vec<_> = all
                .iter()
                .map(|((skills, loader), figures)| {
                    json!({ "skills": skills, "loader": loader.name(), "figures": figures })
                })
                .collect();
            let whole = json!({ "load": rows, "list_cpu_ms": listed, "targets": targets_met });
            println!("{}", serde_json::to_string_pretty(&whole)?);
            return Ok(());
        }
        for (&size, &text) in texts {
            println!("{}", table(all, size, text).render(format));
        }
        println!(
            "{}",
            targets("Targets of loading", &targets_met).render(format)
        );
        println!("{}", busy());
        Ok(())
    }
}

fn table(all: &Measured, size: usize, text: f64) -> Table {
    let count = size as f64;
    let title = format!(
        "Loading {} skills, {} MB of text",
        thousands(count),
        figure(text / 1e6)
    );
    let head = [
        "loader",
        "CPU ms",
        "min",
        "µs a skill",
        "of the floor",
        "of adk-skill",
        "best wall ms",
        "peak MB",
        "of the text",
    ];
    let mut table = Table::new(title, &head);
    let adk = all.get(&(size, Loader::Adk));
    for ((_, loader), figures) in all.iter().filter(|((at, _), _)| *at == size) {
        let floor = all.get(&(size, Loader::Floor(loader.threads())));
        let ratio = |base: Option<&Figures>| match base {
            Some(base) => format!("{:.2}x", figures.cpu_us / base.cpu_us),
            None => "-".into(),
        };
        table.row(vec![
            loader.name(),
            figure(figures.cpu_us / 1e3),
            figure(figures.cpu_min_us / 1e3),
            figure(figures.cpu_us / count),
            ratio(floor),
            ratio(adk),
            figure(figures.wall_us / 1e3),
            figure(figures.peak_bytes / 1e6),
            format!("{:.2}x", figures.peak_bytes / text),
        ]);
    }
    table
}

/// Holds the figures against the limits the issue sets; a figure not taken is left out.
fn judge(all: &Measured, texts: &BTreeMap<usize, f64>, listed: Option<f64>) -> Vec<Target> {
    let mut list = Vec::new();
    let get = |size, loader| all.get(&(size, loader));
    for threads in [1, 2] {
        let loader = Loader::Prowess(threads);
        if let (Some(ours), Some(floor)) =
            (get(JUDGED, loader), get(JUDGED, Loader::Floor(threads)))
        {
            let what = format!("CPU against the floor at 10,000, {}", threads_word(threads));
            list.push(Target::at_most(what, ours.cpu_us / floor.cpu_us, 2.0, "x"));
        }
    }
    let ours = |size| get(size, Loader::Prowess(1));
    if let (Some(ours), Some(adk)) = (ours(JUDGED), get(JUDGED, Loader::Adk)) {
        let what = "CPU against adk-skill at 10,000";
        list.push(Target::at_most(what, ours.cpu_us / adk.cpu_us, 0.6, "x"));
    }
    if let (Some(small), Some(large)) = (ours(1_000), ours(100_000)) {
        // A hundred times the skills for about a hundred times the time. The allowance is
        // for the kernel's own tables, which slow the floor down too.
        let growth = large.cpu_us / small.cpu_us / 100.0;
        list.push(Target::at_most(
            "cost of a skill at 100,000 against 1,000",
            growth,
            1.3,
            "x",
        ));
    }
    for size in [JUDGED, 100_000] {
        if let (Some(one), Some(two)) = (ours(size), get(size, Loader::Prowess(2))) {
            let what = format!(
                "wall time with a second thread at {}",
                thousands(size as f64)
            );
            list.push(Target::at_most(what, two.wall_us / one.wall_us, 1.0, "x"));
        }
        if let (Some(ours), Some(text)) = (ours(size), texts.get(&size)) {
            let what = format!("peak memory against the text at {}", thousands(size as f64));
            list.push(Target::at_most(what, ours.peak_bytes / text, 1.6, "x"));
        }
    }
    if let Some(listed) = listed {
        let what = "CPU of `prowess list` on 1,000";
        list.push(Target::at_most(what, listed, 40.0, " ms"));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(cpu_us: f64) -> Figures {
        Figures {
            cpu_us,
            cpu_min_us: cpu_us,
            wall_us: cpu_us,
            peak_bytes: 1e6,
        }
    }

    #[test]
    fn a_slow_load_misses_its_target() {
        let all = Measured::from([
            ((JUDGED, Loader::Floor(1)), figures(100.0)),
            ((JUDGED, Loader::Prowess(1)), figures(230.0)),
            ((JUDGED, Loader::Adk), figures(400.0)),
        ]);
        let list = judge(&all, &BTreeMap::from([(JUDGED, 1e6)]), Some(12.0));
        expect_test::expect![[r#"
            Targets
              target                                          limit   measured
              CPU against the floor at 10,000, 1 thread     ≤ 2.00x      2.30x   MISS
              CPU against adk-skill at 10,000               ≤ 0.60x      0.57x     ok
              peak memory against the text at 10,000        ≤ 1.60x      1.00x     ok
              CPU of `prowess list` on 1,000              ≤ 40.0 ms    12.0 ms     ok
        "#]]
        .assert_eq(&targets("Targets", &list).render(Format::Human));
    }
}
