#![expect(
    clippy::disallowed_methods,
    reason = "tests change the files they load"
)]

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::*;
use crate::{
    CachedLoad, DiskSource, LoadOptions, Source, TrustAll,
    select::Policy,
    testing::{Tree, quick_limits, skill_text},
};

/// More than the number from which a cache is worth it.
const SKILLS: usize = WORTH_IT + 10;

fn tree() -> Tree {
    let tree = (0..SKILLS).fold(Tree::new(), |tree, number| {
        tree.skill(&format!("skills/skill-{number}"))
    });
    tree.file("skills/broken/SKILL.md", "---\nname: broken\n---\n")
        .file("skills/odd/SKILL.md", "---\nname: ODD\ndescription: a: b\ntags: [x, y]\ndisable-model-invocation: true\n---\nGröße")
        .file("skills/no-text/SKILL.md", b"\xff\xfe\xff")
        .file("skills/skill-1/skill.md", "twin")
        .file("skills/skill-2/references/deep/SKILL.md", "nested")
}

fn options() -> LoadOptions<'static> {
    LoadOptions {
        limits: quick_limits(),
        ..LoadOptions::default()
    }
}

/// A cache that is written anew with every change.
fn cache_in(tree: &Tree) -> Cache {
    Cache::new(tree.at("cache")).pause(Duration::ZERO)
}

fn load(tree: &Tree, cache: &Cache) -> CachedLoad {
    let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(tree.at("skills")))];
    cache.load(&sources, &options())
}

fn cold(tree: &Tree) -> Catalog {
    Catalog::from_dirs([tree.at("skills")])
}

/// Loads until everything comes from the cache: what was just written is not trusted at first.
fn warm(tree: &Tree, cache: &Cache) {
    thread::sleep(Duration::from_millis(60));
    let start = Instant::now();
    while load(tree, cache).read > 0 {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the cache is never used"
        );
        thread::sleep(Duration::from_millis(20));
    }
}

/// Everything a reader can see of a catalog, texts and ranks too.
fn everything(tree: &Tree, catalog: &Catalog) -> String {
    let mut text = tree.tell(catalog);
    for skill in catalog.skills() {
        writeln!(
            text,
            "{} {:?} {:?} {:?} {} {:?} {} {:?}",
            skill.name(),
            skill.id(),
            skill.tags(),
            skill.last_modified(),
            skill.tokens(),
            skill.state(),
            skill.description(),
            skill.document(),
        )
        .unwrap();
        writeln!(text, "{:?}", skill.diagnostics().collect::<Vec<_>>()).unwrap();
    }
    let policy = Policy {
        top_k: 5,
        ..Policy::default()
    };
    let selection = catalog.select("is skill 7 asked for", &policy);
    writeln!(text, "{selection:?}").unwrap();
    text
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == ending))
        .collect()
}

#[test]
fn a_second_start_reads_nothing_and_sees_the_same() {
    let tree = tree();
    let cache = cache_in(&tree);
    let wanted = everything(&tree, &cold(&tree));
    assert_eq!(everything(&tree, &load(&tree, &cache).catalog), wanted);
    warm(&tree, &cache);
    for _ in 0..2 {
        let loaded = load(&tree, &cache);
        assert_eq!((loaded.read, loaded.notes), (0, Vec::new()));
        assert_eq!(everything(&tree, &loaded.catalog), wanted);
    }
    assert_eq!(files(&tree.at("cache"), "index").len(), 1);
    let left = fs::read_dir(tree.at("cache")).unwrap().flatten();
    let left = left.filter(|it| it.file_name().to_string_lossy().starts_with(".prowess-"));
    assert_eq!(left.count(), 0);
}

#[test]
fn what_changed_is_read_and_nothing_else() {
    let tree = tree();
    let cache = cache_in(&tree);
    warm(&tree, &cache);
    fs::write(tree.at("skills/skill-3/SKILL.md"), skill_text("three")).unwrap();
    fs::remove_dir_all(tree.at("skills/skill-4")).unwrap();
    fs::create_dir(tree.at("skills/new")).unwrap();
    fs::write(tree.at("skills/new/SKILL.md"), skill_text("new")).unwrap();
    let loaded = load(&tree, &cache);
    assert_eq!(loaded.read, 2);
    assert_eq!(
        everything(&tree, &loaded.catalog),
        everything(&tree, &cold(&tree))
    );
}

#[test]
fn what_changed_is_kept_once_it_is_quiet() {
    let tree = tree();
    let cache = cache_in(&tree);
    warm(&tree, &cache);
    fs::write(tree.at("skills/skill-3/SKILL.md"), skill_text("three")).unwrap();
    assert_eq!(load(&tree, &cache).read, 1);
    // One of so many would not be worth it by their number.
    warm(&tree, &cache);
    assert_eq!(
        everything(&tree, &load(&tree, &cache).catalog),
        everything(&tree, &cold(&tree))
    );
}

