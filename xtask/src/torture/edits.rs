//! A thousand edits a second, while eight threads read.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use prowess::live::LiveCatalog;
use prowess::select::Policy;

use super::{READERS, open, save, until_cold, version_of, versioned, write};

const SKILLS: usize = 200;
const EDITS_PER_SECOND: u64 = 1_000;

/// Several hands: one would be kept waiting by the readers on a busy machine. Divides `SKILLS`.
const EDITORS: u64 = 4;

pub(super) fn run(time: Duration) -> Result<String> {
    let home = tempfile::tempdir()?;
    let root = home.path().join("skills");
    let file = |at: usize| root.join(format!("skill-{at}/SKILL.md"));
    for at in 0..SKILLS {
        write(&file(at), &versioned(&format!("skill-{at}"), 1))?;
    }
    let live = open(&root)?;
    let (stop, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    let (edits, took) = thread::scope(|scope| -> Result<_> {
        let readers: Vec<_> = (0..READERS)
            .map(|_| scope.spawn(|| read(&live, &stop, &reads)))
            .collect();
        let edited = edit(time, &file);
        stop.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().expect("a reader panicked")?;
        }
        edited
    })?;
    let rate = edits as f64 / took.as_secs_f64();
    let settled = until_cold(&live, &root)?;
    Ok(format!(
        "edits: {edits} at {rate:.0} a second, {} snapshots, {} reads by {READERS} threads: \
         none mixed, none went back, none lost; as cold {} ms after the last",
        live.generation(),
        reads.load(Ordering::Relaxed),
        settled.as_millis()
    ))
}

/// Saves skills at the asked rate; gives how many times, and how long that took.
fn edit(time: Duration, file: &(dyn Fn(usize) -> PathBuf + Sync)) -> Result<(u64, Duration)> {
    let start = Instant::now();
    let done = thread::scope(|scope| -> Result<u64> {
        let editors: Vec<_> = (0..EDITORS)
            .map(|first| scope.spawn(move || edit_some(first, start, time, file)))
            .collect();
        let mut done = 0;
        for editor in editors {
            done += editor.join().expect("an editor panicked")?;
        }
        Ok(done)
    })?;
    Ok((done, start.elapsed()))
}

/// Every so manieth edit. Each skill has one editor, so its versions come in order.
fn edit_some(
    first: u64,
    start: Instant,
    time: Duration,
    file: &dyn Fn(usize) -> PathBuf,
) -> Result<u64> {
    let (mut next, mut done) = (first, 0);
    while start.elapsed() < time {
        // On a busy machine an editor catches up in bursts.
        let due = start.elapsed().as_micros() as u64 * EDITS_PER_SECOND / 1_000_000;
        while next < due {
            let at = (next as usize * 31) % SKILLS;
            let text = versioned(&format!("skill-{at}"), next + 2);
            if (next / EDITORS).is_multiple_of(2) {
                save(&file(at), &text)?;
            } else {
                write(&file(at), &text)?;
            }
            next += EDITORS;
            done += 1;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(done)
}

/// Looks at snapshots: each skill is whole, is never older than before, and all are there.
fn read(live: &LiveCatalog, stop: &AtomicBool, reads: &AtomicU64) -> Result<()> {
    let mut latest: HashMap<String, (u64, String)> = HashMap::new();
    let policy = Policy {
        top_k: 3,
        ..Policy::default()
    };
    while !stop.load(Ordering::Relaxed) {
        let snapshot = live.snapshot();
        ensure!(
            snapshot.model_visible().count() == SKILLS,
            "a snapshot has {} skills",
            snapshot.model_visible().count()
        );
        for skill in snapshot.skills() {
            let id = skill.id().context("a skill has no id")?;
            let before = latest.entry(skill.name().to_owned()).or_default();
            // The id holds the hash of the file, and what has this one was looked at before.
            if before.1 == id {
                continue;
            }
            let version = version_of(skill)?;
            ensure!(
                before.0 <= version,
                "`{}` went back to {version}",
                skill.name()
            );
            *before = (version, id.to_owned());
        }
        // What is found stands in the same snapshot.
        for found in snapshot.select("skill 7", &policy).matches {
            let skill = snapshot.skill(found.document);
            snapshot.get(skill.name()).context("a match is not there")?;
        }
        reads.fetch_add(1, Ordering::Relaxed);
        // Eight threads that never rest would leave nothing of two processors to the editor.
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
