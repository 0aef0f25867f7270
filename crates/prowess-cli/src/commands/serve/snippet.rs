//! `prowess serve --print-config`: what to add to a client's settings.

use std::{env, ffi::OsString, fmt::Write as _, net::SocketAddr, path::Path};

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::{Arguments, available};
use crate::{
    exit::{Exit, Failure},
    session::Session,
};

/// What the server is called in the settings.
const NAME: &str = "prowess";

/// The variable a client takes the token from.
const TOKEN: &str = "PROWESS_TOKEN";

/// A client whose settings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum McpClient {
    /// Claude Code
    Claude,
    /// The Claude app
    ClaudeDesktop,
    /// Codex
    Codex,
    /// GitHub Copilot CLI
    #[value(alias = "copilot")]
    CopilotCli,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// goose
    Goose,
    /// `OpenCode`
    Opencode,
    /// Qwen Code
    Qwen,
    /// VS Code, with Copilot
    Vscode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

/// How the client reaches the server.
enum Reach {
    Command { program: String, args: Vec<String> },
    Url { url: String, token: bool },
}

impl McpClient {
    /// Where its settings are.
    fn file(self) -> &'static str {
        match self {
            Self::Claude => ".mcp.json",
            Self::ClaudeDesktop => "claude_desktop_config.json",
            Self::Codex => "~/.codex/config.toml",
            Self::CopilotCli => "~/.copilot/mcp-config.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::Gemini => "~/.gemini/settings.json",
            Self::Goose => "~/.config/goose/config.yaml",
            Self::Opencode => "opencode.json",
            Self::Qwen => "~/.qwen/settings.json",
            Self::Vscode => ".vscode/mcp.json",
            Self::Windsurf => "~/.codeium/windsurf/mcp_config.json",
            Self::Zed => "~/.config/zed/settings.json",
        }
    }

    /// How it writes the value of a variable, so that no token stands in a file.
    fn variable(self) -> String {
        match self {
            Self::Cursor | Self::Vscode | Self::Windsurf => format!("${{env:{TOKEN}}}"),
            Self::Opencode => format!("{{env:{TOKEN}}}"),
            Self::Gemini | Self::Qwen => format!("${TOKEN}"),
            // It fills in no variables, so its user does.
            Self::Zed => "YOUR_TOKEN".to_owned(),
            Self::Claude | Self::ClaudeDesktop | Self::Codex | Self::CopilotCli | Self::Goose => {
                format!("${{{TOKEN}}}")
            }
        }
    }

    /// What is left to do about the token.
    fn token_hint(self) -> String {
        if self == Self::Zed {
            return "put the token in the place of `YOUR_TOKEN`".to_owned();
        }
        format!("set `{TOKEN}` to the token in the client's environment")
    }

    fn snippet(self, reach: &Reach) -> String {
        match self {
            Self::Codex => return codex(reach),
            Self::Goose => return goose(reach),
            _ => {}
        }
        let server = self.server(reach);
        let servers = json!({ NAME: server });
        let settings = match self {
            Self::Vscode => json!({ "servers": servers }),
            Self::Zed => json!({ "context_servers": servers }),
            Self::Opencode => json!({ "mcp": servers }),
            _ => json!({ "mcpServers": servers }),
        };
        // It is made of values, so it can be written.
        serde_json::to_string_pretty(&settings).unwrap_or_default() + "\n"
    }

    fn server(self, reach: &Reach) -> Value {
        let mut server = Map::new();
        let mut set = |key: &str, value: Value| server.insert(key.to_owned(), value);
        match reach {
            Reach::Command { program, args } => match self {
                Self::Opencode => {
                    let command: Vec<&String> = std::iter::once(program).chain(args).collect();
                    set("type", "local".into());
                    set("command", json!(command));
                    set("enabled", true.into());
                }
                _ => {
                    match self {
                        Self::Claude | Self::CopilotCli | Self::Vscode => {
                            set("type", "stdio".into())
                        }
                        Self::Zed => set("source", "custom".into()),
                        _ => None,
                    };
                    set("command", program.as_str().into());
                    set("args", json!(args));
                }
            },
            Reach::Url { url, token } => {
                let key = match self {
                    Self::Gemini | Self::Qwen => "httpUrl",
                    Self::Windsurf => "serverUrl",
                    _ => "url",
                };
                match self {
                    Self::Claude | Self::CopilotCli | Self::Vscode => set("type", "http".into()),
                    Self::Opencode => set("type", "remote".into()),
                    _ => None,
                };
                set(key, url.as_str().into());
                if *token {
                    let bearer = format!("Bearer {}", self.variable());
                    set("headers", json!({ "Authorization": bearer }));
                }
                if self == Self::Opencode {
                    set("enabled", true.into());
                }
            }
        }
        Value::Object(server)
    }
}

