//! Killed at random points of a write; the next start finds the old state or the new one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use prowess::{Cache, Catalog, DiskSource, LoadOptions, Source};
use serde_json::Value;

use super::{told, versioned, write};
use crate::generate::Random;

const SKILLS: usize = 400;

/// Longer than a file must have been left alone before its times are trusted.
const SETTLE: Duration = Duration::from_millis(2_500);

pub(super) fn run(time: Duration) -> Result<String> {
    let caches = cache(time / 2)?;
    let stores = store(time / 2)?;
    Ok(format!(
        "kills: {caches} while a cache was written, {stores} while the store of trust was: \
         every next start found the old state or the new one"
    ))
}

/// Kills writers of a cache.
fn cache(time: Duration) -> Result<usize> {
    let home = tempfile::tempdir()?;
    let (dir, folder) = (home.path().join("skills"), home.path().join("cache"));
    for at in 0..SKILLS {
        let name = format!("skill-{at}");
        write(
            &dir.join(&name).join("SKILL.md"),
            &versioned(&name, at as u64),
        )?;
    }
    thread::sleep(SETTLE);
    let wanted = told(&Catalog::from_dirs([&dir]));
    let own = std::env::current_exe().context("cannot find this program")?;
    let (start, mut kills, mut random) = (Instant::now(), 0, Random::new(7));
    while start.elapsed() < time {
        let mut command = Command::new(&own);
        command.args(["worker", "rewrite"]).arg(&dir).arg(&folder);
        kill_within(command, random.below(120_000) as u64)?;
        kills += 1;
        for edition in [1, 2] {
            let loaded = load(&dir, &folder, edition);
            ensure!(loaded.notes.is_empty(), "after a kill: {:?}", loaded.notes);
            ensure!(
                told(&loaded.catalog) == wanted,
                "after a kill the catalog differs"
            );
        }
    }
    Ok(kills)
}

fn load(dir: &Path, folder: &Path, edition: u64) -> prowess::CachedLoad {
    let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(dir))];
    let cache = Cache::new(folder).edition(edition);
    cache.load(&sources, &LoadOptions::default())
}

/// Writes the cache again and again: two editions never accept what the other wrote.
pub(crate) fn rewrite(dir: &Path, folder: &Path) -> Result<()> {
    loop {
        for edition in [1, 2] {
            let loaded = load(dir, folder, edition);
            loaded.catalog.index();
            if !loaded.notes.is_empty() {
                bail!("{:?}", loaded.notes);
            }
        }
    }
}

/// Kills `prowess trust` and looks at what it left.
fn store(time: Duration) -> Result<usize> {
    let program = program()?;
    let home = tempfile::tempdir()?;
    let mut projects = Vec::new();
    for at in 0..40 {
        let project = home.path().join(format!("project-{at}"));
        let file = project.join(".agents/skills/one/SKILL.md");
        write(&file, &versioned("one", at))?;
        fs::create_dir_all(project.join(".git"))?;
        projects.push(project);
    }
    let command = |project: &Path, arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(project).env_clear();
        command.env("HOME", home.path()).stdin(Stdio::null());
        command
    };
    let list = || -> Result<Vec<String>> {
        let output = command(&projects[0], &["trust", "--list", "--json"]).output()?;
        ensure!(
            output.status.success(),
            "after a kill: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let value: Value = serde_json::from_slice(&output.stdout)?;
        let mut words = Vec::new();
        texts(&value, &mut words);
        Ok(words)
    };
    let (start, mut kills, mut random) = (Instant::now(), 0, Random::new(11));
    let (mut before, mut seen_change) = (list()?, false);
    while start.elapsed() < time {
        let project = &projects[kills % projects.len()];
        let arguments: &[&str] = if kills / projects.len() % 2 == 0 {
            &["trust"]
        } else {
            &["trust", "--revoke"]
        };
        kill_within(command(project, arguments), random.below(60_000) as u64)?;
        kills += 1;
        let now = list()?;
        // About this project the old word stands or the new one; about the others nothing changed.
        let own = project.to_string_lossy();
        let others = |words: &[String]| -> Vec<String> {
            let not_own = |word: &&String| {
                word.starts_with('/') && !word.starts_with(&format!("{own}/")) && **word != own
            };
            words.iter().filter(not_own).cloned().collect()
        };
        ensure!(
            others(&now) == others(&before),
            "the store is neither old nor new: {now:?} after {before:?}"
        );
        seen_change |= now != before;
        before = now;
    }
    ensure!(
        seen_change,
        "no write ended before its end, which proves nothing"
    );
    Ok(kills)
}

/// Every text in a value.
fn texts(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, words)),
        Value::Object(fields) => fields.values().for_each(|item| texts(item, words)),
        _ => {}
    }
}

/// The command, from this workspace.
fn program() -> Result<PathBuf> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "prowess-cli"])
        .current_dir(crate::workspace())
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the command did not build");
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| crate::workspace().join("target"));
    Ok(target.join("debug/prowess"))
}

/// Starts a command and kills it after so many microseconds.
fn kill_within(mut command: Command, microseconds: u64) -> Result<()> {
    let mut child: Child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    thread::sleep(Duration::from_micros(microseconds));
    child.kill()?;
    child.wait()?;
    Ok(())
}
