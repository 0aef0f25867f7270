//! Scripts of the kinds that skills bring work without a grant, or name the one they need.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out files of their own"
)]

mod common;

use std::{fs, time::Duration};

use common::{World, run, run_with, sandbox, text};
use prowess_run::{
    Denial, Grant, Input, InterpreterError, RunError, Runner, Stop, Unconfined, WorkFolder,
};

/// A script's name, its text, and what it prints.
#[rustfmt::skip]
const ORDINARY: &[(&str, &str, &str)] = &[
    ("hello.sh", "echo hello", "hello\n"),
    ("args.sh", "printf '%s|' \"$@\"", "a b|c|"),
    ("cat.sh", "cat -", "from stdin"),
    ("pipes.sh", "printf 'b\\na\\n' | sort | head -1", "a\n"),
    ("here.sh", "cat <<END\nhere\nEND", "here\n"),
    ("mktemp.sh", "f=$(mktemp) && echo x > \"$f\" && cat \"$f\" && rm \"$f\"", "x\n"),
    ("substitution.bash", "#!/bin/bash\ndiff <(echo 1) <(echo 1) && echo same", "same\n"),
    ("background.sh", "(echo one) & wait; echo two", "one\ntwo\n"),
    ("find.sh", "cd \"$SKILL_DIR\" && find . -name 'data*' | wc -l", "1\n"),
    ("awk.sh", "echo 'a 2' | awk '{print $2 * 3}'", "6\n"),
    ("sed.sh", "echo abc | sed s/b/x/", "axc\n"),
    ("tar.sh", "echo x > f && tar cf t.tar f && rm f && tar xf t.tar && cat f", "x\n"),
    ("gzip.sh", "echo x | gzip | gunzip", "x\n"),
    ("copy.sh", "cp -p \"$SKILL_DIR/data.json\" mine && chmod 600 mine && touch -d 2001-01-01 mine && stat -c %a mine", "600\n"),
    ("install.sh", "mkdir -p a/b && install -m 700 \"$SKILL_DIR/data.json\" a/b/c && stat -c %a a/b/c", "700\n"),
    ("seq.sh", "seq 3 | xargs -n1 -P2 -I{} sh -c 'echo {}' | sort | tr -d '\\n'", "123"),
    ("date.sh", "TZ=UTC date -d @0 +%Y", "1970\n"),
    ("posix", "#!/bin/sh\n. \"$SKILL_DIR/lib.sh\"; greet", "hi from lib\n"),
    ("own.sh", "\"$SKILL_DIR/posix\"", "hi from lib\n"),
    ("try_json.py", "import json, os\nprint(json.load(open(os.environ['SKILL_DIR'] + '/data.json'))['n'])", "7\n"),
    ("try_argparse.py", "import argparse\np = argparse.ArgumentParser(); p.add_argument('x', nargs='*')\nprint(p.parse_args().x)", "['a b', 'c']\n"),
    ("try_sibling.py", "import sys, os\nsys.path.insert(0, os.environ['SKILL_DIR'])\nimport helper\nprint(helper.answer())", "42\n"),
    ("try_subprocess.py", "import subprocess\nprint(subprocess.run(['echo', 'sub'], capture_output=True, text=True).stdout, end='')", "sub\n"),
    ("try_pool.py", "from multiprocessing import Pool\nif __name__ == '__main__':\n  with Pool(2) as pool: print(pool.map(abs, [-1, -2]))", "[1, 2]\n"),
    ("try_threads.py", "from concurrent.futures import ThreadPoolExecutor\nprint(sum(ThreadPoolExecutor(4).map(int, '123')))", "6\n"),
    ("try_asyncio.py", "import asyncio\nasync def main():\n  await asyncio.sleep(0)\n  print('slept')\nasyncio.run(main())", "slept\n"),
    ("try_tempfile.py", "import tempfile\nwith tempfile.NamedTemporaryFile('w+') as f:\n  f.write('t'); f.seek(0); print(f.read())", "t\n"),
    ("try_sqlite.py", "import sqlite3\nc = sqlite3.connect('db'); c.execute('create table t(x)'); c.execute('insert into t values (5)'); c.commit()\nprint(c.execute('select x from t').fetchone()[0])", "5\n"),
    ("try_zip.py", "import zipfile\nz = zipfile.ZipFile('z.zip', 'w'); z.writestr('a', 'inside'); z.close()\nprint(zipfile.ZipFile('z.zip').read('a').decode())", "inside\n"),
    ("try_shutil.py", "import shutil, os\nshutil.copytree(os.environ['SKILL_DIR'], 'copy'); print(sorted(os.listdir('copy'))[0] != '')", "True\n"),
    ("try_user.py", "import getpass, pathlib, os\nprint(pathlib.Path.home() == pathlib.Path(os.environ['HOME']))", "True\n"),
    ("try_unicode.py", "print('grüße, 世界')", "grüße, 世界\n"),
    ("hello.js", "console.log([3, 1, 2].sort().join())", "1,2,3\n"),
    ("files.mjs", "import fs from 'node:fs'; fs.writeFileSync('out', 'js'); console.log(fs.readFileSync('out', 'utf8'))", "js\n"),
    ("exec.cjs", "console.log(require('child_process').execSync('echo child').toString().trim())", "child\n"),
    ("worker.js", "const { Worker, isMainThread, parentPort } = require('worker_threads');\nif (isMainThread) new Worker(__filename).on('message', m => console.log(m)); else parentPort.postMessage('worked')", "worked\n"),
    ("hello.pl", "print join(',', map { $_ * 2 } 1..3), \"\\n\"", "2,4,6\n"),
    ("git.sh", "git init -q repo && cd repo && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git log --oneline | wc -l", "1\n"),
];