fn codex(reach: &Reach) -> String {
    let mut document = toml_edit::DocumentMut::new();
    let mut server = toml_edit::Table::new();
    match reach {
        Reach::Command { program, args } => {
            server["command"] = toml_edit::value(program.as_str());
            let args: toml_edit::Array = args.iter().map(String::as_str).collect();
            server["args"] = toml_edit::value(args);
        }
        Reach::Url { url, token } => {
            server["url"] = toml_edit::value(url.as_str());
            if *token {
                server["bearer_token_env_var"] = toml_edit::value(TOKEN);
            }
        }
    }
    let mut servers = toml_edit::Table::new();
    servers.set_implicit(true);
    servers.insert(NAME, toml_edit::Item::Table(server));
    document.insert("mcp_servers", toml_edit::Item::Table(servers));
    document.to_string()
}

/// Settings in YAML, where any text in the quotes of JSON means itself.
fn goose(reach: &Reach) -> String {
    let mut text = format!("extensions:\n  {NAME}:\n    name: {NAME}\n    enabled: true\n");
    let mut set = |key: &str, value: Value| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "    {key}: {value}");
    };
    match reach {
        Reach::Command { program, args } => {
            set("type", "stdio".into());
            set("cmd", program.as_str().into());
            set("args", json!(args));
        }
        Reach::Url { url, token } => {
            set("type", "streamable_http".into());
            set("uri", url.as_str().into());
            if *token {
                set("env_keys", json!([TOKEN]));
                let bearer = format!("Bearer ${{{TOKEN}}}");
                set("headers", json!({ "Authorization": bearer }));
            }
        }
    }
    set("timeout", 300.into());
    text
}

pub(super) fn print(
    client: McpClient,
    arguments: &Arguments,
    session: &mut Session,
) -> Result<Exit, Failure> {
    let reach = match arguments.http {
        None => Reach::Command {
            program: program(),
            args: carried(session)?,
        },
        Some(_) if client == McpClient::ClaudeDesktop => {
            return Err(
                Failure::usage("the Claude app starts a command and knows no address")
                    .hint("leave out `--http`"),
            );
        }
        Some(address) => Reach::Url {
            url: url(address, &arguments.allow_host),
            token: arguments.token_file.is_some(),
        },
    };
    let skills = available(session)?;
    session.output.data(&client.snippet(&reach))?;
    session.output.finish()?;
    let file = client.file();
    let told = format!("add this to `{file}`; it makes {skills} available\n");
    session.output.message(&told);
    if let Reach::Url { url, token } = &reach {
        if *token {
            session.output.hint(&client.token_hint());
        }
        if arguments.http.is_some_and(|it| it.ip().is_unspecified())
            && arguments.allow_host.is_empty()
        {
            session.output.hint(&format!(
                "on another machine, put the name or address of this one into `{url}`"
            ));
        }
    }
    Ok(Exit::Fine)
}

/// Where a client finds the server. An address that means all of them is none to call.
fn url(address: SocketAddr, names: &[String]) -> String {
    match names.first() {
        Some(name) => format!("http://{name}:{}/mcp", address.port()),
        None if address.ip().is_unspecified() => {
            format!("http://127.0.0.1:{}/mcp", address.port())
        }
        None => format!("http://{address}/mcp"),
    }
}

/// How this command can be started: by its name, unless it was started by its path.
fn program() -> String {
    let called = env::args_os().next().unwrap_or_default();
    let path = env::current_exe().ok();
    match path {
        Some(path) if Path::new(&called).components().count() > 1 => {
            path.to_string_lossy().into_owned()
        }
        _ => NAME.to_owned(),
    }
}

/// The options of this run, so that the client sees the same skills from wherever it starts.
fn carried(session: &Session) -> Result<Vec<String>, Failure> {
    let options = &session.options;
    let mut args = vec!["serve".to_owned()];
    let base = &session.environment.working_directory;
    let mut add = |flag: &str, path: Option<&Path>| -> Result<(), Failure> {
        args.push(flag.to_owned());
        if let Some(path) = path {
            let absolute: OsString = base.join(path).into();
            let text = absolute.into_string().map_err(|_| {
                Failure::usage(format!("`{flag}` names a path that is no text"))
                    .hint("settings are text; rename the folder")
            })?;
            args.push(text);
        }
        Ok(())
    };
    for path in &options.dir {
        add("--dir", Some(path))?;
    }
    if let Some(path) = &options.root {
        add("--root", Some(path))?;
    }
    for path in &options.catalog {
        add("--catalog", Some(path))?;
    }
    for path in &options.allow_link {
        add("--allow-link", Some(path))?;
    }
    if let Some(path) = &options.config {
        add("--config", Some(path))?;
    }
    let flags = [
        ("--local", options.local),
        ("--no-project", options.no_project),
        ("--conventions", options.conventions),
        ("--trust", options.trust),
        ("--no-skills", options.no_skills),
        ("--no-cache", options.no_cache),
    ];
    for (flag, _) in flags.iter().filter(|(_, set)| *set) {
        add(flag, None)?;
    }
    if let Some(name) = &options.client {
        args.extend(["--client".to_owned(), name.clone()]);
    }
    if let Some(threads) = options.threads {
        args.extend(["--threads".to_owned(), threads.to_string()]);
    }
    Ok(args)
}

#[cfg(test)]
mod tests;
