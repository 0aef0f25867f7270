//! Files and folders that should not be there, and are.
#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out the files they read"
)]

use std::{fs, num::NonZeroUsize, time::Instant};

use expect_test::expect;

use super::check;
use crate::{
    Catalog, DiskSource, Limits, LoadOptions, Source,
    testing::{Tree, skill_text},
};

#[test]
fn a_file_beyond_the_limit_is_not_read() {
    let tree = Tree::new().skill("good").folder("huge").folder("edge");
    // A sparse file: a terabyte that takes no room.
    let huge = fs::File::create(tree.at("huge/SKILL.md")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let mut edge = skill_text("edge");
    edge.extend(std::iter::repeat_n('x', (1 << 20) - edge.len()));
    let tree = tree.file("edge/SKILL.md", edge);
    check(
        &tree,
        ".",
        &expect![[r#"
            active edge ./edge/SKILL.md
              warning[large-file] `./edge/SKILL.md` has 1048576 bytes, far more than other skills
            active good ./good/SKILL.md
            broken huge ./huge/SKILL.md
              error[file-too-large] `./huge/SKILL.md` has 1099511627776 bytes and is not read: the limit is 1048576
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    use std::os::unix::net::UnixListener;

    let tree = Tree::new()
        .skill("good")
        .folder("folder/SKILL.md")
        .folder("pipe")
        .folder("socket");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        tree.at("pipe/SKILL.md"),
        rustix::fs::Mode::RWXU,
    )
    .unwrap();
    let _socket = UnixListener::bind(tree.at("socket/SKILL.md")).unwrap();
    let started = Instant::now();
    let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(tree.root()))];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    assert!(
        started.elapsed().as_millis() < 1_000,
        "a pipe must not block"
    );
    expect![[r#"
        broken folder folder/SKILL.md
          error[not-regular-file] `folder/SKILL.md` is a folder, not a file with text
        active good good/SKILL.md
        broken pipe pipe/SKILL.md
          error[not-regular-file] `pipe/SKILL.md` is a pipe, not a file with text
        broken socket socket/SKILL.md
          error[not-regular-file] `socket/SKILL.md` is a socket, not a file with text
    "#]]
    .assert_eq(&tree.tell(&catalog));
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_told_and_the_rest_loads() {
    use std::os::unix::fs::PermissionsExt as _;

    let tree = Tree::new().skill("good").skill("closed").skill("locked/x");
    let lock = |path: &str, mode| {
        fs::set_permissions(tree.at(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    lock("closed/SKILL.md", 0o000);
    lock("locked", 0o000);
    if fs::read(tree.at("closed/SKILL.md")).is_ok() {
        eprintln!("skipped: this user may read everything");
    } else {
        check(
            &tree,
            ".",
            &expect![[r#"
            broken closed closed/SKILL.md
              error[unreadable-file] `closed/SKILL.md` cannot be read: Permission denied (os error 13)
            active good good/SKILL.md
            locked
              error[unreadable-file] `locked` cannot be searched: Permission denied (os error 13)
        "#]],
        );
    }
    lock("locked", 0o700);
}

#[cfg(unix)]
#[test]
fn strange_names_are_escaped() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let tree = Tree::new();
    for name in [
        &b"new\nline"[..],
        b"\x1b[31mred",
        "bi\u{202e}di".as_bytes(),
        b"by\xfftes",
    ] {
        let folder = tree.root().join(OsStr::from_bytes(name));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), "---\ndescription: D\n---\n").unwrap();
    }
    check(
        &tree,
        ".",
        &expect![[r#"
            active \\u{1b}[31mred ./\u{1b}[31mred/SKILL.md
              warning[missing-name] the skill has no name; its folder's name `\u{1b}[31mred` is used
            active bi\\u{202e}di ./bi\u{202e}di/SKILL.md
              warning[missing-name] the skill has no name; its folder's name `bi\u{202e}di` is used
            active by\\xfftes ./by\xfftes/SKILL.md
              warning[missing-name] the skill has no name; its folder's name `by�tes` is used
            active new\\nline ./new\nline/SKILL.md
              warning[missing-name] the skill has no name; its folder's name `new line` is used
        "#]],
    );
}

#[test]
fn limits_give_a_partial_answer() {
    let mut tree = Tree::new().skill("one/two/three/four");
    for name in 'a'..='c' {
        tree = tree.skill(&name.to_string());
    }
    let load = |limits: Limits| {
        let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(tree.root()))];
        let options = LoadOptions {
            limits,
            threads: NonZeroUsize::new(1),
            ..LoadOptions::default()
        };
        Catalog::load(&sources, &options).unwrap()
    };
    let shallow = load(Limits {
        depth: 3,
        ..Limits::default()
    });
    expect![[r#"
        active a a/SKILL.md
        active b b/SKILL.md
        active c c/SKILL.md
        one/two/three/four
          warning[scan-limit] `one/two/three/four` is not searched: it lies more than 3 folders deep
        partial
    "#]]
    .assert_eq(&tree.tell(&shallow));
    let few = load(Limits {
        entries: 5,
        ..Limits::default()
    });
    assert!(few.is_partial());
    assert!(few.skills().len() < 4);
    assert_eq!(few.findings()[0].diagnostic.code, "scan-limit");
    assert!(!load(Limits::default()).is_partial());
}

#[test]
fn a_folder_with_many_entries_is_searched_quickly() {
    let tree = Tree::new().skill("good");
    for number in 0..5_000 {
        fs::write(tree.at(&number.to_string()), "").unwrap();
    }
    let started = Instant::now();
    check(
        &tree,
        ".",
        &expect![[r#"
            active good ./good/SKILL.md
        "#]],
    );
    assert!(started.elapsed().as_secs() < 5);
}

/// A writer replaces a file as fast as it can; whoever reads sees one version, whole.
#[test]
fn a_file_that_is_replaced_is_read_whole() {
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    let text = |word: &str| skill_text("pdf") + &format!("{word} ").repeat(3_000);
    let versions = [text("old"), text("newer")];
    let tree = Tree::new().file("pdf/SKILL.md", &versions[0]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for version in versions.iter().cycle() {
                fs::write(tree.at("spare"), version).unwrap();
                fs::rename(tree.at("spare"), tree.at("pdf/SKILL.md")).unwrap();
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for _ in 0..200 {
            let catalog = Catalog::from_dirs([tree.root()]);
            let skill = catalog.get("pdf").expect("the file is never missing");
            assert!(versions.iter().any(|it| it == skill.document().text()));
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[cfg(unix)]
#[test]
fn a_file_of_someone_else_that_also_lives_elsewhere_is_told() {
    let tree = Tree::new().skill("pdf").folder("elsewhere");
    fs::hard_link(tree.at("pdf/SKILL.md"), tree.at("elsewhere/kept")).unwrap();
    let source = DiskSource::new(tree.at("pdf"));
    let load = || {
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source.clone())];
        tree.tell(&Catalog::load(&sources, &LoadOptions::default()).unwrap())
    };
    assert_eq!(
        load(),
        "active pdf pdf/SKILL.md\n",
        "a link of one's own is fine"
    );
    if std::os::unix::fs::chown(tree.at("pdf/SKILL.md"), Some(12_345), None).is_err() {
        eprintln!("skipped: this user may not give files away");
        return;
    }
    expect![[r#"
        active pdf pdf/SKILL.md
          warning[hard-link] `pdf/SKILL.md` belongs to someone else and can be changed under another name
    "#]].assert_eq(&load());
}
