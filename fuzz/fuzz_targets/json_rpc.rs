//! Any bytes sent to the MCP server: it does not panic, tells what is no JSON by the protocol's
//! code, answers in lines of JSON-RPC, and goes on serving: a ping after the bytes is answered.
#![no_main]

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use libfuzzer_sys::fuzz_target;
use prowess::{Catalog, LoadOptions, MemorySource, Source, ToolOptions};
use prowess_mcp::{server::SkillServer, stdio::serve_streams};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex},
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":"fuzz-initialize","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":\"fuzz-last\",\"method\":\"ping\"}\n";

/// Far longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(8);

/// The codes JSON-RPC keeps for itself and for protocols above it.
const RESERVED: std::ops::RangeInclusive<i64> = -32768..=-32000;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
});

static SERVER: LazyLock<SkillServer> = LazyLock::new(|| {
    let source = MemorySource::new("fuzz")
        .skill(
            "pdf",
            "---\nname: pdf\ndescription: Fills PDF forms. Use when asked.\n---\nFill it.\n",
        )
        .skill(
            "tax",
            "---\nname: tax\ndescription: Writes to the tax office.\n---\nWrite.\n",
        );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).expect("two good skills load");
    SkillServer::new(Arc::new(catalog), ToolOptions::default())
});

fuzz_target!(|bytes: &[u8]| {
    // The first byte says whether the client has introduced itself before.
    let (introduced, bytes) = match bytes.split_first() {
        Some((first, rest)) => (first % 2 == 0, rest),
        None => (true, bytes),
    };
    let mut sent = Vec::new();
    if introduced {
        sent.extend_from_slice(INITIALIZE);
    }
    sent.extend_from_slice(bytes);
    sent.push(b'\n');
    if !introduced {
        sent.extend_from_slice(INITIALIZE);
    }
    sent.extend_from_slice(PING);
    let expected = no_json(bytes);
    let talked = RUNTIME.block_on(async { timeout(PATIENCE, talk(sent, expected)).await });
    let parse_errors = talked.expect("every message is answered in time");
    if let Some(expected) = expected {
        assert_eq!(parse_errors, expected, "lines that are no JSON");
    }
});

/// How many lines are no JSON; `None` where one may be refused for its depth before it is read.
fn no_json(bytes: &[u8]) -> Option<usize> {
    let mut count = 0;
    for line in bytes.split(|&byte| byte == b'\n') {
        let opens = line.iter().filter(|&&byte| matches!(byte, b'[' | b'{'));
        if opens.count() > 64 {
            return None;
        }
        let blank = line.trim_ascii().is_empty();
        if !blank && serde_json::from_slice::<Value>(line).is_err() {
            count += 1;
        }
    }
    Some(count)
}

/// Sends the bytes and reads until the last message is answered; gives how many lines the server
/// called no JSON.
async fn talk(sent: Vec<u8>, expected: Option<usize>) -> usize {
    let (mut writer, theirs) = duplex(1 << 16);
    let (ours, reader) = duplex(1 << 16);
    let server = SERVER.clone();
    let end = CancellationToken::new();
    let ended = end.clone();
    let serving = tokio::spawn(async move { serve_streams(&server, theirs, ours, ended).await });
    let writing = tokio::spawn(async move {
        writer.write_all(&sent).await.expect("the server reads");
        // Held open until all is answered.
        writer
    });
    let mut lines = BufReader::new(reader).lines();
    let (mut parse_errors, mut answered) = (0, false);
    while !answered || expected.is_some_and(|expected| parse_errors < expected) {
        let line = lines.next_line().await.expect("the server writes");
        let line = line.expect("the server goes on until the client leaves");
        let message: Value = serde_json::from_str(&line).expect("each line is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if let Some(error) = message.get("error") {
            let code = error["code"].as_i64().expect("an error has a code");
            assert!(RESERVED.contains(&code), "{line}");
            parse_errors += usize::from(code == -32700);
        }
        // A client that spoke the revision without sessions before is told what its ping lacks.
        answered |= message["id"] == "fuzz-last";
    }
    drop(writing.await.expect("all was written"));
    end.cancel();
    serving
        .await
        .expect("the server does not panic")
        .expect("the server ends in peace");
    parse_errors
}
