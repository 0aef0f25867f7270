//! The table of faults, through the real command: what a person reads of each, that all else
//! still loads, and that it is quick.
//!
//! Every case lies beside a good skill. A row shows what `check` finds of the faulty one.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files")]

use std::{
    fmt::Write as _,
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, symlink},
        process::CommandExt as _,
    },
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use expect_test::{Expect, expect};
use serde_json::Value;

/// Far above what any case needs, so that a loaded machine does not fail it, and far below a hang.
const TIME: Duration = Duration::from_secs(10);

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

const GOOD: &str =
    "---\nname: good\ndescription: Does good. Use when good is asked for.\n---\nDo it.\n";

/// Checks a faulty `bad/SKILL.md` beside the good skill.
fn file(contents: impl AsRef<[u8]>, expected: &Expect) {
    tree(
        |root| {
            fs::create_dir(root.join("bad")).unwrap();
            fs::write(root.join("bad/SKILL.md"), contents.as_ref()).unwrap();
        },
        expected,
    );
}

/// Checks whatever `build` lays beside the good skill.
fn tree(build: impl FnOnce(&Path), expected: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    fs::create_dir_all(root.join("good")).unwrap();
    fs::write(root.join("good/SKILL.md"), GOOD).unwrap();
    build(&root);
    let started = Instant::now();
    let found = run(&root, &["check", "--format", "json"]);
    let listed = run(&root, &["list", "--all", "--json"]);
    assert!(started.elapsed() < TIME, "took {:?}", started.elapsed());
    let good = listed["skills"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "good");
    assert_eq!(good.expect("the good skill is listed")["state"], "active");

    let mut out = String::new();
    let skills = found["skills"].as_array().unwrap();
    for skill in skills.iter().filter(|it| it["name"] != "good") {
        let state = listed["skills"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["path"] == skill["path"]);
        let state = state.map_or("not listed", |it| it["state"].as_str().unwrap());
        let _ = writeln!(out, "{}: {state}", shown(&skill["path"], &root));
        for it in skill["diagnostics"].as_array().unwrap() {
            write_finding(&mut out, it, &root);
        }
    }
    for it in found["findings"].as_array().unwrap() {
        let _ = writeln!(out, "{}:", shown(&it["path"], &root));
        write_finding(&mut out, it, &root);
    }
    // Restores what the case took away, so that the folder can be removed.
    let _ = Command::new("chmod")
        .args(["-R", "u+rwx"])
        .arg(&root)
        .stderr(Stdio::null())
        .status();
    expected.assert_eq(&out);
}

fn write_finding(out: &mut String, it: &Value, root: &Path) {
    let text = |key: &str| {
        it[key]
            .as_str()
            .unwrap_or_default()
            .replace(&*root.to_string_lossy(), "$ROOT")
    };
    let mut message = text("message");
    if message.chars().count() > 150 {
        message = message.chars().take(150).collect::<String>() + "…";
    }
    let _ = writeln!(
        out,
        "  {}:{} {}[{}]: {message}",
        it["line"],
        it["column"],
        text("severity"),
        text("code")
    );
}

fn shown(path: &Value, root: &Path) -> String {
    let path = path.as_str().unwrap();
    path.replace(&format!("{}/", root.display()), "")
}

/// Runs `prowess` on the folder in an empty home and reads what it prints.
fn run(root: &Path, arguments: &[&str]) -> Value {
    let home = root.parent().unwrap();
    let mut command = prowess(home);
    command.args(arguments);
    if arguments[0] == "check" {
        command.arg(root);
    } else {
        command.arg("--dir").arg(root);
    }
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// The command, as a user without special rights: root may read everything.
fn prowess(home: &Path) -> Command {
    let mut command = if home.metadata().unwrap().uid() == 0 {
        fs::set_permissions(home, fs::Permissions::from_mode(0o755)).unwrap();
        // The build's own folder may be closed to others.
        let copy = home.join("prowess-under-test");
        if !copy.exists() && fs::hard_link(env!("CARGO_BIN_EXE_prowess"), &copy).is_err() {
            fs::copy(env!("CARGO_BIN_EXE_prowess"), &copy).unwrap();
        }
        let mut command = Command::new(copy);
        command.uid(NOBODY).gid(NOBODY);
        command
    } else {
        Command::new(env!("CARGO_BIN_EXE_prowess"))
    };
    command
        .current_dir(home)
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null());
    command
}

