//! Requests over connections that stay open, as fast as they are answered.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use ureq::Agent;

use crate::bench::percentile;
use crate::generate::{Asked, queries};

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is asked for.
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
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) name: String,
    /// Answers a second.
    pub(super) rate: f64,
    pub(super) p99_ms: f64,
}

/// One kind of request, put to one server over one protocol.
pub(super) struct Load<'a> {
    url: &'a str,
    kind: Kind,
    protocol: Protocol,
    queries: Vec<String>,
    uris: Vec<String>,
}

impl<'a> Load<'a> {
    pub(super) fn new(url: &'a str, folder: &Path, kind: Kind, protocol: Protocol) -> Result<Self> {
        let mut uris = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            uris.push(format!("skill://{}/SKILL.md", name.to_string_lossy()));
        }
        // The order of the disk differs from machine to machine.
        uris.sort();
        Ok(Self {
            url,
            kind,
            protocol,
            queries: queries(Asked::Mixed, 1_000)
                .lines()
                .map(str::to_owned)
                .collect(),
            uris,
        })
    }

    /// Asks for some seconds.
    pub(super) fn during(&self, connections: usize, seconds: f64) -> Result<Measured> {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        self.run(connections, |_| Instant::now() < end)
    }

    /// Asks so many times.
    pub(super) fn exactly(&self, connections: usize, count: usize) -> Result<Measured> {
        self.run(connections, |number| number < count)
    }

    fn run(&self, connections: usize, go_on: impl Fn(usize) -> bool + Sync) -> Result<Measured> {
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let ask = || -> Result<Vec<f64>> {
            let mut client = Client::connect(self.url, self.protocol)?;
            let mut times = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if !go_on(number) {
                    return Ok(times);
                }
                let start = Instant::now();
                let answer = client.ask(self.kind.method(), self.params(number), number + 10)?;
                times.push(start.elapsed().as_secs_f64() * 1e3);
                ensure!(
                    answer.contains("\"result\":{") && !answer.contains("\"isError\":true"),
                    "a request failed: {answer}"
                );
            }
        };
        let parts: Vec<Result<Vec<f64>>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..connections).map(|_| scope.spawn(ask)).collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined
                .map(|part| part.expect("a client does not panic"))
                .collect()
        });
        let seconds = began.elapsed().as_secs_f64();
        let parts: Result<Vec<Vec<f64>>> = parts.into_iter().collect();
        let mut times = parts?.concat();
        ensure!(!times.is_empty(), "nothing was answered");
        times.sort_by(f64::total_cmp);
        let (what, version) = match (self.kind, self.protocol) {
            (Kind::Search, Protocol::New) => ("tools/call search_skills", NEW),
            (Kind::Search, Protocol::Old) => ("tools/call search_skills", OLD),
            (Kind::Read, Protocol::New) => ("resources/read", NEW),
            (Kind::Read, Protocol::Old) => ("resources/read", OLD),
        };
        Ok(Measured {
            name: format!("{what} ({version})"),
            rate: times.len() as f64 / seconds,
            p99_ms: percentile(&times, 99),
        })
    }

    fn params(&self, number: usize) -> Value {
        match self.kind {
            Kind::Search => {
                let query = &self.queries[number % self.queries.len()];
                json!({ "name": "search_skills", "arguments": { "query": query } })
            }
            // Neighbours in the list are not asked for one after the other.
            Kind::Read => json!({ "uri": self.uris[number * 7919 % self.uris.len()] }),
        }
    }
}

/// One connection that stays open: an agent keeps it for the next request.
struct Client<'a> {
    agent: Agent,
    url: &'a str,
    protocol: Protocol,
    session: Option<String>,
}

impl<'a> Client<'a> {
    fn connect(url: &'a str, protocol: Protocol) -> Result<Self> {
        let config = Agent::config_builder().timeout_global(Some(PATIENCE));
        let mut client = Self {
            agent: config.build().into(),
            url,
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
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            client.send("notifications/initialized", &ready)?;
        }
        Ok(client)
    }

    fn ask(&mut self, method: &str, mut params: Value, id: usize) -> Result<String> {
        if self.protocol == Protocol::New {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "load", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(method, &message)
    }

    /// Sends a message and reads the answer to its end, so that the connection can be used again.
    fn send(&mut self, method: &str, message: &Value) -> Result<String> {
        let mut request = self
            .agent
            .post(self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if self.protocol == Protocol::New {
            let params = &message["params"];
            request = request.header("Mcp-Protocol-Version", NEW);
            request = request.header("Mcp-Method", method);
            if let Some(name) = params["name"].as_str().or_else(|| params["uri"].as_str()) {
                request = request.header("Mcp-Name", name);
            }
        } else if method != "initialize" {
            request = request.header("Mcp-Protocol-Version", OLD);
        }
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        let mut answer = request
            .send(message.to_string())
            .with_context(|| format!("`{method}` was not answered"))?;
        if let Some(session) = answer.headers().get("mcp-session-id") {
            self.session = Some(session.to_str()?.to_owned());
        }
        Ok(answer.body_mut().read_to_string()?)
    }
}