#[test]
fn a_time_that_was_put_back_hides_no_change() {
    let tree = tree();
    let path = tree.at("skills/skill-3/SKILL.md");
    let cache = cache_in(&tree);
    warm(&tree, &cache);
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, skill_text("skill-3").replace("Do it.", "Do so.")).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(before)
        .unwrap();
    let catalog = load(&tree, &cache).catalog;
    assert_eq!(
        catalog.get("skill-3").map(Skill::instructions),
        Some("Do so.")
    );
}

#[test]
fn damage_is_told_and_never_used() {
    let tree = tree();
    let cache = cache_in(&tree);
    warm(&tree, &cache);
    load(&tree, &cache).catalog.index();
    let wanted = everything(&tree, &cold(&tree));
    for ending in ["skills", "index"] {
        let path = files(&tree.at("cache"), ending).remove(0);
        let whole = fs::read(&path).unwrap();
        // Bytes of every field of the header and of each part; whatever is cut is damage too.
        let places = (0..store::HEADER)
            .step_by(11)
            .chain((store::HEADER..whole.len()).step_by(whole.len() / 24));
        for at in places {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(
                everything(&tree, &load(&tree, &cache).catalog),
                wanted,
                "byte {at}"
            );
            fs::write(&path, &whole[..at]).unwrap();
            let loaded = load(&tree, &cache);
            assert_eq!(everything(&tree, &loaded.catalog), wanted, "cut at {at}");
            if ending == "skills" {
                assert_eq!(loaded.notes.len(), 1, "{:?}", loaded.notes);
            }
            assert_eq!(load(&tree, &cache).read, 0, "it was made anew");
            fs::write(&path, &whole).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_cache_keeps_nobody_waiting() {
    let tree = tree();
    let cache = cache_in(&tree);
    warm(&tree, &cache);
    let path = files(&tree.at("cache"), "skills").remove(0);
    fs::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    let loaded = load(&tree, &cache);
    assert_eq!(loaded.notes.len(), 1, "{:?}", loaded.notes);
    assert_eq!(
        everything(&tree, &loaded.catalog),
        everything(&tree, &cold(&tree))
    );
}

#[test]
fn another_version_or_build_is_not_used() {
    let tree = tree();
    let cache = cache_in(&tree);
    warm(&tree, &cache);
    let other = load(&tree, &cache.clone().edition(7));
    assert_eq!(
        (other.read, other.notes.len()),
        (other.catalog.skills().len(), 0)
    );
    let path = files(&tree.at("cache"), "skills").remove(0);
    let mut newer = fs::read(&path).unwrap();
    newer[8] += 1;
    let end = store::HEADER - 4;
    let sum = crc32fast::hash(&newer[..end]);
    newer[end..store::HEADER].copy_from_slice(&sum.to_le_bytes());
    fs::write(&path, newer).unwrap();
    let loaded = load(&tree, &cache.clone().edition(7));
    assert_eq!(
        (loaded.read, loaded.notes.len()),
        (loaded.catalog.skills().len(), 0)
    );
}

#[test]
fn trust_and_filters_are_decided_with_every_start() {
    let tree = tree();
    let cache = cache_in(&tree);
    let project = || -> Vec<Box<dyn Source>> {
        let source = DiskSource::new(tree.at("skills")).scope(crate::Scope::Project);
        vec![Box::new(source.repository(Some(tree.root())))]
    };
    let trusting = LoadOptions {
        trust: &TrustAll,
        ..options()
    };
    thread::sleep(Duration::from_millis(60));
    let start = Instant::now();
    while cache.load(&project(), &trusting).read > 0 {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the cache is never used"
        );
        thread::sleep(Duration::from_millis(20));
    }
    let loaded = cache.load(&project(), &options());
    assert_eq!(
        (loaded.read, loaded.catalog.model_visible().count()),
        (0, 0)
    );
}

#[cfg(unix)]
#[test]
fn a_cache_that_cannot_be_written_costs_a_note() {
    let tree = tree().file("cache", "a file where the folder should be");
    let cache = cache_in(&tree);
    thread::sleep(Duration::from_millis(60));
    let loaded = load(&tree, &cache);
    assert_eq!(loaded.catalog.skills().len(), cold(&tree).skills().len());
    assert_eq!(loaded.notes.len(), 1, "{:?}", loaded.notes);
    assert!(loaded.notes[0].contains("cannot be written"));
}
