//! The same faulty skills through our engine and through other people's.

use std::{
    fmt::Write as _,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;

/// Longer is a hang: no fault here takes a healthy engine a second.
const HANG: Duration = Duration::from_secs(10);

/// Kilobytes of memory an engine may take; a reader of `/dev/zero` would take all there is.
const MEMORY: u32 = 2_000_000;

const ENGINES: [&str; 3] = ["prowess", "adk-skill", "agent-skills"];

const GOOD: &str =
    "---\nname: good\ndescription: Does good. Use when good is asked for.\n---\nGo.\n";

/// Load the same faulty skills with other crates and with ours
#[derive(Args)]
pub(crate) struct Differential {}

/// What became of a faulty skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Loads,
    LoadsTold,
    RefusedTold,
    Silent,
    LosesAll,
    Hangs,
    Crashes,
}

impl Outcome {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Loads, "loads, no word"),
        (Self::LoadsTold, "loads, told"),
        (Self::RefusedTold, "refused, told"),
        (Self::Silent, "dropped in silence"),
        (Self::LosesAll, "the good one is lost too"),
        (Self::Hangs, "hangs over 10 s"),
        (Self::Crashes, "crashes"),
    ];

    fn told(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(it, _)| *it == self)
            .map_or("", |(_, told)| *told)
    }
}

impl Differential {
    pub(crate) fn run() -> Result<()> {
        let program = build()?;
        let folder =
            std::env::temp_dir().join(format!("prowess-differential-{}", std::process::id()));
        let cases = cases();
        let mut tally = [[0; Outcome::ALL.len()]; ENGINES.len()];
        println!("| fault | {} |\n|---|---|---|---|", ENGINES.join(" | "));
        for (name, make) in &cases {
            let mut row = Vec::new();
            for (at, engine) in ENGINES.into_iter().enumerate() {
                lay_out(&folder, *make)?;
                let outcome = load(&program, engine, &folder)?;
                let kind = Outcome::ALL.iter().position(|(it, _)| *it == outcome);
                tally[at][kind.unwrap_or(0)] += 1;
                row.push(outcome.told());
                remove(&folder)?;
            }
            println!("| {name} | {} |", row.join(" | "));
        }
        println!(
            "\n| of {} faults | {} |\n|---|---|---|---|",
            cases.len(),
            ENGINES.join(" | ")
        );
        for (kind, (_, told)) in Outcome::ALL.iter().enumerate() {
            let counts: Vec<_> = tally
                .iter()
                .map(|counts| counts[kind].to_string())
                .collect();
            println!("| {told} | {} |", counts.join(" | "));
        }
        lay_out(&folder, |_| Ok(()))?;
        fs::write(folder.join("secret"), "outside")?;
        for engine in ["prowess", "agent-skills"] {
            let got = answer(
                &program,
                &["read", engine, &text(&folder), "../../../secret"],
            )?;
            let got = got.map_or_else(|| "nothing".to_owned(), |got| got["read"].to_string());
            println!("\n`{engine}` reads the resource `../../../secret`: {got}");
        }
        remove(&folder)
    }
}

type Make = fn(&Path) -> Result<()>;

/// Writes the faulty file.
fn put(bad: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    fs::create_dir_all(bad)?;
    Ok(fs::write(bad.join("SKILL.md"), bytes)?)
}

/// A manifest with this value in its metadata.
fn with_value(value: &str) -> String {
    format!("---\nname: bad\ndescription: Use when asked.\nmetadata:\n  a: {value}\n---\nx\n")
}

