//! A folder of any shape loads within a second: the bytes are steps that make folders, skills and
//! links among a few names, so that links lead up, across, round and out.
#![no_main]

use std::{
    fs,
    os::unix::fs::symlink,
    path::PathBuf,
    time::{Duration, Instant},
};

use libfuzzer_sys::fuzz_target;
use prowess::Catalog;

/// What one load may take, with the instruments of fuzzing and on a busy machine.
const MOST_TIME: Duration = Duration::from_secs(4);

fuzz_target!(|bytes: &[u8]| {
    let world = tempfile::tempdir().expect("a folder");
    let root = world.path().join("skills");
    fs::create_dir(&root).expect("a folder");
    fs::write(world.path().join("outside.md"), "OUTSIDE").expect("a file");
    for step in bytes.chunks_exact(3).take(64) {
        let place = place(step[1]);
        let at = root.join(&place);
        // A step that cannot be done, such as a folder below a file, is none.
        match step[0] % 4 {
            0 => drop(fs::create_dir_all(&at)),
            1 => {
                let _ = fs::create_dir_all(&at);
                let name = at.file_name().unwrap_or_default().to_string_lossy();
                let text = format!("---\nname: {name}\ndescription: Use when asked.\n---\nGo.\n");
                let _ = fs::write(at.join("SKILL.md"), text);
            }
            2 => drop(symlink(root.join(self::place(step[2])), &at)),
            _ => drop(symlink(up(step[2]), &at)),
        }
    }
    let start = Instant::now();
    let catalog = Catalog::from_dirs([&root]);
    let took = start.elapsed();
    assert!(
        took < MOST_TIME,
        "{took:?} for {} skills",
        catalog.skills().len()
    );
    for skill in catalog.skills() {
        assert!(!skill.instructions().contains("OUTSIDE"));
    }
});

/// One of sixteen places, up to four deep.
fn place(byte: u8) -> PathBuf {
    let depth = usize::from(byte & 3) + 1;
    let names = ["a", "b", "c", "d"];
    (0..depth)
        .map(|level| names[usize::from(byte >> 2) / (level + 1) % names.len()])
        .collect()
}

/// A link that leads up, round or out.
fn up(byte: u8) -> &'static str {
    [
        "..",
        "../..",
        "../../..",
        ".",
        "../a",
        "../../b",
        "/",
        "../outside.md",
    ][usize::from(byte) % 8]
}
