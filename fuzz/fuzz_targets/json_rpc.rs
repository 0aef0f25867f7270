//! Whatever a client sends, each answer is a JSON-RPC message on a line of its own, and the next
//! request of the same client is still answered, unless the server has closed the connection.
#![no_main]

use std::{cell::OnceCell, sync::Arc, time::Duration};

use libfuzzer_sys::fuzz_target;
use prowess::{Catalog, LoadOptions, MemorySource, Source, ToolOptions};
use prowess_mcp::{server::SkillServer, stdio::serve_streams};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split},
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"fuzz","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);
const PING: &str = "\n{\"jsonrpc\":\"2.0\",\"id\":987654321,\"method\":\"ping\"}\n";
const PING_ID: u64 = 987_654_321;

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    static SERVER: OnceCell<SkillServer> = const { OnceCell::new() };
}

fn server() -> SkillServer {
    let source = MemorySource::new("fuzz").skill(
        "a/SKILL.md",
        "---\nname: a\ndescription: Use when asked.\n---\nDo it.\n",
    );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).expect("lenient loads");
    SkillServer::new(Arc::new(catalog), ToolOptions::default())
}

fuzz_target!(|bytes: &[u8]| {
    RUNTIME.with(|runtime| {
        SERVER.with(|slot| {
            let server = slot.get_or_init(server);
            let talk = timeout(Duration::from_secs(10), talk(server, bytes));
            runtime.block_on(talk).expect("a conversation ends");
        });
    });
});

async fn talk(server: &SkillServer, bytes: &[u8]) {
    let (near, far) = duplex(1 << 20);
    let (reader, writer) = split(far);
    let end = CancellationToken::new();
    let serving = serve_streams(server, reader, writer, end.clone());
    let asking = async {
        let (answers, mut questions) = split(near);
        for part in [HELLO.as_bytes(), bytes, PING.as_bytes()] {
            // The server may have hung up; that is an answer too.
            let _ = questions.write_all(part).await;
        }
        let mut lines = BufReader::new(answers).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).expect("an answer is JSON");
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if message["id"] == PING_ID {
                break;
            }
        }
        end.cancel();
    };
    // How it ends is the client's doing; that it ends is ours.
    let _ = tokio::join!(serving, asking);
}
