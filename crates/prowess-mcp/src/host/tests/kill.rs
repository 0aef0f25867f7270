//! A program that is killed while it writes an approval leaves the old one or the new one.

use std::process::{Command, Stdio};

use super::*;

const FOLDER: &str = "PROWESS_TEST_APPROVALS";

fn entry(body: &str) -> Entry {
    let value = Skill::new("pdf").body(body).entry();
    Entry::read(&value, &HostLimits::default()).unwrap()
}

/// What the other process does: it approves two versions in turn until it is killed.
#[test]
#[ignore = "the other test runs it in a process of its own"]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let approvals = Approvals::new(folder);
    let versions = [entry("One."), entry("Two.")];
    // Bounded, should nobody come to kill it.
    for turn in 0..1_000_000 {
        approvals
            .approve("acme", &versions[turn % 2], Extent::Fields)
            .unwrap();
    }
}

#[test]
fn an_approval_is_whole_after_a_kill() {
    let home = Home::new();
    let folder = home.0.path().join("approvals");
    let approvals = Approvals::new(&folder);
    let known: Vec<_> = ["One.", "Two."]
        .map(|body| entry(body).manifest_hash())
        .into();
    for round in 0..8_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "host::tests::kill::writer", "--ignored"])
            .env(FOLDER, &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while approvals.all().unwrap().is_empty() {
            assert!(child.try_wait().unwrap().is_none(), "the writer ended");
            std::thread::yield_now();
        }
        // Another moment each time; which one does not matter.
        std::thread::sleep(Duration::from_micros(700 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let all = approvals.all().unwrap();
        assert_eq!(all.len(), 1);
        assert!(known.contains(&Some(all[0].manifest.clone())));
        assert!(approvals.revoke("acme", "skill://pdf/SKILL.md").unwrap());
    }
}
