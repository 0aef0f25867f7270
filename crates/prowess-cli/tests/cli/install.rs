//! Skills from elsewhere: added, put back to the byte, verified, removed.

use std::{fs, process::Command};

use expect_test::expect;

use crate::{
    schema::fits,
    world::{World, skill},
};

fn git(world: &World, line: &str) {
    let output = Command::new("git")
        .args(line.split_whitespace())
        .current_dir(world.path("upstream"))
        .env("HOME", world.path("home"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn run(world: &World, line: &str) -> (Option<i32>, String) {
    let path = std::env::var_os("PATH").unwrap();
    let output = world.command(line).env("PATH", path).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn upstream() -> World {
    let world = World::new();
    world.file("upstream/skills/pdf/SKILL.md", skill("pdf", "Fills forms"));
    world.file("upstream/skills/pdf/notes.md", "one\r\ntwo\n");
    world.file("upstream/skills/sql/SKILL.md", skill("sql", "Asks tables"));
    world
}

/// Added, deleted, put back without a network, changed, removed.
fn round_trip(world: &World, source: &str) {
    let (code, text) = run(world, &format!("add {source} --skill pdf"));
    assert_eq!(code, Some(2), "nobody can be asked: {text}");
    assert!(!world.path("work/.agents").join("skills/pdf").exists());
    let (code, text) = run(world, &format!("add {source} --skill pdf --yes"));
    assert_eq!(code, Some(0), "{text}");
    let lock = world.read("work/prowess.lock");
    let folder = world.path("work/.agents/skills/pdf");
    assert_eq!(run(world, "verify").0, Some(0));
    assert!(!run(world, "list").1.contains("untrusted"));
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(run(world, "verify").0, Some(1));
    let (code, text) = run(world, "sync --frozen --offline");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(fs::read(folder.join("notes.md")).unwrap(), b"one\r\ntwo\n");
    assert_eq!(world.read("work/prowess.lock"), lock);
    assert_eq!(run(world, "verify --full").0, Some(0));
    world.file("work/.agents/skills/pdf/notes.md", "mine\n");
    let (code, text) = run(world, "verify");
    assert_eq!(code, Some(1));
    assert!(text.contains("changed"), "{text}");
    assert_eq!(run(world, "sync").0, Some(1), "an edit is left alone");
    assert_eq!(run(world, "remove pdf").0, Some(1), "an edit is not lost");
    assert_eq!(run(world, "sync --force --offline").0, Some(0));
    assert_eq!(run(world, "remove pdf").0, Some(0));
    assert!(!folder.exists());
    assert!(!world.read("work/prowess.toml").contains("pdf"));
}

#[test]
fn a_folder_comes_back_to_the_byte() {
    let world = upstream();
    round_trip(&world, "../upstream");
}

#[test]
fn a_repository_comes_back_to_the_byte() {
    let world = upstream();
    git(&world, "init -q -b main");
    git(&world, "add -A");
    git(
        &world,
        "-c user.name=a -c user.email=a@b -c core.autocrlf=false commit -q -m one",
    );
    let source = format!("file://{}", world.path("upstream").display());
    round_trip(&world, &source);
}

#[test]
fn what_machines_read_has_the_published_shape() {
    let world = upstream();
    fits(&world, "add", "add ../upstream --all --dry-run --json");
    fits(&world, "add", "add ../upstream --skill pdf --yes --json");
    world.file("work/.agents/skills/pdf/more.md", "mine\n");
    fits(&world, "verify", "verify --json");
    fits(&world, "sync", "sync --json --offline");
    fits(&world, "list-installed", "list --installed --json");
}

#[test]
fn what_was_brought_is_listed_with_its_state() {
    let world = upstream();
    assert_eq!(run(&world, "add ../upstream --all --yes").0, Some(0));
    world.file("work/.agents/skills/pdf/more.md", "mine\n");
    expect![[r#"
        NAME  SCOPE    STATE   AT            FROM
        pdf   project  edited  ba6b5eb778c2  ../upstream skills/pdf
        sql   project  same    2aa842e30cee  ../upstream skills/sql
        2 skills, 1 not as locked; `prowess verify` names the files
    "#]]
    .assert_eq(&run(&world, "list --installed").1);
}

#[test]
fn a_damaged_lock_is_never_written_over() {
    let world = upstream();
    world.file("work/prowess.lock", "version = 1\n[[skill]]\n");
    for line in ["add ../upstream --all --yes", "sync", "verify"] {
        let (code, text) = run(&world, line);
        assert_eq!(code, Some(3), "{line}: {text}");
    }
    assert_eq!(world.read("work/prowess.lock"), "version = 1\n[[skill]]\n");
}
