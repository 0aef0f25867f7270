//! Who gets in, and what a browser may do with what it gets: the service without a socket.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    body::{Body, to_bytes},
    http::{Request, Response, header},
};
use expect_test::{Expect, expect};
use futures::StreamExt as _;
use prowess_ui::{App, Engine, Fault, Feed, Options, Question, Secret, assets};
use tower::ServiceExt as _;

const HOST: &str = "127.0.0.1:4000";

/// Counts what it is asked.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Engine for Counter {
    fn answer(&self, question: &Question) -> Result<String, Fault> {
        self.0.fetch_add(1, Ordering::Relaxed);
        match question {
            Question::List { .. } => Ok(r#"{"skills": []}"#.to_owned()),
            Question::Fix { .. } => Ok("{}".to_owned()),
            Question::Select(_) => panic!("a fault of our own"),
            _ => Err(Fault::missing("there is no skill at `x`").help("look again")),
        }
    }
}

struct Page {
    app: App,
    engine: Arc<Counter>,
    feed: Feed,
    ticket: Secret,
}

impl Page {
    fn new(read_only: bool) -> Self {
        let engine = Arc::new(Counter::default());
        let feed = Feed::default();
        let ticket = Secret::random().unwrap();
        let session = Secret::random().unwrap();
        let options = Options { read_only };
        let app = App::new(engine.clone(), feed.clone(), options, &ticket, session).unwrap();
        Self {
            app,
            engine,
            feed,
            ticket,
        }
    }

    async fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Response<Body> {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path);
        if headers.iter().all(|(name, _)| *name != "host") {
            request = request.header("host", HOST);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        self.app.router().oneshot(request).await.unwrap()
    }

    /// Goes in by the address, and keeps the cookie as a browser does.
    async fn cookie(&self) -> String {
        let line = format!("GET /?token={}", self.ticket.text());
        let response = self.send(&line, &[], "").await;
        let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"));
        cookie.split(';').next().unwrap().to_owned()
    }
}

/// The status and what is said; every answer is closed to other sites.
async fn shown(response: Response<Body>) -> String {
    let status = response.status().as_u16();
    let policy = response.headers()[header::CONTENT_SECURITY_POLICY].clone();
    assert_eq!(policy, assets::POLICY);
    assert_eq!(
        response.headers()["cross-origin-resource-policy"],
        "same-origin"
    );
    assert!(
        !response
            .headers()
            .contains_key("access-control-allow-origin")
    );
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8_lossy(&body);
    format!("{status} {}", text.chars().take(160).collect::<String>())
}

const JSON: (&str, &str) = ("content-type", "application/json");