fn world() -> World {
    let world = World::with("data.json", r#"{"n": 7}"#);
    world.file("lib.sh", "greet() { echo hi from lib; }\n");
    world.file("helper.py", "def answer(): return 42\n");
    for (name, script, _) in ORDINARY {
        world.file(name, script);
    }
    let posix = world.skill().join("posix");
    fs::set_permissions(posix, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world
}

#[test]
fn ordinary_scripts_work_without_a_grant() {
    let world = world();
    let mut failed = Vec::new();
    for (name, _, expected) in ORDINARY {
        let request = world
            .request(name)
            .args(["a b", "c"])
            .input(Input::Bytes(b"from stdin".to_vec()));
        match sandbox().start(request).map(prowess_run::Run::wait) {
            // Not every machine has every interpreter.
            Err(RunError::Interpreter(InterpreterError::Missing { .. })) => {}
            Ok(Ok(answer)) if answer.success() && text(&answer.stdout) == *expected => {}
            other => failed.push(format!("{name}: {}", show(other))),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn show(result: Result<Result<prowess_run::Answer, RunError>, RunError>) -> String {
    match result.and_then(|answer| answer) {
        Ok(answer) => format!(
            "{:?}\n{}{}",
            answer.stop,
            text(&answer.stdout),
            text(&answer.stderr)
        ),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_needs_a_grant_names_it_and_works_with_it() {
    let world = World::with("read.sh", "cat \"$1\"\n");
    world.file("write.sh", "echo new > \"$1\"\n");
    let note = world.outside().join("note.txt");
    fs::write(&note, "kept\n").unwrap();
    for (script, grant) in [
        ("read.sh", Grant::Read(note.clone())),
        ("write.sh", Grant::Write(note.clone())),
    ] {
        for namespaces in [true, false] {
            let request = world.request(script).arg(&note);
            let refused = run_with(namespaces, request.clone());
            assert!(!refused.success());
            let named: Vec<_> = refused
                .denied
                .iter()
                .filter_map(|Denial { grant, .. }| grant.clone())
                .collect();
            assert!(
                named.iter().any(|named| named.contains(&grant.to_string())),
                "{named:?} {}",
                text(&refused.stderr)
            );
            assert!(
                run_with(namespaces, request.grant(grant.clone())).success(),
                "{grant}"
            );
        }
    }
    assert_eq!(fs::read_to_string(note).unwrap(), "new\n");
}

#[test]
fn the_network_is_there_once_it_is_granted() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let world = World::with(
        "a.py",
        "import socket, sys\nsocket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)\nprint('connected')\n",
    );
    for namespaces in [true, false] {
        let request = world.request("a.py").arg(&port);
        let refused = run_with(namespaces, request.clone());
        assert_eq!(text(&refused.stdout), "");
        let answer = run_with(namespaces, request.grant(Grant::Net));
        assert_eq!(
            text(&answer.stdout),
            "connected\n",
            "{}",
            text(&answer.stderr)
        );
    }
}

#[test]
fn a_variable_is_seen_only_when_it_is_granted() {
    let world = World::with("a.sh", "echo ${TOKEN:-none}\n");
    let sandbox = || sandbox().environment([("TOKEN".into(), "t0".into())]);
    let say = |request| text(&sandbox().start(request).unwrap().wait().unwrap().stdout);
    assert_eq!(say(world.request("a.sh")), "none\n");
    assert_eq!(
        say(world.request("a.sh").grant(Grant::Env("TOKEN".into()))),
        "t0\n"
    );
    let error = sandbox()
        .start(world.request("a.sh").grant(Grant::Env("OTHER".into())))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot grant `env:OTHER`: it is not set here"
    );
}

#[test]
fn a_script_outside_its_folder_is_refused() {
    let world = World::with("a.sh", "echo\n");
    let outside = world.outside().join("b.sh");
    fs::write(&outside, "echo\n").unwrap();
    std::os::unix::fs::symlink(&outside, world.skill().join("link.sh")).unwrap();
    for script in [
        "../outside/b.sh",
        "link.sh",
        "missing.sh",
        ".",
        "",
        "/bin/true",
    ] {
        let error = sandbox().start(world.request(script)).unwrap_err();
        assert!(
            matches!(error, RunError::NotInside { .. }),
            "{script}: {error}"
        );
    }
}

#[test]
fn the_end_of_a_script_comes_back_as_it_was() {
    let world = World::with("exit.sh", "exit 42\n");
    world.file("signal.sh", "kill -9 $$\n");
    world.file("long.sh", "sleep 60\n");
    assert_eq!(run(world.request("exit.sh")).stop, Stop::Exit { code: 42 });
    assert_eq!(
        run(world.request("signal.sh")).stop,
        Stop::Signal { signal: 9 }
    );
    let mut request = world.request("long.sh");
    request.limits.time = Duration::from_millis(200);
    assert_eq!(run(request).stop, Stop::TimedOut);
}

#[test]
fn a_run_can_be_cancelled_and_a_dropped_one_is_gone() {
    let world = World::with("a.sh", "sleep 60; echo late\n");
    let run = sandbox().start(world.request("a.sh")).unwrap();
    let canceller = run.canceller();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        canceller.cancel();
    });
    assert_eq!(run.wait().unwrap().stop, Stop::Cancelled);

    let marker = format!("dropped-{}", std::process::id());
    world.file("b.sh", &format!("#!/bin/bash\nexec -a {marker} sleep 60\n"));
    let run = sandbox().start(world.request("b.sh")).unwrap();
    let there = |wanted: bool| {
        (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            is_running(&marker) == wanted
        })
    };
    assert!(there(true), "it started");
    drop(run);
    assert!(there(false), "it is gone");
}

fn is_running(marker: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| text(&line).contains(marker) && !text(&line).contains("b.sh"))
    })
}

