//! A server on loopback that answers as a test tells it.

use std::{
    io::{BufRead as _, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value as Json, json};

use super::{super::EXTENSION, skill::Skill};

/// Only older clients take notice of a session.
const SESSION: &str = "Mcp-Session-Id: one\r\n";

/// How a request is answered.
pub(super) enum Reply {
    Result(Json),
    Error(i32, &'static str),
    /// Status, content type and body, as they are.
    Raw(u16, &'static str, Vec<u8>),
    /// A JSON body of this many bytes.
    Huge(u64),
    /// Nothing, until the test ends.
    Silence,
    /// A byte now and then, until the test ends.
    Drip,
}

impl Reply {
    pub(super) fn result(value: Json) -> Self {
        Self::Result(value)
    }

    /// What a server with no skills answers.
    pub(super) fn default(method: &str) -> Self {
        let capabilities =
            json!({"resources": {"listChanged": true}, "extensions": {EXTENSION: {}}});
        match method {
            "server/discover" => Self::Result(json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
            })),
            "initialize" => Self::Result(json!({
                "protocolVersion": "2025-11-25", "capabilities": capabilities,
                "serverInfo": {"name": "script", "version": "1"},
            })),
            "skills/list" => Self::Result(json!({"skills": []})),
            _ => Self::Error(-32_602, "unknown"),
        }
    }
}

type Answer = dyn Fn(&str, &Json) -> Reply + Send + Sync;

/// A server under way.
pub(super) struct Script {
    url: String,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Box<Answer>,
    calls: Mutex<Vec<String>>,
    older: AtomicBool,
    ended: AtomicBool,
    /// Bytes of huge bodies that somebody took.
    taken: AtomicU64,
    /// Notices that were told to those who listen.
    news: AtomicU64,
    /// What makes a stream a secret one.
    tls: Option<Arc<ServerConfig>>,
}

impl Script {
    /// Answers each method as the function says.
    pub(super) fn new(answer: impl Fn(&str, &Json) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(answer, None)
    }

    /// The same over TLS.
    pub(super) fn start(
        answer: impl Fn(&str, &Json) -> Reply + Send + Sync + 'static,
        tls: Option<Arc<ServerConfig>>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            calls: Mutex::default(),
            older: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            taken: AtomicU64::new(0),
            news: AtomicU64::new(0),
            tls,
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.ended.load(Ordering::Relaxed) {
                    return;
                }
                let (serving, Ok(stream)) = (Arc::clone(&serving), stream) else {
                    return;
                };
                // A client that goes away is no fault of the server.
                thread::spawn(move || match &serving.tls {
                    Some(tls) => {
                        let tls = ServerConnection::new(Arc::clone(tls)).unwrap();
                        serving.serve(StreamOwned::new(tls, stream)).ok()
                    }
                    None => serving.serve(stream).ok(),
                });
            }
        });
        let scheme = shared.tls.as_ref().map_or("http", |_| "https");
        Self {
            url: format!("{scheme}://{address}/mcp"),
            shared,
        }
    }

    /// Serves these skills as they are.
    pub(super) fn serving(skills: impl IntoIterator<Item = Skill>) -> Self {
        let skills: Vec<Skill> = skills.into_iter().collect();
        Self::new(move |method, params| serve(&skills, method, params))
    }

    /// Knows no newer protocol than 2025-11-25.
    pub(super) fn older(self) -> Self {
        self.shared.older.store(true, Ordering::Relaxed);
        self
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// What was asked so far; a read with its URI.
    pub(super) fn calls(&self) -> Vec<String> {
        self.shared.calls.lock().unwrap().clone()
    }

    /// How many bytes of huge bodies were taken.
    pub(super) fn taken(&self) -> u64 {
        self.shared.taken.load(Ordering::Relaxed)
    }

    /// Tells those who listen that the list changed.
    pub(super) fn tell(&self) {
        self.shared.news.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the server: whoever calls now is turned away.
    pub(super) fn end(&self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // Wakes the listener, which then sees that it is over and lets the port go.
        let address = self.url.split('/').nth(2).unwrap();
        while TcpStream::connect(address).is_ok() {
            thread::yield_now();
        }
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a server answers that serves these skills.
pub(super) fn serve(skills: &[Skill], method: &str, params: &Json) -> Reply {
    let uri = params["uri"].as_str().unwrap_or_default();
    match method {
        "skills/list" => {
            let entries: Vec<Json> = skills.iter().map(Skill::entry).collect();
            Reply::result(json!({"skills": entries}))
        }
        "skills/get" => match skills.iter().find(|skill| skill.uri() == uri) {
            Some(skill) => Reply::result(json!({"skill": skill.entry()})),
            None => Reply::Error(-32_602, "unknown skill"),
        },
        "resources/read" => {
            let found = skills.iter().find_map(|skill| {
                let files = skill.files();
                files.into_iter().find(|(file, _)| file == uri)
            });
            match found {
                Some((uri, text)) => Reply::result(json!({
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                    "contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}],
                })),
                None => Reply::Error(-32_602, "unknown resource"),
            }
        }
        _ => Reply::default(method),
    }
}

impl Shared {
    fn serve(&self, stream: impl Read + Write) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        let (mut length, mut line, mut get) = (0, String::new(), false);
        while reader.read_line(&mut line)? > 2 {
            let header = line.to_ascii_lowercase();
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            get |= header.starts_with("get ");
            line.clear();
        }
        if get {
            return self.stream(reader.get_mut());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let stream = reader.get_mut();
        let message: Json = serde_json::from_slice(&body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        if message.get("id").is_none() {
            return head(stream, 202, "text/plain", 0);
        }
        let uri = message["params"]["uri"].as_str();
        let call = uri.map_or(method.to_owned(), |uri| format!("{method} {uri}"));
        self.calls.lock().unwrap().push(call);
        let mut reply = (self.answer)(method, &message["params"]);
        if method == "server/discover" && self.older.load(Ordering::Relaxed) {
            reply = Reply::Error(-32_601, "method not found");
        }
        let id = &message["id"];
        match reply {
            Reply::Result(result) => answer(
                stream,
                &json!({"jsonrpc": "2.0", "id": id, "result": result}),
            ),
            Reply::Error(code, told) => answer(
                stream,
                &json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": told}}),
            ),
            Reply::Raw(status, kind, body) => {
                head(stream, status, kind, body.len() as u64)?;
                stream.write_all(&body)
            }
            Reply::Huge(size) => {
                head(stream, 200, "application/json", size)?;
                let chunk = vec![b' '; 64 * 1024];
                let mut left = size;
                while left > 0 && !self.ended.load(Ordering::Relaxed) {
                    stream.write_all(&chunk)?;
                    self.taken.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                    left = left.saturating_sub(chunk.len() as u64);
                }
                Ok(())
            }
            Reply::Drip => {
                head(stream, 200, "application/json", 1_000_000)?;
                while !self.ended.load(Ordering::Relaxed) {
                    stream.write_all(b" ")?;
                    thread::sleep(Duration::from_millis(20));
                }
                Ok(())
            }
            Reply::Silence => {
                while !self.ended.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(20));
                }
                Ok(())
            }
        }
    }
}

impl Shared {
    /// What an older server says by itself.
    fn stream(&self, stream: &mut impl Write) -> std::io::Result<()> {
        let head = "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        self.calls.lock().unwrap().push("GET".to_owned());
        let mut told = self.news.load(Ordering::Relaxed);
        while !self.ended.load(Ordering::Relaxed) {
            if self.news.load(Ordering::Relaxed) > told {
                told += 1;
                let news =
                    json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"});
                stream.write_all(format!("data: {news}\n\n").as_bytes())?;
                stream.flush()?;
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

fn answer(stream: &mut impl Write, message: &Json) -> std::io::Result<()> {
    let body = message.to_string();
    head(stream, 200, "application/json", body.len() as u64)?;
    stream.write_all(body.as_bytes())
}

fn head(stream: &mut impl Write, status: u16, kind: &str, length: u64) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n{SESSION}\r\n"
    );
    stream.write_all(head.as_bytes())
}
