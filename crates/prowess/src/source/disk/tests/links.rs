//! Links inside, outside, broken and in circles.

use expect_test::expect;

use super::check;
use crate::{DiskSource, Scope, testing::Tree};

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
