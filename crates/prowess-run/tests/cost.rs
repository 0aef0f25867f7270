//! What a sandbox costs beside a plain start and beside `bwrap`, and that nothing stays behind.
//!
//! Slow, so run by name: `cargo test --release -p prowess-run --test cost -- --ignored --nocapture`.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out files of their own"
)]

mod common;

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use common::{World, sandbox, text};
use prowess_run::{Runner, Stop};

const ROUNDS: usize = 200;

#[test]
#[ignore = "a measurement"]
fn beside_a_plain_start_and_bubblewrap() {
    let world = World::with("a.sh", "#!/bin/sh\nexit 0\n");
    let script = world.skill().join("a.sh");
    let plain = || {
        Command::new("/bin/sh")
            .arg(&script)
            .stdout(Stdio::piped())
            .output()
            .unwrap();
    };
    let ours = || {
        assert!(
            sandbox()
                .start(world.request("a.sh"))
                .unwrap()
                .wait()
                .unwrap()
                .success()
        );
    };
    let bare = || {
        let run = sandbox()
            .without_namespaces()
            .start(world.request("a.sh"))
            .unwrap();
        assert!(run.wait().unwrap().success());
    };
    #[rustfmt::skip]
    let bubblewrap = || {
        let status = Command::new("bwrap")
            .args(["--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr",
                   "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
                   "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind"])
            .arg(world.skill()).arg(world.skill()).args(["/bin/sh"]).arg(&script)
            .stdout(Stdio::piped()).output().unwrap();
        assert!(status.status.success(), "{}", text(&status.stderr));
    };
    let mut times = [vec![], vec![], vec![], vec![]];
    for _ in 0..ROUNDS {
        times[0].push(time(plain));
        times[1].push(time(ours));
        times[2].push(time(bare));
        if Command::new("bwrap").arg("--version").output().is_ok() {
            times[3].push(time(bubblewrap));
        }
    }
    for (name, times) in ["plain", "sandbox", "without namespaces", "bwrap"]
        .iter()
        .zip(&mut times)
    {
        times.sort();
        if let Some(median) = times.get(times.len() / 2) {
            println!("{name:20} median {median:?}");
        }
    }
}

fn time(run: impl Fn()) -> Duration {
    let started = Instant::now();
    run();
    started.elapsed()
}

/// Ten thousand runs, eight at a time, most of them killed at a random moment.
#[test]
#[ignore = "minutes"]
fn nothing_stays_behind_after_ten_thousand_runs() {
    let runs: usize = std::env::var("PROWESS_TEST_RUNS")
        .ok()
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(10_000);
    let world = World::with(
        "a.sh",
        "#!/bin/sh\nsleep 100 & (setsid sleep 100 &)\necho x > f; sleep 0.02\n",
    );
    let before = census();
    thread::scope(|scope| {
        for worker in 0..8u64 {
            let world = &world;
            scope.spawn(move || {
                let mut state = 0x9e37_79b9_7f4a_7c15 ^ worker;
                for _ in 0..runs / 8 {
                    // xorshift64: any spread of moments will do.
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let run = sandbox().start(world.request("a.sh")).unwrap();
                    let canceller = run.canceller();
                    thread::sleep(Duration::from_micros(state % 40_000));
                    if state % 4 > 0 {
                        canceller.cancel();
                    }
                    let stop = run.wait().unwrap().stop;
                    assert!(
                        matches!(stop, Stop::Exit { code: 0 } | Stop::Cancelled),
                        "{stop:?}"
                    );
                }
            });
        }
    });
    thread::sleep(Duration::from_millis(500));
    assert_eq!(
        census(),
        before,
        "processes of ours, mounts, work folders, descriptors"
    );
}

/// Processes started from here, mounts, work folders, and open descriptors.
fn census() -> (usize, usize, usize, usize) {
    let processes = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        fs::read_link(entry.path().join("cwd"))
            .is_ok_and(|cwd| cwd.to_string_lossy().contains("prowess-run-"))
    });
    let mounts = fs::read_to_string("/proc/self/mountinfo")
        .unwrap()
        .lines()
        .count();
    let folders = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let folders = folders.filter(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with("prowess-run-")
    });
    (
        processes.count(),
        mounts,
        folders.count(),
        fs::read_dir("/proc/self/fd").unwrap().count(),
    )
}
