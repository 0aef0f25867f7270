//! Where skills lie and what their files are called.

use expect_test::expect;

use super::check;
use crate::{
    DiskSource, Layout, Scope,
    testing::{Tree, skill_text},
};

#[test]
fn skills_are_found_at_any_depth() {
    check(
        &Tree::new()
            .skill("skills/pdf")
            .skill("skills/office/word")
            .skill("skills/office/deep/er/excel")
            .file("skills/notes/README.md", "no skill"),
        "skills",
        &expect![[r#"
            active excel skills/office/deep/er/excel/SKILL.md
            active pdf skills/pdf/SKILL.md
            active word skills/office/word/SKILL.md
        "#]],
    );
}

#[test]
fn a_named_skill_folder_or_file_is_one_skill() {
    let tree = Tree::new().skill("pdf").file("pdf/references/a.md", "");
    check(
        &tree,
        "pdf",
        &expect![[r#"
        active pdf pdf/SKILL.md
    "#]],
    );
    check(
        &tree,
        "pdf/SKILL.md",
        &expect![[r#"
        active pdf pdf/SKILL.md
    "#]],
    );
}

#[test]
fn a_named_place_that_is_missing_is_told() {
    check(
        &Tree::new(),
        "nowhere",
        &expect![[r#"
        nowhere
          warning[missing-folder] `nowhere` is not there
    "#]],
    );
    let tree = Tree::new();
    let source = DiskSource::new(tree.at("nowhere")).scope(Scope::User);
    assert_eq!(
        tree.load_source(&source),
        "",
        "a client's folder need not exist"
    );
}

#[test]
fn a_skill_inside_a_skill_counts_only_below_a_skills_folder() {
    check(
        &Tree::new()
            .skill("outer")
            .skill("outer/examples/inner")
            .skill("outer/skills/helper"),
        ".",
        &expect![[r#"
            active helper ./outer/skills/helper/SKILL.md
            active outer ./outer/SKILL.md
            ./outer/examples/inner/SKILL.md
              hint[nested-skill] `./outer/examples/inner/SKILL.md` is a file of the skill in `./outer`, not a skill of its own
        "#]],
    );
}

#[test]
fn other_spellings_load_with_a_hint_and_the_exact_one_is_preferred() {
    check(
        &Tree::new()
            .file("a/skill.md", skill_text("a"))
            .file("b/SKILL.md", skill_text("b"))
            .file("b/Skill.md", "not read"),
        ".",
        &expect![[r#"
            active a ./a/skill.md
              hint[file-name] most clients do not find `skill.md`
            active b ./b/SKILL.md
            ./b/Skill.md
              hint[file-name] `./b/Skill.md` is passed over: `SKILL.md` beside it is the skill's file
        "#]],
    );
}

#[test]
fn ignored_folders_are_not_searched_and_what_they_hide_is_told() {
    check(
        &Tree::new()
            .skill("build/scripts/agents/skills/pdf")
            // Right among skills it is one, whatever its name.
            .skill("build/scripts/agents/skills/build")
            .skill("build/scripts/agents/skills/group/dist")
            .skill("build/scripts/agents/skills/node_modules/pkg/skills/x")
            // Unpacked by Codex, and nobody's loss.
            .skill("build/scripts/agents/skills/.system/imagegen")
            .file("build/scripts/agents/skills/.git/HEAD", "x"),
        "build/scripts/agents/skills",
        &expect![[r#"
            active build build/scripts/agents/skills/build/SKILL.md
            active pdf build/scripts/agents/skills/pdf/SKILL.md
            build/scripts/agents/skills/group/dist/SKILL.md
              warning[ignored-folder] `build/scripts/agents/skills/group/dist/SKILL.md` is not loaded: folders named `dist` are not searched
            build/scripts/agents/skills/node_modules/pkg/skills/x/SKILL.md
              warning[ignored-folder] `build/scripts/agents/skills/node_modules/pkg/skills/x/SKILL.md` is not loaded: folders named `node_modules` are not searched
        "#]],
    );
}

#[test]
fn a_skill_without_a_folder_is_told() {
    check(
        &Tree::new()
            .skill("pdf")
            .file("word.md", skill_text("word"))
            .file("README.md", "# Our skills"),
        ".",
        &expect![[r#"
            active pdf ./pdf/SKILL.md
            ./word.md
              hint[loose-file] `./word.md` is not loaded: a skill has a folder of its own
        "#]],
    );
}

#[test]
fn flat_files_are_skills_where_the_layout_says_so() {
    let tree = Tree::new()
        .file(".skills/search.md", skill_text("search"))
        .file(".skills/deep/nameless.md", "---\ndescription: D\n---\n")
        .skill(".skills/pdf")
        .file(".skills/pdf/references/more.md", "not a skill");
    let source = DiskSource::new(tree.at(".skills")).layout(Layout::Flat);
    expect![[r#"
        active nameless .skills/deep/nameless.md
          warning[missing-name] the skill has no name; clients that follow the standard drop it
        active pdf .skills/pdf/SKILL.md
        active search .skills/search.md
    "#]]
    .assert_eq(&tree.load_source(&source));
}

#[test]
fn convention_files_need_no_frontmatter() {
    let tree = Tree::new()
        .file("AGENTS.md", "# How we work\n\nTest first.\n")
        .file("web/CLAUDE.md", "Use tabs.\n")
        .file("SOUL.md", "Be kind.")
        .file("web/SOUL.md", "Only at the root.")
        .file("node_modules/x/AGENTS.md", "Not ours.")
        .file("README.md", "no");
    let source = DiskSource::new(tree.root()).layout(Layout::Convention);
    expect![[r#"
        active agents AGENTS.md
        active claude web/CLAUDE.md
        active soul SOUL.md
    "#]]
    .assert_eq(&tree.load_source(&source));
}

#[test]
fn a_file_that_was_meant_to_be_a_skill_is_told() {
    check(
        &Tree::new()
            .file("a/SKILL.txt", "")
            .file("b/skills.md", "")
            .skill("c")
            .file("c/skill.txt", ""),
        ".",
        &expect![[r#"
            active c ./c/SKILL.md
            ./a/SKILL.txt
              hint[file-name] `./a/SKILL.txt` is not loaded: the file of a skill is called `SKILL.md`
            ./b/skills.md
              hint[file-name] `./b/skills.md` is not loaded: the file of a skill is called `SKILL.md`
        "#]],
    );
}

#[test]
fn many_folders_are_walked_once_by_any_number_of_threads() {
    let mut tree = Tree::new();
    for group in 0..3 {
        for number in 0..40 {
            tree = tree.skill(&format!("skills/group-{group}/skill-{group}-{number}"));
        }
    }
    // Below one of them there are enough for another round.
    for number in 0..40 {
        tree = tree.skill(&format!("skills/group-1/more/skills/deep-{number}"));
    }
    let seen = tree.load("skills");
    assert_eq!(seen.lines().count(), 160, "{seen}");
    assert!(
        seen.lines().all(|line| line.starts_with("active")),
        "{seen}"
    );
}
