//! A request that is not let in: what its client reads, what is counted, what is logged.

use std::{
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};

use super::AppState;
use crate::wire::Fault;

/// Why a request is not let in.
#[derive(Debug)]
pub(super) struct Rejection {
    status: StatusCode,
    reason: String,
    /// The answer, where that is more than the reason.
    body: Option<String>,
}

impl Rejection {
    pub(super) fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
            body: None,
        }
    }

    pub(super) fn busy(reason: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, reason)
    }

    pub(super) fn slow() -> Self {
        let reason = "the request took too long to arrive";
        Self::new(StatusCode::REQUEST_TIMEOUT, reason)
    }

    /// What came is no message.
    pub(super) fn message(fault: &Fault) -> Self {
        let status = if fault.is_too_large() {
            StatusCode::PAYLOAD_TOO_LARGE
        } else {
            StatusCode::BAD_REQUEST
        };
        Self {
            body: Some(fault.to_json()),
            ..Self::new(status, fault.message())
        }
    }

    /// Counts it, logs it and makes the answer.
    pub(super) fn answer(self, state: &AppState, client: IpAddr) -> Response {
        let Self {
            status,
            reason,
            body,
        } = self;
        state.metrics.refused(status);
        if let Some(unsaid) = state.quota.take() {
            let status = status.as_u16();
            let unsaid = (unsaid > 0).then_some(unsaid);
            tracing::warn!(%client, status, reason, unsaid, "a request was refused");
        }
        let mut response = match body {
            Some(body) => {
                let kind = [(header::CONTENT_TYPE, "application/json")];
                (status, kind, body).into_response()
            }
            None => (status, format!("{reason}\n")).into_response(),
        };
        let extra = match status {
            StatusCode::UNAUTHORIZED => Some((header::WWW_AUTHENTICATE, "Bearer")),
            StatusCode::SERVICE_UNAVAILABLE => Some((header::RETRY_AFTER, "1")),
            _ => None,
        };
        if let Some((name, value)) = extra {
            let value = header::HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// How often refusals are logged: whoever knocks without end must not fill a disk.
#[derive(Debug, Default)]
pub(super) struct LogQuota(Mutex<Window>);

#[derive(Debug, Default)]
struct Window {
    since: Option<Instant>,
    said: u32,
    unsaid: u64,
}

impl LogQuota {
    /// Lines in each stretch of time.
    const LINES: u32 = 20;
    const STRETCH: Duration = Duration::from_secs(10);

    /// Whether to say one more, and how many were left unsaid since the last.
    pub(super) fn take(&self) -> Option<u64> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Option<u64> {
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let over = spent
            .since
            .is_none_or(|since| now.saturating_duration_since(since) >= Self::STRETCH);
        if over {
            spent.since = Some(now);
            spent.said = 0;
        }
        if spent.said >= Self::LINES {
            spent.unsaid += 1;
            return None;
        }
        spent.said += 1;
        Some(std::mem::take(&mut spent.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_told_in_a_few_lines_and_a_count() {
        let quota = LogQuota::default();
        let start = Instant::now();
        let said = (0..1_000).filter(|_| quota.take_at(start).is_some());
        assert_eq!(said.count(), 20);
        let later = start + Duration::from_secs(10);
        assert_eq!(quota.take_at(later), Some(980));
        assert_eq!(quota.take_at(later), Some(0));
    }
}
