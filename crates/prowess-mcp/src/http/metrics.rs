//! What the server did, as Prometheus reads it.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use axum::http::StatusCode;

use crate::server::SkillServer;

/// The methods that are counted by name. A client can invent others without end.
const METHODS: [&str; 15] = [
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
    "skills/list",
    "skills/get",
    "resources/directory/read",
];

/// A request that lasts as long as the client likes says nothing about the server's speed.
pub(super) const LONG: &str = "subscriptions/listen";

/// Seconds, as upper bounds.
const BUCKETS: [f64; 10] = [
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.0,
];

/// The name a method is counted under.
pub(super) fn known(method: &str) -> &'static str {
    let found = METHODS.iter().find(|known| **known == method);
    found.copied().unwrap_or("other")
}

#[derive(Debug, Default)]
pub(super) struct Metrics {
    /// By method, the last for all others: answered well, and with an HTTP error.
    requests: [[AtomicU64; 2]; METHODS.len() + 1],
    refused: [AtomicU64; 6],
    buckets: [AtomicU64; BUCKETS.len()],
    count: AtomicU64,
    micros: AtomicU64,
    connections: AtomicI64,
    turned_away: AtomicU64,
}

/// What was refused before it reached the protocol.
const REFUSED: [StatusCode; 6] = [
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::SERVICE_UNAVAILABLE,
];

impl Metrics {
    pub(super) fn answered(&self, method: &str, status: StatusCode) {
        let at = METHODS.iter().position(|known| *known == method);
        let row = &self.requests[at.unwrap_or(METHODS.len())];
        row[usize::from(status.as_u16() >= 400)].fetch_add(1, Relaxed);
    }

    pub(super) fn finished(&self, method: &str, took: Duration) {
        if method == LONG {
            return;
        }
        let seconds = took.as_secs_f64();
        if let Some(at) = BUCKETS.iter().position(|bound| seconds <= *bound) {
            self.buckets[at].fetch_add(1, Relaxed);
        }
        self.count.fetch_add(1, Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Relaxed);
    }

    pub(super) fn refused(&self, status: StatusCode) {
        if let Some(at) = REFUSED.iter().position(|known| *known == status) {
            self.refused[at].fetch_add(1, Relaxed);
        }
    }

    pub(super) fn connected(&self) {
        self.connections.fetch_add(1, Relaxed);
    }

    pub(super) fn disconnected(&self) {
        self.connections.fetch_sub(1, Relaxed);
    }

    pub(super) fn turned_away(&self) {
        self.turned_away.fetch_add(1, Relaxed);
    }

    /// Everything as text.
    pub(super) fn render(&self, sessions: usize, in_flight: usize, server: &SkillServer) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, rows: &[(String, String)]| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in rows {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let one = |value: String| vec![(String::new(), value)];
        let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        metric(
            "prowess_build_info",
            "gauge",
            "Which version this is; always 1.",
            &[(version, "1".to_owned())],
        );
        let mut rows = Vec::new();
        let names = METHODS.iter().copied().chain(["other"]);
        for (method, counts) in names.zip(&self.requests) {
            for (outcome, count) in ["ok", "error"].iter().zip(counts) {
                let count = count.load(Relaxed);
                if count > 0 {
                    let labels = format!("{{method=\"{method}\",outcome=\"{outcome}\"}}");
                    rows.push((labels, count.to_string()));
                }
            }
        }
        metric(
            "prowess_requests_total",
            "counter",
            "Messages answered, by method and by HTTP outcome.",
            &rows,
        );
        let rows: Vec<_> = REFUSED
            .iter()
            .zip(&self.refused)
            .map(|(status, count)| {
                let labels = format!("{{status=\"{}\"}}", status.as_u16());
                (labels, count.load(Relaxed).to_string())
            })
            .collect();
        metric(
            "prowess_refused_total",
            "counter",
            "Requests refused before they reached the protocol, by HTTP status.",
            &rows,
        );
        metric(
            "prowess_connections",
            "gauge",
            "Open connections.",
            &one(self.connections.load(Relaxed).to_string()),
        );
        metric(
            "prowess_connections_turned_away_total",
            "counter",
            "Connections closed because there were too many.",
            &one(self.turned_away.load(Relaxed).to_string()),
        );
        metric(
            "prowess_requests_in_flight",
            "gauge",
            "Requests under way, with the streams of those who listen.",
            &one(in_flight.to_string()),
        );
        metric(
            "prowess_sessions",
            "gauge",
            "Open sessions.",
            &one(sessions.to_string()),
        );
        let skills = server.catalog().model_visible().count();
        metric(
            "prowess_skills",
            "gauge",
            "Skills that models may see.",
            &one(skills.to_string()),
        );
        text + &self.histogram()
    }

    fn histogram(&self) -> String {
        let name = "prowess_request_seconds";
        let mut text = format!(
            "# HELP {name} Time from a message to the end of its answer.\n# TYPE {name} histogram\n"
        );
        let mut sum = 0;
        for (bound, count) in BUCKETS.iter().zip(&self.buckets) {
            sum += count.load(Relaxed);
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {sum}");
        }
        // One that ends while this is read may be in its bucket and not yet in the count.
        let count = self.count.load(Relaxed).max(sum);
        let seconds = Duration::from_micros(self.micros.load(Relaxed)).as_secs_f64();
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(text, "{name}_sum {seconds}");
        let _ = writeln!(text, "{name}_count {count}");
        text
    }
}
