//! `add`, `sync` and `update` killed at any moment, or with a disk that fails at any call: what the
//! next command finds is the state from before or the one after, never one between.
//!
//! Half of the kills come after a random time, the other half at a random call that changes the
//! disk, by `strace`, which also makes calls fail. `PROWESS_KILLS` says how many there are for each
//! verb (`cargo test -p prowess-cli --test cli interrupted -- --ignored` takes 200).

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    install::{commit, git},
    world::{World, skill},
};

/// Every call by which a command changes the disk.
const CALLS: &str = "openat,write,fchmod,fsync,mkdir,rename,renameat,renameat2,unlink,unlinkat,rmdir,symlink,symlinkat,flock";

/// A machine on which one command is about to run, again and again.
struct Scene {
    world: World,
    line: &'static str,
    old: State,
    new: State,
    took: Duration,
}

/// Every file and link of a project. Empty folders are no part of it, as for git.
pub(crate) type State = BTreeMap<PathBuf, String>;

pub(crate) fn state(folder: &Path) -> State {
    let mut state = State::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(path) = waiting.pop() {
        for entry in fs::read_dir(&path).unwrap().map(Result::unwrap) {
            let (path, facts) = (entry.path(), entry.metadata().unwrap());
            let text = if facts.is_dir() {
                waiting.push(path);
                continue;
            } else if facts.is_symlink() {
                format!("to {}", fs::read_link(&path).unwrap().display())
            } else {
                let text = fs::read(&path).unwrap().escape_ascii().to_string();
                format!("{:o} {text}", facts.permissions().mode() & 0o777)
            };
            state.insert(path.strip_prefix(folder).unwrap().to_path_buf(), text);
        }
    }
    state
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    let status = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(status.unwrap().success());
}

impl Scene {
    /// Three skills from a repository, one of them there already, and a client with links.
    fn new(line: &'static str) -> Self {
        let world = World::new();
        let source = format!("file://{}", world.path("upstream").display());
        for (name, what) in [
            ("pdf", "Fills forms"),
            ("sql", "Asks tables"),
            ("doc", "Writes"),
        ] {
            world.file(
                &format!("upstream/skills/{name}/SKILL.md"),
                skill(name, what),
            );
            world.file(&format!("upstream/skills/{name}/scripts/run.sh"), "echo\n");
        }
        git(&world, "init -q -b main");
        commit(&world);
        world.file("work/.claude/settings.json", "{}\n");
        world.file("work/prowess.toml", "# Ours.\n");
        let scene = |line| Self {
            world,
            line,
            old: State::new(),
            new: State::new(),
            took: Duration::ZERO,
        };
        let mut scene = scene(line);
        let add = format!("add {source} --yes --skill sql");
        assert!(scene.run(&add).status.success());
        if line != "add" {
            let add = format!("add {source} --yes --all");
            assert!(scene.run(&add).status.success());
        }
        let world = &scene.world;
        match line {
            "sync" => fs::remove_dir_all(world.path("work/.agents")).unwrap(),
            "update" => {
                world.file("work/.agents/skills/pdf/own.md", "mine\n");
                for name in ["pdf", "sql"] {
                    let path = format!("upstream/skills/{name}/SKILL.md");
                    world.file(&path, skill(name, "Does more"));
                }
                world.file("upstream/skills/doc/more.md", "more\n");
                commit(world);
            }
            _ => {}
        }
        for folder in ["work", "home"] {
            copy(
                &world.path(folder),
                &world.path(&format!("{folder}-before")),
            );
        }
        scene.old = scene.state();
        let started = Instant::now();
        let output = scene.run(&scene.whole_line());
        assert!(output.status.success(), "{output:?}");
        scene.took = started.elapsed();
        scene.new = scene.state();
        assert_ne!(scene.old, scene.new);
        scene
    }

    fn whole_line(&self) -> String {
        let source = format!("file://{}", self.world.path("upstream").display());
        match self.line {
            "add" => format!("add {source} --yes --skill pdf --skill doc"),
            "sync" => "sync --offline".to_owned(),
            line => format!("{line} --yes"),
        }
    }

