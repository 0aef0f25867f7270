//! What happens to the skills, as it happens; and what is kept between runs.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use expect_test::expect;
use serde_json::Value;

use crate::{
    schema,
    world::{World, skill},
};

/// Long enough for the busiest machine; nothing waits as long unless it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A config with a server that serves this folder.
fn serving(folder: &std::path::Path) -> String {
    let program = env!("CARGO_BIN_EXE_prowess");
    let folder = folder.to_str().unwrap();
    format!(
        "[servers.acme]\ncommand = {program:?}\nargs = [\"serve\", \"--local\", \"--dir\", {folder:?}]\ntimeout = 60\n"
    )
}

/// A watch that runs, and its lines.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(world: &World, line: &str) -> Self {
        let mut command = world.command(line);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // The test may have ended.
                let _ = tell.send(line);
            }
        });
        Self { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("nothing is told")
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn world() -> World {
    let world = World::new();
    world.skill("home/.agents/skills/pdf", "Fills forms");
    world
}

#[test]
fn changes_are_told_to_a_person() {
    let world = world();
    let watch = Watch::start(&world, "watch");
    let mut told = vec![watch.line()];
    world.skill("home/.agents/skills/tea", "Makes tea");
    told.push(watch.line());
    world.file("home/.agents/skills/pdf/SKILL.md", "---\nname: pdf\n---\n");
    told.push(watch.line());
    std::fs::remove_dir_all(world.path("home/.agents/skills/tea")).unwrap();
    told.push(watch.line());
    expect![[r"
        watching 1 skill in 1 folder
        added    tea  ~/.agents/skills/tea/SKILL.md
        changed  pdf  ~/.agents/skills/pdf/SKILL.md; its file broke, and the version from before stays in use
        removed  tea  ~/.agents/skills/tea/SKILL.md"]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn every_line_for_machines_has_the_published_shape() {
    let world = world();
    for line in ["watch --json", "watch --json --poll"] {
        let watch = Watch::start(&world, line);
        let schema = schema::schema("watch");
        let mut seen = Vec::new();
        for number in 0..3 {
            let event: Value = serde_json::from_str(&watch.line()).unwrap();
            let mut faults = Vec::new();
            schema::check(&event, &schema, &schema, "$", &mut faults);
            assert!(faults.is_empty(), "{faults:#?}");
            seen.push(event["event"].as_str().unwrap().to_owned());
            let text = skill("pdf", &format!("Fills {number} forms, {line}"));
            world.file("home/.agents/skills/pdf/SKILL.md", text);
        }
        assert_eq!(seen, ["start", "change", "change"]);
    }
}

#[cfg(unix)]
#[test]
fn a_watch_ends_when_nobody_reads_or_somebody_asks() {
    let world = world();
    let mut command = world.command("watch");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut first).unwrap();
    drop(output);
    assert!(
        child.wait().unwrap().success(),
        "the end of a pipe is no fault"
    );

    let mut watch = Watch::start(&world, "watch");
    watch.line();
    let pid = watch.child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));
}

#[test]
fn trust_reaches_a_watch_that_runs() {
    let world = world();
    world.skill("work/.agents/skills/ours", "Is ours");
    let watch = Watch::start(&world, "watch");
    assert_eq!(watch.line(), "watching 2 skills in 2 folders");
    assert!(world.output("trust").status.success());
    expect!["changed  ours  .agents/skills/ours/SKILL.md"].assert_eq(&watch.line());
}

