//! Rows 16, 17, 19 and 21: how much time and memory a fault may take.

use std::{fmt::Write as _, fs, process::Command};

use nix::sys::resource::{UsageWho, getrusage};

use crate::bench::{GOOD, prowess, write};

/// What the table allows a fault to add, in bytes.
const MEMORY: i64 = 32 * 1024 * 1024;

/// Seconds of work; the promise is a tenth, a debug build needs some more.
const SECONDS: i64 = 3;

/// Lists a folder in a process of its own, and prints the memory and the time that took. Started
/// by `cost`, because the kernel tells only the most that any child has needed.
#[test]
#[ignore = "started by the other tests here"]
fn measure() {
    let root = std::env::args().next_back().unwrap();
    let root_path = std::path::Path::new(&root);
    if !root_path.is_dir() {
        return;
    }
    let home = root_path.parent().unwrap();
    let status = prowess(home)
        .args(["list", "--all", "--json", "--local", "--dir", &root])
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let seconds = usage.user_time().tv_sec() + usage.system_time().tv_sec();
    println!("cost {} {seconds}", usage.max_rss() * 1024);
}

/// The bytes and the seconds of work it takes to list a good skill beside this file.
fn cost(file: impl FnOnce(&std::path::Path)) -> (i64, i64) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    write(&root, "good/SKILL.md", GOOD);
    fs::create_dir(root.join("bad")).unwrap();
    file(&root.join("bad/SKILL.md"));
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "bounds::measure",
            "--nocapture",
            "--test-threads=1",
        ])
        // The harness takes a further word as one more name of a test, which none has.
        .arg(&root)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers = told
        .lines()
        .find_map(|line| line.split_once("cost "))
        .map(|(_, rest)| rest.to_owned());
    let numbers =
        numbers.unwrap_or_else(|| panic!("{told}{}", String::from_utf8_lossy(&output.stderr)));
    let mut numbers = numbers.split(' ').map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

#[test]
fn rows_16_17_19_and_21_take_little_time_and_memory() {
    let manifest = |fields: String| {
        format!("---\nname: bad\ndescription: Use when asked.\n{fields}\n---\nx\n")
    };
    let mut bomb = String::from("metadata:\n  a0: &a0 [x, x]\n");
    for at in 0..60 {
        let _ = writeln!(bomb, "  a{0}: &a{0} [*a{at}, *a{at}, *a{at}]", at + 1);
    }
    let (least, _) = cost(|path| fs::write(path, GOOD.replace("good", "bad")).unwrap());
    let texts = [
        ("a bomb", manifest(bomb)),
        (
            "brackets",
            manifest(format!("metadata: {}", "[".repeat(60_000))),
        ),
        (
            "dashes",
            manifest(format!("metadata:\n  {}x", "- ".repeat(30_000))),
        ),
        (
            "a long line",
            manifest(String::new()) + &"word ".repeat(200_000),
        ),
    ];
    for (name, text) in texts {
        let (memory, seconds) = cost(|path| fs::write(path, text).unwrap());
        assert!(
            memory - least <= MEMORY,
            "{name} takes {} more bytes",
            memory - least
        );
        assert!(seconds <= SECONDS, "{name} takes {seconds} s");
    }
    let (memory, seconds) = cost(|path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap());
    assert!(memory - least <= MEMORY && seconds <= SECONDS, "a terabyte");
}
