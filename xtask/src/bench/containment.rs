//! `cargo xtask bench containment`: what it costs that no read can leave its folder.

use std::{fs, num::NonZeroUsize, path::Path, sync::Arc};

use anyhow::{Result, ensure};
use clap::Args;
use prowess::{
    Catalog, DiskSource, Layout, LoadOptions, Origin, Scan, ScanRequest, Scope, SkillFile, Source,
    TrustAll,
};

use super::{busy, median};
use crate::{
    generate::{self, Fields},
    measure::cost,
};

/// How much slower a load may be for it.
const LIMIT: f64 = 1.15;

/// Options of `bench containment`.
#[derive(Debug, Args)]
pub(crate) struct Containment {
    /// How many skills are loaded
    #[arg(long, default_value_t = 10_000)]
    skills: usize,
    /// How often each way is taken, in turns; the median counts
    #[arg(long, default_value_t = 15)]
    repeats: usize,
}

impl Containment {
    pub(super) fn run(&self) -> Result<()> {
        let catalog = generate::catalog(self.skills, Fields::Common)?;
        let dir = catalog.skills_dir();
        let ways: [(&str, Box<dyn Source>); 2] = [
            ("by path, links followed", Box::new(Plain::new(&dir))),
            ("prowess", Box::new(DiskSource::new(&dir))),
        ];
        let mut times = [Vec::new(), Vec::new()];
        let mut ratios = Vec::new();
        let ways = ways.map(|(name, source)| (name, vec![source]));
        // One round before, so that the files are in memory.
        for round in 0..=self.repeats {
            let mut pair = [0.0; 2];
            for (at, (name, sources)) in ways.iter().enumerate() {
                let (cost, _catalog) = cost(|| load(sources));
                ensure!(
                    cost.skills == catalog.skills,
                    "{name} loads {} skills",
                    cost.skills
                );
                pair[at] = cost.cpu_us as f64 / cost.skills as f64;
            }
            if round > 0 {
                ratios.push(pair[1] / pair[0]);
                times[0].push(pair[0]);
                times[1].push(pair[1]);
            }
        }
        println!("{:<26}{:>16}", "way to open files", "CPU µs a skill");
        for ((name, _), times) in ways.iter().zip(times) {
            println!("{name:<26}{:>16.1}", median(times));
        }
        let ratio = median(ratios);
        let verdict = if ratio <= LIMIT { "ok" } else { "MISS" };
        println!(
            "\nratio {ratio:.2} (at most {LIMIT}): {verdict}\n{}",
            busy()
        );
        Ok(())
    }
}

fn load(sources: &[Box<dyn Source>]) -> (usize, Catalog) {
    let options = LoadOptions {
        threads: NonZeroUsize::new(1),
        trust: &TrustAll,
        ..LoadOptions::default()
    };
    let catalog = Catalog::load(sources, &options).expect("the lenient profile always loads");
    (catalog.model_visible().count(), catalog)
}

/// Walks and reads by path, as most loaders do: no handles, no checks, no limits.
struct Plain(Arc<Origin>);

impl Plain {
    fn new(dir: &Path) -> Self {
        Self(Arc::new(Origin::new(Scope::Explicit, "plain", dir)))
    }

    fn walk(&self, dir: &Path, visit: &(dyn Fn(SkillFile<'_>) + Sync)) {
        let Ok(entries) = fs::read_dir(dir) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.walk(&path, visit);
            } else if entry.file_name() == "SKILL.md"
                && let Ok(bytes) = fs::read(&path)
            {
                let modified = entry.metadata().and_then(|it| it.modified()).ok();
                let since = modified.and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
                visit(SkillFile {
                    origin: &self.0,
                    path,
                    layout: Layout::Folder,
                    contents: Ok(&bytes),
                    last_modified: since.map(|it| it.as_secs().cast_signed()),
                    notes: Vec::new(),
                    location: None,
                    id: None,
                });
            }
        }
    }
}

impl Source for Plain {
    fn origin(&self) -> &Arc<Origin> {
        &self.0
    }

    fn scan(&self, _: &ScanRequest<'_>, visit: &(dyn Fn(SkillFile<'_>) + Sync)) -> Scan {
        self.walk(&self.0.root, visit);
        Scan::default()
    }
}
