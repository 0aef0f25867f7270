//! `cargo xtask bench live`: the time from saving a file to the snapshot that holds it.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use nix::time::{ClockId, clock_gettime};
use prowess::live::{LiveCatalog, LiveOptions};
use prowess::{DiskSource, Source, select::Policy};

use super::table::{Table, figure, thousands};
use super::{Options, percentile};
use crate::generate::catalog_in;
use crate::workspace;

/// Options of `bench live`.
#[derive(Debug, Args)]
pub(crate) struct Live {
    #[command(flatten)]
    options: Options,
    /// How many files are saved, one after the other
    #[arg(long, default_value_t = 300)]
    edits: usize,
}

impl Live {
    /// Measures at every size and prints the table.
    pub(super) fn run(&self) -> Result<()> {
        let mut table = Table::new(
            "From saving a file to its snapshot, apart from the debounce",
            &[
                "skills",
                "p50 ms",
                "p99 ms",
                "most ms",
                "CPU ms an edit",
                "skills read an edit",
            ],
        );
        for &size in &self.options.sizes {
            let (mut times, cpu) = self.measure(size)?;
            times.sort_by(f64::total_cmp);
            let at = |percent| figure(percentile(&times, percent));
            table.row(vec![
                thousands(size as f64),
                at(50),
                at(99),
                at(100),
                figure(cpu),
                "1".to_owned(),
            ]);
        }
        self.options.print.show(&[table]);
        Ok(())
    }

    /// Saves files one after the other; gives milliseconds for each, and of processor time.
    fn measure(&self, size: usize) -> Result<(Vec<f64>, f64)> {
        // A catalog of its own, because files in it are saved.
        let home = workspace().join("target/bench/live");
        let made = catalog_in(&home, size, self.options.fields)?;
        let dir = made.skills_dir();
        let mut files: Vec<PathBuf> = fs::read_dir(&dir)?
            .filter_map(|entry| Some(entry.ok()?.path().join("SKILL.md")))
            .collect();
        files.sort();
        let options = LiveOptions::default();
        let debounce = options.debounce;
        let root = dir.clone();
        let sources = move || vec![Box::new(DiskSource::new(&root)) as Box<dyn Source>];
        let live = LiveCatalog::open(sources, options)?;
        // A host searches, so that every snapshot has its index.
        live.snapshot().select("review", &Policy::default());
        live.refresh();
        let (tell, told) = channel();
        live.on_change(move |_, changes| {
            let _ = tell.send((Instant::now(), changes.changed.len()));
        });
        let mut times = Vec::with_capacity(self.edits);
        let cpu = processor_ms()?;
        for number in 0..self.edits {
            let path = &files[number * 7_919 % files.len()];
            let text = fs::read_to_string(path)?;
            let saved = save(path, &format!("{text}\nEdit {number}.\n"), number)?;
            let (seen, count) = told
                .recv_timeout(Duration::from_secs(30))
                .context("a saved file never became a snapshot")?;
            ensure!(count == 1, "{count} skills changed with one file");
            let snapshot = live.snapshot();
            let mut all = snapshot.skills().iter();
            let found = all.find(|skill| skill.path() == path);
            let skill = found.context("the skill is gone")?;
            ensure!(skill.instructions().ends_with(&format!("Edit {number}.")));
            times.push((seen.duration_since(saved).saturating_sub(debounce)).as_secs_f64() * 1e3);
            save(path, &text, number)?;
            told.recv_timeout(Duration::from_secs(30))
                .context("a saved file never became a snapshot")?;
        }
        let cpu = processor_ms()? - cpu;
        Ok((times, cpu / (2 * self.edits) as f64))
    }
}

/// Saves a file in place or, every other time, by rename; gives the moment before.
fn save(path: &std::path::Path, text: &str, number: usize) -> Result<Instant> {
    let beside = path.with_extension("tmp");
    let start;
    if number.is_multiple_of(2) {
        start = Instant::now();
        fs::write(path, text)?;
    } else {
        fs::write(&beside, text)?;
        start = Instant::now();
        fs::rename(&beside, path)?;
    }
    Ok(start)
}

/// Processor time this process has used so far, in all its threads.
fn processor_ms() -> Result<f64> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
    Ok(Duration::from(time).as_secs_f64() * 1e3)
}