#[expect(clippy::too_many_lines, reason = "a table reads best in one piece")]
fn cases() -> Vec<(&'static str, Make)> {
    vec![
        ("no frontmatter", |bad| put(bad, "# Title\n")),
        ("frontmatter never closed", |bad| {
            put(bad, "---\nname: bad\ndescription: Use it.\n\n# Body\n")
        }),
        ("`---` inside a block text", |bad| {
            put(
                bad,
                "---\nname: bad\ndescription: |\n  Plans.\n  ---\n  More.\n---\nx\n",
            )
        }),
        ("unquoted colon", |bad| {
            put(
                bad,
                "---\nname: bad\ndescription: Use when: asked.\n---\nx\n",
            )
        }),
        ("value starts with `@`", |bad| {
            put(bad, "---\nname: bad\ndescription: @all of it\n---\nx\n")
        }),
        ("tab indents", |bad| {
            put(
                bad,
                "---\nname: bad\ndescription: Use it.\nmetadata:\n\ta: b\n---\nx\n",
            )
        }),
        ("unclosed quote", |bad| {
            put(bad, "---\nname: bad\ndescription: \"Use it\n---\nx\n")
        }),
        ("no name", |bad| {
            put(bad, "---\ndescription: Use when asked.\n---\nx\n")
        }),
        ("no description", |bad| put(bad, "---\nname: bad\n---\nx\n")),
        ("empty description", |bad| {
            put(bad, "---\nname: bad\ndescription: ''\n---\nx\n")
        }),
        ("name is a list", |bad| {
            put(bad, "---\nname: [bad]\ndescription: Use it.\n---\nx\n")
        }),
        ("description is a number", |bad| {
            put(bad, "---\nname: bad\ndescription: 42\n---\nx\n")
        }),
        ("field twice", |bad| {
            put(
                bad,
                "---\nname: bad\nname: bad\ndescription: Use it.\n---\nx\n",
            )
        }),
        ("misspelt field", |bad| {
            put(bad, "---\nname: bad\ndesciption: Use it.\n---\nx\n")
        }),
        ("unknown field", |bad| {
            put(
                bad,
                "---\nname: bad\ndescription: Use it.\nfavourite: blue\n---\nx\n",
            )
        }),
        ("capital name", |bad| {
            put(bad, "---\nname: BAD\ndescription: Use it.\n---\nx\n")
        }),
        ("name is a path", |bad| {
            put(bad, "---\nname: ../../etc\ndescription: Use it.\n---\nx\n")
        }),
        ("Latin-1", |bad| {
            put(bad, b"---\nname: bad\ndescription: Caf\xe9\n---\nx\n")
        }),
        ("UTF-16", |bad| put(bad, b"\xff\xfe-\0-\0-\0\n\0")),
        ("byte order mark and CRLF", |bad| {
            put(
                bad,
                "\u{feff}---\r\nname: bad\r\ndescription: Use it.\r\n---\r\nx\r\n",
            )
        }),
        ("NUL in the text", |bad| {
            put(bad, "---\nname: bad\ndescription: Use it.\n---\nx\0y\n")
        }),
        ("empty file", |bad| put(bad, "")),
        ("alias bomb", |bad| {
            let mut text =
                String::from("---\nname: bad\ndescription: Use it.\nmetadata:\n  a0: &a0 x\n");
            for at in 0..30 {
                // Writing to a string does not fail.
                let _ = writeln!(
                    text,
                    "  a{0}: &a{0} [*a{at}, *a{at}, *a{at}, *a{at}, *a{at}]",
                    at + 1
                );
            }
            put(bad, text + "---\nx\n")
        }),
        ("100,000 brackets", |bad| {
            put(bad, with_value(&"[".repeat(100_000)))
        }),
        ("unknown alias", |bad| {
            put(bad, "---\nname: bad\ndescription: *nowhere\n---\nx\n")
        }),
        ("YAML tag", |bad| {
            put(bad, with_value("!!python/object:os.system ls"))
        }),
        ("200 MB", |bad| {
            put(bad, "")?;
            Ok(fs::File::options()
                .write(true)
                .open(bad.join("SKILL.md"))?
                .set_len(200_000_000)?)
        }),
        ("a pipe", |bad| {
            fs::create_dir_all(bad)?;
            let made = Command::new("mkfifo").arg(bad.join("SKILL.md")).status()?;
            made.success().then_some(()).context("mkfifo")
        }),
        ("a folder", |bad| {
            Ok(fs::create_dir_all(bad.join("SKILL.md"))?)
        }),
        ("a link to `/dev/zero`", |bad| {
            fs::create_dir_all(bad)?;
            Ok(symlink("/dev/zero", bad.join("SKILL.md"))?)
        }),
        ("a link to `/etc/passwd`", |bad| {
            fs::create_dir_all(bad)?;
            Ok(symlink("/etc/passwd", bad.join("SKILL.md"))?)
        }),
        ("a link that dangles", |bad| {
            fs::create_dir_all(bad)?;
            Ok(symlink("nowhere", bad.join("SKILL.md"))?)
        }),
        ("the skill's folder is a link inside", |bad| {
            let real = bad.with_file_name("real");
            put(&real, GOOD.replace("good", "bad"))?;
            Ok(symlink("real", bad)?)
        }),
        ("`skill.md`", |bad| {
            fs::create_dir_all(bad)?;
            Ok(fs::write(
                bad.join("skill.md"),
                GOOD.replace("good", "bad"),
            )?)
        }),
        ("tag characters in the body", |bad| {
            put(
                bad,
                "---\nname: bad\ndescription: Use it.\n---\nGo.\u{e0068}\u{e0069}\n",
            )
        }),
    ]
}

/// A good skill, the faulty one, and nothing else.
fn lay_out(folder: &Path, make: Make) -> Result<()> {
    let skills = folder.join(".skills");
    fs::create_dir_all(skills.join("good/references"))?;
    fs::write(skills.join("good/SKILL.md"), GOOD)?;
    make(&skills.join("bad"))
}

fn remove(folder: &Path) -> Result<()> {
    Ok(fs::remove_dir_all(folder)?)
}

fn load(program: &Path, engine: &str, folder: &Path) -> Result<Outcome> {
    let started = Instant::now();
    let Some(answer) = answer(program, &["load", engine, &text(folder)])? else {
        let hung = started.elapsed() >= HANG;
        return Ok(if hung {
            Outcome::Hangs
        } else {
            Outcome::Crashes
        });
    };
    let loaded = |name: &str| {
        let names = answer["loaded"].as_array();
        names.is_some_and(|names| names.iter().any(|it| it == name))
    };
    let told = answer["told"]
        .as_array()
        .is_some_and(|told| !told.is_empty());
    // Everything but the good one is the faulty one, whatever it is called.
    let count = answer["loaded"].as_array().map_or(0, Vec::len);
    Ok(match (loaded("good"), count > 1, told) {
        (false, _, _) => Outcome::LosesAll,
        (_, true, true) => Outcome::LoadsTold,
        (_, true, false) => Outcome::Loads,
        (_, false, true) => Outcome::RefusedTold,
        (_, false, false) => Outcome::Silent,
    })
}

/// What the program prints; `None` where it hung or crashed.
fn answer(program: &Path, arguments: &[&str]) -> Result<Option<Value>> {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().context("cannot start the engines")?;
    if !ends(&mut child)? {
        child.kill()?;
        child.wait()?;
        return Ok(None);
    }
    let output = child.wait_with_output()?;
    Ok(serde_json::from_slice(&output.stdout).ok())
}

fn ends(child: &mut Child) -> Result<bool> {
    let started = Instant::now();
    while started.elapsed() < HANG {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(false)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn build() -> Result<PathBuf> {
    let folder = crate::workspace().join("benches/differential");
    let done = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .status()?;
    if !done.success() {
        bail!("the peers do not build");
    }
    Ok(folder.join("target/debug/differential"))
}
