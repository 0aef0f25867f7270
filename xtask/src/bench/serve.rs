//! `cargo xtask bench serve`: the server under load, beside a minimal server on fastmcp.

mod load;
mod peer;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;

use self::load::{Kind, Load, Measured, Protocol};
use super::Print;
use super::table::{Table, figure, thousands, times};
use crate::generate::{self, Fields};
use crate::serving::{Serving, build};

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
    #[command(flatten)]
    print: Print,
}

impl Serve {
    /// Measures both servers and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let program = build(true)?;
        let folder = generate::catalog(self.skills, Fields::Common)?.skills_dir();
        let server = Serving::start(&program, &folder)?;
        let ours = self.measure(&server.url, &folder)?;
        let memory = self.memory(&server, &folder)?;
        drop(server);
        let theirs = if self.no_peer {
            Vec::new()
        } else {
            let peer = peer::start(&folder)?;
            self.measure(&peer.url, &folder)?
        };
        self.print.show(&[self.table(&ours, &theirs), memory]);
        Ok(())
    }

    /// Every kind of request over every protocol.
    fn measure(&self, url: &str, folder: &Path) -> Result<Vec<Measured>> {
        let mut all = Vec::new();
        for protocol in Protocol::ALL {
            for kind in Kind::ALL {
                let load = Load::new(url, folder, kind, protocol)?;
                // The first requests pay for what the later ones find ready.
                load.during(self.connections, 0.5)?;
                all.push(load.during(self.connections, self.seconds)?);
            }
        }
        Ok(all)
    }

    /// Megabytes in use before and after many requests.
    fn memory(&self, server: &Serving, folder: &Path) -> Result<Table> {
        let ask = |count: usize| -> Result<()> {
            for kind in Kind::ALL {
                for protocol in Protocol::ALL {
                    let load = Load::new(&server.url, folder, kind, protocol)?;
                    load.exactly(self.connections, count / 4)?;
                }
            }
            Ok(())
        };
        ask(self.requests / 5)?;
        let before = resident(server.id())?;
        ask(self.requests)?;
        let after = resident(server.id())?;
        let title = format!("Memory over {} requests", thousands(self.requests as f64));
        let mut table = Table::new(title, &["server", "before MB", "after MB", "grew to"]);
        table.row(vec![
            "prowess".to_owned(),
            figure(before),
            figure(after),
            times(after, before),
        ]);
        Ok(table)
    }

    fn table(&self, ours: &[Measured], theirs: &[Measured]) -> Table {
        let (skills, connections) = (thousands(self.skills as f64), self.connections);
        let title = format!("Serving {skills} skills on loopback, {connections} connections");
        let head = [
            "request",
            "prowess a second",
            "p99 ms",
            "fastmcp a second",
            "p99 ms",
            "times",
        ];
        let mut table = Table::new(title, &head);
        for (at, our) in ours.iter().enumerate() {
            let mut row = vec![our.name.clone(), thousands(our.rate), figure(our.p99_ms)];
            row.extend(match theirs.get(at) {
                Some(their) => [
                    figure(their.rate),
                    figure(their.p99_ms),
                    times(our.rate, their.rate),
                ],
                None => ["-", "-", "-"].map(str::to_owned),
            });
            table.row(row);
        }
        table
    }
}

/// Megabytes a process holds.
fn resident(process: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<f64>().ok());
    Ok(kilobytes.context("the system does not tell how much memory is in use")? / 1024.0)
}
