//! Skills from elsewhere: added, put back to the byte, verified, removed.

use std::{fs, process::Command};

use expect_test::expect;

use crate::{
    schema::fits,
    world::{World, skill},
};

pub(crate) fn git(world: &World, line: &str) {
    let output = Command::new("git")
        .args(line.split_whitespace())
        .current_dir(world.path("upstream"))
        .env("HOME", world.path("home"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

pub(crate) fn run(world: &World, line: &str) -> (Option<i32>, String) {
    let path = std::env::var_os("PATH").unwrap();
    let output = world.command(line).env("PATH", path).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

pub(crate) fn upstream() -> World {
    let world = World::new();
    world.file("upstream/skills/pdf/SKILL.md", skill("pdf", "Fills forms"));
    world.file("upstream/skills/pdf/notes.md", "one\r\ntwo\n");
    world.file("upstream/skills/sql/SKILL.md", skill("sql", "Asks tables"));
    world
}

/// Added, deleted, put back without a network, changed, removed.
pub(crate) fn round_trip(world: &World, source: &str) {
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
    commit(&world);
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

/// A repository with two skills, and one of them installed.
fn installed() -> World {
    let world = upstream();
    git(&world, "init -q -b main");
    commit(&world);
    let source = format!("file://{}", world.path("upstream").display());
    let (code, text) = run(&world, &format!("add {source} --all --yes"));
    assert_eq!(code, Some(0), "{text}");
    world
}

pub(crate) fn commit(world: &World) {
    git(world, "add -A");
    git(
        world,
        "-c user.name=a -c user.email=a@b -c core.autocrlf=false commit -q -m next",
    );
}

/// What a run shows, without what differs from run to run.
fn seen(world: &World, line: &str) -> String {
    let (code, text) = run(world, line);
    let place = world.path("").display().to_string();
    let text = text.replace(&place, "…/");
    let words = text.split_inclusive([' ', '\n', ')']);
    let words = words.map(|word| {
        let hex = word.trim_end().trim_end_matches(')');
        let is_hex = hex.len() == 12 && hex.bytes().all(|it| it.is_ascii_hexdigit());
        if is_hex {
            word.replace(hex, "COMMIT")
        } else {
            word.to_owned()
        }
    });
    format!("{}-- exit {}\n", words.collect::<String>(), code.unwrap())
}

#[test]
fn an_update_is_shown_as_a_diff_and_asked_for() {
    let world = installed();
    expect![[r#"
        2 skills, none has a new version
        -- exit 0
    "#]]
    .assert_eq(&seen(&world, "outdated"));
    let new = skill("pdf", "Fills forms").replace("1. Go.", "1. Stop.\n2. Go.");
    let new = new.replace("---\n#", "allowed-tools: Bash(rm:*)\n---\n#");
    world.file("upstream/skills/pdf/SKILL.md", new);
    world.file("upstream/skills/pdf/scripts/go.sh", "echo go\n");
    commit(&world);
    let lock = world.read("work/prowess.lock");
    expect![[r#"
        NAME  HAVE          NEW           STATE  FROM
        pdf   COMMIT  COMMIT  newer  file://…/upstream
        2 skills, 1 with a new version
        hint: `prowess update --dry-run` shows what would change
        -- exit 1
    "#]]
    .assert_eq(&seen(&world, "outdated"));
    expect![[r#"
        pdf: COMMIT to COMMIT
          from      file://…/upstream
          asks for  Bash(rm:*), and did not before
          changed   SKILL.md (111 bytes)
            @@ -2,6 +2,8 @@
             name: pdf
             description: Fills forms. Use when asked.
            +allowed-tools: Bash(rm:*)
             ---
             # Steps
    
            -1. Go.
            +1. Stop.
            +2. Go.
          added     scripts/go.sh (8 bytes, a script)
            @@ -0,0 +1 @@
            +echo go
        nothing was changed; 1 skill would be
        -- exit 0
    "#]]
    .assert_eq(&seen(&world, "update --dry-run"));
    assert_eq!(world.read("work/prowess.lock"), lock);
    assert_eq!(run(&world, "update").0, Some(2), "nobody can be asked");
    assert_eq!(world.read("work/prowess.lock"), lock);
    fits(&world, "update", "update --dry-run --json");
    fits(&world, "outdated", "outdated --json");
    let (code, text) = run(&world, "update --yes");
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("prowess trust pdf"),
        "other tools ask again: {text}"
    );
    let (_, text) = run(&world, "list");
    assert!(text.contains("changed since you trusted it"), "{text}");
    assert_eq!(run(&world, "verify").0, Some(0));
    expect![[r#"
        2 skills, none has a new version
        -- exit 0
    "#]]
    .assert_eq(&seen(&world, "update --yes"));
}

#[test]
fn edits_are_kept_or_the_skill_is_left_alone() {
    let world = installed();
    let lines = |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n{last}\n");
    world.file("upstream/skills/pdf/notes.md", lines("one", "six"));
    commit(&world);
    assert_eq!(run(&world, "update --yes").0, Some(0));
    // Another line here than there.
    world.file("work/.agents/skills/pdf/notes.md", lines("mine", "six"));
    world.file("upstream/skills/pdf/notes.md", lines("one", "SIX"));
    commit(&world);
    let (code, text) = run(&world, "update --yes");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(
        world.read("work/.agents/skills/pdf/notes.md"),
        lines("mine", "SIX")
    );
    // The same line.
    world.file("upstream/skills/pdf/notes.md", lines("theirs", "SIX"));
    world.file(
        "upstream/skills/sql/SKILL.md",
        skill("sql", "Asks more tables"),
    );
    commit(&world);
    let (code, text) = run(&world, "update --yes");
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("`pdf` was changed here in `notes.md` too"),
        "{text}"
    );
    assert_eq!(
        world.read("work/.agents/skills/pdf/notes.md"),
        lines("mine", "SIX")
    );
    assert!(
        world
            .read("work/.agents/skills/sql/SKILL.md")
            .contains("more"),
        "the other one came"
    );
}

#[test]
fn what_is_pinned_or_gone_or_unreachable_stays() {
    let world = installed();
    let source = format!("file://{}", world.path("upstream").display());
    git(&world, "tag v1");
    let other = format!("add {source} --skill pdf --pin v1 --yes");
    assert_eq!(run(&world, &other).0, Some(0));
    fs::remove_dir_all(world.path("upstream/skills/sql")).unwrap();
    world.file("upstream/skills/pdf/notes.md", "new\n");
    commit(&world);
    expect![[r#"
        warning: `file://…/upstream` does not have `sql` any more; it stays as it is
        -- exit 1
    "#]]
    .assert_eq(&seen(&world, "update --yes"));
    fs::rename(world.path("upstream"), world.path("elsewhere")).unwrap();
    let (code, text) = run(&world, "update --yes");
    assert_eq!(code, Some(3), "{text}");
    assert_eq!(run(&world, "verify").0, Some(0));
}

/// On a machine without the source: the same bytes, modes and lock, and a source to update from.
#[test]
fn a_bundle_brings_the_same_files_and_lock_elsewhere() {
    let world = upstream();
    world.file("upstream/skills/sql/scripts/go.sh", "echo\n");
    git(&world, "init -q -b main");
    git(&world, "add -A");
    git(&world, "update-index --chmod=+x skills/sql/scripts/go.sh");
    commit(&world);
    let url = format!("file://{}", world.path("upstream").display());
    let (code, text) = run(&world, &format!("add {url} --all --yes"));
    assert_eq!(code, Some(0), "{text}");
    fits(&world, "bundle", "bundle -o ../a.prowess-bundle --json");
    assert_eq!(run(&world, "bundle -o ../b.prowess-bundle").0, Some(0));
    let bytes = |name: &str| fs::read(world.path(name)).unwrap();
    assert_eq!(bytes("a.prowess-bundle"), bytes("b.prowess-bundle"));
    assert_eq!(run(&world, "bundle -o ../b.zip").0, Some(2));
    // Another machine: no store, no source, no network.
    let other = World::new();
    other.file("skills.prowess-bundle", bytes("a.prowess-bundle"));
    fits(
        &other,
        "add",
        "add ../skills.prowess-bundle --dry-run --json",
    );
    let (code, text) = run(&other, "add ../skills.prowess-bundle --yes");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(
        other.read("work/prowess.lock"),
        world.read("work/prowess.lock")
    );
    for line in [
        "verify --full",
        "sync --frozen --offline",
        "add ../skills.prowess-bundle --yes",
    ] {
        let (code, text) = run(&other, line);
        assert_eq!(code, Some(0), "{line}: {text}");
    }
    world.file("upstream/skills/pdf/notes.md", "three\n");
    commit(&world);
    let (code, text) = run(&other, "update pdf --yes");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(other.read("work/.agents/skills/pdf/notes.md"), "three\n");
    let mut damaged = bytes("a.prowess-bundle");
    damaged.truncate(damaged.len() - 9);
    other.file("cut.prowess-bundle", damaged);
    assert_eq!(run(&other, "add ../cut.prowess-bundle --yes").0, Some(3));
}
