//! The live catalog and the cache, disturbed in every way we know. Slow, so ignored by default:
//! `cargo xtask torture` runs these for as long as it is told, and shows their figures.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "a test disturbs its own files")]

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use prowess::{
    Cache, CachedLoad, Catalog, DiskSource, LoadOptions, Skill, Source,
    live::{LiveCatalog, LiveOptions},
    select::Policy,
};
use rustix::fs::{CWD, RenameFlags, renameat_with};

/// How long a live catalog may take to become what a cold one is, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How many threads read all the while.
const READERS: usize = 8;

/// How long each of these takes that has no end of its own.
fn time() -> Duration {
    let seconds = std::env::var("PROWESS_TORTURE_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|it| it.parse().ok()).unwrap_or(30))
}

fn open(root: &Path) -> LiveCatalog {
    let root = root.to_path_buf();
    let sources = move || vec![Box::new(DiskSource::new(&root)) as Box<dyn Source>];
    LiveCatalog::open(sources, LiveOptions::default()).unwrap()
}

/// Waits until the live catalog is what a cold one is, to the last finding.
fn until_cold(live: &LiveCatalog, root: &Path) -> Duration {
    let wanted = text_of(&Catalog::from_dirs([root]));
    let start = Instant::now();
    loop {
        let found = text_of(&live.snapshot());
        if found == wanted {
            return start.elapsed();
        }
        let differs = || found.lines().zip(wanted.lines()).find(|(a, b)| a != b);
        assert!(start.elapsed() < PATIENCE, "not as cold: {:?}", differs());
        thread::sleep(Duration::from_millis(20));
    }
}

/// Everything a reader can see of a catalog.
fn text_of(catalog: &Catalog) -> String {
    let mut text = String::new();
    for skill in catalog.skills() {
        let (name, path) = (skill.name(), skill.path().display());
        let (state, id) = (skill.state().as_str(), skill.id().unwrap_or("none"));
        writeln!(text, "{name} {path} {state} {id}").unwrap();
        writeln!(text, "{}", skill.instructions()).unwrap();
        for it in skill.diagnostics() {
            writeln!(text, "  {} {}", it.code, it.message).unwrap();
        }
    }
    for it in catalog.findings() {
        writeln!(text, "{} {}", it.path.display(), it.diagnostic.message).unwrap();
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

/// The version a skill says; its parts must not say different ones.
fn version_of(skill: &Skill) -> u64 {
    let number = |text: &str| {
        let word = text.split(' ').nth(1)?;
        word.trim_end_matches('.').parse::<u64>().ok()
    };
    let version = number(skill.description()).unwrap();
    let lines: Vec<&str> = skill.instructions().lines().collect();
    let whole = number(lines[0]) == Some(version)
        && lines.len() == 21 + (version % 40) as usize
        && lines.last() == Some(&&*format!("Line of version {version}."));
    assert!(whole, "{} is mixed: {version} and {lines:?}", skill.name());
    version
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Saves as editors do: a file beside, then a rename.
fn save(path: &Path, text: &str) {
    let beside = path.with_extension("tmp");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, path).unwrap();
}

/// Reads again and again in eight threads, until `disturb` is done.
fn while_reading<T>(read: impl Fn(&AtomicBool) + Sync, disturb: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| read(&stop));
        }
        let done = disturb();
        stop.store(true, Ordering::Relaxed);
        done
    })
}

#[test]
#[ignore = "slow; `cargo xtask torture` runs it"]
fn a_thousand_edits_a_second_lose_nothing() {
    const SKILLS: usize = 200;
    const EDITS_PER_SECOND: u64 = 1_000;
    /// Several hands: one would be kept waiting by the readers on a busy machine. Divides `SKILLS`.
    const EDITORS: u64 = 4;
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("skills");
    let file = |at: usize| root.join(format!("skill-{at}/SKILL.md"));
    for at in 0..SKILLS {
        write(&file(at), &versioned(&format!("skill-{at}"), 1));
    }
    let live = open(&root);
    let reads = AtomicU64::new(0);
    let (start, time) = (Instant::now(), time());
    // Each skill has one editor, so its versions come in order.
    let edit = |first: u64| {
        let mut next = first;
        while start.elapsed() < time {
            // On a busy machine an editor catches up in bursts.
            let due = start.elapsed().as_micros() as u64 * EDITS_PER_SECOND / 1_000_000;
            while next < due {
                let at = (next as usize * 31) % SKILLS;
                let text = versioned(&format!("skill-{at}"), next + 2);
                let by_rename = (next / EDITORS).is_multiple_of(2);
                let change = if by_rename { save } else { write };
                change(&file(at), &text);
                next += EDITORS;
            }
            thread::sleep(Duration::from_millis(1));
        }
        (next - first) / EDITORS
    };
    let edits: u64 = while_reading(
        |stop| read_edits(&live, SKILLS, stop, &reads),
        || {
            thread::scope(|scope| {
                let editors: Vec<_> = (0..EDITORS)
                    .map(|at| scope.spawn(move || edit(at)))
                    .collect();
                editors.into_iter().map(|it| it.join().unwrap()).sum()
            })
        },
    );
    let rate = edits as f64 / start.elapsed().as_secs_f64();
    let settled = until_cold(&live, &root).as_millis();
    println!(
        "edits: {edits} at {rate:.0} a second, {} snapshots, {} reads by {READERS} threads: \
         none mixed, none went back, none lost; as cold {settled} ms after the last",
        live.generation(),
        reads.into_inner(),
    );
}

