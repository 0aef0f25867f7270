//! Whose skills reach a model.

use expect_test::expect;

use crate::world::{World, skill};

fn project() -> World {
    let world = World::with(&[(
        ".agents/skills/review/SKILL.md",
        &skill("review", "Reviews code"),
    )]);
    world.file("work/.agents/skills/review/notes.md", "Notes.\n");
    world
}

#[test]
fn an_untrusted_project_is_shown_and_not_handed_out() {
    let world = project();
    expect![[r#"
        NAME    SCOPE    STATE      TOKENS  DESCRIPTION
        review  project  untrusted       4  Reviews code. Use when asked.
        -- stderr
        1 skill
        hint: 1 untrusted skill is not given to a model until you look at the project and run `prowess trust`
        -- exit 0
    "#]].assert_eq(&world.run("list"));
    expect![[r#"
        -- stderr
        hint: 1 skill of an untrusted project is left out; look at the project, then run `prowess trust`
        hint: no skill can be given to a model; `prowess list --all` shows what is here
        -- exit 1
    "#]].assert_eq(&world.run("prompt"));
    expect![[r#"
        -- stderr
        error: the project of `review` is not trusted, so its files are not handed out
        hint: look at the project, then run `prowess trust`, or use `--trust` for one run
        -- exit 3
    "#]]
    .assert_eq(&world.run("read review notes.md"));
    expect![[r#"
        -- stderr
        0 skills written
        hint: 1 skill of an untrusted project is left out; look at the project, then run `prowess trust`
        -- exit 0
    "#]].assert_eq(&world.run("export"));
    assert_eq!(
        world.run("read review notes.md --trust"),
        "Notes.\n-- exit 0\n"
    );
}

#[test]
fn trust_is_given_listed_and_taken_back() {
    let world = project();
    expect![[r#"
        -- stderr
        `[..]/work` is trusted: its skills may reach a model
        hint: `prowess trust --revoke` takes that back
        -- exit 0
    "#]]
    .assert_eq(&world.run("trust"));
    expect![[r#"
        [..]/work
        -- exit 0
    "#]]
    .assert_eq(&world.run("trust --list"));
    expect![[r#"
        NAME    SCOPE    TOKENS  DESCRIPTION
        review  project       4  Reviews code. Use when asked.
        -- stderr
        1 skill
        -- exit 0
    "#]]
    .assert_eq(&world.run("list"));
    assert!(world.run("trust").contains("is trusted already"));
    expect![[r#"
        -- stderr
        `[..]/work` is no longer trusted
        -- exit 0
    "#]]
    .assert_eq(&world.run("trust --revoke"));
    expect![[r#"
        -- stderr
        error: `[..]/work` is not in the list of trusted projects
        hint: `prowess trust --list` shows them
        -- exit 1
    "#]]
    .assert_eq(&world.run("trust --revoke"));
    assert!(world.run("list").contains("untrusted"));
}

#[test]
fn a_project_cannot_vouch_for_itself() {
    let world = project();
    world.file(
        "work/prowess.toml",
        "[trust]\nprojects = [\".\"]\n[sources]\ndirs = [\"own\"]\n",
    );
    world.file(
        "work/own/mine/SKILL.md",
        skill("mine", "Is the project's own"),
    );
    // A `.git` that points elsewhere makes the folder no other project's.
    std::fs::remove_dir_all(world.path("work/.git")).unwrap();
    world.file("work/.git", "gitdir: ../home/.git/worktrees/work\n");
    expect![[r#"
        NAME    SCOPE    STATE      TOKENS  DESCRIPTION
        mine    project  untrusted       4  Is the project's own. Use when asked.
        review  project  untrusted       4  Reviews code. Use when asked.
        -- stderr
        warning[ignored-setting]: `trust` in a project's config is ignored
         --> prowess.toml:1:1
          |
        1 | [trust]
          | ^^^^^^^ only the user's own config can set it

        2 skills
        hint: 2 untrusted skills are not given to a model until you look at the project and run `prowess trust`
        -- exit 0
    "#]].assert_eq(&world.run("list"));
}

#[test]
fn a_damaged_store_trusts_nothing_and_says_so() {
    let world = project();
    world.file("home/.local/state/prowess/trust.json", "{\"version\":1,");
    expect![[r#"
        -- stderr
        error: cannot read the trusted projects in `~/.local/state/prowess/trust.json`
          cause: EOF while parsing a value at line 1 column 13
        hint: until that is mended no project is trusted
        hint: 1 skill of an untrusted project is left out; look at the project, then run `prowess trust`
        hint: no skill can be given to a model; `prowess list --all` shows what is here
        -- exit 1
    "#]]
    .assert_eq(&world.run("prompt"));
    assert_eq!(world.output("list --trust").status.code(), Some(0));
}
