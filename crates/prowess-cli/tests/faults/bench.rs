//! Lays a fault beside a good skill and tells what a person reads of it.

use std::{
    fmt::Write as _,
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _},
        process::CommandExt as _,
    },
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use expect_test::Expect;
use serde_json::Value;

/// Far above what any case needs, so that a loaded machine does not fail it, and below a hang.
const TIME: Duration = Duration::from_secs(120);

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

pub(crate) const GOOD: &str =
    "---\nname: good\ndescription: Does good. Use when good is asked for.\n---\nDo it.\n";

/// Checks a faulty `bad/SKILL.md` beside the good skill.
pub(crate) fn file(contents: impl AsRef<[u8]>, expected: &Expect) {
    tree(
        |root| {
            fs::create_dir(root.join("bad")).unwrap();
            fs::write(root.join("bad/SKILL.md"), contents.as_ref()).unwrap();
        },
        expected,
    );
}

/// Checks whatever `build` lays beside the good skill.
pub(crate) fn tree(build: impl FnOnce(&Path), expected: &Expect) {
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
            .replace(&*root.parent().unwrap_or(root).to_string_lossy(), "$HOME")
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
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Value {
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
pub(crate) fn prowess(home: &Path) -> Command {
    let mut command = if is_root() {
        fs::set_permissions(home, fs::Permissions::from_mode(0o755)).unwrap();
        // The build's own folder may be closed to others.
        let copy = home.join("prowess-under-test");
        if !copy.exists() && fs::hard_link(env!("CARGO_BIN_EXE_prowess"), &copy).is_err() {
            fs::copy(env!("CARGO_BIN_EXE_prowess"), &copy).unwrap();
        }
        let mut command = Command::new(copy);
        as_nobody(&mut command);
        command
    } else {
        Command::new(env!("CARGO_BIN_EXE_prowess"))
    };
    command
        .current_dir(home)
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::null());
    command
}

/// Writes a file and the folders above it.
pub(crate) fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs a line on the folder and gives everything it prints; `'…'` holds words together.
pub(crate) fn run_line(home: &Path, root: &Path, line: &str) -> String {
    let mut command = prowess(home);
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            command.arg(part);
        } else {
            command.args(part.split_whitespace());
        }
    }
    if line.starts_with("check") {
        command.arg(root);
    } else {
        command.arg("--dir").arg(root);
    }
    let output = command.output().unwrap();
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8(told).unwrap();
    assert!(!told.contains("panicked"), "{told}");
    told.replace(&*home.to_string_lossy(), "$HOME")
}

/// Gives a folder to the user the command runs as.
pub(crate) fn own(folder: &Path) {
    if is_root() {
        std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// Whether the tests run as root, who may read everything.
pub(crate) fn is_root() -> bool {
    Path::new("/proc/self")
        .metadata()
        .is_ok_and(|it| it.uid() == 0)
}

/// Runs a command without special rights.
pub(crate) fn as_nobody(command: &mut Command) {
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
}
