//! `cargo xtask bench serve`: the server under load, beside a minimal server on fastmcp.

mod faults;
mod load;
mod peer;

use std::fs;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::json;

use self::load::{Measured, Protocol, Work, load};
use super::table::{Table, Target, figure, targets, thousands};
use super::{Format, busy};
use crate::generate::{self, Fields};
use crate::serving::{Serving, build};

/// What the issue asks for.
const TIMES_THE_PEER: f64 = 20.0;

/// Memory may move by so much and still count as flat: the allocator keeps some pages back.
const FLAT: f64 = 1.10;

/// Options of `bench serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// How many skills are served
    #[arg(long, default_value_t = 10_000)]
    skills: usize,
    /// How many connections ask at one time
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// How long each figure is taken, in seconds
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// How many requests memory is watched over
    #[arg(long, default_value_t = 100_000)]
    requests: usize,
    /// Leave out the peer, which has to be installed the first time
    #[arg(long)]
    no_peer: bool,
    /// Print one JSON object with every figure
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the tables of `docs/BENCHMARKS.md`
    #[arg(long)]
    markdown: bool,
}

impl Serve {
    /// Measures both servers and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let program = build(true)?;
        let made = generate::catalog(self.skills, Fields::Common)?;
        let folder = made.skills_dir();
        let work = Work::over(&folder)?;
        let server = Serving::start(&program, &folder)?;
        let ours = self.measure(server.address(), &work)?;
        let memory = self.memory(&server, &work)?;
        let endured = faults::endure(&server, &work)?;
        drop(server);
        let theirs = if self.no_peer {
            Vec::new()
        } else {
            let peer = peer::Peer::start(&folder)?;
            self.measure(&peer.address, &work)?
        };
        self.print(&ours, &theirs, memory, &endured)
    }

    /// Every kind of request over every protocol.
    fn measure(&self, address: &str, work: &Work) -> Result<Vec<Measured>> {
        let mut all = Vec::new();
        for protocol in Protocol::ALL {
            for kind in load::Kind::ALL {
                // The first requests pay for what the later ones find ready.
                load(address, work, kind, protocol, self.connections, 0.5)?;
                let measured = load(
                    address,
                    work,
                    kind,
                    protocol,
                    self.connections,
                    self.seconds,
                )?;
                ensure!(
                    measured.failed == 0,
                    "{} of {} requests failed: {kind:?} over {protocol:?}",
                    measured.failed,
                    measured.count
                );
                all.push(measured);
            }
        }
        Ok(all)
    }

    /// Megabytes in use before and after many requests.
    fn memory(&self, server: &Serving, work: &Work) -> Result<(f64, f64)> {
        let ask = |count: usize| -> Result<()> {
            for kind in load::Kind::ALL {
                for protocol in Protocol::ALL {
                    load::exactly(server.address(), work, kind, protocol, count / 4)?;
                }
            }
            Ok(())
        };
        ask(self.requests / 5)?;
        let before = resident(server.id())?;
        ask(self.requests)?;
        Ok((before, resident(server.id())?))
    }

    fn print(
        &self,
        ours: &[Measured],
        theirs: &[Measured],
        (before, after): (f64, f64),
        endured: &[faults::Endured],
    ) -> Result<()> {
        let format = match (self.json, self.markdown) {
            (true, _) => Format::Json,
            (_, true) => Format::Markdown,
            _ => Format::Human,
        };
        let mut table = Table::new(
            format!(
                "Serving {} skills on loopback, {} connections",
                thousands(self.skills as f64),
                self.connections
            ),
            &[
                "request",
                "prowess a second",
                "p99 ms",
                "fastmcp a second",
                "p99 ms",
                "times",
            ],
        );
        let mut judged = Vec::new();
        let mut figures = Vec::new();
        for (at, our) in ours.iter().enumerate() {
            let name = format!("{} ({})", our.kind.name(), our.protocol.name());
            let their = theirs.get(at);
            let times = their.map(|their| our.rate() / their.rate());
            table.row(vec![
                name.clone(),
                thousands(our.rate()),
                figure(our.p99_ms()),
                their.map_or_else(String::new, |their| figure(their.rate())),
                their.map_or_else(String::new, |their| figure(their.p99_ms())),
                times.map_or_else(String::new, |times| format!("{}x", figure(times))),
            ]);
            if let Some(times) = times {
                judged.push(Target::at_least(name.clone(), times, TIMES_THE_PEER, "x"));
            }
            figures.push(json!({
                "request": name,
                "prowess": { "per_second": our.rate(), "p99_ms": our.p99_ms() },
                "fastmcp": their.map(|their| json!({ "per_second": their.rate(), "p99_ms": their.p99_ms() })),
            }));
        }
        let grown = format!("memory after {} requests", thousands(self.requests as f64));
        judged.push(Target::at_most(grown, after / before, FLAT, "x"));
        for fault in endured {
            judged.push(Target::at_least(
                fault.name.clone(),
                f64::from(u8::from(fault.fine)),
                1.0,
                "",
            ));
        }
        if format == Format::Json {
            let all = json!({
                "skills": self.skills,
                "figures": figures,
                "memory_mb": { "before": before, "after": after },
                "faults": endured.iter().map(|it| json!({ "name": it.name, "fine": it.fine, "told": it.told })).collect::<Vec<_>>(),
            });
            println!("{all:#}");
            return Ok(());
        }
        println!("{}", table.render(format));
        println!(
            "Memory: {} MB before, {} MB after.",
            figure(before),
            figure(after)
        );
        for fault in endured {
            println!("{}: {}", fault.name, fault.told);
        }
        println!();
        println!("{}", targets("Targets", &judged).render(format));
        println!("{}", busy());
        ensure!(judged.iter().all(Target::met), "a target was missed");
        Ok(())
    }
}

/// Megabytes a process holds.
pub(super) fn resident(process: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<f64>().ok());
    Ok(kilobytes.context("the system does not tell how much memory is in use")? / 1024.0)
}