#[test]
fn a_work_folder_stays_when_asked() {
    let world = World::with("a.sh", "echo made > file\n");
    let answer = run(world.request("a.sh").work(WorkFolder::Kept));
    let work = answer.work.unwrap();
    assert_eq!(fs::read_to_string(work.join("file")).unwrap(), "made\n");
    fs::remove_dir_all(work).unwrap();
    assert_eq!(run(world.request("a.sh")).work, None);
    let there = world.outside();
    run(world.request("a.sh").work(WorkFolder::At(there.clone())));
    assert!(there.join("file").exists());
}

#[test]
fn output_is_heard_as_it_comes() {
    let world = World::with("a.sh", "echo one; sleep 0.2; echo two >&2\n");
    let (sender, receiver) = std::sync::mpsc::channel();
    let request = world.request("a.sh").listener(move |stream, bytes| {
        let _ = sender.send((stream, text(bytes)));
    });
    assert!(run(request).success());
    let heard: Vec<_> = receiver.iter().collect();
    assert_eq!(
        format!("{heard:?}"),
        r#"[(Stdout, "one\n"), (Stderr, "two\n")]"#
    );
}

#[test]
fn a_runner_can_be_kept_anywhere() {
    fn is<T: Send + Sync>(_: &T) {}
    let runner: Box<dyn Runner> = Box::new(sandbox());
    is(&runner);
    let world = World::with("a.sh", "echo\n");
    let lines = runner.describe(&world.request("a.sh")).unwrap();
    assert!(
        lines.iter().any(|line| line == "network: none"),
        "{lines:?}"
    );
}

#[test]
fn without_a_sandbox_the_work_folder_is_there_until_the_end() {
    let world = World::with(
        "late.sh",
        "sleep 0.2; echo x > f && cat f && pwd >/dev/null",
    );
    let run = Unconfined::default()
        .start(world.request("late.sh"))
        .unwrap();
    let answer = run.wait().unwrap();
    assert_eq!(text(&answer.stdout), "x\n");
    assert_eq!(text(&answer.stderr), "");
}
