//! Random edits, renames and deletes, and more events than the system keeps.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::{open, save, until_cold, versioned, write};
use crate::generate::Random;

const SKILLS: usize = 300;

/// Enough events for the usual queue of 16,384 to overflow.
const FLOOD: usize = 12_000;

pub(super) fn run(operations: usize) -> Result<String> {
    let home = tempfile::tempdir()?;
    let root = home.path().join("skills");
    for at in 0..SKILLS {
        let name = format!("skill-{at}");
        write(&root.join(&name).join("SKILL.md"), &versioned(&name, 1))?;
    }
    let live = open(&root)?;
    let mut random = Random::new(operations as u64);
    for _ in 0..operations / 2 {
        operate(&root, &mut random)?;
    }
    // Folders for the flood; only what is watched makes events.
    for at in 0..7 {
        write(
            &root.join(format!("flood/{at}/SKILL.md")),
            &versioned("flood", at),
        )?;
    }
    let calm = until_cold(&live, &root)?;
    live.refresh();
    // Nothing is read from the queue while this goes on.
    let (inside, mut rest) = (root.clone(), Random::new(operations as u64 + 1));
    let (tell, told) = std::sync::mpsc::channel();
    live.stalled(move || {
        let mut done = || -> Result<()> {
            for _ in 0..operations - operations / 2 {
                operate(&inside, &mut rest)?;
            }
            // Different files in turn, because the system joins events that are equal.
            for at in 0..FLOOD {
                write(&inside.join(format!("flood/{}/note.txt", at % 7)), "flood")?;
            }
            fs::remove_dir_all(inside.join("flood"))?;
            Ok(())
        };
        let _ = tell.send(done());
    });
    told.recv()??;
    let after = until_cold(&live, &root)?;
    ensure!(
        live.lost() > 0,
        "the queue did not overflow, which proves nothing"
    );
    let skills = live.snapshot().skills().len();
    ensure!(skills > 0, "everything is gone, which proves nothing");
    // What comes after an overflow is announced as before.
    write(&root.join("after/SKILL.md"), &versioned("after", 1))?;
    until_cold(&live, &root)?;
    Ok(format!(
        "storm: {operations} random edits, renames and deletes and a flood of {FLOOD} more writes, \
         {skills} skills left: as cold {} ms after the first half, {} ms after the overflow",
        calm.as_millis(),
        after.as_millis()
    ))
}

/// One random thing that people and programs do to skills.
fn operate(root: &Path, random: &mut Random) -> Result<()> {
    let place = |random: &mut Random| {
        let at = random.below(SKILLS);
        match random.below(4) {
            0 => root.join(format!("group-{}/skill-{at}", at % 5)),
            _ => root.join(format!("skill-{at}")),
        }
    };
    let folder = place(random);
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let text = versioned(&name, random.below(1_000) as u64);
    let file = folder.join("SKILL.md");
    match random.below(10) {
        0..=3 => write(&file, &text)?,
        4..=5 if folder.is_dir() => save(&file, &text)?,
        6 => {
            let other: PathBuf = place(random);
            // The target may be full or its group missing; then nothing happens, as in life.
            let _ = fs::rename(&folder, other);
        }
        7 => _ = fs::remove_file(&file),
        8 => _ = fs::remove_dir_all(&folder),
        _ => write(&folder.join("references/note.md"), "A note.")?,
    }
    Ok(())
}
