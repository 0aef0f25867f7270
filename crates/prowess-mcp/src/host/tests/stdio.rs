//! Servers that are started as programs: shell scripts, as honest as the test wants them.
#![cfg(unix)]

use super::*;

fn shell(label: &str, script: &str) -> ServerConfig {
    ServerConfig::command(label, "sh", ["-c", script])
}

/// A whole server in a shell: it knows the old greeting, one skill, and its file.
fn honest() -> String {
    let skill = Skill::new("pdf");
    let list = json!({"skills": [skill.entry()]}).to_string();
    let text = json!({"contents": [{"uri": skill.uri(), "text": skill.text()}]}).to_string();
    let hello = json!({
        "protocolVersion": "2025-11-25", "serverInfo": {"name": "sh", "version": "1"},
        "capabilities": {"resources": {}, "extensions": {EXTENSION: {}}},
    });
    // `printf %s` keeps the backslashes of the JSON.
    format!(
        r#"
        answer() {{ printf '{{"jsonrpc":"2.0","id":%s,"%s":' "$id" "$1"; printf '%s}}\n' "$2"; }}
        while read -r line; do
            id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
            case "$line" in
                *server/discover*) answer error '{{"code":-32601,"message":"no"}}';;
                *'"initialize"'*) answer result '{hello}';;
                *skills/list*) answer result '{list}';;
                *resources/read*) answer result '{text}';;
            esac
        done
        "#
    )
}

#[test]
fn a_program_is_started_asked_and_ended() {
    let mut config = shell("sh", &honest());
    config.timeout = Duration::from_secs(60);
    let host = Host::start(vec![config], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    expect![[r"
        pdf remote sh active: Does pdf. (from the MCP server `sh`)
    "]]
    .assert_eq(&seen(&catalog));
    let skill = catalog.get("pdf").unwrap();
    assert_eq!(skill.loaded().unwrap().instructions(), "Do pdf.");
    drop(host);
    // The host is gone, and a skill of its catalog starts nothing again.
    let error = skill.loaded().unwrap_err().to_string();
    assert_eq!(error, "the MCP server `sh` is no longer connected");
}

#[test]
fn programs_that_are_no_servers_cost_a_finding_each() {
    let mut servers = vec![
        ServerConfig::command("missing", "prowess-no-such-program", [""; 0]),
        shell("dies", "echo 'port taken' >&2; exit 3"),
        shell("flood", "yes aaaaaaaa | tr -d '\\n'"),
        shell("talks", "echo Welcome to my server; exec sleep 60"),
        shell("mute", "exec sleep 60"),
    ];
    for server in &mut servers {
        server.timeout = Duration::from_secs(match &*server.label {
            "mute" => 1,
            // Long enough to say its word on a loaded machine.
            "talks" => 3,
            _ => 30,
        });
    }
    let begun = std::time::Instant::now();
    let host = Host::start(servers, HostOptions::default()).unwrap();
    let mut lines: Vec<String> = seen(&catalog_of(&host))
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    drop(host);
    expect![[r#"
        [server-unreachable] the MCP server `dies` ended before it answered; it says: port taken (start its command by hand and see what it says)
        [server-unreachable] the MCP server `flood` sends a message that is too large (tell the owner of the server)
        [server-unreachable] the MCP server `missing` cannot be started: `prowess-no-such-program`: No such file or directory (os error 2) (see whether `command` names a program that is installed)
        [server-unreachable] the MCP server `mute` does not answer within 1 s (see whether it runs, or raise its `timeout`)
        [server-unreachable] the MCP server `talks` writes lines that are no messages to its standard output (tell the owner of the server)
    "#]].assert_eq(&(lines.join("\n") + "\n"));
    // The ones that sleep were not waited for.
    assert!(begun.elapsed() < Duration::from_secs(50));
}

/// Keys of other services are none of a server's business, and what it starts ends with it.
#[test]
fn a_program_gets_what_it_needs_and_leaves_nothing_behind() {
    let home = tempfile::tempdir().unwrap();
    let (seen, left) = (home.path().join("env"), home.path().join("pid"));
    let script = format!(
        "env > {}; sleep 300 & echo $! > {}; {}",
        seen.display(),
        left.display(),
        honest()
    );
    let mut config = shell("sh", &script);
    config.timeout = Duration::from_secs(60);
    if let Transport::Command { env, .. } = &mut config.transport {
        env.insert("GIVEN".to_owned(), "yes".to_owned());
    }
    let host = Host::start(vec![config], HostOptions::default()).unwrap();
    assert_eq!(catalog_of(&host).skills().len(), 1);
    drop(host);
    let seen = std::fs::read_to_string(seen).unwrap();
    let named = |name: &str| {
        seen.lines()
            .any(|line| line.starts_with(&format!("{name}=")))
    };
    assert!(named("PATH") && named("GIVEN"), "{seen}");
    // Set by cargo for every test.
    assert!(!named("CARGO_MANIFEST_DIR"), "{seen}");
    let pid: i32 = std::fs::read_to_string(left)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let until = std::time::Instant::now() + Duration::from_secs(30);
    // A process that ended and was not waited for yet is dead, too.
    let lives = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    while cfg!(target_os = "linux") && lives() {
        assert!(std::time::Instant::now() < until, "{pid} goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}
