//! Rows 55, 61 and 62 at full size: clients that mean no good, and kills in the middle of a write.
//! Slow, so ignored by default: `cargo xtask torture` runs these too.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::Value;

use crate::bench::{GOOD, write};

/// Megabytes that clients which mean no good may cost.
const ROOM: f64 = 64.0;

struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(home: &Path) -> Self {
        write(home, "skills/good/SKILL.md", GOOD);
        let mut child = Command::new(env!("CARGO_BIN_EXE_prowess"))
            .args(["serve", "--http", "127.0.0.1:0", "--log", "json"])
            .args(["--local", "--no-project", "--dir", "skills"])
            .current_dir(home)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = log.by_ref().map_while(Result::ok).find_map(|line| {
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            event["url"].as_str().map(str::to_owned)
        });
        // The log is read to its end, so that the server never waits for a reader.
        thread::spawn(move || log.count());
        let url = url.expect("the server says where it listens");
        let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
        Self {
            address: address.parse().unwrap(),
            child,
        }
    }

    fn connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&self.address, Duration::from_secs(20))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_write_timeout(Some(Duration::from_secs(60)))?;
        Ok(stream)
    }

    /// Sends a head and a body, and gives what came back: nothing where the connection was reset.
    fn send(&self, length: &str, body: impl Iterator<Item = Vec<u8>>) -> String {
        let mut stream = self.connect().unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n{length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The server may answer and close before all is sent.
        for part in body {
            if stream.write_all(&part).is_err() {
                break;
            }
        }
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn post(&self, body: &[u8]) -> String {
        let length = format!("Content-Length: {}", body.len());
        self.send(&length, [body.to_vec()].into_iter())
    }

    fn megabytes(&self) -> f64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.unwrap().trim().split(' ').next().unwrap();
        kilobytes.parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "slow; `cargo xtask torture` runs it"]
fn row_61_62_a_server_outlives_clients_that_mean_no_good() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path());
    let brackets = "[".repeat(100_000);
    for body in ["{", "[]", "\u{fffd}", "{\"jsonrpc\":\"2.0\"}", &brackets] {
        let answer = server.post(body.as_bytes());
        let refused = answer.starts_with("HTTP/1.1 400") && answer.contains("\"error\"");
        assert!(refused, "{answer}");
    }
    let before = server.megabytes();
    let size = 100 * 1024 * 1024;
    let announced = server.post(&vec![b' '; size]);
    // Without a length the server has to count.
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    let chunks = (0..size / 0x10000).map(|_| chunk.clone());
    let chunked = server.send("Transfer-Encoding: chunked", chunks);
    for answer in [announced, chunked] {
        let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 413");
        assert!(refused, "{answer}");
    }
    let (opened, turned_away) = storm(&server, 10_000);
    let grown = server.megabytes() - before;
    println!("storm: {opened} connections, {turned_away} got 503, {grown:.1} MB more in use");
    assert!(turned_away > 0 && grown < ROOM);
    // Those who said nothing are let go after a while; then there is room again.
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    let answered = (0..90).any(|_| {
        let answer = server.connect().map(|_| server.post(ping));
        let fine = answer.is_ok_and(|it| it.starts_with("HTTP/1.1 ") && !it.contains(" 503 "));
        if !fine {
            thread::sleep(Duration::from_secs(1));
        }
        fine
    });
    assert!(answered, "good requests are not answered any more");
}

/// Opens many connections that say half a word and wait; gives how many opened, and how many of
/// them were turned away.
fn storm(server: &Server, count: usize) -> (usize, usize) {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let wanted = most.min(count as u64 + 1_000);
    setrlimit(Resource::RLIMIT_NOFILE, wanted, most).unwrap();
    let mut open: Vec<TcpStream> = (0..count).filter_map(|_| server.connect().ok()).collect();
    assert!(open.len() > count / 2, "this machine cannot open {count}");
    for stream in &mut open {
        let _ = stream.write_all(b"POST /mcp");
    }
    let turned_away = open.iter_mut().filter_map(|stream| {
        let mut start = [0; 12];
        stream
            .set_read_timeout(Some(Duration::from_millis(1)))
            .ok()?;
        stream.read_exact(&mut start).ok()?;
        (&start == b"HTTP/1.1 503").then_some(())
    });
    let turned_away = turned_away.count();
    (open.len(), turned_away)
}

/// About the project of a killed `prowess trust` the old word stands or the new one; about the
/// others nothing changed.
#[test]
#[ignore = "slow; `cargo xtask torture` runs it"]
fn a_store_of_trust_whose_writer_was_killed_is_old_or_new() {
    let home = tempfile::tempdir().unwrap();
    let projects: Vec<_> = (0..40)
        .map(|at| {
            let project = home.path().join(format!("project-{at}"));
            write(&project, ".agents/skills/good/SKILL.md", GOOD);
            fs::create_dir(project.join(".git")).unwrap();
            project
        })
        .collect();
    let command = |project: &Path, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
        command.args(arguments).current_dir(project).env_clear();
        command.env("HOME", home.path()).stdin(Stdio::null());
        command
    };
    let list = || -> Vec<String> {
        let output = command(&projects[0], &["trust", "--list", "--json"]);
        let output = { output }.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut words = Vec::new();
        texts(&serde_json::from_slice(&output.stdout).unwrap(), &mut words);
        words
    };
    let seconds = std::env::var("PROWESS_TORTURE_SECONDS").ok();
    let seconds = seconds.and_then(|it| it.parse().ok()).unwrap_or(30);
    let time = Duration::from_secs(seconds) / 2;
    let (start, mut kills, mut random) = (Instant::now(), 0, fastrand::Rng::with_seed(11));
    let (mut before, mut changed) = (list(), false);
    while start.elapsed() < time {
        let project = &projects[kills % projects.len()];
        let revoke: &[&str] = if kills / projects.len() % 2 == 0 {
            &["trust"]
        } else {
            &["trust", "--revoke"]
        };
        let mut child = command(project, revoke);
        let mut child = child
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(random.u64(..60_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let now = list();
        let others = |words: &[String]| -> Vec<String> {
            let is_other =
                |word: &&String| word.starts_with('/') && !Path::new(word).starts_with(project);
            words.iter().filter(is_other).cloned().collect()
        };
        assert_eq!(others(&now), others(&before), "neither old nor new");
        changed |= now != before;
        before = now;
    }
    assert!(changed, "no write came to its end, which proves nothing");
    println!("kills: {kills} while the store of trust was written: old or new");
}

/// Every text in a value.
fn texts(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, words)),
        Value::Object(fields) => fields.values().for_each(|item| texts(item, words)),
        _ => {}
    }
}