/// The names of the files in the cache.
fn kept(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(world.path("home/.cache/prowess/skills"));
    let names = entries.into_iter().flatten().flatten();
    names
        .map(|entry| {
            entry
                .path()
                .extension()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

/// How many skills a server reads from their own files when it starts.
fn read_by_server(world: &World, options: &str) -> u64 {
    let mut command = world.command(&format!("serve --http 127.0.0.1:0 --log json {options}"));
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let log = BufReader::new(child.stderr.take().unwrap()).lines();
    let read = log.map_while(Result::ok).find_map(|line| {
        let event: Value = serde_json::from_str(&line).unwrap();
        event["read"].as_u64()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    read.expect("the log tells")
}

#[test]
fn many_skills_are_kept_between_runs_unless_somebody_objects() {
    let world = World::new();
    for number in 0..60 {
        let name = format!("skill-{number}");
        let text = skill(&name, &format!("Does {number}"));
        world.file(&format!("home/.agents/skills/{name}/SKILL.md"), text);
    }
    // What was written a moment ago could be written again unseen, so it is not kept yet.
    thread::sleep(Duration::from_millis(2_100));
    let cold = world.run("list --no-cache");
    world.file("work/prowess.toml", "[cache]\nenabled = false\n");
    assert_eq!(world.run("list"), cold);
    world.file("work/prowess.toml", "");
    assert_eq!(world.run("check --quiet"), "-- exit 0\n");
    assert!(kept(&world).is_empty());
    for _ in 0..2 {
        assert_eq!(world.run("list"), cold);
        assert_eq!(kept(&world), ["skills"]);
    }
    let matches = |line: &str| world.json(line)["matches"].clone();
    let chosen = matches("select 'does 7' --json --no-cache");
    for _ in 0..2 {
        assert_eq!(matches("select 'does 7' --json"), chosen);
        assert_eq!(kept(&world).len(), 2);
    }
    assert_eq!(read_by_server(&world, ""), 0);
    assert_eq!(read_by_server(&world, "--no-cache"), 60);
    let file = std::fs::read_dir(world.path("home/.cache/prowess/skills")).unwrap();
    let file = file
        .flatten()
        .find(|it| it.path().extension().is_some_and(|it| it == "skills"));
    std::fs::write(file.unwrap().path(), "nonsense").unwrap();
    let told = world.run("list");
    assert!(told.contains("is damaged and is made anew"), "{told}");
    assert_eq!(world.run("list"), cold);
}

#[test]
fn a_server_is_watched_too() {
    let world = world();
    let remote = |name: &str| format!("remote/{name}/SKILL.md");
    world.file(&remote("tea"), skill("tea", "Makes tea"));
    let folder = world.path("remote");
    world.file("home/.config/prowess/config.toml", serving(&folder));
    let watch = Watch::start(&world, "watch");
    let mut told = vec![watch.line()];
    world.file(&remote("docx"), skill("docx", "Writes letters"));
    told.push(watch.line());
    std::fs::remove_dir_all(folder.join("tea")).unwrap();
    told.push(watch.line());
    expect![[r"
        watching 2 skills in 1 folder and 1 server
        added    docx  skill://docx/SKILL.md
        removed  tea  skill://tea/SKILL.md"]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn an_approval_that_is_gone_is_told_while_watching() {
    let world = World::new();
    world.skill("remote/tea", "Makes tea");
    let folder = world.path("remote");
    world.file("home/.config/prowess/config.toml", serving(&folder));
    world.run("approve acme/tea --yes");
    let mut command = world.command("watch");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        output
            .next()
            .unwrap()
            .unwrap()
            .starts_with("watching 1 skill")
    );
    let errors = child.stderr.take().unwrap();
    let (tell, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            // The test may have ended.
            let _ = tell.send(line);
        }
    });
    world.skill("remote/tea", "Makes coffee");
    let line = lines.recv_timeout(PATIENCE);
    // It may have ended by itself, which the line above would tell.
    let _ = child.kill();
    let _ = child.wait();
    expect!["warning[approval-revoked]: `skill://tea/SKILL.md` of the MCP server `acme` has changed since it was approved, so the approval is taken back"]
        .assert_eq(&line.expect("nothing is told"));
}

#[test]
fn a_watch_says_first_that_a_project_is_not_trusted() {
    let world = World::with(&[(".agents/skills/a/SKILL.md", &skill("a", "Does a"))]);
    let mut command = world.command("watch --local");
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    expect![[r#"
        hint: 1 skill of an untrusted project is left out; look at the project, then run `prowess trust`
    "#]].assert_eq(&first);
}
