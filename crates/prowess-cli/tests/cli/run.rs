//! `prowess run`: a skill's scripts in a sandbox.

use expect_test::expect;

use crate::world::{World, skill};

fn world() -> World {
    World::with(&[
        ("skills/count/SKILL.md", &skill("count", "Counts words")),
        (
            "skills/count/scripts/count.sh",
            "#!/bin/sh\necho $# words; echo ready >&2\n",
        ),
        ("skills/count/scripts/fail.sh", "#!/bin/sh\nexit 7\n"),
        ("skills/count/scripts/steal.sh", "cat \"$1\"\n"),
        ("skills/count/notes.txt", "no script\n"),
        ("secret.txt", "hunter2\n"),
    ])
}

#[test]
fn scripts_are_listed_and_run_with_their_own_code() {
    let world = world();
    world.session(&expect![[r#"
        $ prowess run count --dir skills
        scripts/count.sh
        scripts/fail.sh
        scripts/steal.sh
        $ prowess run count scripts/count.sh --dir skills --yes -- a b c
        3 words
        -- stderr
        ready
        $ prowess run count scripts/fail.sh --dir skills --yes
        -- exit 7
    "#]]);
}

#[test]
fn what_is_outside_is_refused_with_the_grant_that_allows_it() {
    let world = world();
    let secret = world.path("work/secret.txt").display().to_string();
    let shown = world.run(&format!(
        "run count scripts/steal.sh --dir skills --yes -- {secret}"
    ));
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(
        shown.contains("--grant read:[..]/work/secret.txt"),
        "{shown}"
    );
    let shown = world.run(&format!(
        "run count scripts/steal.sh --dir skills --yes --grant read:{secret} -- {secret}"
    ));
    assert!(shown.starts_with("hunter2\n"), "{shown}");
}

#[test]
fn nobody_who_can_answer_means_no_run() {
    let world = world();
    let shown = world.run("run count scripts/count.sh --dir skills");
    assert!(!shown.contains("0 words"), "{shown}");
    assert!(
        shown.ends_with(
            "error: nobody can be asked here\nhint: look at the above, then add `--yes`\n-- exit 2\n"
        ),
        "{shown}"
    );
}

#[test]
fn a_policy_of_never_holds_and_a_project_cannot_widen_it() {
    let world = world();
    world.file(
        "home/.config/prowess/config.toml",
        "[run]\npolicy = \"never\"\n",
    );
    world.file("work/prowess.toml", "[run]\npolicy = \"trusted\"\n");
    world.session(&expect![[r#"
        $ prowess run count scripts/count.sh --dir skills --yes
        -- stderr
        error: scripts do not run here: `[run] policy` is `never` (~/.config/prowess/config.toml)
        hint: your own config can say `ask` or `trusted`; a project can only narrow it
        -- exit 3
    "#]]);
}

#[test]
fn a_script_that_is_not_there_names_those_that_are() {
    world().session(&expect![[r#"
        $ prowess run count scripts/cuont.sh --dir skills --yes
        -- stderr
        error: the skill has no script `scripts/cuont.sh`
        hint: it has scripts/count.sh, scripts/fail.sh and scripts/steal.sh
        -- exit 1
    "#]]);
}

#[test]
fn json_tells_what_came_of_it() {
    let world = world();
    let answer = world.json("run count scripts/count.sh --dir skills --yes --json -- a");
    assert_eq!(answer["stdout"], "1 words\n");
    assert_eq!(answer["code"], 0);
    assert_eq!(answer["stop"]["how"], "exit");
    assert_eq!(answer["seal"].as_str().unwrap().len(), 64);
}
