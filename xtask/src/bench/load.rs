//! `cargo xtask bench load`: from a folder of files to a catalog.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use super::table::{Table, figure, thousands, times};
use super::{Cost, Figures, Options, Peers, Way, in_turns};
use crate::generate::{Fields, Generated};
use crate::serving;

/// Options of `bench load`.
#[derive(Debug, Args)]
pub(crate) struct Load {
    #[command(flatten)]
    options: Options,
    /// Thread counts for the floor and for us; the peers have one thread
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
}

impl Load {
    /// Measures every loader at every size and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let (peers, command) = (self.options.peers()?, serving::build(true)?);
        let mut tables = Vec::new();
        for &size in &self.options.sizes {
            let catalog = self.options.catalog(size)?;
            eprintln!("loading {} skills", catalog.skills);
            let ways = self.ways(&catalog, &peers, &command);
            let figures = in_turns(catalog.skills, self.options.repeats, ways)?;
            tables.push(self.table(&catalog, &figures));
        }
        self.options.print.show(&tables);
        Ok(())
    }

    /// The floor and us for each number of threads, then the peers, then the whole command.
    fn ways<'a>(
        &self,
        catalog: &'a Generated,
        peers: &'a Peers,
        command: &'a Path,
    ) -> Vec<Way<'a>> {
        let mut ways = Vec::new();
        for &threads in &self.threads {
            for (name, what) in [("floor: walk and read", "floor"), ("prowess", "load")] {
                let dir = catalog.skills_dir();
                let run = move || {
                    let threads = threads.to_string();
                    peers.run(&[what, &dir.to_string_lossy(), &threads])
                };
                let plural = if threads == 1 { "" } else { "s" };
                ways.push(Way::new(format!("{name}, {threads} thread{plural}"), run));
            }
        }
        for (name, what) in PEERS {
            // It refuses lists in the frontmatter.
            let refuses = what == "agent-skills-load" && self.options.fields == Fields::Rich;
            if !self.options.no_peers && !refuses {
                let root = catalog.root.to_string_lossy();
                ways.push(Way::new(name, move || peers.run(&[what, &root])));
            }
        }
        let name = "`prowess list --no-cache`, from start to end";
        ways.push(Way::new(name, || list(command, catalog)));
        ways
    }

    fn table(&self, catalog: &Generated, all: &[Figures]) -> Table {
        let (count, text) = (catalog.skills as f64, catalog.bytes as f64);
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
        let adk = all.iter().find(|it| it.name == PEERS[0].0);
        for (at, it) in all.iter().enumerate() {
            // Floors stand at even places, each before us with as many threads.
            let floor = if at < 2 * self.threads.len() {
                at / 2 * 2
            } else {
                0
            };
            // A command is measured from outside, where only time is seen.
            let peak = (it.peak_bytes > 0.0).then_some(it.peak_bytes);
            let dash = || "-".to_owned();
            table.row(vec![
                it.name.clone(),
                figure(it.cpu_us / 1e3),
                figure(it.cpu_min_us / 1e3),
                figure(it.cpu_us / count),
                times(it.cpu_us, all[floor].cpu_us),
                adk.map_or_else(dash, |adk| times(it.cpu_us, adk.cpu_us)),
                figure(it.wall_us / 1e3),
                peak.map_or_else(dash, |peak| figure(peak / 1e6)),
                peak.map_or_else(dash, |peak| times(peak, text)),
            ]);
        }
        table
    }
}

/// Their name in the table, and what `benches/peers` calls them.
const PEERS: [(&str, &str); 3] = [
    ("adk-skill 0.6.0", "adk-load"),
    ("phi-core (no YAML, no bodies)", "phi-load"),
    ("agent-skills (no hashes)", "agent-skills-load"),
];

/// The time of `prowess list`; with a cache it would measure something else than loading.
fn list(program: &Path, catalog: &Generated) -> Result<Cost> {
    let (before, start) = (children_time()?, Instant::now());
    let status = Command::new(program)
        .args(["list", "--no-cache", "--dir"])
        .arg(catalog.skills_dir())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{}`", program.display()))?;
    ensure!(status.success(), "`prowess list` ended with {status}");
    Ok(Cost {
        skills: catalog.skills,
        cpu_us: children_time()?.saturating_sub(before).as_micros() as u64,
        wall_us: start.elapsed().as_micros() as u64,
        ..Cost::default()
    })
}

/// Processor time of all children that have ended.
fn children_time() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the children's time")?;
    let micros = |time: TimeVal| (time.tv_sec() * 1_000_000 + time.tv_usec()).unsigned_abs();
    Ok(Duration::from_micros(
        micros(usage.user_time()) + micros(usage.system_time()),
    ))
}
