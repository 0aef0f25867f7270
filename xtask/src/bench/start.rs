//! `cargo xtask bench start`: the second start over unchanged skills, against the first.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::json;

use super::table::{Table, Target, figure, targets, thousands};
use super::{Format, Options, busy, child, median};
use crate::generate::Generated;
use crate::measure::Cost;

/// The size at which the issue sets its limit.
const JUDGED: usize = 10_000;

/// Longer than a file must have been left alone before its times are trusted.
const SETTLE: Duration = Duration::from_millis(2_500);

/// Options of `bench start`.
#[derive(Debug, Args)]
pub(crate) struct Start {
    #[command(flatten)]
    options: Options,
}

/// One row of the table: a way to start, and what it cost, in microseconds.
struct Row {
    name: &'static str,
    list: f64,
    search: f64,
    wall: f64,
}

impl Start {
    /// Measures both starts at every size and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let (mut tables, mut judged, mut figures) = (Vec::new(), Vec::new(), Vec::new());
        for &size in &self.options.sizes {
            let catalog = self.options.catalog(size)?;
            let (rows, floor) = self.measure(&catalog)?;
            let [first, writing, second] = &rows;
            let ratio = [second.list / first.list, second.search / first.search];
            if size == JUDGED {
                let what = "second start, share of the first";
                judged.push(Target::at_most(what, ratio[0], 0.1, ""));
                let what = "second start and a request, share of the first";
                judged.push(Target::at_most(what, ratio[1], 0.1, ""));
                // What a user pays the first time, who has not switched the cache off.
                let what = "second start, share of the first that writes the cache";
                let share = second.list / writing.list;
                judged.push(Target::at_most(what, share, 0.1, ""));
                let what = "writing the cache, times the first start";
                judged.push(Target::at_most(what, writing.list / first.list, 1.4, "x"));
            }
            let mut table = Table::new(
                format!("Start over {} skills, one thread", thousands(size as f64)),
                &[
                    "",
                    "CPU ms",
                    "CPU ms with a request",
                    "wall ms",
                    "share",
                    "share with a request",
                ],
            );
            for row in &rows {
                table.row(vec![
                    row.name.to_owned(),
                    figure(row.list / 1e3),
                    figure(row.search / 1e3),
                    figure(row.wall / 1e3),
                    figure(row.list / first.list),
                    figure(row.search / first.search),
                ]);
                figures.push(json!({
                    "skills": size, "start": row.name, "cpu_us": row.list,
                    "cpu_us_with_request": row.search, "wall_us": row.wall,
                }));
            }
            table.row(vec![
                "floor: a look at every file and folder".to_owned(),
                figure(floor / 1e3),
                "-".to_owned(),
                "-".to_owned(),
                figure(floor / first.list),
                "-".to_owned(),
            ]);
            figures.push(json!({ "skills": size, "start": "floor", "cpu_us": floor }));
            tables.push(table);
        }
        if self.options.format() == Format::Json {
            println!("{}", json!({ "start": figures, "targets": judged }));
            return Ok(());
        }
        for table in tables {
            println!("{}", table.render(self.options.format()));
        }
        if !judged.is_empty() {
            let table = targets("What the issue asks for", &judged);
            println!("{}", table.render(self.options.format()));
        }
        println!("{}", busy());
        Ok(())
    }

    /// Gives the three ways to start, and the least that a second start can cost, in microseconds.
    fn measure(&self, catalog: &Generated) -> Result<([Row; 3], f64)> {
        let dir = catalog.skills_dir().to_string_lossy().into_owned();
        let cache = catalog.root.join("cache");
        let folder = cache.to_string_lossy().into_owned();
        thread::sleep(SETTLE);
        let run = |extra: &[&str]| -> Result<Cost> {
            let mut arguments = vec!["start", dir.as_str()];
            arguments.extend(extra);
            let cost: Cost = child(&arguments)?;
            ensure!(
                cost.skills == catalog.skills,
                "{} skills were found",
                cost.skills
            );
            Ok(cost)
        };
        let with = ["--cache", folder.as_str()];
        let with_search = ["--cache", folder.as_str(), "--search"];
        let mut costs: [[Vec<Cost>; 2]; 3] = Default::default();
        let mut floor = Vec::new();
        for _ in 0..self.options.repeats {
            costs[0][0].push(run(&[])?);
            costs[0][1].push(run(&["--search"])?);
            for (at, extra) in [&with[..], &with_search[..]].into_iter().enumerate() {
                if cache.exists() {
                    fs::remove_dir_all(&cache).context("cannot clear the cache")?;
                }
                costs[1][at].push(run(extra)?);
            }
            floor.push(child(&["stamps", dir.as_str()])?);
            costs[2][0].push(run(&with)?);
            costs[2][1].push(run(&with_search)?);
        }
        let names = [
            "first, no cache",
            "first, writing the cache",
            "second, from the cache",
        ];
        let rows: Vec<Row> = names
            .into_iter()
            .zip(costs)
            .map(|(name, [list, search])| Row {
                name,
                list: middle(&list, |it| it.cpu_us),
                search: middle(&search, |it| it.cpu_us),
                wall: middle(&list, |it| it.wall_us),
            })
            .collect();
        let rows: Result<[Row; 3], _> = rows.try_into();
        let rows = rows.map_err(|_| anyhow::anyhow!("three ways to start"))?;
        Ok((rows, middle(&floor, |it| it.cpu_us)))
    }
}

fn middle(costs: &[Cost], pick: impl Fn(&Cost) -> u64) -> f64 {
    median(costs.iter().map(|cost| pick(cost) as f64).collect())
}
