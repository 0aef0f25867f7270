//! The endpoint on a socket: how many may come, how long they may take, and a calm end.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;

use super::{super::serve, HttpOptions, NEW, modern, server};

/// Starts the endpoint on a socket of its own.
async fn start(
    options: HttpOptions,
) -> (
    std::net::SocketAddr,
    CancellationToken,
    tokio::task::JoinHandle<()>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let end = CancellationToken::new();
    let (server, stop) = (server(), end.clone());
    let task = tokio::spawn(async move { serve(&server, listener, options, stop).await });
    (address, end, task)
}

/// Waits for the server to end by itself.
async fn ended(task: tokio::task::JoinHandle<()>) {
    tokio::time::timeout(Duration::from_secs(60), task)
        .await
        .unwrap()
        .unwrap();
}

async fn health(address: std::net::SocketAddr) -> String {
    get(address, "/healthz").await
}

async fn get(address: std::net::SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let ask = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut text = String::new();
    // A connection that was turned away may end with a reset.
    let _ = stream.read_to_string(&mut text).await;
    text
}

#[tokio::test]
async fn connections_are_bounded_and_freed() {
    let (address, end, task) = start(HttpOptions {
        connections: 4,
        head_timeout: Duration::from_millis(500),
        ..HttpOptions::default()
    })
    .await;
    // Four that say nothing take every place.
    let mut idle = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /").await.unwrap();
        idle.push(stream);
    }
    let mut refused = false;
    for _ in 0..50 {
        refused |= health(address).await.starts_with("HTTP/1.1 503");
        if refused {
            break;
        }
    }
    assert!(refused);
    // They have half a second to say what they want; then there is room again.
    let mut served = false;
    for _ in 0..200 {
        served = health(address).await.starts_with("HTTP/1.1 200");
        if served {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(served);
    end.cancel();
    ended(task).await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let (address, end, _task) = start(HttpOptions {
        body_timeout: Duration::from_millis(200),
        ..HttpOptions::default()
    })
    .await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
    stream.write_all(head).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
    end.cancel();
}

/// A request whose last bytes are still missing.
async fn begun(address: std::net::SocketAddr, method: &str, params: Json) -> (TcpStream, Vec<u8>) {
    let body = modern(method, params).to_string().into_bytes();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {NEW}\r\n\
         Mcp-Method: {method}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let (first, last) = body.split_at(10);
    stream.write_all(first).await.unwrap();
    (stream, last.to_vec())
}

/// Waits until so many requests are under way.
async fn under_way(address: std::net::SocketAddr, count: usize) {
    let line = format!("prowess_requests_in_flight {count}");
    for _ in 0..1_000 {
        if get(address, "/metrics").await.contains(&line) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{count} requests are not under way");
}

#[tokio::test]
async fn a_request_under_way_has_its_answer_before_the_end() {
    let (address, end, task) = start(HttpOptions::default()).await;
    // One that listens, which would go on for ever.
    let wish = json!({ "notifications": { "toolsListChanged": true } });
    let (mut listener, last) = begun(address, "subscriptions/listen", wish).await;
    listener.write_all(&last).await.unwrap();
    let mut acknowledged = [0; 64];
    listener.read_exact(&mut acknowledged).await.unwrap();
    assert!(acknowledged.starts_with(b"HTTP/1.1 200"));
    let (mut stream, last) = begun(address, "skills/list", json!({})).await;
    under_way(address, 2).await;
    end.cancel();
    // Nobody new is let in from here on.
    while TcpStream::connect(address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stream.write_all(&last).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    assert!(text.contains("skill://pdf/SKILL.md"), "{text}");
    let mut rest = String::new();
    listener.read_to_string(&mut rest).await.unwrap();
    ended(task).await;
}

#[tokio::test]
async fn the_end_does_not_wait_for_ever() {
    let (address, end, task) = start(HttpOptions {
        grace: Duration::from_millis(200),
        ..HttpOptions::default()
    })
    .await;
    let (_stream, _last) = begun(address, "skills/list", json!({})).await;
    under_way(address, 1).await;
    end.cancel();
    ended(task).await;
}
