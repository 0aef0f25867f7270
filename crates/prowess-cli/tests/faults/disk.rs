//! Rows 19 to 35: what lies where a skill should, and what its paths lead to.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    process::Command,
};

use expect_test::expect;

use crate::bench::{GOOD, file, is_root, own, prowess, run, run_line, tree, write};

#[test]
fn row_22_not_a_regular_file() {
    tree(
        |root| {
            for name in ["pipe", "folder"] {
                fs::create_dir(root.join(name)).unwrap();
            }
            assert!(
                Command::new("mkfifo")
                    .arg(root.join("pipe/SKILL.md"))
                    .status()
                    .unwrap()
                    .success()
            );
            fs::create_dir(root.join("folder/SKILL.md")).unwrap();
            fs::create_dir(root.join("socket")).unwrap();
            std::os::unix::net::UnixListener::bind(root.join("socket/SKILL.md")).unwrap();
        },
        &expect![[r#"
            folder/SKILL.md: broken
              1:1 error[not-regular-file]: `$ROOT/folder/SKILL.md` is a folder, not a file with text
            pipe/SKILL.md: broken
              1:1 error[not-regular-file]: `$ROOT/pipe/SKILL.md` is a pipe, not a file with text
            socket/SKILL.md: broken
              1:1 error[not-regular-file]: `$ROOT/socket/SKILL.md` is a socket, not a file with text
        "#]],
    );
}

#[test]
fn row_23_24_25_links() {
    tree(
        |root| {
            for name in ["passwd", "zero", "dangling", "inside"] {
                fs::create_dir(root.join(name)).unwrap();
            }
            symlink("/etc/passwd", root.join("passwd/SKILL.md")).unwrap();
            symlink("/dev/zero", root.join("zero/SKILL.md")).unwrap();
            symlink("nowhere.md", root.join("dangling/SKILL.md")).unwrap();
            fs::create_dir(root.join("shared")).unwrap();
            fs::write(root.join("shared/text.md"), GOOD.replace("good", "inside")).unwrap();
            symlink("../shared/text.md", root.join("inside/SKILL.md")).unwrap();
            symlink("../skills", root.join("loop")).unwrap();
            symlink("/usr", root.join("usr")).unwrap();
        },
        &expect![[r#"
            dangling/SKILL.md: broken
              1:1 error[broken-link]: the link `$ROOT/dangling/SKILL.md` leads nowhere: No such file or directory (os error 2)
            inside/SKILL.md: active
            passwd/SKILL.md: broken
              1:1 error[symlink-outside]: the link `$ROOT/passwd/SKILL.md` leads outside, to `/etc/passwd`, and is not followed
            zero/SKILL.md: broken
              1:1 error[symlink-outside]: the link `$ROOT/zero/SKILL.md` leads outside, to `/dev/zero`, and is not followed
            loop:
              1:1 hint[link-loop]: `$ROOT/loop` leads back to `$ROOT`, which is already being searched
            usr:
              1:1 error[symlink-outside]: the link `$ROOT/usr` leads outside, to `/usr`, and is not followed
        "#]],
    );
}

#[test]
fn row_26_unreadable() {
    tree(
        |root| {
            fs::create_dir(root.join("bad")).unwrap();
            fs::write(root.join("bad/SKILL.md"), GOOD).unwrap();
            fs::set_permissions(root.join("bad/SKILL.md"), fs::Permissions::from_mode(0o000))
                .unwrap();
        },
        &expect![[r#"
            bad/SKILL.md: broken
              1:1 error[unreadable-file]: `$ROOT/bad/SKILL.md` cannot be read: Permission denied (os error 13)
        "#]],
    );
}

#[test]
fn row_28_29_30_names_of_files_and_skills() {
    tree(
        |root| {
            fs::create_dir(root.join("lower")).unwrap();
            fs::write(root.join("lower/skill.md"), GOOD.replace("good", "lower")).unwrap();
            fs::create_dir(root.join("two")).unwrap();
            fs::write(root.join("two/SKILL.md"), GOOD.replace("good", "two")).unwrap();
            fs::write(root.join("two/skill.md"), "not read").unwrap();
            fs::create_dir(root.join("line\nbreak\u{1b}[31m")).unwrap();
            fs::write(
                root.join("line\nbreak\u{1b}[31m/SKILL.md"),
                "---\ndescription: Use when asked.\n---\nx\n",
            )
            .unwrap();
        },
        &expect![[r#"
            line\nbreak\u{1b}[31m/SKILL.md: active
              2:1 error[missing-name]: the skill has no name; its folder's name `line break\u{1b}[31m` is used
              2:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
            lower/skill.md: active
              1:1 error[file-name]: most clients do not find `skill.md`
            two/SKILL.md: active
            two/skill.md:
              1:1 error[file-name]: `$ROOT/two/skill.md` is passed over: `SKILL.md` beside it is the skill's file
        "#]],
    );
    let named =
        |name: &str| format!("---\nname: \"{name}\"\ndescription: Use when asked.\n---\nx\n");
    file(
        named("../../etc/passwd"),
        &expect![[r#"
            bad/SKILL.md: active
              2:7 error[invalid-name]: `../../etc/passwd` is not a skill name: `.` is no letter, digit or hyphen
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        named("/etc/passwd"),
        &expect![[r#"
            bad/SKILL.md: active
              2:7 error[invalid-name]: `/etc/passwd` is not a skill name: `/` is no letter, digit or hyphen
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        named("C:\\\\x"),
        &expect![[r#"
            bad/SKILL.md: active
              2:7 error[invalid-name]: `C:\x` is not a skill name: `C` is a capital letter
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        named("-rf"),
        &expect![[r#"
            bad/SKILL.md: active
              2:7 error[invalid-name]: `-rf` is not a skill name: it starts or ends with a hyphen
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
}

#[test]
fn row_31_32_confusable_and_equal_names() {
    tree(
        |root| {
            fs::create_dir(root.join("paypal")).unwrap();
            fs::write(
                root.join("paypal/SKILL.md"),
                "---\nname: paypal\ndescription: Use when paying.\n---\nx\n",
            )
            .unwrap();
            fs::create_dir(root.join("twin")).unwrap();
            fs::write(
                root.join("twin/SKILL.md"),
                "---\nname: p\u{430}ypal\ndescription: Use when paying.\n---\nx\n",
            )
            .unwrap();
            fs::create_dir(root.join("again")).unwrap();
            fs::write(
                root.join("again/SKILL.md"),
                "---\nname: paypal\ndescription: Use when asked again.\n---\nx\n",
            )
            .unwrap();
        },
        &expect![[r#"
            again/SKILL.md: shadowed
              1:1 warning[shadowed]: the explicit skill `paypal` is hidden by the explicit skill of the same name at `$ROOT/paypal/SKILL.md`
              2:7 error[name-differs-from-folder]: the skill is called `paypal` and its folder `again`; clients differ in which they use
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
            paypal/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
            twin/SKILL.md: active
              1:1 warning[confusable-name]: the name `p\u{430}ypal` looks like `paypal` at `$ROOT/paypal/SKILL.md`
              2:7 error[name-differs-from-folder]: the skill is called `pаypal` and its folder `twin`; clients differ in which they use
              2:7 error[non-ascii-name]: `pаypal` is a name by the standard, but Copilot CLI drops the skill
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
}

#[test]
fn a_root_below_folders_with_telling_names_is_searched() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder
        .path()
        .join("scripts/agents/build/node_modules/skills");
    fs::create_dir_all(root.join("good")).unwrap();
    fs::write(root.join("good/SKILL.md"), GOOD).unwrap();
    let listed = run(&root, &["list", "--json"]);
    assert_eq!(listed["skills"][0]["name"], "good");
}

#[test]
fn a_folder_of_100_000_entries_is_searched() {
    tree(
        |root| {
            fs::create_dir(root.join("many")).unwrap();
            for number in 0..100_000 {
                fs::File::create(root.join(format!("many/{number}"))).unwrap();
            }
        },
        &expect![[""]],
    );
}

#[test]
fn row_34_reads_stay_inside_the_skill() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    fs::create_dir_all(root.join("good/references")).unwrap();
    fs::write(root.join("good/SKILL.md"), GOOD).unwrap();
    fs::write(root.join("good/references/a.md"), "inside").unwrap();
    fs::write(root.join("secret.md"), "outside").unwrap();
    symlink("../../secret.md", root.join("good/references/link.md")).unwrap();
    let read = |path: &str| {
        prowess(folder.path())
            .args(["read", "good", path, "--dir"])
            .arg(&root)
            .output()
            .unwrap()
    };
    assert_eq!(read("references/a.md").stdout, b"inside");
    let long = "a/".repeat(600);
    for path in [
        "../secret.md",
        "/etc/passwd",
        "references/../../secret.md",
        "%2e%2e/secret.md",
        "..\\secret.md",
        "references/link.md",
        &long,
        "",
        ".",
        "references",
    ] {
        let output = read(path);
        assert!(!output.status.success(), "{path}");
        assert!(output.stdout.is_empty(), "{path}");
        assert!(
            String::from_utf8_lossy(&output.stderr).starts_with("error: "),
            "{path}"
        );
    }
}
#[test]
fn row_19_20_21_sizes() {
    tree(
        |root| {
            fs::create_dir(root.join("huge")).unwrap();
            fs::File::create(root.join("huge/SKILL.md"))
                .unwrap()
                .set_len(1 << 40)
                .unwrap();
        },
        &expect![[r#"
            huge/SKILL.md: broken
              1:1 error[file-too-large]: `$ROOT/huge/SKILL.md` has 1099511627776 bytes and is not read: the limit is 1048576
        "#]],
    );
    let padded = format!(
        "{}---\nname: bad\ndescription: Use when asked.\n---\nx\n",
        "\n".repeat(100_000)
    );
    file(
        padded,
        &expect![[r#"
            bad/SKILL.md: active
              1:1 error[blank-before-frontmatter]: blank lines stand before the frontmatter; Codex, Gemini CLI, OpenCode and Copilot CLI then drop the skill, Claude Code and VS Code lose its text
              100003:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    let long = format!(
        "---\nname: bad\ndescription: Use when asked.\n---\n{}\n",
        "word ".repeat(200_000)
    );
    file(
        long,
        &expect![[r#"
            bad/SKILL.md: active
              1:1 warning[large-file]: `$ROOT/bad/SKILL.md` has 1000048 bytes, far more than other skills
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              5:1 warning[long-instructions]: the instructions take about 250000 tokens, over the advised 5,000
        "#]],
    );
}

#[test]
fn row_24_a_folder_that_is_a_link() {
    tree(
        |root| {
            let outside = root.parent().unwrap().join("outside");
            write(&outside, "theirs/SKILL.md", GOOD.replace("good", "theirs"));
            write(root, "shelf/real/SKILL.md", GOOD.replace("good", "real"));
            symlink("shelf/real", root.join("alias")).unwrap();
            symlink(outside.join("theirs"), root.join("theirs")).unwrap();
        },
        &expect![[r#"
            shelf/real/SKILL.md: active
            theirs:
              1:1 error[symlink-outside]: the link `$ROOT/theirs` leads outside, to `$HOME/outside/theirs`, and is not followed
        "#]],
    );
}

#[test]
fn row_25_a_hard_link_to_a_file_of_someone_else() {
    // Only root can make a file that belongs to someone else.
    if !is_root() {
        return;
    }
    tree(
        |root| {
            fs::create_dir(root.join("bad")).unwrap();
            let theirs = root.parent().unwrap().join("theirs.md");
            fs::write(&theirs, GOOD.replace("good", "bad")).unwrap();
            fs::hard_link(&theirs, root.join("bad/SKILL.md")).unwrap();
            own(&root.join("bad"));
        },
        &expect![[r#"
            bad/SKILL.md: active
              1:1 warning[hard-link]: `$ROOT/bad/SKILL.md` belongs to someone else and can be changed under another name
        "#]],
    );
}

#[test]
fn row_27_a_file_that_is_replaced_all_the_time_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    write(&root, "good/SKILL.md", GOOD);
    let text = |word: &str| {
        format!(
            "---\nname: bad\ndescription: Is {word}. Use when asked.\n---\n{}",
            word.repeat(2_000)
        )
    };
    write(&root, "bad/SKILL.md", text("one"));
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let spare = root.join("spare");
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                for word in ["one", "two"] {
                    fs::write(&spare, text(word)).unwrap();
                    fs::rename(&spare, root.join("bad/SKILL.md")).unwrap();
                }
            }
        });
        let mixed = (0..20).any(|_| {
            let told = run_line(folder.path(), &root, "export");
            let (one, two) = (told.contains("one"), told.contains("two"));
            one && two
        });
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(!mixed);
    });
}

#[test]
#[expect(clippy::unicode_not_nfc, reason = "that is what the row is about")]
fn row_28_twins_in_composition() {
    tree(
        |root| {
            for (folder, name) in [("a", "caf\u{e9}"), ("b", "cafe\u{301}")] {
                let text = format!(
                    "---\nname: {name}\ndescription: Is {folder}. Use when asked.\n---\nx\n"
                );
                write(root, &format!("{folder}/SKILL.md"), text);
            }
        },
        &expect![[r#"
            a/SKILL.md: active
              1:1 warning[confusable-name]: the name `caf\u{e9}` looks like `cafe\u{301}` at `$ROOT/b/SKILL.md`
              2:7 error[name-differs-from-folder]: the skill is called `café` and its folder `a`; clients differ in which they use
              2:7 error[non-ascii-name]: `café` is a name by the standard, but Copilot CLI drops the skill
            b/SKILL.md: active
              2:7 error[invalid-name]: `café` is not a skill name: `\u{301}` is no letter, digit or hyphen
        "#]],
    );
}

#[test]
fn row_29_a_file_name_that_is_no_text_is_read_only_by_its_id() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    write(&root, "good/SKILL.md", GOOD);
    fs::write(
        root.join("good").join(OsStr::from_bytes(b"raw\xff\n.md")),
        "what it holds\n",
    )
    .unwrap();
    let told = |line: &str| run_line(folder.path(), &root, line);
    expect![[r#"
            SIZE  RUN  PATH
        14 bytes       ~83525ace26536e914074fedc49fcbc1b  (`raw\xff\n.md`)
        1 file beside the instructions of `good`
    "#]]
    .assert_eq(&told("resources good"));
    expect![[r#"
        # Skill: good

        Directory: $HOME/skills/good
        Resources, to be read with `read_skill_resource`:
        - ~83525ace26536e914074fedc49fcbc1b (14 bytes)

        ## Instructions

        Do it.
        Skill good loaded
    "#]]
    .assert_eq(&told("tool call skill {\"skill_name\":\"good\"}"));
    expect![[r#"
        error: `raw\xff\n.md` is not a path inside the skill: parts are separated by `/`
        hint: `prowess resources good` lists what can be read
    "#]]
    .assert_eq(&told("read good raw\\xff\\n.md"));
    assert_eq!(
        told("read good ~83525ace26536e914074fedc49fcbc1b"),
        "what it holds\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn row_29_what_a_folder_hides_in_its_name_is_written_out_for_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    let nameless = GOOD.replace("name: good\n", "");
    write(&root, "good/SKILL.md", GOOD);
    write(&root, "turn\u{202e}ed/SKILL.md", &nameless);
    write(&root, "tag\u{e0041}/SKILL.md", &nameless);
    write(&root, "new\nline/SKILL.md", &nameless);
    let told = run_line(folder.path(), &root, "prompt");
    let lines = told.lines().map(str::trim);
    let names: Vec<_> = lines.filter(|it| it.starts_with("<name>")).collect();
    expect![[r#"
            <name>good</name>
            <name>new\nline</name>
            <name>tag\u{e0041}</name>
            <name>turn\u{202e}ed</name>"#]]
    .assert_eq(&names.join("\n"));
}
