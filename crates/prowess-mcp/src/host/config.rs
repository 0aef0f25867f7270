//! Which servers there are, and how much of them is taken.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

/// One server whose skills are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// What the user calls it; together with a URI it names a skill.
    pub label: String,
    /// How it is reached.
    pub transport: Transport,
    /// How long connecting and listing may take, and each request after that.
    pub timeout: Duration,
    /// Whether it is used.
    pub enabled: bool,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that is started and spoken to over its standard streams.
    Command {
        /// The program.
        command: String,
        /// What it is given.
        args: Vec<String>,
        /// What is added to its environment.
        env: BTreeMap<String, String>,
        /// Where it is started; here where that is left out.
        directory: Option<PathBuf>,
    },
    /// Streamable HTTP.
    Url {
        /// The address.
        url: String,
        /// A bearer token.
        token: Option<String>,
        /// Further headers.
        headers: BTreeMap<String, String>,
        /// Certificate authorities, as PEM, that are believed beside those of the system.
        authorities: Option<String>,
    },
}

/// Secrets stay out of logs.
impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transport").field(&self.place()).finish()
    }
}

impl Transport {
    /// The place as it may be shown: without arguments, credentials and query.
    pub fn place(&self) -> String {
        match self {
            Self::Command { command, .. } => command.clone(),
            Self::Url { url, .. } => {
                let bare = url.split(['?', '#']).next().unwrap_or_default();
                match bare.split_once("://") {
                    Some((scheme, rest)) => {
                        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                        let host = host.rsplit('@').next().unwrap_or_default();
                        format!("{scheme}://{host}{path}")
                    }
                    None => bare.to_owned(),
                }
            }
        }
    }
}

impl Transport {
    /// Tells one server from another. It holds what may be secret, so it is only ever hashed.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::Url { url, .. } => url.clone(),
            Self::Command {
                command,
                args,
                directory,
                ..
            } => {
                let mut words = vec![command.as_str()];
                words.extend(args.iter().map(String::as_str));
                let directory = directory.as_ref().map(|it| it.to_string_lossy());
                words.extend(directory.as_deref());
                words.join("\0")
            }
        }
    }
}

impl ServerConfig {
    /// How long a server may take unless the user says otherwise.
    pub const TIMEOUT: Duration = Duration::from_secs(10);

    /// A server that is reached over HTTP.
    pub fn url(label: impl Into<String>, url: impl Into<String>) -> Self {
        let transport = Transport::Url {
            url: url.into(),
            token: None,
            headers: BTreeMap::new(),
            authorities: None,
        };
        Self::new(label, transport)
    }

    /// A server that is started as a program.
    pub fn command<T: Into<String>>(
        label: impl Into<String>,
        command: impl Into<String>,
        args: impl IntoIterator<Item = T>,
    ) -> Self {
        let transport = Transport::Command {
            command: command.into(),
            args: args.into_iter().map(Into::into).collect(),
            env: BTreeMap::new(),
            directory: None,
        };
        Self::new(label, transport)
    }

    /// A server that is enabled and has the usual time.
    pub fn new(label: impl Into<String>, transport: Transport) -> Self {
        Self {
            label: label.into(),
            transport,
            timeout: Self::TIMEOUT,
            enabled: true,
        }
    }
}

/// Whether a text can be a label. Models and terminals read labels, so only plain letters,
/// digits, `-`, `_` and `.` are let in, and not `/`, which parts a label from a name.
pub fn is_label(text: &str) -> bool {
    const MOST: usize = 64;
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    (1..=MOST).contains(&text.len())
        && text.chars().all(plain)
        && text.starts_with(|char: char| char.is_ascii_alphanumeric())
}

/// How a host behaves.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// How much is taken from one server.
    pub limits: HostLimits,
    /// Where copies are kept; without a place nothing is kept. It has to lie outside of every
    /// folder that skills are looked for in.
    pub cache: Option<PathBuf>,
    /// Where approvals are kept; without a place nothing is approved.
    pub approvals: Option<PathBuf>,
    /// How long a server that is followed may say nothing before it is asked for its list again:
    /// not every server tells that it changed.
    pub ask_again: Duration,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            limits: HostLimits::default(),
            cache: None,
            approvals: None,
            ask_again: Duration::from_secs(300),
        }
    }
}

/// How much is taken from one server before it is told off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLimits {
    /// Skills in its list.
    pub skills: usize,
    /// Pages of its list.
    pub pages: usize,
    /// Bytes of its whole list, as JSON.
    pub list_bytes: usize,
    /// Bytes of one message.
    pub message_bytes: usize,
    /// Files of one skill.
    pub skill_files: usize,
    /// Bytes of all files of one skill.
    pub skill_bytes: u64,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            skills: 10_000,
            pages: 1_000,
            list_bytes: 64 * 1024 * 1024,
            // A whole skill in one file, in base64, and room for the envelope.
            message_bytes: 24 * 1024 * 1024,
            // What the extension says every host accepts.
            skill_files: 512,
            skill_bytes: 16 * 1024 * 1024,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let url = "https://ada:secret@example.com:8443/mcp?key=secret#x";
        let config = ServerConfig::url("acme", url);
        assert_eq!(config.transport.place(), "https://example.com:8443/mcp");
        let config = ServerConfig::command("acme", "npx", ["--key", "secret"]);
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn a_label_is_plain() {
        assert!(is_label("acme-2.eu_west"));
        for bad in ["", "a/b", "a b", "-a", "é", "a\u{1b}", &"a".repeat(65)] {
            assert!(!is_label(bad), "{bad}");
        }
    }
}
