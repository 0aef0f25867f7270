//! Why a connection failed, in words a person can act on.

use std::{
    error::Error,
    io,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use prowess::display_text;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rustls::CertificateError;

use crate::host::fault::Fault;

pub(super) const TELL_OWNER: &str = "tell the owner of the server";
pub(super) const START_BY_HAND: &str = "start its command by hand and see what it says";
pub(super) const SEE_URL: &str = "see whether its `url` is right and the server runs";

pub(super) fn server_fault(label: &str, reason: String, help: &str) -> Fault {
    Fault::Server {
        label: label.to_owned(),
        reason,
        help: help.to_owned(),
    }
}

pub(super) fn silent(time: Duration) -> String {
    format!("does not answer within {} s", time.as_secs_f32())
}

/// The last line a program said, to go behind what happened.
pub(super) fn last_words(said: &Mutex<Vec<u8>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(&said);
    match text.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("; it says: {}", shown(line.trim())),
        None => String::new(),
    }
}

/// Why an exchange over HTTP failed, and what to do.
pub(super) fn http_reason(error: &(dyn Error + 'static)) -> (String, &'static str) {
    let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() else {
        return (format!("is lost: {}", innermost(error)), START_BY_HAND);
    };
    match error {
        StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => (
            "does not let us in".to_owned(),
            "name a file with a token that it takes in `token-file`",
        ),
        StreamableHttpError::HttpStatus(status) => {
            (format!("answers with HTTP {}", status.status), SEE_URL)
        }
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or_default();
            let told = match kind {
                "" => "without a content type".to_owned(),
                kind => format!("with `{}`", shown(kind)),
            };
            (format!("answers {told} where JSON is expected"), SEE_URL)
        }
        StreamableHttpError::UnexpectedServerResponse(what) => {
            (format!("gives {}", shown(what)), TELL_OWNER)
        }
        StreamableHttpError::Client(error) => match tls_fault(error) {
            Some(told) => told,
            None => (format!("cannot be reached: {}", innermost(error)), SEE_URL),
        },
        _ => (format!("is lost: {}", innermost(error)), SEE_URL),
    }
}

/// Why no one can tell who is at the other end, or that nobody there speaks TLS.
fn tls_fault(error: &(dyn Error + 'static)) -> Option<(String, &'static str)> {
    let mut cause = Some(error);
    let fault = loop {
        let mut error = cause?;
        // An error of the system holds another one without calling it its source.
        while let Some(inner) = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            error = inner;
        }
        if let Some(fault) = error.downcast_ref::<rustls::Error>() {
            break fault;
        }
        // Said by the library that greets, which has no type for it.
        if error.to_string() == "tls handshake eof" {
            return Some(no_tls());
        }
        cause = error.source();
    };
    let told = match fault {
        rustls::Error::InvalidCertificate(bad) => match bad {
            CertificateError::UnknownIssuer => (
                "shows a certificate of an authority that is not known here".to_owned(),
                "if the server is yours, name the authority's certificate in `ca-file`",
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
                "shows a certificate that has expired".to_owned(),
                TELL_OWNER,
            ),
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                (
                    "shows a certificate for another name".to_owned(),
                    "write the name in its certificate in `url`",
                )
            }
            other => (
                format!(
                    "shows a certificate that is no good: {}",
                    shown(&other.to_string())
                ),
                TELL_OWNER,
            ),
        },
        rustls::Error::InvalidMessage(_) => no_tls(),
        other => (
            format!("cannot be reached: {}", shown(&other.to_string())),
            SEE_URL,
        ),
    };
    Some(told)
}

fn no_tls() -> (String, &'static str) {
    let help = "on this machine its `url` may begin with `http://`";
    ("does not speak TLS".to_owned(), help)
}

/// The cause that says most.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    shown(&cause.to_string())
}

/// What a server wrote, on one safe line that fills no screen.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 160;
    let line: Vec<&str> = text.split_whitespace().collect();
    let line: String = line.join(" ").chars().take(MOST).collect();
    display_text(&line)
}
