//! `cargo xtask torture`: the live catalog and the cache, disturbed in every way we know.
//!
//! Each ordeal either ends with a line of figures or stops with what went wrong.

mod edits;
mod flips;
mod kills;
mod storm;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fmt::Write as _, fs, thread};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use prowess::live::{LiveCatalog, LiveOptions};
use prowess::{Catalog, DiskSource, Source};

pub(crate) use kills::rewrite;

/// How long a live catalog may take to become what a cold one is, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How many threads read all the while.
const READERS: usize = 8;

/// Options of `cargo xtask torture`.
#[derive(Debug, Args)]
pub(crate) struct Torture {
    /// How long each ordeal takes that has no end of its own
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Only these
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Ordeal>,
}

/// One way to disturb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ordeal {
    /// A thousand edits a second, and eight readers
    Edits,
    /// A thousand skills swapped for a thousand others, and eight readers
    Flips,
    /// Ten thousand random edits, renames and deletes, with an overflow of the system's queue
    Storm,
    /// Killed while a cache or the store of trust is written
    Kills,
}

impl Torture {
    /// Runs one ordeal after the other.
    pub(crate) fn run(&self) -> Result<()> {
        let time = Duration::from_secs(self.seconds);
        for ordeal in [Ordeal::Edits, Ordeal::Flips, Ordeal::Storm, Ordeal::Kills] {
            if !self.only.is_empty() && !self.only.contains(&ordeal) {
                continue;
            }
            let start = Instant::now();
            let told = match ordeal {
                Ordeal::Edits => edits::run(time)?,
                Ordeal::Flips => flips::run(time)?,
                // As many operations as the time would allow, up to what the issue names.
                Ordeal::Storm => storm::run((self.seconds as usize * 1_000).min(10_000))?,
                Ordeal::Kills => kills::run(time)?,
            };
            println!("{told} ({:.1} s)", start.elapsed().as_secs_f64());
        }
        Ok(())
    }
}

fn open(root: &Path) -> Result<LiveCatalog> {
    let root = root.to_path_buf();
    let sources = move || vec![Box::new(DiskSource::new(&root)) as Box<dyn Source>];
    Ok(LiveCatalog::open(sources, LiveOptions::default())?)
}

/// Waits until the live catalog is what a cold one is, to the last finding.
fn until_cold(live: &LiveCatalog, root: &Path) -> Result<Duration> {
    let wanted = told(&Catalog::from_dirs([root]));
    let start = Instant::now();
    loop {
        let seen = told(&live.snapshot());
        if seen == wanted {
            return Ok(start.elapsed());
        }
        if start.elapsed() > PATIENCE {
            let differs = seen
                .lines()
                .zip(wanted.lines())
                .find(|(one, other)| one != other);
            bail!("the live catalog is not what a cold one is: {differs:?}");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Everything a reader can see of a catalog.
fn told(catalog: &Catalog) -> String {
    let mut text = String::new();
    for skill in catalog.skills() {
        let state = skill.state().as_str();
        let id = skill.id().unwrap_or("none");
        let _ = writeln!(
            text,
            "{} {} {state} {id}",
            skill.name(),
            skill.path().display()
        );
        let _ = writeln!(text, "{}", skill.instructions());
        for diagnostic in skill.diagnostics() {
            let _ = writeln!(text, "  {} {}", diagnostic.code, diagnostic.message);
        }
    }
    for finding in catalog.findings() {
        let _ = writeln!(
            text,
            "{} {}",
            finding.path.display(),
            finding.diagnostic.message
        );
    }
    text
}

/// A skill that says one version in three places.
fn versioned(name: &str, version: u64) -> String {
    format!(
        "---\nname: {name}\ndescription: Version {version} of {name}. Use when asked.\nversion: {version}\n---\nVersion {version}.\n{}",
        format!("Line of version {version}.\n").repeat(20 + (version % 40) as usize)
    )
}

/// The version a skill says; an error where its parts say different ones.
fn version_of(skill: &prowess::Skill) -> Result<u64> {
    let number = |text: &str| {
        text.split(' ')
            .nth(1)?
            .trim_end_matches('.')
            .parse::<u64>()
            .ok()
    };
    let said = number(skill.description());
    let lines: Vec<&str> = skill.instructions().lines().collect();
    let whole = lines.first().copied().and_then(number) == said
        && said.is_some_and(|version| {
            lines.len() == 21 + (version % 40) as usize
                && lines.last() == Some(&&*format!("Line of version {version}."))
        });
    match said {
        Some(version) if whole => Ok(version),
        _ => bail!(
            "`{}` is mixed: `{}` with {:?} … {:?}",
            skill.name(),
            skill.description(),
            lines.first(),
            lines.last()
        ),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)?;
    Ok(())
}

/// Saves as editors do: a file beside, then a rename.
fn save(path: &Path, text: &str) -> Result<()> {
    let beside: PathBuf = path.with_extension("tmp");
    fs::write(&beside, text)?;
    fs::rename(beside, path)?;
    Ok(())
}
