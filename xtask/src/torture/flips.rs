//! A folder of a thousand skills is swapped for another as fast as it goes, while eight threads
//! read.
//!
//! A folder that is swapped by one rename is seen whole: all of the old or all of the new. Files
//! that are written one by one are seen one by one; no system could tell when the set is done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use prowess::live::LiveCatalog;

use super::{READERS, open, until_cold, version_of, versioned, write};

const SKILLS: usize = 1_000;

pub(super) fn run(time: Duration) -> Result<String> {
    let home = tempfile::tempdir()?;
    let (root, spare) = (home.path().join("skills"), home.path().join("spare"));
    for (folder, version) in [(root.join("set"), 1), (spare.clone(), 2)] {
        for at in 0..SKILLS {
            let name = format!("skill-{at}");
            write(
                &folder.join(&name).join("SKILL.md"),
                &versioned(&name, version),
            )?;
        }
    }
    let live = open(&root)?;
    let (stop, reads) = (
        AtomicBool::new(false),
        [AtomicU64::new(0), AtomicU64::new(0)],
    );
    let flips = thread::scope(|scope| -> Result<_> {
        let readers: Vec<_> = (0..READERS)
            .map(|_| scope.spawn(|| read(&live, &stop, &reads)))
            .collect();
        let (start, mut flips) = (Instant::now(), 0_u64);
        let mut flipped = Ok(());
        while start.elapsed() < time && flipped.is_ok() {
            let set = root.join("set");
            flipped = renameat2(
                AT_FDCWD,
                &set,
                AT_FDCWD,
                &spare,
                RenameFlags::RENAME_EXCHANGE,
            );
            flips += 1;
            // Now and then so quickly that no snapshot is made in between, now and then not.
            thread::sleep(Duration::from_millis(flips % 120));
        }
        stop.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().expect("a reader panicked")?;
        }
        flipped?;
        Ok(flips)
    })?;
    until_cold(&live, &root)?;
    let [one, other] = reads.map(AtomicU64::into_inner);
    Ok(format!(
        "flips: {flips} of {SKILLS} skills, {} snapshots, {one} reads of one generation and {other} \
         of the other by {READERS} threads: none mixed",
        live.generation()
    ))
}

fn read(live: &LiveCatalog, stop: &AtomicBool, reads: &[AtomicU64; 2]) -> Result<()> {
    while !stop.load(Ordering::Relaxed) {
        let snapshot = live.snapshot();
        let mut versions = [0_usize; 3];
        for skill in snapshot.skills() {
            versions[version_of(skill)? as usize] += 1;
        }
        let [_, one, other] = versions;
        ensure!(
            (one, other) == (SKILLS, 0) || (one, other) == (0, SKILLS),
            "a snapshot has {one} skills of one generation and {other} of the other"
        );
        reads[usize::from(other > 0)].fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
