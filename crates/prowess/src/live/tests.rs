#![expect(
    clippy::disallowed_methods,
    reason = "tests change the files they watch"
)]

use std::{fmt::Write as _, fs, path::Path, time::Instant};

use expect_test::{Expect, expect};

use super::*;
use crate::{
    skill::Skill,
    source::disk::DiskSource,
    testing::{Tree, quick_limits, skill_text},
};

/// Long enough for the busiest machine; nothing waits as long unless it fails.
const PATIENCE: Duration = Duration::from_secs(60);

fn sources(root: PathBuf) -> impl Sources {
    move || vec![Box::new(DiskSource::new(&root)) as Box<dyn Source>]
}

/// Every way to notice changes.
fn ways() -> [LiveOptions; 3] {
    [Watching::Auto, Watching::Trees, Watching::Poll].map(|watching| LiveOptions {
        watching,
        debounce: Duration::from_millis(10),
        interval: Duration::from_millis(50),
        limits: quick_limits(),
        ..LiveOptions::default()
    })
}

/// Waits until a snapshot is as wanted.
#[track_caller]
fn until(live: &LiveCatalog, what: &str, wanted: impl Fn(&Catalog) -> bool) {
    let start = Instant::now();
    while !wanted(&live.snapshot()) {
        assert!(start.elapsed() < PATIENCE, "never seen: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

fn cold(root: &Path) -> Catalog {
    Catalog::from_dirs([root])
}

/// Waits until the live catalog is what a cold one is, to the last finding.
#[track_caller]
fn until_cold(tree: &Tree, live: &LiveCatalog, root: &Path) {
    let wanted = tree.tell(&cold(root));
    let start = Instant::now();
    loop {
        let seen = tree.tell(&live.snapshot());
        if seen == wanted {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "live:\n{seen}\ncold:\n{wanted}");
        thread::sleep(Duration::from_millis(2));
    }
}

fn edit(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn every_kind_of_change_becomes_a_snapshot() {
    for options in ways() {
        let tree = Tree::new()
            .skill("skills/one")
            .skill("skills/two")
            .skill("skills/deep/three");
        let root = tree.at("skills");
        let live = LiveCatalog::open(sources(root.clone()), options).unwrap();
        until_cold(&tree, &live, &root);
        // An edit in place.
        edit(&tree.at("skills/one/SKILL.md"), &skill_text("uno"));
        until(&live, "an edit", |it| it.get("uno").is_some());
        // A save by rename, as editors do it.
        edit(&tree.at("skills/two/.tmp"), &skill_text("dos"));
        fs::rename(tree.at("skills/two/.tmp"), tree.at("skills/two/SKILL.md")).unwrap();
        until(&live, "a save by rename", |it| it.get("dos").is_some());
        // A new folder, and one in it.
        edit(&tree.at("skills/new/er/SKILL.md"), &skill_text("er"));
        until(&live, "a new folder", |it| it.get("er").is_some());
        edit(&tree.at("skills/new/est/SKILL.md"), &skill_text("est"));
        until(&live, "a folder in a new folder", |it| {
            it.get("est").is_some()
        });
        // A folder under another name, and what happens in it then.
        fs::rename(tree.at("skills/new"), tree.at("skills/old")).unwrap();
        until_cold(&tree, &live, &root);
        edit(&tree.at("skills/old/er/SKILL.md"), &skill_text("other"));
        until(&live, "an edit after a rename", |it| {
            it.get("other").is_some()
        });
        // A file that goes, and a folder.
        fs::remove_file(tree.at("skills/one/SKILL.md")).unwrap();
        until(&live, "a file that went", |it| it.get("uno").is_none());
        fs::remove_dir_all(tree.at("skills/deep")).unwrap();
        until(&live, "a folder that went", |it| it.get("three").is_none());
        // A skill that begins around others: they become its files.
        edit(&tree.at("skills/old/SKILL.md"), &skill_text("old"));
        until_cold(&tree, &live, &root);
        fs::remove_file(tree.at("skills/old/SKILL.md")).unwrap();
        until_cold(&tree, &live, &root);
        // Everything goes, and comes again.
        fs::remove_dir_all(&root).unwrap();
        until(&live, "nothing", |it| it.skills().is_empty());
        edit(&tree.at("skills/again/SKILL.md"), &skill_text("again"));
        until_cold(&tree, &live, &root);
        assert!(live.snapshot().get("again").is_some());
    }
}

#[test]
fn a_folder_that_was_not_there_is_seen_once_it_comes() {
    for options in ways() {
        let tree = Tree::new().folder("work/.git").folder("home");
        let places = LivePlaces {
            places: Places {
                project: vec![crate::SkillFolder::new("agents", ".agents/skills")],
                user: vec![crate::SkillFolder::new("agents", "~/.agents/skills")],
                ..Places::default()
            },
            environment: Environment {
                home: Some(tree.at("home")),
                working_directory: tree.at("work"),
                ..Environment::default()
            },
        };
        let live = LiveCatalog::open(places, options).unwrap();
        assert!(live.snapshot().skills().is_empty());
        edit(
            &tree.at("home/.agents/skills/mine/SKILL.md"),
            &skill_text("mine"),
        );
        until(&live, "the user's folder", |it| it.get("mine").is_some());
        edit(
            &tree.at("work/.agents/skills/ours/SKILL.md"),
            &skill_text("ours"),
        );
        // What a project brings waits for trust, here as in every load.
        until(&live, "the project's folder", |it| {
            it.named("ours")
                .first()
                .is_some_and(|skill| !skill.is_trusted())
        });
        fs::rename(tree.at("home/.agents"), tree.at("home/.gone")).unwrap();
        until(&live, "the user's folder gone", |it| {
            it.get("mine").is_none()
        });
    }
}

#[test]
fn a_skill_that_breaks_stays_in_use_and_says_so() {
    let check = |tree: &Tree, live: &LiveCatalog, expect: Expect| {
        expect.assert_eq(&tree.tell(&live.snapshot()));
    };
    for options in ways() {
        let tree = Tree::new().skill("pdf").skill("sql");
        let live = LiveCatalog::open(sources(tree.root()), options).unwrap();
        edit(&tree.at("pdf/SKILL.md"), "---\nname: pdf\n---\nHalf don");
        until(&live, "a broken file", |it| {
            it.get("pdf").is_some_and(Skill::is_stale)
        });
        check(
            &tree,
            &live,
            expect![[r"
            active pdf pdf/SKILL.md
              warning[stale] the file of `pdf` broke, and the version from before stays in use: `pdf` cannot be offered to a model without a description
              error[missing-description] `pdf` cannot be offered to a model without a description
            active sql sql/SKILL.md
        "]],
        );
        let told = live.snapshot().get("pdf").unwrap().description().to_owned();
        assert_eq!(told, "Does pdf. Use when pdf is asked for.");
        edit(&tree.at("pdf/SKILL.md"), &skill_text("pdf"));
        until(&live, "a mended file", |it| {
            it.get("pdf").is_some_and(|it| !it.is_stale())
        });
        until_cold(&tree, &live, &tree.root());
    }
}

#[test]
fn a_time_that_was_put_back_hides_no_change() {
    for options in ways() {
        let tree = Tree::new().skill("one");
        let path = tree.at("one/SKILL.md");
        let old = std::time::SystemTime::now() - Duration::from_secs(1_000);
        let set_time = || {
            fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(old)
                .unwrap();
        };
        set_time();
        let live = LiveCatalog::open(sources(tree.root()), options).unwrap();
        let text = skill_text("one").replace("Do it.", "Do so.");
        assert_eq!(text.len(), skill_text("one").len());
        fs::write(&path, text).unwrap();
        set_time();
        until(&live, "the same size and time", |it| {
            it.get("one")
                .is_some_and(|it| it.instructions() == "Do so.")
        });
    }
}

#[test]
fn filter_and_overrides_hold_in_every_snapshot() {
    for mut options in ways() {
        options.filter.allowed = Some(vec!["a".into(), "c".into()]);
        options
            .filter
            .overrides
            .insert("c".into(), crate::Override::Off);
        let tree = Tree::new().skill("a").skill("b");
        let live = LiveCatalog::open(sources(tree.root()), options).unwrap();
        edit(&tree.at("c/SKILL.md"), &skill_text("c"));
        until(&live, "a new skill", |it| !it.named("c").is_empty());
        let snapshot = live.snapshot();
        let visible: Vec<&str> = snapshot.model_visible().map(Skill::name).collect();
        assert_eq!(visible, ["a"]);
    }
}

#[test]
fn a_snapshot_finds_what_a_cold_catalog_finds() {
    use crate::select::Policy;
    let tree = (0..40).fold(Tree::new(), |tree, number| {
        tree.skill(&format!("skill-{number}"))
    });
    let [options, ..] = ways();
    let live = LiveCatalog::open(sources(tree.root()), options).unwrap();
    let policy = Policy {
        top_k: 9,
        ..Policy::default()
    };
    live.snapshot().select("skill", &policy);
    for number in 0..20 {
        let text = skill_text(&format!("skill-{number}")).replace("Do it.", "Translate invoices.");
        fs::write(tree.at(&format!("skill-{number}/SKILL.md")), text).unwrap();
        live.refresh();
        for query in ["translate an invoice", "skill 7"] {
            let snapshot = live.snapshot();
            let one = snapshot.select(query, &policy);
            let plain = |selection: &crate::Selection<'_>| {
                let found = |it: &crate::Match<'_>| (it.skill().path().to_owned(), it.score);
                let matches: Vec<_> = selection.matches.iter().map(found).collect();
                (matches, selection.decision.name())
            };
            let cold = cold(&tree.root());
            assert_eq!(plain(&one), plain(&cold.select(query, &policy)));
        }
    }
}

#[test]
fn whoever_is_called_gets_the_snapshot_and_does_not_keep_the_catalog_alive() {
    let tree = Tree::new().skill("a");
    let [options, ..] = ways();
    let live = LiveCatalog::open(sources(tree.root()), options).unwrap();
    let latest = Arc::new(std::sync::Mutex::new((live.snapshot(), 0)));
    let slot = Arc::clone(&latest);
    live.on_change(move |snapshot, changes| {
        *slot.lock().unwrap() = (Arc::clone(snapshot), changes.len());
    });
    edit(&tree.at("b/SKILL.md"), &skill_text("b"));
    live.refresh();
    let (snapshot, count) = latest.lock().unwrap().clone();
    assert_eq!((snapshot.skills().len(), count), (2, 1));
    drop(live);
    assert_eq!(Arc::strong_count(&latest), 1, "the function went with it");
}

#[test]
fn changes_are_told_and_those_that_wait_become_one() {
    let tree = Tree::new().skill("a").skill("b").skill("c");
    let [options, ..] = ways();
    let live = LiveCatalog::open(sources(tree.root()), options).unwrap();
    let changes = live.subscribe();
    edit(
        &tree.at("a/SKILL.md"),
        &skill_text("a").replace("Do", "Never do"),
    );
    live.refresh();
    edit(&tree.at("d/SKILL.md"), &skill_text("d"));
    edit(&tree.at("e/SKILL.md"), &skill_text("e"));
    live.refresh();
    fs::remove_dir_all(tree.at("b")).unwrap();
    fs::remove_dir_all(tree.at("e")).unwrap();
    live.refresh();
    let told = changes.next_within(PATIENCE).unwrap();
    let mut text = String::new();
    for (word, list) in [
        ("added", &told.added),
        ("changed", &told.changed),
        ("removed", &told.removed),
    ] {
        for skill in list {
            writeln!(text, "{word} {} {}", skill.name, skill.state).unwrap();
        }
    }
    expect![[r#"
        added d active
        changed a active
        removed b active
    "#]]
    .assert_eq(&text);
    assert_eq!(told.generation, live.generation());
    drop(live);
    assert!(changes.next().is_none() && changes.is_closed());
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_followed() {
    let [options, ..] = ways();
    let tree = Tree::new()
        .skill("skills/one")
        .file("skills/shared/text", skill_text("two"))
        .link("skills/two/SKILL.md", "../shared/text")
        .link("skills/three", "one");
    let root = tree.at("skills");
    let live = LiveCatalog::open(sources(root.clone()), options).unwrap();
    until_cold(&tree, &live, &root);
    edit(&tree.at("skills/shared/text"), &skill_text("dos"));
    until(&live, "the target of a file's link", |it| {
        it.get("dos").is_some()
    });
    edit(&tree.at("skills/one/SKILL.md"), &skill_text("uno"));
    until_cold(&tree, &live, &root);
}

#[test]
fn one_broken_skill_fails_the_strict_profile() {
    let tree = Tree::new().file("a/SKILL.md", "no frontmatter");
    let options = LiveOptions {
        profile: Profile::Strict,
        limits: quick_limits(),
        ..LiveOptions::default()
    };
    let error = LiveCatalog::open(sources(tree.root()), options).unwrap_err();
    assert!(matches!(error, LiveError::Load(_)));
}

#[test]
fn a_skill_that_is_trusted_by_its_files_is_judged_by_all_of_them() {
    use crate::{Scope, TrustStore};
    for mut options in ways() {
        let tree = Tree::new()
            .skill("p/skills/a")
            .file("p/skills/a/scripts/run.sh", "echo one");
        let root = tree.at("p/skills");
        let project = move || DiskSource::new(&root).scope(Scope::Project);
        let sources: Vec<Box<dyn Source>> = vec![Box::new(project())];
        let looking = LoadOptions {
            look_at_untrusted: true,
            ..LoadOptions::default()
        };
        let seen = Catalog::load(&sources, &looking).unwrap();
        let mut store = TrustStore::default();
        let limits = Limits::default();
        store.approve(&seen.named("a")[0], &limits).unwrap();
        options.trust = Arc::new(store);
        let sources = move || vec![Box::new(project()) as Box<dyn Source>];
        let live = LiveCatalog::open(sources, options).unwrap();
        assert!(
            live.snapshot().get("a").is_some(),
            "it is as it was trusted"
        );
        edit(&tree.at("p/skills/a/scripts/run.sh"), "rm -r");
        until(&live, "a changed script", |it| it.get("a").is_none());
        edit(&tree.at("p/skills/a/scripts/run.sh"), "echo one");
        until(&live, "the script as it was", |it| it.get("a").is_some());
    }
}

/// Fault 27: what is renamed or rewritten under a scan is seen whole, as it was or as it is.
#[test]
fn a_folder_that_changes_during_a_scan_is_seen_old_or_new() {
    let text = |word: &str| skill_text("swap").replace("Do it.", &word.repeat(3_000));
    let tree = Tree::new()
        .file("skills/set/swap/SKILL.md", text("old "))
        .file("spare/swap/SKILL.md", text("new "));
    let (root, set) = (tree.at("skills"), tree.at("skills/set"));
    let (spare, aside) = (tree.at("spare"), tree.at("aside"));
    let [options, ..] = ways();
    let live = LiveCatalog::open(sources(root.clone()), options).unwrap();
    let whole = |catalog: &Catalog| {
        for skill in catalog.skills() {
            let words: Vec<&str> = skill.instructions().split(' ').collect();
            assert!(words.iter().all(|word| *word == words[0]), "a mixture");
            assert_eq!(words.len(), 3_000);
        }
        assert!(catalog.skills().len() <= 1);
    };
    let end = Instant::now() + Duration::from_millis(700);
    thread::scope(|scope| {
        scope.spawn(|| {
            while Instant::now() < end {
                fs::rename(&set, &aside).unwrap();
                fs::rename(&spare, &set).unwrap();
                fs::rename(&aside, &spare).unwrap();
                let beside = set.join("swap/.tmp");
                fs::write(&beside, text("saved ")).unwrap();
                fs::rename(beside, set.join("swap/SKILL.md")).unwrap();
            }
        });
        while Instant::now() < end {
            whole(&cold(&root));
            whole(&live.snapshot());
        }
    });
    until_cold(&tree, &live, &root);
    assert_eq!(live.snapshot().skills().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn an_overflow_of_the_queue_loses_nothing() {
    let tree = Tree::new().skill("skills/a").skill("skills/b");
    let root = tree.at("skills");
    let [options, ..] = ways();
    let live = LiveCatalog::open(sources(root.clone()), options).unwrap();
    // Two folders in turn: equal events in a row would be one.
    let flood = [tree.at("skills/a/x"), tree.at("skills/b/x")];
    let new = tree.at("skills/new/SKILL.md");
    live.stalled(move || {
        for number in 0..20_000 {
            fs::write(&flood[number % 2], "").unwrap();
        }
        edit(&new, &skill_text("new"));
        fs::remove_file(&flood[0]).unwrap();
    });
    until(&live, "what came with the overflow", |it| {
        it.get("new").is_some()
    });
    until(&live, "the overflow itself", |_| live.lost() > 0);
    edit(&tree.at("skills/new/SKILL.md"), &skill_text("newer"));
    until(&live, "an edit after the overflow", |it| {
        it.get("newer").is_some()
    });
    until_cold(&tree, &live, &root);
}

#[test]
fn a_folder_that_is_swapped_is_seen_whole() {
    const SKILLS: usize = 60;
    let mut tree = Tree::new().folder("skills");
    for number in 0..SKILLS {
        for (folder, word) in [("skills/set", "old"), ("spare", "new")] {
            let text = skill_text(&format!("skill-{number}")).replace("Do it.", word);
            tree = tree.file(&format!("{folder}/skill-{number}/SKILL.md"), text);
        }
    }
    let (root, set) = (tree.at("skills"), tree.at("skills/set"));
    let (spare, aside) = (tree.at("spare"), tree.at("aside"));
    for options in ways() {
        let live = LiveCatalog::open(sources(root.clone()), options).unwrap();
        let end = Instant::now() + Duration::from_millis(500);
        thread::scope(|scope| {
            scope.spawn(|| {
                while Instant::now() < end {
                    fs::rename(&set, &aside).unwrap();
                    fs::rename(&spare, &set).unwrap();
                    fs::rename(&aside, &spare).unwrap();
                    thread::sleep(Duration::from_millis(7));
                }
            });
            while Instant::now() < end {
                let snapshot = live.snapshot();
                let texts = snapshot.skills().iter().map(Skill::instructions);
                let texts: Vec<&str> = texts.collect();
                let new = texts.iter().filter(|text| **text == "new").count();
                // Between two renames there is no such folder.
                assert!(matches!(texts.len(), 0 | SKILLS), "{} skills", texts.len());
                assert!(new == 0 || new == SKILLS, "{new} of {SKILLS} are new");
                thread::sleep(Duration::from_millis(1));
            }
        });
        until_cold(&tree, &live, &root);
    }
}

/// Opens until nothing is read: what was just written is not trusted at first.
fn warm(root: &Path, options: &LiveOptions) {
    let start = Instant::now();
    loop {
        let live = LiveCatalog::open(sources(root.to_path_buf()), options.clone()).unwrap();
        if live.start().read == 0 {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "the cache is never used");
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn a_second_start_reads_nothing_that_is_unchanged() {
    let tree = (0..70).fold(Tree::new(), |tree, number| {
        tree.skill(&format!("skills/skill-{number}"))
    });
    let tree = tree.file("skills/broken/SKILL.md", "---\nname: broken\n---\n");
    let root = tree.at("skills");
    let options = LiveOptions {
        cache: Some(Cache::new(tree.at("cache")).pause(Duration::ZERO)),
        debounce: Duration::from_millis(10),
        limits: quick_limits(),
        ..LiveOptions::default()
    };
    warm(&root, &options);
    let open = || LiveCatalog::open(sources(root.clone()), options.clone()).unwrap();
    let live = open();
    assert_eq!(*live.start(), Start::default());
    assert_eq!(tree.tell(&live.snapshot()), tree.tell(&cold(&root)));
    // It follows like any other.
    edit(&tree.at("skills/skill-1/SKILL.md"), &skill_text("uno"));
    fs::remove_dir_all(tree.at("skills/skill-2")).unwrap();
    until_cold(&tree, &live, &root);
    drop(live);
    // A file that broke while nobody looked has no version from before.
    edit(&tree.at("skills/skill-3/SKILL.md"), "broken");
    let live = open();
    assert!((2..9).contains(&live.start().read), "{:?}", live.start());
    assert_eq!(tree.tell(&live.snapshot()), tree.tell(&cold(&root)));
    let found = |catalog: &Catalog| {
        let found = catalog.select("skill 17", &crate::select::Policy::default());
        format!("{found:?}")
    };
    assert_eq!(found(&live.snapshot()), found(&cold(&root)));
}
