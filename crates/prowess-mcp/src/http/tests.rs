//! The endpoint as a client and as an attacker sees it, without a socket where that will do.

use std::{fmt::Write as _, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, StatusCode},
};
use expect_test::expect;
use prowess::{Catalog, LoadOptions, MemorySource, Source, ToolOptions};
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{HttpOptions, Token, app, listen};
use crate::server::SkillServer;

mod socket;

const NEW: &str = "2026-07-28";
const SECRET: &str = "correct horse battery staple";

fn server() -> SkillServer {
    let text = "---\nname: pdf\ndescription: Fills forms.\n---\n# Steps\n";
    let source = MemorySource::new("test").skill("pdf/SKILL.md", text);
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    SkillServer::new(Arc::new(catalog), ToolOptions::default())
}

fn endpoint(options: HttpOptions) -> Router {
    app(&server(), options, &CancellationToken::new())
}

fn modern(method: &str, mut params: Json) -> Json {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn post(headers: &[(&str, &str)], body: impl Into<Body>) -> Request<Body> {
    let mut request = Request::post("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if headers.iter().all(|(name, _)| *name != "host") {
        request = request.header("host", "127.0.0.1:8645");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.into()).unwrap()
}

async fn answer(app: &Router, request: Request<Body>) -> (StatusCode, String) {
    let response = app.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

const SEARCH: [(&str, &str); 3] = [
    ("mcp-protocol-version", NEW),
    ("mcp-method", "skills/list"),
    ("x-test", "1"),
];

#[tokio::test]
async fn a_request_of_the_newest_revision_needs_no_session() {
    let app = endpoint(HttpOptions::default());
    let body = modern("skills/list", json!({})).to_string();
    let (status, text) = answer(&app, post(&SEARCH, body)).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let result: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(result["result"]["skills"][0]["uri"], "skill://pdf/SKILL.md");
    assert_eq!(result["result"]["resultType"], "complete");
}

#[tokio::test]
async fn an_older_client_has_a_session() {
    let app = endpoint(HttpOptions::default());
    let open = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let response = app
        .clone()
        .oneshot(post(&[], open.to_string()))
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let session = response.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let headers = [
        ("mcp-session-id", session.as_str()),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"skills/list"}"#;
    let (status, text) = answer(&app, post(&headers, list)).await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.contains("skill://pdf/SKILL.md"), "{text}");
    assert!(
        !text.contains("resultType") && !text.contains("ttlMs"),
        "{text}"
    );
    let (status, _) = answer(&app, post(&[("mcp-session-id", "none")], list)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn other_names_and_other_pages_are_turned_away() {
    let app = endpoint(HttpOptions::default());
    let named = endpoint(HttpOptions {
        hosts: vec!["skills.example".to_owned()],
        ..HttpOptions::default()
    });
    let body = || modern("skills/list", json!({})).to_string();
    let ask = async |app: &Router, headers: &[(&str, &str)]| {
        let headers: Vec<_> = SEARCH.iter().chain(headers).copied().collect();
        answer(app, post(&headers, body())).await.0.as_u16()
    };
    for host in ["localhost:8645", "127.0.0.1", "[::1]:8645", "LOCALHOST"] {
        assert_eq!(ask(&app, &[("host", host)]).await, 200, "{host}");
    }
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.5:8645",
        "localhost.evil",
        "",
    ] {
        assert_eq!(ask(&app, &[("host", host)]).await, 403, "{host}");
    }
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1.evil.example",
        "x",
    ] {
        assert_eq!(ask(&app, &[("origin", origin)]).await, 403, "{origin}");
    }
    let ours = ("origin", "http://localhost:3000");
    assert_eq!(ask(&app, &[ours]).await, 200);
    for other in [ours, ("origin", "http://evil.example")] {
        assert_eq!(ask(&app, &[ours, other]).await, 403);
        assert_eq!(ask(&app, &[other, ours]).await, 403);
    }
    assert_eq!(
        ask(&app, &[("host", "localhost"), ("host", "evil.example")]).await,
        403
    );
    assert_eq!(ask(&named, &[("host", "skills.example")]).await, 200);
    // Every path is guarded.
    for path in ["/metrics", "/healthz", "/"] {
        let request = Request::get(path).header("host", "evil.example");
        let (status, _) = answer(&app, request.body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn a_token_is_asked_for_where_one_is_set() {
    let app = endpoint(HttpOptions {
        token: Token::new(SECRET),
        ..HttpOptions::default()
    });
    let ask = async |token: Option<&str>| {
        let value = token.unwrap_or_default();
        let mut headers = SEARCH.to_vec();
        if token.is_some() {
            headers.push(("authorization", value));
        }
        let body = modern("skills/list", json!({})).to_string();
        answer(&app, post(&headers, body)).await.0.as_u16()
    };
    assert_eq!(ask(None).await, 401);
    assert_eq!(ask(Some("Bearer wrong")).await, 401);
    assert_eq!(ask(Some(SECRET)).await, 401);
    assert_eq!(ask(Some(&format!("Bearer {SECRET}"))).await, 200);
    assert_eq!(ask(Some(&format!("bearer {SECRET}"))).await, 200);
    let get = |path: &str| {
        let request = Request::get(path).header("host", "localhost");
        request.body(Body::empty()).unwrap()
    };
    assert_eq!(answer(&app, get("/healthz")).await.0, StatusCode::OK);
    assert_eq!(
        answer(&app, get("/metrics")).await.0,
        StatusCode::UNAUTHORIZED
    );
    assert!(Token::new("short").is_none());
    assert_eq!(format!("{:?}", Token::new(SECRET).unwrap()), "Token");
}

#[tokio::test]
async fn an_address_that_others_reach_needs_a_token() {
    let address = "0.0.0.0:0".parse().unwrap();
    let error = listen(address, &HttpOptions::default()).await.unwrap_err();
    expect!["`0.0.0.0:0` can be reached from other machines, so a token is needed"]
        .assert_eq(&error.to_string());
}

#[tokio::test]
async fn what_is_no_message_has_its_code() {
    let app = endpoint(HttpOptions::default());
    let mut told = String::new();
    let deep = "[".repeat(5_000);
    let large = " ".repeat(1024 * 1024 + 1);
    for body in ["{", "[]", "{\"id\":3}", "", &deep, &large] {
        let (status, text) = answer(&app, post(&[], body.to_owned())).await;
        writeln!(told, "{} {text}", status.as_u16()).unwrap();
    }
    expect![[r#"
        400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON: EOF while parsing an object at line 1 column 1"}}
        400 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}
        400 {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"the message is no JSON-RPC request"}}
        400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON: EOF while parsing a value at line 1 column 0"}}
        400 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is nested deeper than 64"}}
        413 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has more than 1048576 bytes"}}
    "#]].assert_eq(&told);
}

#[tokio::test]
async fn metrics_tell_what_happened() {
    let app = endpoint(HttpOptions::default());
    for _ in 0..3 {
        let body = modern("skills/list", json!({})).to_string();
        answer(&app, post(&SEARCH, body)).await;
    }
    answer(&app, post(&[], "{")).await;
    let request = Request::get("/metrics").header("host", "localhost");
    let (_, text) = answer(&app, request.body(Body::empty()).unwrap()).await;
    for line in [
        "prowess_requests_total{method=\"skills/list\",outcome=\"ok\"} 3",
        "prowess_refused_total{status=\"400\"} 1",
        "prowess_skills 1",
        "prowess_request_seconds_count 4",
    ] {
        assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
    }
}

#[tokio::test]
async fn requests_of_one_client_are_bounded() {
    let app = endpoint(HttpOptions {
        in_flight: 2,
        ..HttpOptions::default()
    });
    let listen = modern(
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    let headers = [
        ("mcp-protocol-version", NEW),
        ("mcp-method", "subscriptions/listen"),
    ];
    let mut open = Vec::new();
    for _ in 0..2 {
        let response = app
            .clone()
            .oneshot(post(&headers, listen.to_string()))
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        open.push(response);
    }
    let (status, text) = answer(&app, post(&headers, listen.to_string())).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{text}");
    // Who leaves makes room.
    drop(open.pop());
    let response = app
        .clone()
        .oneshot(post(&headers, listen.to_string()))
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

const OPEN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// Opens a session; its name.
async fn open_session(app: &Router) -> String {
    let response = app.clone().oneshot(post(&[], OPEN)).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let session = response.headers()["mcp-session-id"].to_str().unwrap();
    session.to_owned()
}

/// Asks in a session; the status.
async fn ask_in(app: &Router, session: &str) -> StatusCode {
    let headers = [
        ("mcp-session-id", session),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    answer(app, post(&headers, list)).await.0
}

/// The stream of a session.
async fn stream_of(app: &Router, session: &str) -> axum::response::Response {
    let request = Request::get("/mcp")
        .header("host", "localhost")
        .header("accept", "text/event-stream")
        .header("mcp-session-id", session)
        .header("mcp-protocol-version", "2025-06-18");
    let request = request.body(Body::empty()).unwrap();
    app.clone().oneshot(request).await.unwrap()
}

#[tokio::test]
async fn a_session_that_is_not_used_makes_room_for_a_new_one() {
    let app = endpoint(HttpOptions {
        sessions: 2,
        ..HttpOptions::default()
    });
    let used = open_session(&app).await;
    assert_eq!(ask_in(&app, &used).await, StatusCode::OK);
    // Whoever opens sessions without end takes none from a client that uses its own.
    for _ in 0..20 {
        open_session(&app).await;
    }
    assert_eq!(ask_in(&app, &used).await, StatusCode::OK);
    let last = open_session(&app).await;
    assert_eq!(ask_in(&app, &last).await, StatusCode::OK);
    // Both were used now; the one that is listened to stays, and there is no third.
    let streams = [stream_of(&app, &used).await, stream_of(&app, &last).await];
    assert!(streams.iter().all(|it| it.status() == StatusCode::OK));
    let (status, _) = answer(&app, post(&[], OPEN)).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    drop(streams);
    open_session(&app).await;
    assert_eq!(ask_in(&app, &used).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_oldest_stream_ends_for_a_new_one() {
    let app = endpoint(HttpOptions {
        connections: 4,
        ..HttpOptions::default()
    });
    let mut streams = Vec::new();
    for _ in 0..3 {
        let session = open_session(&app).await;
        streams.push(stream_of(&app, &session).await);
    }
    // A client of ours that stays connected would still take the place.
    assert_eq!(streams[0].headers()["connection"], "close");
    let oldest = streams.remove(0).into_body();
    let ended = to_bytes(oldest, 1 << 20);
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), ended).await;
    assert!(ended.unwrap().is_ok());
}

#[tokio::test]
async fn every_request_of_a_session_is_answered_or_refused() {
    let app = endpoint(HttpOptions::default());
    let session = open_session(&app).await;
    let asked = (0..120).map(|_| ask_in(&app, &session));
    let all = futures::future::join_all(asked);
    let all = tokio::time::timeout(std::time::Duration::from_secs(60), all).await;
    for status in all.unwrap() {
        assert!(
            matches!(
                status,
                StatusCode::OK | StatusCode::BAD_REQUEST | StatusCode::SERVICE_UNAVAILABLE
            ),
            "{status}"
        );
    }
    assert_eq!(ask_in(&app, &session).await, StatusCode::OK);
}

#[tokio::test]
async fn bodies_that_drip_take_no_places() {
    let app = endpoint(HttpOptions {
        in_flight: 2,
        body_timeout: std::time::Duration::from_secs(60),
        ..HttpOptions::default()
    });
    let mut dripping = Vec::new();
    for _ in 0..10 {
        let body = Body::from_stream(futures::stream::pending::<Result<String, std::io::Error>>());
        let asked = app.clone().oneshot(post(&SEARCH, body));
        dripping.push(tokio::spawn(asked));
    }
    tokio::task::yield_now().await;
    let body = modern("skills/list", json!({})).to_string();
    assert_eq!(answer(&app, post(&SEARCH, body)).await.0, StatusCode::OK);
    for task in dripping {
        task.abort();
    }
}

#[tokio::test]
async fn there_is_one_endpoint() {
    let app = endpoint(HttpOptions::default());
    for path in ["/mcp/anything", "/mcp/", "/mcp/../mcp/x"] {
        let body = modern("skills/list", json!({})).to_string();
        let mut request = post(&SEARCH, body);
        *request.uri_mut() = path.parse().unwrap();
        let (status, _) = answer(&app, request).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
}
