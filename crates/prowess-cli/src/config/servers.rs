//! `[servers.LABEL]`: the MCP servers whose skills are used.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use prowess::display_text;
use prowess_mcp::host::{ServerConfig, Transport, is_label};
use toml::{Spanned, de::DeValue};

use super::{
    Authority,
    reader::{Fault, Reader, Section, Value, typed},
};

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
struct Keys {
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
    url: Option<String>,
    token_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
    headers: Option<Headers>,
    timeout: Option<Seconds>,
    enabled: Option<bool>,
}

#[derive(Debug)]
struct Headers(BTreeMap<String, String>);

impl Value for Headers {
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        let headers = BTreeMap::<String, String>::read(value, name)?;
        for key in headers.keys() {
            let lower = key.to_ascii_lowercase();
            if RESERVED.contains(&&*lower) || lower.starts_with("mcp-") {
                let message = format!("`{name}` cannot set `{}`", display_text(key));
                let help = match &*lower {
                    "authorization" => "name a file with the token in `token-file`",
                    _ => "the protocol sets it",
                };
                return Err(Fault::new(message, help));
            }
        }
        Ok(Self(headers))
    }
}

#[derive(Debug)]
struct Seconds(Duration);

impl Value for Seconds {
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        let what = "a number of seconds up to 600";
        let seconds: f64 = typed(value, name, what)?;
        if seconds > 0.0 && seconds <= MOST_SECONDS {
            Ok(Self(Duration::from_secs_f64(seconds)))
        } else {
            Err(Fault::expected(name, what))
        }
    }
}

impl Reader<'_> {
    pub(super) fn servers(&mut self, section: Section<'_>) {
        for (label, value) in section.into_entries() {
            let span = label.span();
            let label = label.into_inner();
            if !is_label(&label) {
                let message = format!("`{}` cannot be the name of a server", display_text(&label));
                let help = "use letters, digits, `-`, `_` and `.`";
                self.error(span, Fault::new(message, help));
                continue;
            }
            let Some(server) = self.server(&label, value) else {
                continue;
            };
            let known = &mut self.config.servers;
            // Whoever trusts a project does not give it the names of their own servers.
            let taken = |it: &NamedServer| it.server.label == label && !it.project;
            if server.project && known.iter().any(taken) {
                let message = format!("`servers.{label}` stays as the user's config says");
                let help = "give the project's server another name";
                self.ignored(span, Fault::new(message, help));
                continue;
            }
            known.push(server);
        }
    }

    fn server(&mut self, label: &str, value: Spanned<DeValue<'_>>) -> Option<NamedServer> {
        let (span, errors) = (value.span(), self.report.errors());
        let mut section = self.table(value, format!("servers.{label}"))?;
        let it = &mut section;
        let keys = Keys {
            command: self.get(it, "command"),
            args: self.get(it, "args"),
            env: self.get(it, "env"),
            url: self.get(it, "url"),
            token_file: self.file(it, "token-file"),
            ca_file: self.file(it, "ca-file"),
            headers: self.get(it, "headers"),
            timeout: self.get(it, "timeout"),
            enabled: self.get(it, "enabled"),
        };
        self.finish(section);
        if self.report.errors() > errors {
            return None;
        }
        let server = keys.server(label, self);
        server.map_err(|fault| self.error(span, fault)).ok()
    }

    /// One file. A project's server would be sent what is in it.
    fn file(&mut self, section: &mut Section<'_>, key: &'static str) -> Option<PathBuf> {
        let value = section.take(key)?;
        let text: String = self.read(&value, &section.full(key))?;
        self.path(&text, value.span(), "file")
            .map(|named| named.path)
    }
}

impl Keys {
    /// Puts together what belongs together.
    fn server(self, label: &str, reader: &Reader<'_>) -> Result<NamedServer, Fault> {
        let name = format!("servers.{label}");
        let transport = match (self.command, self.url) {
            (Some(_), Some(_)) => {
                return Err(Fault::new(
                    format!("`{name}` has a `command` and a `url`"),
                    "a server is started or called; take one of the two out",
                ));
            }
            (None, None) => {
                return Err(Fault::new(
                    format!("`{name}` has no `command` and no `url`"),
                    "say how the server is started, or where it is",
                ));
            }
            (Some(command), None) => {
                let files = [&self.token_file, &self.ca_file];
                if files.iter().any(|it| it.is_some()) || self.headers.is_some() {
                    return Err(Fault::new(
                        format!(
                            "`{name}` is started, so `token-file`, `ca-file` and `headers` mean nothing"
                        ),
                        "take them out, or give it a `url` instead of a `command`",
                    ));
                }
                Transport::Command {
                    command,
                    args: self.args.unwrap_or_default(),
                    env: self.env.unwrap_or_default(),
                    directory: None,
                }
            }
            (None, Some(url)) => {
                if self.args.is_some() || self.env.is_some() {
                    return Err(Fault::new(
                        format!("`{name}` is called, so `args` and `env` mean nothing"),
                        "take them out, or give it a `command` instead of a `url`",
                    ));
                }
                if !url.starts_with("http://") && !url.starts_with("https://") {
                    return Err(Fault::new(
                        format!("`{name}.url` is not an address"),
                        "start it with `https://`, or `http://` on this machine",
                    ));
                }
                Transport::Url {
                    url,
                    token: None,
                    headers: self.headers.map(|it| it.0).unwrap_or_default(),
                    authorities: None,
                }
            }
        };
        let mut server = ServerConfig::new(label, transport);
        server.timeout = self.timeout.map_or(server.timeout, |it| it.0);
        server.enabled = self.enabled.unwrap_or(server.enabled);
        Ok(NamedServer {
            server,
            token_file: self.token_file,
            ca_file: self.ca_file,
            from: reader.path.to_path_buf(),
            project: reader.authority == Authority::Project,
        })
    }
}