/// Looks at snapshots: each skill is whole, is never older than before, and all are there.
fn read_edits(live: &LiveCatalog, skills: usize, stop: &AtomicBool, reads: &AtomicU64) {
    let mut latest: HashMap<String, (u64, String)> = HashMap::new();
    let policy = Policy {
        top_k: 3,
        ..Policy::default()
    };
    while !stop.load(Ordering::Relaxed) {
        let snapshot = live.snapshot();
        assert_eq!(snapshot.model_visible().count(), skills);
        for skill in snapshot.skills() {
            let (name, id) = (skill.name(), skill.id().unwrap());
            let before = latest.entry(name.to_owned()).or_default();
            // The id holds the hash of the file, and what has this one was looked at before.
            if before.1 == id {
                continue;
            }
            let version = version_of(skill);
            assert!(before.0 <= version, "`{name}` went back to {version}");
            *before = (version, id.to_owned());
        }
        // What is found stands in the same snapshot.
        for found in snapshot.select("skill 7", &policy).matches {
            let name = found.skill().name();
            assert!(snapshot.get(name).is_some(), "a match is not there");
        }
        reads.fetch_add(1, Ordering::Relaxed);
        // Eight threads that never rest would leave nothing of two processors to the editors.
        thread::sleep(Duration::from_millis(1));
    }
}

/// A folder that is swapped by one rename is seen whole: all of the old or all of the new. Files
/// that are written one by one are seen one by one; no system could tell when the set is done.
#[test]
#[ignore = "slow; `cargo xtask torture` runs it"]
fn a_folder_swapped_for_another_is_never_seen_mixed() {
    const SKILLS: usize = 1_000;
    let home = tempfile::tempdir().unwrap();
    let (root, spare) = (home.path().join("skills"), home.path().join("spare"));
    let set = root.join("set");
    for (folder, version) in [(&set, 1), (&spare, 2)] {
        for at in 0..SKILLS {
            let name = format!("skill-{at}");
            write(
                &folder.join(&name).join("SKILL.md"),
                &versioned(&name, version),
            );
        }
    }
    let live = open(&root);
    let reads = [AtomicU64::new(0), AtomicU64::new(0)];
    let read = |stop: &AtomicBool| {
        while !stop.load(Ordering::Relaxed) {
            let mut versions = [0_usize; 3];
            for skill in live.snapshot().skills() {
                versions[version_of(skill) as usize] += 1;
            }
            let [_, one, other] = versions;
            let whole = [(SKILLS, 0), (0, SKILLS)].contains(&(one, other));
            assert!(
                whole,
                "{one} skills of one generation and {other} of the other"
            );
            reads[usize::from(other > 0)].fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(1));
        }
    };
    let flips = while_reading(read, || {
        let (start, time, mut flips) = (Instant::now(), time(), 0_u64);
        while start.elapsed() < time {
            renameat_with(CWD, &set, CWD, &spare, RenameFlags::EXCHANGE).unwrap();
            flips += 1;
            // Now and then so quickly that no snapshot is made in between, now and then not.
            thread::sleep(Duration::from_millis(flips % 120));
        }
        flips
    });
    until_cold(&live, &root);
    let [one, other] = reads.map(AtomicU64::into_inner);
    println!(
        "flips: {flips} of {SKILLS} skills, {} snapshots, {one} reads of one generation and {other} \
         of the other by {READERS} threads: none mixed",
        live.generation()
    );
}

