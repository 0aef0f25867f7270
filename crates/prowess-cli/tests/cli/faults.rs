//! Bad input and readers that go away: a clear word, never a panic, never a disturbed terminal.

use std::process::Stdio;

use expect_test::expect;

use crate::world::{World, skill};

#[cfg(unix)]
#[test]
fn names_cannot_disturb_a_terminal() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let world = World::new();
    for name in [
        &b"new\nline"[..],
        b"ansi\x1b[31m",
        "bidi\u{202e}".as_bytes(),
        b"raw\xff",
    ] {
        let folder = world.path("work/skills").join(OsStr::from_bytes(name));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "---\nname: \"a\\e[2Jb\\u202E\"\ndescription: \"x\\e]0;title\\a. Use when asked.\"\n---\nGo.\n";
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    for line in [
        "list --all",
        "list --json",
        "check",
        "check --format github",
        "check --format sarif",
        "why a",
        "clients",
        "prompt",
    ] {
        let output = world.output(&format!("{line} --local --dir skills"));
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            // A pipe may hold what XML and JSON allow; no control character is among it.
            let bad = |c: &char| c.is_control() && *c != '\n';
            let hidden = line != "prompt"
                && text.contains('\u{202e}')
                && !line.contains("json")
                && !line.contains("sarif");
            assert!(
                text.chars().find(bad).is_none() || line == "prompt",
                "{line}: {text:?}"
            );
            assert!(!hidden, "{line}: {text:?}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let world = World::new();
    for number in 0..400 {
        world.file(
            &format!("work/skills/s{number}/SKILL.md"),
            skill(&format!("s{number}"), "Does a thing"),
        );
    }
    for line in ["list --json", "export", "prompt", "check --json"] {
        let mut child = world
            .command(&format!("{line} --local --dir skills"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            !told.contains("panic") && !told.contains("error"),
            "{line}: {told}"
        );
        assert_eq!(output.status.code(), Some(0), "{line}");
    }
}

#[test]
fn a_wrong_command_line_is_told() {
    let world = World::new();
    for line in [
        "",
        "lsit",
        "list --frobnicate",
        "check --format xml",
        "read a",
    ] {
        let output = world.output(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(output.stdout.is_empty());
    }
    world.session(&expect![[r#"
        $ prowess check --profile loose
        -- stderr
        error: invalid value 'loose' for '--profile <PROFILE>'
          [possible values: lenient, standard, skills-ref, strict]

        For more information, try '--help'.
        -- exit 2
    "#]]);
}

#[test]
fn a_catalog_that_is_not_one_is_told_line_by_line() {
    let world = World::with(&[(
        "c.jsonl",
        "{\"name\":\"a\",\"description\":\"Does a. Use when asked.\",\"body\":\"Go.\"}\nnonsense\n",
    )]);
    world.session(&expect![[r#"
        $ prowess list --catalog c.jsonl
        NAME  SCOPE     TOKENS  DESCRIPTION
        a     explicit       1  Does a. Use when asked.
        -- stderr
        1 skill
        hint: 1 finding about files that are not skills; `prowess check` shows it
        $ prowess check --catalog c.jsonl
        error[invalid-line]: line 2 is not a skill and is left out: expected ident
         --> c.jsonl:2:2
          = help: write one object with at least `name` and `description`

        -- stderr
        1 skill checked (standard profile): 1 error
        hint: `prowess explain invalid-line` says more; each code has its page
        -- exit 1
        $ prowess list --catalog missing.jsonl
        -- stderr
        error: cannot read the catalog `missing.jsonl`
          cause: No such file or directory (os error 2)
        -- exit 3
    "#]]);
}

#[cfg(unix)]
#[test]
fn a_config_that_is_a_pipe_does_not_hang() {
    let world = World::new();
    let made = std::process::Command::new("mkfifo")
        .arg(world.path("work/prowess.toml"))
        .status();
    if made.is_ok_and(|status| status.success()) {
        world.session(&expect![[r#"
            $ prowess list
            -- stderr
            error: cannot read the config `[..]/work/prowess.toml`
              cause: it is not a regular file
            hint: fix it, or name another with `--config FILE`
            -- exit 3
        "#]]);
    }
}
