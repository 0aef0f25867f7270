//! `[servers.LABEL]`: the MCP servers whose skills are used.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use prowess::{display_text, format::Severity};
use prowess_mcp::host::{ServerConfig, Transport, is_label};
use toml_edit::Item;

use super::{read::Authority, reader::Reader};

/// A server as a config names it.
#[derive(Debug, Clone)]
pub(crate) struct NamedServer {
    /// The server, without its token.
    pub(crate) server: ServerConfig,
    /// The file its token is in.
    pub(crate) token_file: Option<PathBuf>,
    /// The file with the certificate authorities that are believed for it.
    pub(crate) ca_file: Option<PathBuf>,
    /// The config that names it.
    pub(crate) from: PathBuf,
    /// Whether a project named it: it is contacted only where the project is trusted.
    pub(crate) project: bool,
}

/// Every key of `[servers.LABEL]`.
const KEYS: [&str; 9] = [
    "command",
    "args",
    "env",
    "url",
    "token-file",
    "ca-file",
    "headers",
    "timeout",
    "enabled",
];

/// Longer than this nobody waits for a list.
const MOST_SECONDS: f64 = 600.0;

/// Headers that belong to the protocol.
const RESERVED: [&str; 7] = [
    "accept",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
];

/// What one table says.
#[derive(Debug, Default)]
struct Told {
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    url: Option<String>,
    token_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
    headers: BTreeMap<String, String>,
    timeout: Option<Duration>,
    enabled: Option<bool>,
}