#[test]
fn row_01_no_frontmatter() {
    file(
        "# Title\n",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[missing-frontmatter]: the file has no frontmatter, so the skill has no name and no description
    "#]],
    );
}

#[test]
fn row_02_unterminated_frontmatter() {
    file(
        "---\nname: bad\ndescription: Never closed.\n\n# Body\n",
        &expect![[r#"
            bad/SKILL.md: broken
              1:1 error[unclosed-frontmatter]: the frontmatter opened by this `---` is never closed, so nothing of the file is read
        "#]],
    );
}

#[test]
fn row_03_a_fence_inside_text_ends_nothing() {
    file(
        "---\nname: bad\ndescription: |\n  Plans. Use when planning.\n  ---\n  More.\nlicense: MIT\n---\n---foo\n",
        &expect![[r#"
            bad/SKILL.md: active
        "#]],
    );
}

#[test]
fn row_04_unquoted_colon() {
    file(
        "---\nname: bad\ndescription: Use when: asked to.\n---\nDo it.\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:22 warning[repaired-yaml]: `description` is not valid YAML and was mended: a colon inside an unquoted value starts a new field
        "#]],
    );
}

#[test]
fn row_05_tab_bad_escape_unclosed_quote() {
    file(
        "---\nname: bad\ndescription: Use when asked.\nmetadata:\n\ta: b\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              5:2 warning[repaired-yaml]: `metadata` is not valid YAML and was mended: a tab indents a line
        "#]],
    );
    file(
        "---\nname: bad\ndescription: \"Use when \\d asked\"\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[repaired-yaml]: `description` is not valid YAML and was mended: while parsing a quoted scalar, found unknown escape character
        "#]],
    );
    file(
        "---\nname: bad\ndescription: \"Use when asked\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[repaired-yaml]: `description` is not valid YAML and was mended: the quote is not closed
        "#]],
    );
}

#[test]
fn row_06_07_missing_name_and_description() {
    file(
        "---\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              2:1 error[missing-name]: the skill has no name; its folder's name `bad` is used
        "#]],
    );
    file(
        "---\nname: ''\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              2:1 error[missing-name]: the skill's name is empty; its folder's name `bad` is used
        "#]],
    );
    file(
        "---\nname: bad\n---\nx\n",
        &expect![[r#"
        bad/SKILL.md: broken
          2:1 error[missing-description]: `bad` cannot be offered to a model without a description
    "#]],
    );
    file(
        "---\nname: bad\ndescription: '  '\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              3:1 error[missing-description]: `bad` cannot be offered to a model while its description is empty
        "#]],
    );
}

#[test]
fn row_08_wrong_types() {
    file(
        "---\nname: [a, b]\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              2:7 error[wrong-type]: `name` is a list, where text is read
        "#]],
    );
    file(
        "---\nname: bad\ndescription: {a: b}\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              3:1 error[missing-description]: `bad` cannot be offered to a model while its description is not text
              3:14 error[wrong-type]: `description` is a map, where text is read
        "#]],
    );
    file(
        "---\nname: bad\ndescription: 42\n---\nx\n",
        &expect![[r#"
        bad/SKILL.md: active
          3:14 warning[unquoted-text]: `description: 42` is text here and a number to other readers
    "#]],
    );
}

#[test]
fn row_09_10_duplicate_and_unknown_fields() {
    file(
        "---\nname: bad\nname: worse\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:1 error[duplicate-field]: `name` stands twice; the first, in line 2, counts
        "#]],
    );
    file(
        "---\nname: bad\ndesciption: Use when asked.\nfavourite: blue\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              2:1 error[missing-description]: `bad` cannot be offered to a model without a description
              3:1 warning[misspelt-field]: `desciption` is not read; did you mean `description`?
              4:1 warning[unknown-field]: no client is known to read `favourite`, and the reference validator refuses it
        "#]],
    );
}

#[test]
fn row_11_12_13_encodings() {
    file(
        b"---\nname: bad\ndescription: Caf\xe9\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              3:17 error[invalid-utf8]: byte 30 (0xE9) is not UTF-8, so the file cannot be read
        "#]],
    );
    file(
        b"\xff\xfe-\0-\0-\0\n\0",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[wrong-encoding]: the file is written in UTF-16 (little endian) and cannot be read
    "#]],
    );
    file(
        b"\0\0\xfe\xff\0\0\0-",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[wrong-encoding]: the file is written in UTF-32 (big endian) and cannot be read
    "#]],
    );
    file(
        "\u{feff}---\r\nname: bad\r\ndescription: Use when asked.\r\ntags: 5: 6\r\n---\r\nx\r\n",
        &expect![[r#"
            bad/SKILL.md: active
              1:1 hint[byte-order-mark]: the file starts with a byte order mark, and some clients refuse it
              1:5 hint[line-endings]: lines end in CRLF; they are read well here, but not by every client
              4:1 hint[client-field]: not part of the standard: `tags` (read by several clients)
              4:8 warning[repaired-yaml]: `tags` is not valid YAML and was mended: a colon inside an unquoted value starts a new field
        "#]],
    );
    file(
        "---\rname: bad\rdescription: Use when: asked.\r---\rx\r",
        &expect![[r#"
            bad/SKILL.md: active
              1:4 hint[line-endings]: lines end in CR; they are read well here, but not by every client
              3:22 warning[repaired-yaml]: `description` is not valid YAML and was mended: a colon inside an unquoted value starts a new field
        "#]],
    );
}

#[test]
fn row_14_15_control_characters_and_emptiness() {
    file(
        "---\nname: bad\ndescription: Use \0 when asked.\n---\nx\u{1b}[31m\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:18 warning[control-character]: the control character U+0000 stands in the text
        "#]],
    );
    file(
        "",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[empty-file]: the file is empty, so there is no skill to load
    "#]],
    );
    file(
        "---\n---\n",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[not-a-map]: the frontmatter is empty where fields are expected, so the skill has none
          2:4 warning[empty-instructions]: the skill has no instructions, so a model that picks it learns nothing more
    "#]],
    );
    file(
        "---\nname: bad\ndescription: Use when asked.\n---\n",
        &expect![[r#"
            bad/SKILL.md: active
              4:4 warning[empty-instructions]: the skill has no instructions, so a model that picks it learns nothing more
        "#]],
    );
}

#[test]
fn row_16_17_18_bombs_depth_and_aliases() {
    let bomb = (0..20).fold(String::from("metadata:\n  a0: &a0 x\n"), |mut text, at| {
        let _ = writeln!(
            text,
            "  a{}: &a{} [*a{at}, *a{at}, *a{at}, *a{at}, *a{at}]",
            at + 1,
            at + 1
        );
        text
    });
    file(
        format!("---\nname: bad\ndescription: Use when asked.\n{bomb}---\nx\n"),
        &expect![[r#"
            bad/SKILL.md: active
              5:3 error[wrong-type]: `metadata` is `a0: &a0 x a1: &a1 [*a0, *a0, *a0, *a0, *a0] a2: &a2 [*a1, *a…`, where a map is read
              18:38 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: more than 64 aliases
        "#]],
    );
    let deep = |value: String| {
        format!("---\nname: bad\ndescription: Use when asked.\nmetadata:\n  a: {value}\n---\nx\n")
    };
    file(
        deep("[".repeat(60_000)),
        &expect![[r#"
            bad/SKILL.md: active
              5:3 error[wrong-type]: `metadata` is `a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…`, where a map is read
              5:261 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: nested deeper than 32 levels
        "#]],
    );
    file(
        deep("{a: ".repeat(12_000)),
        &expect![[r#"
            bad/SKILL.md: active
              5:3 error[wrong-type]: `metadata` is `a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {…`, where a map is read
              5:126 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: nested deeper than 32 levels
        "#]],
    );
    let levels: String = (0..300).fold(String::new(), |mut text, depth| {
        let _ = writeln!(text, "{}a:", " ".repeat(depth + 3));
        text
    });
    file(
        deep(format!("\n{levels}")),
        &expect![[r#"
            bad/SKILL.md: active
              5:3 error[wrong-type]: `metadata` is `a: a:  a:   a:    a:     a:      a:       a:        a:      …`, where a map is read
              36:34 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: nested deeper than 32 levels
        "#]],
    );
    file(
        "---\nname: bad\ndescription: *nowhere\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 error[unknown-alias]: `description` is an alias of nothing and was read as text
        "#]],
    );
    file(
        "---\nname: bad\ndescription: Use when asked.\nrun: !!python/object:os.system ls\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              4:1 warning[unknown-field]: no client is known to read `run`, and the reference validator refuses it
              4:6 warning[yaml-tag]: a YAML tag has no effect here
        "#]],
    );
    file(
        "---\nname: bad\ndescription: Use when asked.\n...\nmore: 1\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              5:1 error[multiple-documents]: a second YAML document starts here and is not read
        "#]],
    );
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
          1:1 hint[blank-before-frontmatter]: blank lines stand before the frontmatter, and some clients then see none
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
          5:1 warning[long-instructions]: the instructions take about 250000 tokens, over the advised 5,000
    "#]],
    );
}

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
              1:1 error[unreadable-file]: `$ROOT/bad/SKILL.md` can not be read: Permission denied (os error 13)
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
            lower/skill.md: active
              1:1 warning[file-name]: most clients do not find `skill.md`
            two/SKILL.md: active
            two/skill.md:
              1:1 warning[file-name]: `$ROOT/two/skill.md` is passed over: `SKILL.md` beside it is the skill's file
        "#]],
    );
    let named =
        |name: &str| format!("---\nname: \"{name}\"\ndescription: Use when asked.\n---\nx\n");
    file(
        named("../../etc/passwd"),
        &expect![[r#"
        bad/SKILL.md: active
          2:7 error[invalid-name]: `../../etc/passwd` is not a skill name: `.` is no letter, digit or hyphen
    "#]],
    );
    file(
        named("/etc/passwd"),
        &expect![[r#"
        bad/SKILL.md: active
          2:7 error[invalid-name]: `/etc/passwd` is not a skill name: `/` is no letter, digit or hyphen
    "#]],
    );
    file(
        named("C:\\\\x"),
        &expect![[r#"
        bad/SKILL.md: active
          2:7 error[invalid-name]: `C:\x` is not a skill name: `C` is a capital letter
    "#]],
    );
    file(
        named("-rf"),
        &expect![[r#"
        bad/SKILL.md: active
          2:7 error[invalid-name]: `-rf` is not a skill name: it starts or ends with a hyphen
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
            paypal/SKILL.md: active
            twin/SKILL.md: active
              1:1 warning[confusable-name]: the name `p\u{430}ypal` looks like `paypal` at `$ROOT/paypal/SKILL.md`
              2:7 error[name-differs-from-folder]: the skill is called `pаypal` and its folder `twin`; clients differ in which they use
              2:7 warning[non-ascii-name]: `pаypal` is a name by the standard, but many clients take only `a-z`
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
