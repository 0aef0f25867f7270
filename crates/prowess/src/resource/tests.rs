//! What is listed and read of a skill, and what never is.

use std::{fs, sync::LazyLock};

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::{Catalog, LoadOptions, MemorySource, Skill, Source, testing::Tree};

fn pdf(tree: &Tree) -> Skill {
    Catalog::from_dirs([tree.at("skills")])
        .get("pdf")
        .unwrap()
        .clone()
}

fn read(skill: &Skill, path: &str) -> String {
    match skill.read_resource(path, 0, &Limits::default()) {
        Ok(page) => serde_json::to_string(&page).unwrap(),
        Err(error) => error.to_string(),
    }
}

fn check(skill: &Skill, paths: &[&str], expect: &Expect) {
    let told: Vec<_> = paths.iter().map(|path| read(skill, path) + "\n").collect();
    expect.assert_eq(&told.concat());
}

#[test]
fn files_are_listed_and_read() {
    let tree = Tree::new()
        .skill("skills/pdf")
        .file("skills/pdf/scripts/fill.py", "print(1)\n")
        .file("skills/pdf/assets/logo.bin", b"\xff\x00\x01")
        .file("skills/pdf/.git/config", "x");
    let skill = pdf(&tree);
    let files: Vec<_> = skill
        .resources(&Limits::default())
        .unwrap()
        .files
        .into_iter()
        .map(|file| (file.path, file.size))
        .collect();
    assert_eq!(
        files,
        [("assets/logo.bin".into(), 3), ("scripts/fill.py".into(), 9)]
    );
    check(
        &skill,
        &[
            "scripts/fill.py",
            "./scripts//fill.py",
            "assets/logo.bin",
            "scripts",
            "scripts/none",
            "SKILL.md/x",
        ],
        &expect![[r#"
            {"path":"scripts/fill.py","size":9,"offset":0,"text":"print(1)\n","next_offset":null}
            {"path":"./scripts//fill.py","size":9,"offset":0,"text":"print(1)\n","next_offset":null}
            {"path":"assets/logo.bin","size":3,"offset":0,"base64":"/wAB","next_offset":null}
            `scripts` is a folder, not a file
            the skill `pdf` has no file `scripts/none`
            the skill `pdf` has no file `SKILL.md/x`
        "#]],
    );
}

#[test]
fn paths_that_could_lead_out_are_refused_before_anything_is_opened() {
    let tree = Tree::new()
        .skill("skills/pdf")
        .file("skills/secret", "secret");
    let long = "x".repeat(1025);
    check(
        &pdf(&tree),
        &[
            "../secret",
            "a/../../secret",
            "/etc/passwd",
            "%2e%2e/secret",
            "..%2Fsecret",
            "..\\secret",
            "C:\\x",
            "c:/x",
            "a\0b",
            "",
            &long,
        ],
        &expect![[r#"
            `../secret` is not a path inside the skill: `..` leads out of a folder
            `a/../../secret` is not a path inside the skill: `..` leads out of a folder
            `/etc/passwd` is not a path inside the skill: it is absolute
            `%2e%2e/secret` is not a path inside the skill: it hides a dot or a separator behind `%`
            `..%2Fsecret` is not a path inside the skill: it hides a dot or a separator behind `%`
            `..\secret` is not a path inside the skill: parts are separated by `/`
            `C:\x` is not a path inside the skill: parts are separated by `/`
            `c:/x` is not a path inside the skill: it is absolute
            `a\u{0}b` is not a path inside the skill: it contains a NUL
            `` is not a path inside the skill: it is empty
            `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` is not a path inside the skill: it is too long
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_skill_only() {
    let tree = Tree::new()
        .skill("skills/pdf")
        .file("skills/secret/key", "secret")
        .file("skills/pdf/real/a.txt", "a")
        .link("skills/pdf/inside", "real/a.txt")
        .link("skills/pdf/folder", "real")
        .link("skills/pdf/around", "real/../folder/a.txt")
        .link("skills/pdf/outside", "../secret/key")
        .link("skills/pdf/beyond", "../secret")
        .link("skills/pdf/passwd", "/etc/passwd")
        .link("skills/pdf/loop", "loop")
        .link("skills/pdf/gone", "nowhere");
    let skill = pdf(&tree);
    check(
        &skill,
        &[
            "inside",
            "folder/a.txt",
            "around",
            "outside",
            "beyond/key",
            "passwd",
            "loop",
            "gone",
        ],
        &expect![[r#"
            {"path":"inside","size":1,"offset":0,"text":"a","next_offset":null}
            {"path":"folder/a.txt","size":1,"offset":0,"text":"a","next_offset":null}
            {"path":"around","size":1,"offset":0,"text":"a","next_offset":null}
            `outside` leads out of the skill and is not read
            `beyond/key` leads out of the skill and is not read
            `passwd` leads out of the skill and is not read
            cannot read `loop`
            the skill `pdf` has no file `gone`
        "#]],
    );
    let files: Vec<_> = skill
        .resources(&Limits::default())
        .unwrap()
        .files
        .into_iter()
        .map(|file| file.path)
        .collect();
    assert_eq!(files, ["around", "inside", "real/a.txt"]);
}

#[cfg(unix)]
#[test]
fn a_skill_reached_by_a_link_has_its_resources() {
    let tree = Tree::new()
        .file(
            "skills/.store/pdf/SKILL.md",
            crate::testing::skill_text("pdf"),
        )
        .file("skills/.store/pdf/a.txt", "a");
    let tree = tree.link("other/pdf", "../skills/.store/pdf");
    let source = crate::DiskSource::new(tree.at("other")).repository(Some(tree.root()));
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    check(
        catalog.get("pdf").unwrap(),
        &["a.txt"],
        &expect![[r#"
        {"path":"a.txt","size":1,"offset":0,"text":"a","next_offset":null}
    "#]],
    );
}

#[test]
fn large_files_come_in_pages_and_the_largest_not_at_all() {
    let tree = Tree::new()
        .skill("skills/pdf")
        .file("skills/pdf/a.txt", "aäaä")
        .file("skills/pdf/b.txt", "123456789");
    let limits = Limits {
        page_bytes: 2,
        resource_bytes: 8,
        ..Limits::default()
    };
    let skill = pdf(&tree);
    let mut offset = Some(0);
    let mut pages = Vec::new();
    while let Some(at) = offset {
        let page = skill.read_resource("a.txt", at, &limits).unwrap();
        offset = page.next_offset;
        pages.push(page.content);
    }
    let text = |text: &str| Content::Text(text.to_owned());
    assert_eq!(pages, [text("a"), text("ä"), text("a"), text("ä")]);
    let error = skill.read_resource("b.txt", 0, &limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`b.txt` has 9 bytes and is not read: the limit is 8"
    );
}

/// Limits of a project must not undo the check: the verdict is that of the whole file.
#[test]
fn no_page_is_small_enough_to_hide_something() {
    let tags = "Fine.\n\u{e0069}\u{e0067}\u{e006e}";
    let spaces = format!("Fine.\n{}", "\u{200b}".repeat(40));
    let tree = Tree::new()
        .skill("skills/pdf")
        .file("skills/pdf/tags.txt", tags)
        .file("skills/pdf/spaces.txt", &spaces);
    let skill = pdf(&tree);
    for page_bytes in 1..12 {
        let limits = Limits {
            page_bytes,
            ..Limits::default()
        };
        for (path, size) in [("tags.txt", tags.len()), ("spaces.txt", spaces.len())] {
            for offset in 0..size as u64 {
                let read = skill.read_resource(path, offset, &limits);
                let error = read.unwrap_err().to_string();
                let place = format!("`{path}` is not read: a hidden character stands in line 2");
                assert!(error.starts_with(&place), "{page_bytes} {offset}: {error}");
            }
        }
    }
}

#[test]
fn a_value_has_no_files() {
    let source = MemorySource::new("memory").skill("a", "---\nname: a\ndescription: D\n---\n");
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    assert_eq!(
        read(catalog.get("a").unwrap(), "x"),
        "the skill `a` has no folder, so it has no resources"
    );
}

/// A link is swapped for a file and back as fast as possible while it is read: what is read
/// never comes from outside.
#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "the test swaps its own links")]
fn a_swapped_link_never_leads_outside() {
    use std::{
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, Ordering},
        thread,
        time::{Duration, Instant},
    };

    let tree = Tree::new()
        .skill("skills/pdf")
        .file("skills/secret/key", "secret")
        .file("skills/pdf/real/key", "mine");
    let skill = pdf(&tree);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (spare, place) = (tree.at("skills/pdf/spare"), tree.at("skills/pdf/swap"));
            while !done.load(Ordering::Relaxed) {
                for target in ["real", "../secret"] {
                    let _ = symlink(target, &spare);
                    let _ = fs::rename(&spare, &place);
                }
            }
        });
        let (mut tried, mut mine) = (0, 0);
        let start = Instant::now();
        // On a busy machine the other thread may start late.
        while tried < 2_000 || (mine == 0 && start.elapsed() < Duration::from_secs(60)) {
            tried += 1;
            if let Ok(page) = skill.read_resource("swap/key", 0, &Limits::default()) {
                assert_eq!(page.content, Content::Text("mine".to_owned()));
                mine += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(mine > 0, "the race was not run");
    });
}

/// One tree for every path that is tried; it stays until the tests end.
static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let tree = Tree::new()
        .skill("skills/pdf")
        .file("skills/secret/key", "secret")
        .file("skills/key", "secret")
        .file("skills/pdf/real/key", "mine");
    #[cfg(unix)]
    let tree = tree
        .link("skills/pdf/up", "..")
        .link("skills/pdf/a", "../secret");
    tree
});

proptest! {
    /// Whatever path is asked for, what is read lies in the skill.
    #[test]
    fn no_path_leads_outside(
        path in r"(\.|\.\.|/|\\|%2e|a|real|up|key|secret|skills|pdf|:|\x00){1,12}",
    ) {
        static SKILL: LazyLock<Skill> = LazyLock::new(|| pdf(&TREE));
        if let Ok(page) = SKILL.read_resource(&path, 0, &Limits::default()) {
            prop_assert_ne!(page.content, Content::Text("secret".to_owned()));
        }
    }
}
