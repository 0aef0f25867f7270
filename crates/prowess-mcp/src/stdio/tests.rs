//! What a client may do to the standard streams.

use std::{sync::Arc, time::Duration};

use prowess::{Catalog, ToolOptions};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, duplex};
use tokio_util::sync::CancellationToken;

use super::serve_streams;
use crate::{server::SkillServer, wire::MAX_MESSAGE};

const PATIENCE: Duration = Duration::from_secs(60);

const OPEN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

fn server() -> SkillServer {
    SkillServer::new(Arc::new(Catalog::default()), ToolOptions::default())
}

/// Sends everything, closes, and gives back every line that was answered, by its id.
async fn talk(input: Vec<u8>) -> Vec<(Json, i64)> {
    let (mut writer, theirs) = duplex(1 << 16);
    let (ours, reader) = duplex(1 << 16);
    let server = server();
    let task = tokio::spawn(async move {
        serve_streams(&server, theirs, ours, CancellationToken::new()).await
    });
    tokio::spawn(async move {
        writer.write_all(&input).await.unwrap();
        // What is under way may still be answered.
        tokio::time::sleep(Duration::from_millis(300)).await;
        drop(writer);
    });
    let mut lines = BufReader::new(reader).lines();
    let mut answers = Vec::new();
    while let Some(line) = tokio::time::timeout(PATIENCE, lines.next_line())
        .await
        .unwrap()
        .unwrap()
    {
        let answer: Json = serde_json::from_str(&line).unwrap();
        let code = answer["error"]["code"].as_i64().unwrap_or(0);
        answers.push((answer["id"].clone(), code));
    }
    tokio::time::timeout(PATIENCE, task)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    answers.sort_by_key(|(id, code)| (id.to_string(), *code));
    answers
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_the_next_one_is_served() {
    let mut input = Vec::new();
    input.extend_from_slice(
        b"garbage\n\xff\xfe\n\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n",
    );
    input.extend_from_slice(OPEN.as_bytes());
    input.extend_from_slice(b"\n{\"id\":7}\n[]\n");
    // A message that never seems to end, and one that nests without end.
    input.extend_from_slice(&vec![b'x'; 3 * MAX_MESSAGE]);
    input.extend_from_slice(b"\n");
    input.extend_from_slice(&vec![b'['; 10_000]);
    input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
    input.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"no/such\"}\n");
    // And one that is cut off by the end of the stream.
    input.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":4,\"meth");
    let answers = talk(input).await;
    let expected = [
        (json!(1), 0),
        (json!(2), 0),
        (json!(3), -32601),
        (json!(7), -32600),
        (Json::Null, -32700),
        (Json::Null, -32700),
        (Json::Null, -32600),
        (Json::Null, -32600),
        (Json::Null, -32600),
    ];
    let mut expected = expected.to_vec();
    expected.sort_by_key(|(id, code)| (id.to_string(), *code));
    assert_eq!(answers, expected);
}

#[tokio::test]
async fn the_end_of_the_stream_is_a_calm_end() {
    assert_eq!(talk(Vec::new()).await, []);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from() {
    let (mut writer, theirs) = duplex(1 << 12);
    let (ours, mut reader) = duplex(1 << 12);
    let server = server();
    tokio::spawn(
        async move { serve_streams(&server, theirs, ours, CancellationToken::new()).await },
    );
    let sent = async {
        writer.write_all(OPEN.as_bytes()).await.unwrap();
        let mut count = 0_u32;
        loop {
            let line =
                format!("\n{{\"jsonrpc\":\"2.0\",\"id\":{count},\"method\":\"tools/list\"}}");
            let write = writer.write_all(line.as_bytes());
            if tokio::time::timeout(Duration::from_secs(2), write)
                .await
                .is_err()
            {
                return count;
            }
            count += 1;
        }
    };
    let count = sent.await;
    // The streams hold a few kilobytes; without a bound it would go on for ever.
    assert!(count < 2_000, "{count}");
    let mut some = vec![0; 100];
    assert!(reader.read(&mut some).await.unwrap() > 0);
}

#[tokio::test]
async fn a_notification_before_the_introduction_ends_nothing() {
    // The request is answered with what it lacks; what follows it is no introduction either.
    let input = format!(
        "{}\n{}\n{}\n{OPEN}\n",
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
    );
    let answers = talk(input.into_bytes()).await;
    assert_eq!(answers, [(json!(1), 0), (json!(7), -32602)]);
}

/// A writer that takes nothing for as long as it lives.
struct Stuck;

impl tokio::io::AsyncWrite for Stuck {
    fn poll_write(
        self: std::pin::Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
        _bytes: &[u8],
    ) -> std::task::Poll<std::io::Result<usize>> {
        std::task::Poll::Pending
    }

    fn poll_flush(
        self: std::pin::Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Pending
    }

    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Pending
    }
}

#[tokio::test]
async fn the_end_does_not_wait_for_a_client_that_never_reads() {
    let (mut writer, theirs) = duplex(1 << 16);
    let end = CancellationToken::new();
    let ended = end.clone();
    let server = server();
    let task = tokio::spawn(async move { serve_streams(&server, theirs, Stuck, ended).await });
    let asked = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".repeat(300);
    writer
        .write_all(format!("{OPEN}\n{asked}").as_bytes())
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    end.cancel();
    let begun = std::time::Instant::now();
    tokio::time::timeout(PATIENCE, task)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn every_request_is_answered_even_if_one_id_comes_many_times() {
    let mut input = OPEN.to_owned() + "\n";
    for _ in 0..120 {
        input += "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}\n";
    }
    let answers = talk(input.into_bytes()).await;
    let served = answers
        .iter()
        .filter(|(id, code)| *id == 7 && *code == 0)
        .count();
    let refused = answers
        .iter()
        .filter(|(id, code)| *id == 7 && *code == -32600)
        .count();
    assert!(served > 0);
    assert_eq!(served + refused, 120);
}

#[tokio::test]
async fn requests_that_are_called_back_leave_room_for_others() {
    let mut input = OPEN.to_owned() + "\n";
    for id in 10..60 {
        let asked = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        let params = json!({"requestId": id});
        let method = "notifications/cancelled";
        let cancel = json!({"jsonrpc": "2.0", "method": method, "params": params});
        input.extend([asked.to_string(), "\n".to_owned()]);
        input.extend([cancel.to_string(), "\n".to_owned()]);
    }
    input += "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    let answers = talk(input.into_bytes()).await;
    assert!(answers.contains(&(json!(2), 0)), "{answers:?}");
}
