//! Swaps files, folders and roots for links while a skill is read, and counts what gets out.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use prowess::{Catalog, Content, Limits};

const INSIDE: &str = "inside";
const OUTSIDE: &str = "outside";

#[test]
fn a_short_race_lets_nothing_out() {
    race_each(2_000);
}

#[test]
#[ignore = "slow; `cargo xtask swap` runs it"]
fn a_long_race_lets_nothing_out() {
    let times = std::env::var("PROWESS_SWAP_TIMES").ok();
    race_each(times.and_then(|it| it.parse().ok()).unwrap_or(1_000_000));
}

/// Reads so often for each kind of swap.
fn race_each(times: usize) {
    println!("swapped         inside     refused     outside");
    for (what, path) in [
        ("file", "root/skill/deep/b.md"),
        ("folder", "root/skill/deep"),
        ("root", "root"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        lay_out(folder.path());
        let [inside, refused, outside] = race(folder.path(), path, times);
        println!("{what:<10}{inside:>12}{refused:>12}{outside:>12}");
        assert_eq!(outside, 0, "reads left the skill");
    }
}

/// Reads while the path below `folder` is a link to its twin outside every other moment.
fn race(folder: &Path, path: &str, times: usize) -> [usize; 3] {
    let catalog = Catalog::from_dirs([folder.join("root")]);
    let skill = catalog.get("skill").unwrap();
    let (real, aside, link) = (folder.join(path), folder.join("aside"), folder.join("link"));
    symlink(folder.join("twin").join(path), &link).unwrap();
    let done = AtomicBool::new(false);
    let [mut inside, mut refused, mut outside] = [0; 3];
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::rename(&real, &aside).and_then(|()| fs::rename(&link, &real));
                let _ = fs::rename(&real, &link).and_then(|()| fs::rename(&aside, &real));
            }
        });
        for _ in 0..times {
            match skill.read_resource("deep/b.md", 0, &Limits::default()) {
                Ok(page) if page.content == Content::Text(INSIDE.to_owned()) => inside += 1,
                Ok(_) => outside += 1,
                Err(_) => refused += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    [inside, refused, outside]
}

/// A skill, and the same outside with other words.
fn lay_out(folder: &Path) {
    for (place, word) in [("root", INSIDE), ("twin/root", OUTSIDE)] {
        let skill = folder.join(place).join("skill");
        fs::create_dir_all(skill.join("deep")).unwrap();
        let text = "---\nname: skill\ndescription: Use when asked.\n---\nGo.\n";
        fs::write(skill.join("SKILL.md"), text).unwrap();
        fs::write(skill.join("deep/b.md"), word).unwrap();
    }
}