impl Reader<'_> {
    pub(super) fn servers(&mut self, item: &Item) {
        let Some(table) = item.as_table_like() else {
            return self.expected(item, "servers", "a table");
        };
        for (label, item) in table.iter() {
            let span = table.get_key_value(label).and_then(|(key, _)| key.span());
            if !is_label(label) {
                let message = format!("`{}` cannot be the name of a server", display_text(label));
                let help = "use letters, digits, `-`, `_` and `.`".to_owned();
                self.error(span, message, Some(help));
                continue;
            }
            let Some(server) = self.server(label, item) else {
                continue;
            };
            let known = &mut self.config.servers;
            // Whoever trusts a project does not give it the names of their own servers.
            let taken = known
                .iter()
                .any(|it| it.server.label == label && !it.project);
            if taken && server.project {
                let message = format!("`servers.{label}` stays as the user's config says");
                let help = "give the project's server another name".to_owned();
                self.tell(
                    Severity::Warning,
                    "ignored-setting",
                    span,
                    message,
                    Some(help),
                );
                continue;
            }
            known.push(server);
        }
    }

    fn server(&mut self, label: &str, item: &Item) -> Option<NamedServer> {
        let name = format!("servers.{label}");
        let before = self.diagnostics.len();
        let mut told = Told::default();
        for (key, item) in self.table(item, &name, &KEYS) {
            let full = format!("{name}.{key}");
            match key {
                "command" => told.command = self.one_text(item, &full),
                "args" => told.args = self.texts(item, &full).unwrap_or_default(),
                "env" => told.env = self.pairs(item, &full),
                "url" => told.url = self.one_text(item, &full),
                "token-file" => told.token_file = self.path_of(item, &full),
                "ca-file" => told.ca_file = self.path_of(item, &full),
                "headers" => {
                    told.headers = self.pairs(item, &full);
                    self.check_headers(item, &full, &told.headers);
                }
                "timeout" => told.timeout = self.seconds(item, &full),
                _ => told.enabled = self.flag(item, &full),
            }
        }
        if self.diagnostics[before..]
            .iter()
            .any(|it| it.severity == Severity::Error)
        {
            return None;
        }
        self.whole(label, item, told)
    }

    /// Puts together what belongs together.
    fn whole(&mut self, label: &str, item: &Item, told: Told) -> Option<NamedServer> {
        let name = format!("servers.{label}");
        let mut wrong = |message: String, help: &str| {
            self.error(item.span(), message, Some(help.to_owned()));
            None
        };
        let transport = match (told.command, told.url) {
            (Some(_), Some(_)) => {
                return wrong(
                    format!("`{name}` has a `command` and a `url`"),
                    "a server is started or called; take one of the two out",
                );
            }
            (None, None) => {
                return wrong(
                    format!("`{name}` has no `command` and no `url`"),
                    "say how the server is started, or where it is",
                );
            }
            (Some(command), None) => {
                let remote = [&told.token_file, &told.ca_file];
                if remote.iter().any(|it| it.is_some()) || !told.headers.is_empty() {
                    return wrong(
                        format!(
                            "`{name}` is started, so `token-file`, `ca-file` and `headers` mean nothing"
                        ),
                        "take them out, or give it a `url` instead of a `command`",
                    );
                }
                Transport::Command {
                    command,
                    args: told.args,
                    env: told.env,
                    directory: None,
                }
            }
            (None, Some(url)) => {
                if !told.args.is_empty() || !told.env.is_empty() {
                    return wrong(
                        format!("`{name}` is called, so `args` and `env` mean nothing"),
                        "take them out, or give it a `command` instead of a `url`",
                    );
                }
                if !url.starts_with("http://") && !url.starts_with("https://") {
                    return wrong(
                        format!("`{name}.url` is not an address"),
                        "start it with `https://`, or `http://` on this machine",
                    );
                }
                Transport::Url {
                    url,
                    token: None,
                    headers: told.headers,
                    authorities: None,
                }
            }
        };
        let mut server = ServerConfig::new(label, transport);
        server.timeout = told.timeout.unwrap_or(server.timeout);
        server.enabled = told.enabled.unwrap_or(server.enabled);
        Some(NamedServer {
            server,
            token_file: told.token_file,
            ca_file: told.ca_file,
            from: self.path.to_path_buf(),
            project: self.authority == Authority::Project,
        })
    }

    /// A table of texts.
    fn pairs(&mut self, item: &Item, name: &str) -> BTreeMap<String, String> {
        let Some(table) = item.as_table_like() else {
            self.expected(item, name, "a table of texts");
            return BTreeMap::new();
        };
        let mut pairs = BTreeMap::new();
        for (key, item) in table.iter() {
            let full = format!("{name}.{}", display_text(key));
            if let Some(value) = self.one_text(item, &full) {
                pairs.insert(key.to_owned(), value);
            }
        }
        pairs
    }

    fn check_headers(&mut self, item: &Item, name: &str, headers: &BTreeMap<String, String>) {
        for key in headers.keys() {
            let lower = key.to_ascii_lowercase();
            if RESERVED.contains(&&*lower) || lower.starts_with("mcp-") {
                let message = format!("`{name}` cannot set `{}`", display_text(key));
                let help = match &*lower {
                    "authorization" => "name a file with the token in `token-file`",
                    _ => "the protocol sets it",
                };
                self.error(item.span(), message, Some(help.to_owned()));
            }
        }
    }

    /// One file, seen from the config's own folder. A project names none outside of itself: its
    /// server would be sent what is in it.
    fn path_of(&mut self, item: &Item, name: &str) -> Option<PathBuf> {
        let text = self.one_text(item, name)?;
        if self.authority == Authority::Project && super::reader::leaves(text.as_ref()) {
            let message = format!("`{}` leads out of the project", display_text(&text));
            let help = "name a file inside it; the user's config can name others".to_owned();
            self.error(item.span(), message, Some(help));
            return None;
        }
        Some(self.resolve(&text))
    }

    fn seconds(&mut self, item: &Item, name: &str) -> Option<Duration> {
        let whole = item.as_integer().and_then(|it| u32::try_from(it).ok());
        let seconds = item.as_float().or(whole.map(f64::from));
        let seconds = seconds.filter(|it| *it > 0.0 && *it <= MOST_SECONDS);
        if seconds.is_none() {
            self.expected(item, name, "a number of seconds up to 600");
        }
        seconds.map(Duration::from_secs_f64)
    }
}
