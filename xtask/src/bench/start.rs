//! `cargo xtask bench start`: the second start over unchanged skills, against the first.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::Result;

use super::table::{Table, figure, thousands};
use super::{Cost, Options, Peers, Way, With, in_turns};
use crate::generate::Generated;

/// Longer than a file must have been left alone before its times are trusted.
const SETTLE: Duration = Duration::from_millis(2_500);

/// Measures every way to start at every size and prints the tables.
pub(super) fn run(options: &Options) -> Result<()> {
    let peers = Peers::build(With::None)?;
    let mut tables = Vec::new();
    for &size in &options.sizes {
        let catalog = options.catalog(size)?;
        thread::sleep(SETTLE);
        let figures = in_turns(catalog.skills, options.repeats, ways(&peers, &catalog))?;
        let title = format!("Start over {} skills, one thread", thousands(size as f64));
        let mut table = Table::new(title, &["start", "CPU ms", "wall ms", "share of the first"]);
        for (at, it) in figures.iter().enumerate() {
            // With a request, the first start is the one that answers it too.
            let first = &figures[if at < 3 { 0 } else { 3 }];
            let floor = at == figures.len() - 1;
            let share = it.cpu_us / if floor { &figures[0] } else { first }.cpu_us;
            table.row(vec![
                it.name.clone(),
                figure(it.cpu_us / 1e3),
                figure(it.wall_us / 1e3),
                figure(share),
            ]);
        }
        tables.push(table);
    }
    options.print.show(&tables);
    Ok(())
}

/// The three starts, the same with a request, and the least that a second start can cost.
fn ways<'a>(peers: &'a Peers, catalog: &'a Generated) -> Vec<Way<'a>> {
    let dir = catalog.skills_dir().to_string_lossy().into_owned();
    let mut ways = Vec::new();
    for search in [false, true] {
        for (name, cached, clear) in [
            ("first, no cache", false, false),
            ("first, writing the cache", true, true),
            ("second, from the cache", true, false),
        ] {
            let dir = dir.clone();
            let run = move || -> Result<Cost> {
                let cache = catalog.root.join("cache");
                if clear && cache.exists() {
                    fs::remove_dir_all(&cache)?;
                }
                let folder = cache.to_string_lossy();
                let mut arguments = vec!["start", dir.as_str()];
                if cached {
                    arguments.extend(["cache", &*folder]);
                }
                if search {
                    arguments.push("search");
                }
                peers.run(&arguments)
            };
            let with = if search { ", and a request" } else { "" };
            ways.push(Way::new(format!("{name}{with}"), run));
        }
    }
    let name = "floor: a look at every file and folder";
    ways.push(Way::new(name, move || peers.run(&["stamps", &dir])));
    ways
}
