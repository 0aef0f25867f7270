//! Requests over connections that stay open, as fast as they are answered.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::generate::queries;

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is asked for.
pub(super) struct Work {
    queries: Vec<String>,
    uris: Vec<String>,
}

impl Work {
    pub(super) fn over(folder: &Path) -> Result<Self> {
        let mut uris = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            uris.push(format!("skill://{}/SKILL.md", name.to_string_lossy()));
        }
        // The order of the disk differs from machine to machine.
        uris.sort();
        Ok(Self {
            queries: queries(1_000).lines().map(str::to_owned).collect(),
            uris,
        })
    }

    fn params(&self, kind: Kind, number: usize) -> Value {
        match kind {
            Kind::Search => {
                let query = &self.queries[number % self.queries.len()];
                json!({ "name": "search_skills", "arguments": { "query": query } })
            }
            // Neighbours in the list are not asked for one after the other.
            Kind::Read => json!({ "uri": self.uris[number * 7919 % self.uris.len()] }),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Search,
    Read,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Search, Self::Read];

    fn method(self) -> &'static str {
        match self {
            Self::Search => "tools/call",
            Self::Read => "resources/read",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Search => "tools/call search_skills",
            Self::Read => "resources/read",
        }
    }
}

/// How a client and a server know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Each request stands alone.
    New,
    /// A session is opened first.
    Old,
}

impl Protocol {
    pub(super) const ALL: [Self; 2] = [Self::New, Self::Old];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::New => NEW,
            Self::Old => OLD,
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) kind: Kind,
    pub(super) protocol: Protocol,
    pub(super) count: usize,
    pub(super) failed: usize,
    seconds: f64,
    /// Sorted.
    micros: Vec<u32>,
}

impl Measured {
    pub(super) fn rate(&self) -> f64 {
        self.count as f64 / self.seconds
    }

    pub(super) fn p99_ms(&self) -> f64 {
        let at = self.micros.len().saturating_sub(1) * 99 / 100;
        f64::from(self.micros.get(at).copied().unwrap_or_default()) / 1e3
    }
}

/// Asks for some seconds.
pub(super) fn load(
    address: &str,
    work: &Work,
    kind: Kind,
    protocol: Protocol,
    connections: usize,
    seconds: f64,
) -> Result<Measured> {
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    run(address, work, kind, protocol, connections, |_| {
        Instant::now() < end
    })
}

/// Asks so many times.
pub(super) fn exactly(
    address: &str,
    work: &Work,
    kind: Kind,
    protocol: Protocol,
    count: usize,
) -> Result<Measured> {
    let measured = run(address, work, kind, protocol, 8, |number| number < count)?;
    ensure!(measured.failed == 0, "{} requests failed", measured.failed);
    Ok(measured)
}

fn run(
    address: &str,
    work: &Work,
    kind: Kind,
    protocol: Protocol,
    connections: usize,
    go_on: impl Fn(usize) -> bool + Sync,
) -> Result<Measured> {
    let next = AtomicUsize::new(0);
    let began = Instant::now();
    let parts: Vec<Result<(Vec<u32>, usize)>> = thread::scope(|scope| {
        let ask = || -> Result<(Vec<u32>, usize)> {
            let mut client = Client::connect(address, protocol)?;
            let (mut micros, mut failed) = (Vec::new(), 0);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if !go_on(number) {
                    return Ok((micros, failed));
                }
                let start = Instant::now();
                let answer = client.ask(kind.method(), work.params(kind, number), number + 10)?;
                micros.push(u32::try_from(start.elapsed().as_micros()).unwrap_or(u32::MAX));
                let fine = answer.contains("\"result\":{") && !answer.contains("\"isError\":true");
                failed += usize::from(!fine);
            }
        };
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(ask)).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .map(|part| part.expect("a client does not panic"))
            .collect()
    });
    let seconds = began.elapsed().as_secs_f64();
    let (mut micros, mut failed) = (Vec::new(), 0);
    for part in parts {
        let (times, bad) = part?;
        micros.extend(times);
        failed += bad;
    }
    micros.sort_unstable();
    Ok(Measured {
        kind,
        protocol,
        count: micros.len(),
        failed,
        seconds,
        micros,
    })
}

/// One connection that stays open.
pub(super) struct Client {
    stream: BufReader<TcpStream>,
    address: String,
    protocol: Protocol,
    session: Option<String>,
}

impl Client {
    pub(super) fn connect(address: &str, protocol: Protocol) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut client = Self {
            stream: BufReader::with_capacity(64 * 1024, stream),
            address: address.to_owned(),
            protocol,
            session: None,
        };
        if protocol == Protocol::Old {
            let params = json!({
                "protocolVersion": OLD,
                "capabilities": {},
                "clientInfo": { "name": "load", "version": "1" },
            });
            client.ask("initialize", params, 1)?;
            let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            client.send("notifications/initialized", &told)?;
            client.receive()?;
        }
        Ok(client)
    }

    pub(super) fn ask(&mut self, method: &str, mut params: Value, id: usize) -> Result<String> {
        if self.protocol == Protocol::New {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "load", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(method, &message)?;
        self.receive()
    }

    fn send(&mut self, method: &str, message: &Value) -> Result<()> {
        let body = message.to_string();
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        if self.protocol == Protocol::New {
            let params = &message["params"];
            let name = params["name"].as_str().or_else(|| params["uri"].as_str());
            head += &format!("Mcp-Protocol-Version: {NEW}\r\nMcp-Method: {method}\r\n");
            if let Some(name) = name {
                head += &format!("Mcp-Name: {name}\r\n");
            }
        } else if method != "initialize" {
            head += &format!("Mcp-Protocol-Version: {OLD}\r\n");
        }
        if let Some(session) = &self.session {
            head += &format!("Mcp-Session-Id: {session}\r\n");
        }
        // One write, one packet.
        let message = head + "\r\n" + &body;
        self.stream.get_mut().write_all(message.as_bytes())?;
        Ok(())
    }

    /// Reads one answer to its end, so that the connection can be used again.
    fn receive(&mut self) -> Result<String> {
        let (mut length, mut chunked) = (0, false);
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).unwrap_or_default().to_owned();
        ensure!(
            status.starts_with('2'),
            "the server answered {}",
            line.trim()
        );
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim().split_once(':') else {
                break;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse()?,
                "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
                "mcp-session-id" => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = Vec::new();
        loop {
            if chunked {
                line.clear();
                self.stream.read_line(&mut line)?;
                length = usize::from_str_radix(line.trim(), 16).context("a bad chunk")?;
            }
            let start = body.len();
            body.resize(start + length, 0);
            self.stream.read_exact(&mut body[start..])?;
            if chunked {
                line.clear();
                self.stream.read_line(&mut line)?;
            }
            if !chunked || length == 0 {
                break;
            }
        }
        Ok(String::from_utf8(body)?)
    }
}
