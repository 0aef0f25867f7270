//! Links inside, outside, broken and in circles.

use std::sync::atomic::Ordering;

use expect_test::expect;

use super::check;
use crate::{
    Cache, Catalog, DiskSource, Limits, LoadOptions, Progress, Scope, Source,
    testing::Tree,
    trust::{TrustAll, TrustNone},
};

#[test]
fn links_are_followed_inside_and_refused_outside() {
    let outside = Tree::new().skill("theirs");
    let tree = Tree::new()
        .skill("skills/real")
        .skill("vendor/shared")
        .link("skills/inside", "real")
        .link("skills/shared", "../vendor/shared")
        .link("skills/theirs", outside.at("theirs"))
        .link("skills/passwd/SKILL.md", "/etc/passwd")
        .link("skills/zero/SKILL.md", "/dev/zero")
        .link("skills/dangling/SKILL.md", "nowhere.md")
        .link("skills/gone", "nowhere")
        .link("skills/README", "/etc/passwd");
    let told = |source: &DiskSource| {
        tree.load_source(source)
            .replace(&outside.root().display().to_string(), "OUTSIDE")
    };
    let source = DiskSource::new(tree.at("skills"));
    expect![[r#"
        broken dangling skills/dangling/SKILL.md
          error[broken-link] the link `skills/dangling/SKILL.md` leads nowhere: No such file or directory (os error 2)
        broken passwd skills/passwd/SKILL.md
          error[symlink-outside] the link `skills/passwd/SKILL.md` leads outside, to `/etc/passwd`, and is not followed
        active real skills/real/SKILL.md
          also at skills/inside/SKILL.md
        broken zero skills/zero/SKILL.md
          error[symlink-outside] the link `skills/zero/SKILL.md` leads outside, to `/dev/zero`, and is not followed
        skills/gone
          error[broken-link] the link `skills/gone` leads nowhere: No such file or directory (os error 2)
        skills/shared
          error[symlink-outside] the link `skills/shared` leads outside, to `vendor/shared`, and is not followed
        skills/theirs
          error[symlink-outside] the link `skills/theirs` leads outside, to `OUTSIDE/theirs`, and is not followed
    "#]]
    .assert_eq(&told(&source));

    let allowed = told(&source.repository(Some(tree.root())).allow(outside.root()));
    assert!(
        allowed.contains("active shared skills/shared/SKILL.md"),
        "{allowed}"
    );
    assert!(
        allowed.contains("active theirs skills/theirs/SKILL.md"),
        "{allowed}"
    );
    assert!(allowed.contains("broken passwd"), "{allowed}");
}

#[test]
fn link_loops_end() {
    check(
        &Tree::new()
            .skill("a/one")
            .skill("b/two")
            .link("a/self", ".")
            .link("a/up", "..")
            .link("a/over", "../b")
            .link("b/back", "../a")
            .link("c", "c"),
        ".",
        &expect![[r#"
            active one ./a/one/SKILL.md
              also at ./b/back/one/SKILL.md
            active two ./b/two/SKILL.md
              also at ./a/over/two/SKILL.md
            ./a/over/back
              hint[link-loop] `./a/over/back` leads back to `a`, which is already being searched
            ./a/self
              hint[link-loop] `./a/self` leads back to `a`, which is already being searched
            ./a/up
              hint[link-loop] `./a/up` leads back to `.`, which is already being searched
            ./b/back/over
              hint[link-loop] `./b/back/over` leads back to `b`, which is already being searched
            ./b/back/self
              hint[link-loop] `./b/back/self` leads back to `a`, which is already being searched
            ./b/back/up
              hint[link-loop] `./b/back/up` leads back to `.`, which is already being searched
            ./c
              error[broken-link] the link `./c` leads nowhere: Too many levels of symbolic links (os error 40)
        "#]],
    );
}

#[test]
fn a_project_folder_that_is_a_link_out_of_the_repository_is_refused() {
    let outside = Tree::new().skill("theirs");
    let tree = Tree::new()
        .folder("repo/.git")
        .link("repo/.agents/skills", outside.root());
    let source = DiskSource::new(tree.at("repo/.agents/skills"))
        .scope(Scope::Project)
        .repository(Some(tree.at("repo")));
    let told = tree
        .load_source(&source)
        .replace(&outside.root().display().to_string(), "OUTSIDE");
    expect![[r#"
        repo/.agents/skills
          error[symlink-outside] the link `repo/.agents/skills` leads outside, to `OUTSIDE`, and is not followed
    "#]]
    .assert_eq(&told);
}

/// Folders in which every link leads to the next folder: the ways through them are a power.
fn fan(folders: usize, links: usize) -> Tree {
    let mut tree = Tree::new().skill("repo/deep/end");
    for at in 0..folders {
        let next = if at + 1 == folders {
            "../deep".to_owned()
        } else {
            format!("../f{}", at + 1)
        };
        for link in 0..links {
            tree = tree.link(&format!("repo/f{at}/l{link}"), &next);
        }
    }
    tree
}

/// What a load of these folders saw: the skills, and how many files and folders were looked at.
fn walked(tree: &Tree, roots: &[String], limits: &Limits) -> (Catalog, usize) {
    let source = |root: &String| {
        let source = DiskSource::new(tree.at(root)).repository(Some(tree.at("repo")));
        Box::new(source.scope(Scope::Project)) as Box<dyn Source>
    };
    let sources: Vec<_> = roots.iter().map(source).collect();
    let progress = Progress::default();
    let options = LoadOptions {
        trust: &TrustAll,
        progress: Some(&progress),
        limits: limits.clone(),
        ..LoadOptions::default()
    };
    let catalog = Catalog::load(&sources, &options).unwrap();
    let seen = progress.entries.load(Ordering::Relaxed);
    (catalog, seen)
}

#[test]
fn row_70_the_work_grows_with_the_links_and_not_with_the_ways() {
    let (folders, links) = (12, 40);
    let tree = fan(folders, links);
    let all = folders * links;
    // One root with all folders in it: each is listed once as a folder and once behind a link.
    let (catalog, seen) = walked(&tree, &["repo".to_owned()], &Limits::default());
    assert!(seen <= 2 * (all + folders) + 20, "{seen}");
    assert!(!catalog.is_partial());
    let end = catalog.get("end").unwrap();
    assert!(end.path().ends_with("deep/end/SKILL.md"));
    assert_eq!(end.also_at().len(), links, "each link to its folder");
    // Each folder a root of its own: what lies behind its links is walked once for each.
    let roots: Vec<String> = (0..folders).map(|at| format!("repo/f{at}")).collect();
    let (catalog, seen) = walked(&tree, &roots, &Limits::default());
    assert!(seen <= folders * (all + folders) + 20, "{seen}");
    assert_eq!(catalog.skills().len(), 1);
}

#[test]
fn row_70_what_is_behind_links_is_the_same_with_every_order_of_threads() {
    let tree = fan(4, 2);
    let source = DiskSource::new(tree.at("repo/f1")).repository(Some(tree.at("repo")));
    expect![[r#"
        active end repo/f1/l0/l0/l0/end/SKILL.md
        repo/f1/l0/l0/l1
          hint[link-loop] `repo/f1/l0/l0/l1` leads to `repo/deep`, which is searched by another way already
        repo/f1/l0/l1
          hint[link-loop] `repo/f1/l0/l1` leads to `repo/f3`, which is searched by another way already
    "#]].assert_eq(&tree.load_source(&source));
}

#[test]
fn row_70_many_links_to_one_large_folder_cost_paths_and_no_skill() {
    let mut tree = Tree::new().skill("repo/deep/end");
    for at in 0..200 {
        tree = tree
            .file(&format!("repo/deep/note-{at}"), "")
            .link(&format!("repo/l{at}"), "deep");
    }
    let (catalog, seen) = walked(&tree, &["repo".to_owned()], &Limits::default());
    assert!(seen <= 1_000, "{seen}");
    assert!(!catalog.is_partial());
    // 20,000 of 201 entries and one file each.
    assert_eq!(catalog.get("end").unwrap().also_at().len(), 100);
    let told = catalog.findings().iter().filter(|it| {
        it.diagnostic
            .message
            .ends_with("is searched by another way already")
    });
    assert_eq!(told.count(), 100);
}

#[test]
fn row_70_limits_hold_for_a_load_and_a_project_comes_last() {
    let mut tree = Tree::new().folder("repo").skill("mine/mine");
    for at in 0..5 {
        for skill in 0..40 {
            tree = tree.skill(&format!("repo/r{at}/s{skill}"));
        }
    }
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for at in 0..5 {
        let source = DiskSource::new(tree.at(&format!("repo/r{at}"))).scope(Scope::Project);
        sources.push(Box::new(source));
    }
    sources.push(Box::new(
        DiskSource::new(tree.at("mine")).scope(Scope::User),
    ));
    let progress = Progress::default();
    let options = LoadOptions {
        trust: &TrustNone,
        progress: Some(&progress),
        limits: Limits {
            entries: 100,
            ..Limits::default()
        },
        ..LoadOptions::default()
    };
    let catalog = Catalog::load(&sources, &options).unwrap();
    let seen = progress.entries.load(Ordering::Relaxed);
    assert!(
        seen <= 100 + 5,
        "one more than allowed tells each root: {seen}"
    );
    assert!(catalog.is_partial());
    assert!(
        catalog.get("mine").is_some(),
        "a project takes nothing from its user"
    );
    let told = |root: &str| {
        let about = |it: &&crate::Finding| it.path.ends_with(root);
        catalog.findings().iter().filter(about).count()
    };
    assert_eq!(["r0", "r1", "r2", "r3", "r4"].map(told), [0, 1, 1, 1, 1]);
}

#[test]
fn row_70_a_cache_and_a_cold_load_see_the_same_behind_links() {
    let tree = fan(5, 3);
    let source = || -> Vec<Box<dyn Source>> { vec![Box::new(DiskSource::new(tree.at("repo")))] };
    let options = LoadOptions {
        trust: &TrustAll,
        limits: crate::testing::quick_limits(),
        ..LoadOptions::default()
    };
    let cold = tree.tell(&Catalog::load(&source(), &options).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path());
    for _ in 0..3 {
        assert_eq!(tree.tell(&cache.load(&source(), &options).catalog), cold);
    }
}
