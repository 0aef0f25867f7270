//! `prowess serve`: a client on the standard streams, an address, and the snippets.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
};

use expect_test::expect;
use serde_json::{Value, json};

use crate::world::{World, skill};

fn world() -> World {
    World::with(&[
        ("skills/pdf/SKILL.md", &skill("pdf", "Fills PDF forms")),
        (
            "skills/odd/SKILL.md",
            "+++\nname = \"odd\"\ndescription = \"Is TOML. Use when asked.\"\n+++\n",
        ),
    ])
}

const HERE: &str = "--local --no-project --dir skills";

#[test]
fn a_client_on_the_standard_streams_reads_nothing_but_the_protocol() {
    let world = world();
    let mut command = world.command(&format!("serve {HERE}"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |message: Value| -> Value {
        writeln!(input, "{message}").unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    let opened = ask(json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    }));
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    let list = ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "skills/list" }));
    let skills = list["result"]["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 1, "{list}");
    assert_eq!(skills[0]["uri"], "skill://pdf/SKILL.md");
    // The end of the input is the end of the server.
    drop(input);
    assert_eq!(lines.count(), 0);
    let mut log = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("its frontmatter is TOML"), "{log}");
}

/// A server on a port that the system chose, and its address.
fn listening(world: &World, options: &str) -> (Child, String) {
    let line = format!("serve --http 127.0.0.1:0 --log json {options} {HERE}");
    let mut command = world.command(&line);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = log.find_map(|line| {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let url = event["url"].as_str()?;
        let rest = url.strip_prefix("http://").unwrap();
        Some(rest.strip_suffix("/mcp").unwrap().to_owned())
    });
    // Whoever listens no more would stop a server that logs.
    std::thread::spawn(move || log.for_each(drop));
    (child, address.unwrap())
}

fn get(address: &str, path: &str, more: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let ask = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{more}\r\n");
    stream.write_all(ask.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(unix)]
#[test]
fn an_address_is_served_until_the_signal_to_end() {
    let world = world();
    world.file("work/token", "0123456789abcdef0123\n");
    let (mut child, address) = listening(&world, "--token-file token");
    assert!(get(&address, "/healthz", "").starts_with("HTTP/1.1 200"));
    assert!(get(&address, "/metrics", "").starts_with("HTTP/1.1 401"));
    let token = "Authorization: Bearer 0123456789abcdef0123\r\n";
    assert!(get(&address, "/metrics", token).contains("prowess_skills 2"));
    let killed = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status();
    assert!(killed.unwrap().success());
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_cannot_be_served_safely_is_refused() {
    let world = world();
    world.file("work/short", "secret");
    let mut shown = world.run(&format!("serve --http 0.0.0.0:0 {HERE}"));
    shown += &world.run(&format!("serve --http --token-file short {HERE}"));
    shown += &world.run(&format!("serve --http --token-file missing {HERE}"));
    // The log comes first; the words after it are for people.
    let told: Vec<&str> = shown
        .lines()
        .filter(|line| !line.contains("WARN"))
        .collect();
    expect![[r#"
        -- stderr
        error: `0.0.0.0:0` can be reached from other machines, so a token is needed
        hint: give `--token-file FILE`, or listen on `127.0.0.1`, which only this machine reaches
        -- exit 3
        -- stderr
        error: the token in `short` is shorter than 16 characters
        hint: a long random text cannot be guessed
        -- exit 2
        -- stderr
        error: cannot read the token in `missing`
          cause: No such file or directory (os error 2)
        -- exit 3"#]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn a_snippet_carries_the_options_over() {
    let world = world();
    let shown = world.run(&format!("serve --print-config codex {HERE}"));
    let program = env!("CARGO_BIN_EXE_prowess");
    expect![[r#"
        [mcp_servers.prowess]
        command = "prowess"
        args = ["serve", "--dir", "[..]/work/skills", "--local", "--no-project"]
        -- stderr
        add this to `~/.codex/config.toml`; it makes 2 skills available
        -- exit 0
    "#]]
    .assert_eq(&shown.replace(program, "prowess"));
    expect![[r#"
        {
          "servers": {
            "prowess": {
              "type": "http",
              "url": "http://127.0.0.1:8645/mcp"
            }
          }
        }
        -- stderr
        add this to `.vscode/mcp.json`; it makes 2 skills available
        -- exit 0
    "#]]
    .assert_eq(&world.run(&format!("serve --http --print-config vscode {HERE}")));
    world.session(&expect![[r#"
        $ prowess serve --http --print-config claude-desktop
        -- stderr
        error: the Claude app starts a command and knows no address
        hint: leave out `--http`
        -- exit 2
    "#]]);
}

#[test]
fn why_tells_what_hosts_do_not_get() {
    let world = world();
    let shown = world.run(&format!("why odd {HERE}"));
    assert!(
        shown.contains("no entry for hosts: its frontmatter is TOML"),
        "{shown}"
    );
    let story = world.json(&format!("why pdf --json {HERE}"));
    assert_eq!(
        story["skills"][0]["mcp"],
        json!({ "served": true, "reason": null })
    );
}

#[test]
fn skills_of_other_servers_are_not_passed_on_and_that_is_said() {
    let world = World::new();
    world.file(
        "home/.config/prowess/config.toml",
        "[servers.acme]\ncommand = \"prowess-no-such-program\"\n",
    );
    let log = |line: &str| {
        let mut command = world.command(line);
        let done = command.stdin(Stdio::null()).output().unwrap();
        assert!(done.status.success());
        String::from_utf8(done.stderr).unwrap()
    };
    let errors = log("serve");
    let told = "the skills of other MCP servers are not passed on; connect the client to them";
    assert!(errors.contains(told), "{errors}");
    assert!(errors.contains("servers=\"acme\""), "{errors}");
    assert!(!errors.contains("cannot be started"), "{errors}");
    let errors = log("serve --no-servers");
    assert!(!errors.contains(told), "{errors}");
}