    fn state(&self) -> State {
        state(&self.world.path("work"))
    }

    fn reset(&self) {
        for folder in ["work", "home"] {
            let before = self.world.path(&format!("{folder}-before"));
            copy(&before, &self.world.path(folder));
        }
    }

    /// The command with what it needs to find `git`, and its temporary files here.
    fn command(&self, line: &str) -> Command {
        let mut command = self.world.command(line);
        let temporary = self.world.path("temporary");
        fs::create_dir_all(&temporary).unwrap();
        command
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("TMPDIR", temporary);
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// The command below `strace`, with one call other than it should be.
    fn traced(&self, options: &[&str]) -> Command {
        let plain = self.command(&self.whole_line());
        let mut command = Command::new("strace");
        command.args(["-qq", "-o"]).arg(self.world.path("trace"));
        command.args(options).arg(plain.get_program());
        command.args(plain.get_args()).stdin(Stdio::null());
        command.current_dir(self.world.path("work")).env_clear();
        for (name, value) in plain.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command
    }

    /// The calls to choose from, each with its number among those of its name; none where nothing
    /// can be traced.
    fn calls(&self) -> Vec<(String, usize)> {
        self.reset();
        let output = self.traced(&["-e", &format!("trace={CALLS}")]).output();
        let text = fs::read_to_string(self.world.path("trace")).unwrap_or_default();
        if !output.is_ok_and(|it| it.status.success()) || text.is_empty() {
            eprintln!("strace can not run here, so only times were tried");
            return Vec::new();
        }
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let names = text
            .lines()
            .filter_map(|line| Some(line.split_once('(')?.0));
        let names = names.filter(|name| CALLS.split(',').any(|it| it == *name));
        names
            .map(|name| {
                let number = numbers.entry(name).or_default();
                *number += 1;
                (name.to_owned(), *number)
            })
            .collect()
    }

    /// What the next command finds: `false` for the state from before. And then the command does
    /// what it should have done.
    fn settled(&self, next: &str, at: &str) -> bool {
        let output = self.run(next);
        assert_ne!(output.status.code(), Some(3), "{at}: {output:?}");
        let found = self.state();
        let is_new = found == self.new;
        if !is_new {
            assert_eq!(found, self.old, "{} {at}, then {next}", self.line);
        }
        is_new
    }

    fn repeats(&self, at: &str) {
        let output = self.run(&self.whole_line());
        assert!(output.status.success(), "{at}: {output:?}");
        assert_eq!(self.state(), self.new, "{} {at}, then again", self.line);
    }

    /// Kills it so many times; how many left the old state, and how many the new one.
    fn kill(&self, times: usize, random: &mut fastrand::Rng) -> (usize, usize) {
        let calls = self.calls();
        let mut new = 0;
        for at in 0..times {
            self.reset();
            let point = match random.choice(&calls).filter(|_| at % 2 == 1) {
                Some((name, number)) => {
                    let kill = format!("inject={name}:signal=SIGKILL:when={number}");
                    let _ = self.traced(&["-e", &kill]).output().unwrap();
                    format!("killed at `{name}` {number}")
                }
                None => {
                    let wait = self.took.mul_f64(random.f64() * 1.1);
                    let mut command = self.command(&self.whole_line());
                    command.stdout(Stdio::null()).stderr(Stdio::null());
                    let mut child = command.spawn().unwrap();
                    thread::sleep(wait);
                    child.kill().unwrap();
                    child.wait().unwrap();
                    format!("killed after {wait:?}")
                }
            };
            let next = random.choice(["verify", "list --installed"]).unwrap();
            new += usize::from(self.settled(next, &point));
            self.repeats(&point);
        }
        (times - new, new)
    }
}

fn kill_each(times: usize) {
    let mut random = fastrand::Rng::new();
    for line in ["add", "sync", "update"] {
        let (old, new) = Scene::new(line).kill(times, &mut random);
        println!("{line}: killed {times} times, {old} times old, {new} times new");
    }
}

#[test]
fn a_killed_command_leaves_the_old_state_or_the_new_one() {
    kill_each(4);
}

#[test]
#[ignore = "takes minutes; the short form runs always"]
fn commands_are_killed_at_two_hundred_points() {
    let times = std::env::var("PROWESS_KILLS").ok();
    kill_each(times.and_then(|it| it.parse().ok()).unwrap_or(200));
}

/// Lets each call fail in turn, or some of them; what is said must be true.
fn fail_each(line: &'static str, errors: &[&str], step: usize) {
    let scene = Scene::new(line);
    let calls = scene.calls();
    let (mut seen, mut wrong) = (BTreeMap::new(), Vec::new());
    for (name, number) in calls.iter().step_by(step) {
        for error in errors {
            scene.reset();
            let fail = format!("inject={name}:error={error}:when={number}");
            let output = scene.traced(&["-e", &fail]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let code = output.status.code();
            let point = format!("{line}: {error} at `{name}` {number}, exit {code:?}: {said}");
            let is_new = scene.settled("verify", &point);
            let is_true = match code {
                Some(0 | 1) => is_new,
                _ if is_new => said.contains("is installed and"),
                // A program that cannot be loaded, or cannot write, says nothing.
                Some(127) => true,
                _ => said.contains("error: ") || *name == "write",
            };
            let denies = said.contains("nothing was changed") && is_new;
            if !is_true || denies || said.contains("panicked") {
                wrong.push(point.clone());
            }
            *seen.entry((*error, code, is_new)).or_insert(0) += 1;
            if step == 1 {
                scene.repeats(&point);
            }
        }
    }
    println!("{line}, {} calls: {seen:?}", calls.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_disk_that_fails_leaves_the_old_state_or_the_new_one() {
    fail_each("add", &["ENOSPC"], 37);
}

#[test]
#[ignore = "takes minutes; the short form runs always"]
fn every_call_fails_once() {
    for line in ["add", "sync", "update"] {
        fail_each(line, &["ENOSPC", "EIO", "EINTR"], 1);
    }
}

#[test]
fn two_commands_at_once_take_turns() {
    let scene = Scene::new("add");
    scene.reset();
    let source = format!("file://{}", scene.world.path("upstream").display());
    let children = ["pdf", "doc", "sql"].map(|name| {
        let mut command = scene.command(&format!("add {source} --yes --skill {name}"));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    });
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(scene.state(), scene.new);
}

/// A small disk that is really full, where one can be mounted: writes end in the middle of a file.
#[test]
fn a_full_disk_leaves_the_old_state_or_the_new_one() {
    let scene = Scene::new("add");
    let work = scene.world.path("work");
    let (mut old, mut new) = (0, 0);
    // From too small for one file to large enough for all.
    for kilobytes in (40..=72).step_by(4) {
        scene.reset();
        let plain = scene.command(&scene.whole_line());
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k none {work} && cp -a {work}-before/. {work} && cd {work} || exit 99
            \"$@\"; code=$?; \"$0\" verify; rm -rf {work}-after; cp -a {work} {work}-after; exit $code",
            work = work.display()
        );
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &script]);
        command.arg(plain.get_program()).arg(plain.get_program());
        command
            .args(plain.get_args())
            .stdin(Stdio::null())
            .env_clear();
        for (name, value) in plain.get_envs() {
            value.map(|value| command.env(name, value));
        }
        let output = match command.output() {
            Ok(output) if output.status.code().is_some_and(|it| it < 90) => output,
            _ => {
                eprintln!("nothing can be mounted here, so no disk was full");
                return;
            }
        };
        let found = state(&scene.world.path("work-after"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            assert_eq!(found, scene.new, "{kilobytes} KB: {said}");
            new += 1;
        } else {
            assert_eq!(found, scene.old, "{kilobytes} KB: {said}");
            assert!(said.contains("nothing was changed"), "{said}");
            assert!(said.contains("No space left"), "{said}");
            old += 1;
        }
    }
    println!("{old} times too small, {new} times large enough");
    assert!(old > 0 && new > 0, "{old} {new}");
}
