//! The secrets of one run: the one in the address, and the one the browser keeps.

use std::{
    fmt::Write as _,
    sync::{Mutex, PoisonError},
};

use axum::http::{HeaderMap, header};
use prowess_http::Token;

/// A text nobody can guess.
#[derive(Debug, Clone)]
pub struct Secret(String);

impl Secret {
    /// Makes a new one from what the system gives as random.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })))
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Whether a browser may ask: it shows the cookie it got for the token in the address.
#[derive(Debug)]
pub(crate) struct Door {
    /// Opens once.
    ticket: Mutex<Option<Token>>,
    session: Token,
    /// Cookies are shared by every port of a host, so each run has a name of its own.
    name: String,
    secret: Secret,
}

impl Door {
    pub(crate) fn new(ticket: &Secret, session: Secret) -> Option<Self> {
        Some(Self {
            ticket: Mutex::new(Some(Token::new(ticket.text())?)),
            session: Token::new(session.text())?,
            name: format!("prowess-{}", session.text().get(..8)?),
            // Only what comes after the name's part is the secret's strength.
            secret: session,
        })
    }

    /// Takes the token of the address and gives the cookie; a token is taken once.
    pub(crate) fn open(&self, shown: &str) -> Option<String> {
        let mut ticket = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        if !ticket.as_ref()?.fits(shown) {
            return None;
        }
        *ticket = None;
        Some(format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/",
            self.name,
            self.secret.text()
        ))
    }

    /// Whether a request shows the cookie.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(header::COOKIE).iter();
        let pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'));
        pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| name == self.name && self.session.fits(value))
    }
}