#[test]
#[ignore = "slow; `cargo xtask torture` runs it"]
fn more_events_than_the_system_keeps_lose_nothing() {
    /// Enough events for the usual queue of 16,384 to overflow.
    const FLOOD: usize = 12_000;
    // As many operations as the time would allow, up to ten thousand.
    let operations = (time().as_secs() as usize * 1_000).min(10_000);
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("skills");
    for at in 0..STORM_SKILLS {
        let name = format!("skill-{at}");
        write(&root.join(&name).join("SKILL.md"), &versioned(&name, 1));
    }
    let live = open(&root);
    let mut random = fastrand::Rng::with_seed(operations as u64);
    for _ in 0..operations / 2 {
        operate(&root, &mut random);
    }
    // Folders for the flood; only what is watched makes events.
    for at in 0..7 {
        write(
            &root.join(format!("flood/{at}/SKILL.md")),
            &versioned("flood", at),
        );
    }
    let calm = until_cold(&live, &root);
    live.refresh();
    // Nothing is read from the queue while this goes on.
    let inside = root.clone();
    let (done, ended) = mpsc::channel();
    live.stalled(move || {
        for _ in 0..operations - operations / 2 {
            operate(&inside, &mut random);
        }
        // Different files in turn, because the system joins events that are equal.
        for at in 0..FLOOD {
            write(&inside.join(format!("flood/{}/note.txt", at % 7)), "flood");
        }
        fs::remove_dir_all(inside.join("flood")).unwrap();
        done.send(()).unwrap();
    });
    ended.recv().unwrap();
    let after = until_cold(&live, &root);
    assert!(live.lost() > 0, "no overflow, which proves nothing");
    let skills = live.snapshot().skills().len();
    assert!(skills > 0, "everything is gone, which proves nothing");
    // What comes after an overflow is announced as before.
    write(&root.join("after/SKILL.md"), &versioned("after", 1));
    until_cold(&live, &root);
    println!(
        "storm: {operations} random edits, renames and deletes and a flood of {FLOOD} more writes, \
         {skills} skills left: as cold {} ms after the first half, {} ms after the overflow",
        calm.as_millis(),
        after.as_millis()
    );
}

const STORM_SKILLS: usize = 300;

/// One random thing that people and programs do to skills.
fn operate(root: &Path, random: &mut fastrand::Rng) {
    let place = |random: &mut fastrand::Rng| -> PathBuf {
        let at = random.usize(..STORM_SKILLS);
        match random.u8(..4) {
            0 => root.join(format!("group-{}/skill-{at}", at % 5)),
            _ => root.join(format!("skill-{at}")),
        }
    };
    let folder = place(random);
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let text = versioned(&name, random.u64(..1_000));
    let file = folder.join("SKILL.md");
    match random.u8(..10) {
        0..=3 => write(&file, &text),
        4..=5 if folder.is_dir() => save(&file, &text),
        // The target may be full or its group missing; then nothing happens, as in life.
        6 => _ = fs::rename(&folder, place(random)),
        7 => _ = fs::remove_file(&file),
        8 => _ = fs::remove_dir_all(&folder),
        _ => write(&folder.join("references/note.md"), "A note."),
    }
}

#[test]
#[ignore = "slow; `cargo xtask torture` runs it"]
fn a_cache_whose_writer_was_killed_is_old_or_new() {
    let home = tempfile::tempdir().unwrap();
    let (dir, folder) = (home.path().join("skills"), home.path().join("cache"));
    for at in 0..400 {
        let name = format!("skill-{at}");
        write(&dir.join(&name).join("SKILL.md"), &versioned(&name, at));
    }
    // Longer than a file must have been left alone before its times are trusted.
    thread::sleep(Duration::from_millis(2_500));
    let wanted = text_of(&Catalog::from_dirs([&dir]));
    let (start, time) = (Instant::now(), time() / 2);
    let (mut kills, mut random) = (0, fastrand::Rng::with_seed(7));
    while start.elapsed() < time {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "writes_a_cache_until_it_is_killed"])
            .env("PROWESS_TORTURE_CACHE", home.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(random.u64(..120_000)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        kills += 1;
        for edition in [1, 2] {
            let loaded = load(&dir, &folder, edition);
            assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
            assert!(text_of(&loaded.catalog) == wanted, "the catalog differs");
        }
    }
    println!("kills: {kills} while a cache was written: every next start found old or new");
}

/// What the test above starts and kills: two editions never accept what the other wrote.
#[test]
#[ignore = "a child of the test above"]
fn writes_a_cache_until_it_is_killed() {
    let Some(home) = std::env::var_os("PROWESS_TORTURE_CACHE").map(PathBuf::from) else {
        return;
    };
    loop {
        for edition in [1, 2] {
            let loaded = load(&home.join("skills"), &home.join("cache"), edition);
            loaded.catalog.prepare();
            assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
        }
    }
}

fn load(dir: &Path, folder: &Path, edition: u64) -> CachedLoad {
    let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(dir))];
    let cache = Cache::new(folder).edition(edition);
    cache.load(&sources, &LoadOptions::default())
}
