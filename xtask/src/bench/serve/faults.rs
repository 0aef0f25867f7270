//! Clients that mean no good: what they send, and that the server goes on.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use anyhow::{Result, ensure};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::{
    load::{Kind, Protocol, Work, exactly},
    resident,
};
use crate::serving::Serving;

const CONNECTIONS: usize = 10_000;

/// Megabytes that a storm of connections may cost.
const ROOM: f64 = 64.0;

/// How the server took it.
pub(super) struct Endured {
    pub(super) name: String,
    pub(super) told: String,
    pub(super) fine: bool,
}

/// Sends each, and sees that good requests are answered right after.
pub(super) fn endure(server: &Serving, work: &Work) -> Result<Vec<Endured>> {
    let mut endured = vec![
        malformed(server)?,
        enormous(server)?,
        storm(server, CONNECTIONS)?,
    ];
    // Those who said nothing are let go after a while; then there is room again.
    let mut served = false;
    for _ in 0..90 {
        served = exactly(server.address(), work, Kind::Read, Protocol::New, 100).is_ok();
        if served {
            break;
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    endured.push(Endured {
        name: "good requests after all that".to_owned(),
        told: if served { "answered" } else { "not answered" }.to_owned(),
        fine: served,
    });
    Ok(endured)
}

fn malformed(server: &Serving) -> Result<Endured> {
    let mut bad = 0;
    let bodies = [
        "{",
        "[]",
        "\u{fffd}",
        "{\"jsonrpc\":\"2.0\"}",
        &"[".repeat(100_000),
    ];
    for body in bodies {
        let answer = post(server, body.len(), body.as_bytes())?;
        bad += usize::from(!answer.starts_with("HTTP/1.1 400") || !answer.contains("\"error\""));
    }
    Ok(Endured {
        name: "malformed JSON".to_owned(),
        told: format!(
            "{} of {} answered with 400",
            bodies.len() - bad,
            bodies.len()
        ),
        fine: bad == 0,
    })
}

fn enormous(server: &Serving) -> Result<Endured> {
    let before = resident(server.id())?;
    let size = 100 * 1024 * 1024;
    // The server answers and closes before all is sent, which may end the writing.
    let answer = post(server, size, &vec![b' '; size])?;
    // Without a length the server has to count.
    let mut stream = connect(server)?;
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
    for _ in 0..size / 0x10000 {
        if stream.write_all(&chunk).is_err() {
            break;
        }
    }
    let chunked = read(&mut stream);
    let grown = resident(server.id())? - before;
    let refused = |answer: &str| answer.is_empty() || answer.starts_with("HTTP/1.1 413");
    Ok(Endured {
        name: "a body of 100 MB, announced and in chunks".to_owned(),
        told: format!("refused, {grown:.1} MB more in use"),
        fine: refused(&answer) && refused(&chunked) && grown < ROOM,
    })
}

/// Opens many connections that say half a word and wait.
fn storm(server: &Serving, count: usize) -> Result<Endured> {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(
        Resource::RLIMIT_NOFILE,
        most.min(count as u64 + 1_000),
        most,
    )?;
    let before = resident(server.id())?;
    let mut open = Vec::with_capacity(count);
    let mut refused = 0;
    for _ in 0..count {
        // A connection that is not even taken up is refused too.
        let Ok(mut stream) = connect(server) else {
            refused += 1;
            continue;
        };
        stream.set_read_timeout(Some(Duration::from_millis(1)))?;
        let _ = stream.write_all(b"POST /mcp");
        open.push(stream);
    }
    ensure!(
        open.len() > count / 2,
        "this machine cannot open {count} connections"
    );
    let peak = resident(server.id())?;
    let mut told = 0;
    for stream in &mut open {
        let mut start = [0; 12];
        if let Ok(12) = stream.read(&mut start) {
            told += usize::from(&start == b"HTTP/1.1 503");
        }
    }
    let grown = peak - before;
    Ok(Endured {
        name: format!("{count} connections at one time"),
        told: format!(
            "{} opened, {told} told 503, {refused} not opened, {grown:.1} MB more in use",
            open.len()
        ),
        fine: grown < ROOM && told > 0,
    })
}

fn connect(server: &Serving) -> Result<TcpStream> {
    let address = server.address().parse()?;
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(20))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_write_timeout(Some(Duration::from_secs(60)))?;
    Ok(stream)
}

fn post(server: &Serving, length: usize, body: &[u8]) -> Result<String> {
    let mut stream = connect(server)?;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    let _ = stream.write_all(body);
    Ok(read(&mut stream))
}

/// What came back; a connection that was reset may have taken it along.
fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
