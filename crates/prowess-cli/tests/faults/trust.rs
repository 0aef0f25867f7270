//! Rows 33 and 43 to 45: whose skills reach a model.

use std::{fs, path::Path};

use expect_test::expect;

use crate::bench::{own, prowess, write};

/// A project and a home, each with what the case puts there.
struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(world.path().join("work/.git")).unwrap();
        own(world.path());
        world
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn skill(&self, path: &str, name: &str, description: &str) {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n");
        write(self.path(), &format!("{path}/SKILL.md"), &text);
    }

    fn run(&self, line: &str) -> String {
        let output = prowess(self.path())
            .args(line.split(' '))
            .current_dir(self.path().join("work"))
            .output()
            .unwrap();
        let told = [output.stdout, output.stderr].concat();
        let real = fs::canonicalize(self.path()).unwrap();
        String::from_utf8(told)
            .unwrap()
            .replace(&*real.to_string_lossy(), "$HOME")
    }
}

#[test]
fn row_33_a_project_skill_takes_a_users_name_only_when_it_is_trusted() {
    let world = World::new();
    world.skill(
        ".agents/skills/review",
        "review",
        "Is the user's. Use when asked.",
    );
    world.skill(
        "work/.agents/skills/review",
        "review",
        "Is the project's. Use when asked.",
    );
    expect![[r#"
        <available_skills>
          <skill>
            <name>review</name>
            <description>Is the user&apos;s. Use when asked.</description>
            <location>$HOME/.agents/skills/review/SKILL.md</location>
          </skill>
        </available_skills>
        hint: 1 skill of an untrusted project is left out; look at the project, then run `prowess trust`
    "#]].assert_eq(&world.run("prompt"));
    world.run("trust review");
    expect![[r#"
        <available_skills>
          <skill>
            <name>review</name>
            <description>Is the project&apos;s. Use when asked.</description>
            <location>$HOME/work/.agents/skills/review/SKILL.md</location>
          </skill>
        </available_skills>
    "#]]
    .assert_eq(&world.run("prompt"));
    expect![[r#"
        warning[shadowed]: the user skill `review` is hidden by the project skill of the same name at `$HOME/work/.agents/skills/review/SKILL.md`
         --> ~/.agents/skills/review/SKILL.md
          = help: rename one of the two to use both

        2 skills checked (standard profile): 1 warning
        hint: `prowess explain shadowed` says more; each code has its page
    "#]]
    .assert_eq(&world.run("check"));
}

#[test]
fn row_31_a_look_alike_is_told_before_it_is_trusted() {
    let world = World::new();
    world.skill(
        ".agents/skills/deploy",
        "deploy",
        "Is the user's. Use when asked.",
    );
    world.skill(
        "work/.agents/skills/x",
        "d\u{435}ploy",
        "Is the project's. Use when asked.",
    );
    expect![[r#"
        error[name-differs-from-folder]: the skill is called `dеploy` and its folder `x`; clients differ in which they use
         --> .agents/skills/x/SKILL.md:2:7
          |
        2 | name: dеploy
          |       ^^^^^^ call it `x`, or its folder `dеploy`

        error[non-ascii-name]: `dеploy` is a name by the standard, but Copilot CLI drops the skill
         --> .agents/skills/x/SKILL.md:2:7
          |
        2 | name: dеploy
          |       ^^^^^^ write it in `a-z`, `0-9` and hyphens, and keep the word itself in the description

        warning[confusable-name]: the name `d\u{435}ploy` looks like `deploy` at `$HOME/.agents/skills/deploy/SKILL.md`, which is trusted more and stays in use
         --> .agents/skills/x/SKILL.md
          = help: rename the skill so that nobody takes it for the other

        2 skills checked (standard profile): 2 errors and 1 warning
        hint: `prowess explain confusable-name` says more; each code has its page
        hint: 1 of these can be fixed by `--fix`; `--fix --dry-run` shows how
    "#]].assert_eq(&world.run("check"));
    world.run("trust");
    assert!(!world.run("prompt").contains("Is the project's"));
}

#[test]
fn row_43_an_untrusted_project_is_listed_and_not_loaded() {
    let world = World::new();
    world.skill(".agents/skills/mine", "mine", "Is mine. Use when asked.");
    world.skill(
        "work/.agents/skills/theirs",
        "theirs",
        "Is theirs. Use when asked.",
    );
    expect![[r#"
        NAME    SCOPE    STATE      TOKENS  DESCRIPTION
        mine    user                     2  Is mine. Use when asked.
        theirs  project  untrusted       2  Is theirs. Use when asked.
        2 skills
        hint: 1 untrusted skill is not given to a model until you look at the project and run `prowess trust`
    "#]].assert_eq(&world.run("list"));
    for line in [
        "prompt",
        "select theirs",
        "activate theirs",
        "context theirs",
        "inject theirs --threshold 0",
        "export",
        "tool describe",
        "read theirs SKILL.md",
        "resources theirs",
    ] {
        assert!(!world.run(line).contains("Is theirs"), "{line}");
    }
    assert!(world.run("prompt --trust").contains("Is theirs"));
    assert!(!world.run("list --no-project").contains("theirs"));
}

#[test]
fn row_44_a_repository_cannot_vouch_for_itself() {
    let world = World::new();
    world.skill("trusted/.agents/skills/a", "a", "Is a. Use when asked.");
    fs::create_dir_all(world.path().join("trusted/.git/worktrees/x")).unwrap();
    let trusted = world.path().join("trusted");
    prowess(world.path())
        .arg("trust")
        .current_dir(&trusted)
        .output()
        .unwrap();
    // It names itself, and pretends to be a worktree of the trusted one.
    world.skill(
        "work/.agents/skills/theirs",
        "theirs",
        "Is theirs. Use when asked.",
    );
    write(
        world.path(),
        "work/prowess.toml",
        "[trust]\nprojects = [\".\"]\nhidden = []\n[sources]\nlinks = [\"/\"]\n",
    );
    fs::remove_dir_all(world.path().join("work/.git")).unwrap();
    let gitdir = format!("gitdir: {}/.git/worktrees/x\n", trusted.display());
    write(world.path(), "work/.git", &gitdir);
    write(
        world.path(),
        "trusted/.git/worktrees/x/commondir",
        "../..\n",
    );
    expect![[r#"
        warning[ignored-setting]: `trust` in a project's config is ignored
         --> prowess.toml:1:1
          |
        1 | [trust]
          | ^^^^^^^ only the user's own config can set it

        warning[ignored-setting]: `sources.links` in a project's config is ignored
         --> prowess.toml:5:9
          |
        5 | links = ["/"]
          |         ^^^^^ only the user's own config can set it

        hint: 1 skill of an untrusted project is left out; look at the project, then run `prowess trust`
        hint: no skill can be given to a model; `prowess list --all` shows what is here
    "#]].assert_eq(&world.run("prompt"));
    // A store that the project brings along is nobody's.
    write(
        world.path(),
        "work/.local/state/prowess/trust.json",
        "{\"version\":2,\"entries\":[]}",
    );
    assert!(!world.run("prompt").contains("Is theirs"));
}

#[test]
fn row_45_a_trusted_skill_that_changes_asks_again() {
    let world = World::new();
    world.skill("work/.agents/skills/a", "a", "Is a. Use when asked.");
    world.skill("work/.agents/skills/b", "b", "Is b. Use when asked.");
    write(world.path(), "work/.agents/skills/a/run.sh", "echo one\n");
    world.run("trust");
    assert!(world.run("prompt").contains("Is a."));
    write(world.path(), "work/.agents/skills/a/run.sh", "echo two\n");
    expect![[r#"
        <available_skills>
          <skill>
            <name>b</name>
            <description>Is b. Use when asked.</description>
            <location>$HOME/work/.agents/skills/b/SKILL.md</location>
          </skill>
        </available_skills>
        hint: 1 skill changed since you trusted it and is left out; `prowess trust --diff` shows how
    "#]]
    .assert_eq(&world.run("prompt"));
    expect![[r#"
        2 skills checked (standard profile): 1 hint
        hint: `--hints` shows the hints
    "#]]
    .assert_eq(&world.run("check"));
    expect![[r#"
        `a` changed since it was trusted: 1 file altered
          altered  run.sh
        hint: 1 skill waits for trust; `prowess trust` gives it, `prowess trust --deny NAME` refuses it for good
    "#]].assert_eq(&world.run("trust --diff"));
    // Back to what was trusted, it is trusted.
    write(world.path(), "work/.agents/skills/a/run.sh", "echo one\n");
    assert!(world.run("prompt").contains("Is a."));
}

#[test]
fn row_45_of_many_commands_that_trust_at_once_none_is_lost() {
    let world = World::new();
    let names: Vec<String> = (0..8).map(|at| format!("skill-{at}")).collect();
    for name in &names {
        let path = format!("work/.agents/skills/{name}");
        world.skill(&path, name, "Is here. Use when asked.");
    }
    let running: Vec<_> = names
        .iter()
        .map(|name| {
            let mut command = prowess(world.path());
            command
                .args(["trust", name])
                .current_dir(world.path().join("work"))
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let told = world.run("trust --list");
    assert_eq!(told.lines().count(), names.len(), "{told}");
}

#[test]
fn row_44_a_projects_config_shows_nothing_from_outside() {
    let world = World::new();
    world.skill(".agents/skills/mine", "mine", "Is mine. Use when asked.");
    write(world.path(), "secret.txt", "hunter2 is the word\n");
    let config = world.path().join("work/prowess.toml");
    std::os::unix::fs::symlink("../secret.txt", &config).unwrap();
    expect![[r#"
        error: the config `prowess.toml` is a link that leads out of its project, and is not read
        hint: put the file itself there, or leave the project out with `--no-project`
    "#]]
    .assert_eq(&world.run("list"));
    assert!(world.run("list --no-project").contains("Is mine."));
}

/// What a skill's text can name to a tool, and Prowess itself never hands out.
#[test]
fn row_71_version_control_links_and_run_bits_are_part_of_what_is_trusted() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let world = World::new();
    let folder = world.path().join("work/.agents/skills/a");
    world.skill("work/.agents/skills/a", "a", "Is a. Use when asked.");
    write(world.path(), "work/.agents/skills/a/.svn/run.sh", "one\n");
    write(world.path(), "work/.agents/skills/a/tool", "one\n");
    write(world.path(), "work/helper.sh", "one\n");
    assert!(world.run("trust").contains("`a` is trusted with 3 files"));
    assert!(world.run("activate a").contains("Do it."));
    let executable = |mode| {
        let tool = folder.join("tool");
        fs::set_permissions(tool, fs::Permissions::from_mode(mode)).unwrap();
    };
    executable(0o755);
    write(world.path(), "work/.agents/skills/a/.svn/run.sh", "two\n");
    let refused = expect![[r#"
        error: `a` cannot be used (untrusted): its files changed since it was trusted; `prowess trust --diff` shows how
        hint: `prowess why a` tells its whole story
    "#]];
    refused.assert_eq(&world.run("activate a"));
    expect![[r#"
        `a` changed since it was trusted: 2 files altered
          altered  .svn/run.sh
          altered  tool
        hint: 1 skill waits for trust; `prowess trust` gives it, `prowess trust --deny NAME` refuses it for good
    "#]].assert_eq(&world.run("trust --diff"));
    executable(0o644);
    write(world.path(), "work/.agents/skills/a/.svn/run.sh", "one\n");
    assert!(world.run("activate a").contains("Do it."));
    symlink("../../../helper.sh", folder.join("helper.sh")).unwrap();
    refused.assert_eq(&world.run("activate a"));
    let outside = expect![[r#"
        error: `a` cannot be trusted
          cause: the link `helper.sh` leads out of `a`, where a change would not be seen
        hint: put the file itself there, or trust the whole project with `[trust] projects`
    "#]];
    outside.assert_eq(&world.run("trust"));
    assert!(world.run("trust --diff").contains("leads out of `a`"));
    refused.assert_eq(&world.run("activate a"));
}

#[test]
fn row_71_what_an_earlier_version_trusted_asks_again() {
    let world = World::new();
    world.skill("work/.agents/skills/a", "a", "Is a. Use when asked.");
    world.skill("work/.agents/skills/b", "b", "Is b. Use when asked.");
    world.run("trust a");
    world.run("trust --deny b");
    let store = world.path().join(".local/state/prowess/trust.json");
    let text = fs::read_to_string(&store).unwrap();
    fs::write(&store, text.replace("\"version\": 3", "\"version\": 2")).unwrap();
    assert!(
        world
            .run("prompt")
            .contains("1 skill changed since you trusted it")
    );
    expect![[r#"
        `a` was trusted by an earlier version, which did not look at links, at which files may be run and at `.git`, `.hg` and `.svn`
        hint: 1 skill waits for trust; `prowess trust` gives it, `prowess trust --deny NAME` refuses it for good
    "#]].assert_eq(&world.run("trust --diff a"));
    expect![[r#"
        `a` is trusted again
        hint: it may reach a model until its files change; `prowess trust --revoke` takes that back
    "#]]
    .assert_eq(&world.run("trust a"));
    let prompt = world.run("prompt");
    assert!(
        prompt.contains("Is a.") && !prompt.contains("Is b."),
        "{prompt}"
    );
}