/// What a request is called, its first line, its headers.
type Sent<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// Every request in turn, as `name: answer`.
async fn check(page: &Page, requests: &[Sent<'_>], expected: &Expect) {
    let mut told = String::new();
    for (name, line, headers) in requests {
        let response = page.send(line, headers, "{}").await;
        told.push_str(name);
        told.push_str(": ");
        told.push_str(&shown(response).await);
        told.push('\n');
    }
    expected.assert_eq(&told);
}

#[tokio::test]
async fn without_the_token_nothing_answers() {
    let page = Page::new(false);
    let wrong = format!("prowess-{}={}", "0".repeat(8), "0".repeat(48));
    for line in [
        "GET /",
        "GET /?token=",
        "GET /?token=000000000000000000000000000000000000000000000000",
        "GET /main.js",
        "GET /api/events",
        "POST /api/list",
        "POST /api/fix",
        "GET /nowhere",
    ] {
        for headers in [vec![JSON], vec![JSON, ("cookie", &wrong)]] {
            let told = shown(page.send(line, &headers, "{}").await).await;
            assert!(told.starts_with("401 "), "{line}: {told}");
        }
    }
    assert_eq!(page.engine.0.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_address_works_once() {
    let page = Page::new(false);
    let cookie = page.cookie().await;
    let line = format!("GET /?token={}", page.ticket.text());
    assert_eq!(page.send(&line, &[], "").await.status(), 401);
    // The browser that has it already is led on.
    let again = page.send(&line, &[("cookie", &cookie)], "").await;
    assert_eq!(again.headers()[header::LOCATION], "/");
    let whole = page.send("GET /", &[("cookie", &cookie)], "").await;
    assert!(shown(whole).await.starts_with("200 <!doctype html>"));
}

#[tokio::test]
async fn another_site_neither_reads_nor_posts() {
    let page = Page::new(false);
    let cookie = page.cookie().await;
    // Even with the cookie, which a browser would not send from there.
    let known = ("cookie", &*cookie);
    check(
        &page,
        &[
            (
                "rebound name",
                "POST /api/list",
                &[known, JSON, ("host", "evil.example")],
            ),
            (
                "its page",
                "POST /api/list",
                &[known, JSON, ("origin", "https://evil.example")],
            ),
            (
                "other port",
                "POST /api/list",
                &[known, JSON, ("origin", "http://127.0.0.1:9")],
            ),
            (
                "no page",
                "POST /api/list",
                &[known, JSON, ("origin", "null")],
            ),
            (
                "cross site",
                "GET /api/events",
                &[known, ("sec-fetch-site", "cross-site")],
            ),
            (
                "same site",
                "GET /style.css",
                &[known, ("sec-fetch-site", "same-site")],
            ),
            (
                "a form",
                "POST /api/list",
                &[known, ("content-type", "text/plain")],
            ),
            ("no kind", "POST /api/list", &[known]),
            ("a link", "GET /api/list", &[known]),
            (
                "ours",
                "POST /api/list",
                &[known, JSON, ("origin", "http://127.0.0.1:4000")],
            ),
        ],
        &expect![[r#"
            rebound name: 403 {"error":"the Host header names another server","help":null}
            its page: 403 {"error":"the Origin header names another site","help":null}
            other port: 403 {"error":"the Origin header names another site","help":null}
            no page: 403 {"error":"the Origin header names another site","help":null}
            cross site: 403 {"error":"the request comes from another site","help":null}
            same site: 403 {"error":"the request comes from another site","help":null}
            a form: 415 {"error":"a question is `application/json`","help":null}
            no kind: 415 {"error":"a question is `application/json`","help":null}
            a link: 405 
            ours: 200 {"skills": []}
        "#]],
    )
    .await;
    assert_eq!(page.engine.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_page_that_only_reads_writes_nothing() {
    for (read_only, asked) in [(true, 1), (false, 2)] {
        let page = Page::new(read_only);
        let cookie = page.cookie().await;
        for write in [true, false] {
            let body = format!(r#"{{"path": "x", "write": {write}}}"#);
            let headers = [("cookie", &*cookie), JSON];
            let response = page.send("POST /api/fix", &headers, &body).await;
            let refused = response.status() == 403;
            assert_eq!(refused, read_only && write);
        }
        assert_eq!(page.engine.0.load(Ordering::Relaxed), asked);
    }
}

#[tokio::test]
async fn a_question_without_an_answer_says_why() {
    let page = Page::new(false);
    let cookie = page.cookie().await;
    let mut told = String::new();
    for (name, body) in [
        ("show", r#"{"path": "x"}"#),
        ("show", "{}"),
        ("show", r#"{"path": "x", "more": 1}"#),
        ("nonsense", "{}"),
        ("list", "[]"),
        ("list", "{"),
        ("select", r#"{"query": "x"}"#),
    ] {
        let headers = [("cookie", &*cookie), JSON];
        let line = format!("POST /api/{name}");
        told += &shown(page.send(&line, &headers, body).await).await;
        told += "\n";
    }
    let long = format!("{{\"path\": \"{}\"}}", "x".repeat(300_000));
    let headers = [("cookie", &*cookie), JSON];
    told += &shown(page.send("POST /api/show", &headers, &long).await).await;
    expect![[r#"
        404 {"error":"there is no skill at `x`","help":"look again"}
        400 {"error":"no question `show` like this: missing field `path`","help":null}
        400 {"error":"no question `show` like this: unknown field `more`, expected `path`","help":null}
        400 {"error":"no question `nonsense` like this: unknown variant `nonsense`, expected one of `about`, `list`, `show`, `why`, `check`, `findings`, `text`, `read`, `tr
        400 {"error":"no question `list` like this: it is no object","help":null}
        400 {"error":"no question `list` like this: EOF while parsing an object at line 1 column 1","help":null}
        500 {"error":"the question could not be answered","help":null}
        413 {"error":"the question is too long","help":null}"#]].assert_eq(&told);
}

#[tokio::test]
async fn changes_are_told_as_they_happen() {
    let page = Page::new(false);
    let cookie = page.cookie().await;
    let response = page
        .send("GET /api/events", &[("cookie", &cookie)], "")
        .await;
    assert_eq!(
        response.headers()[header::CONTENT_TYPE],
        "text/event-stream"
    );
    let mut lines = response.into_body().into_data_stream();
    let hello = lines.next().await.unwrap().unwrap();
    assert_eq!(hello, "data: {\"event\":\"hello\"}\n\n");
    page.feed.send(r#"{"event":"change"}"#);
    let change = lines.next().await.unwrap().unwrap();
    assert_eq!(change, "data: {\"event\":\"change\"}\n\n");
    // Whoever is too far behind asks for everything again.
    for _ in 0..200 {
        page.feed.send("{}");
    }
    let lost = lines.next().await.unwrap().unwrap();
    assert_eq!(lost, "data: {\"event\":\"lost\"}\n\n");
}
