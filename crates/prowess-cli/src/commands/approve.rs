//! `prowess approve`: let a skill of an MCP server use what it asks for.

use std::{
    fmt::Write as _,
    io::{self, BufRead as _},
    path::Path,
};

use clap::Args;
use prowess::{
    display_text,
    run::{InterpreterError, Search, interpreter_for},
};
use prowess_mcp::host::{Approval, Approvals, Entry, Extent, Host, Manifest, Server};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    nearest::{did_you_mean, nearest},
    render::{byte_size, count, line, list as words},
    servers::open_host,
    session::Session,
};

/// Let a skill of an MCP server use the tools and hooks it asks for
///
/// Shows what the skill asks for and which files it has, and remembers exactly those. When the
/// server changes one of them, the approval is gone.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skill, as `LABEL/NAME`: the server's name in the config, and the skill's
    #[arg(value_name = "LABEL/NAME", required_unless_present = "list")]
    skill: Option<String>,
    /// List what is approved
    #[arg(long, conflicts_with_all = ["skill", "revoke", "yes"])]
    list: bool,
    /// Take the approval back
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Let its scripts run too, in the sandbox; its files are fetched and checked first
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print the list as JSON
    #[arg(long, requires = "list")]
    json: bool,
}

/// What `approve --list --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    approvals: Vec<Row>,
    store: String,
}

#[derive(Debug, Serialize)]
struct Row {
    server: String,
    name: String,
    uri: String,
    manifest: String,
    run: bool,
    approved_at: u64,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let folder = session.environment.state_folder().ok_or_else(|| {
        Failure::new("there is no place to remember approvals")
            .hint("set `HOME` or `XDG_STATE_HOME`")
    })?;
    let folder = folder.join("approvals");
    let approvals = Approvals::new(&folder);
    let all = approvals
        .all()
        .map_err(|error| Failure::new("cannot read the approvals").because(&error));
    let Some(skill) = &arguments.skill else {
        let store = prowess::display_path(&folder);
        return list(all?, store, arguments.json, session);
    };
    let wrong = || {
        Failure::usage(format!("`{skill}` is not the name of a server and a skill"))
            .hint("write it as `LABEL/NAME`; `prowess list` shows both")
    };
    let (label, name) = skill.split_once('/').ok_or_else(wrong)?;
    if arguments.revoke {
        return revoke(label, name, &all?, &approvals, session);
    }
    let host = host_of(label, session)?;
    let server = host.server(label).ok_or_else(wrong)?;
    let entry = entry(server, name, session)?;
    let text = summary(&entry, server);
    session.output.message(&text);
    if matches!(entry.manifest, Manifest::Dynamic) {
        let name = line(name);
        return Err(Failure::new(format!("`{name}` cannot be approved"))
            .hint("its files are made on request, so there is nothing to bind an approval to"));
    }
    let extent = if arguments.run {
        let scripts = scripts(server, &entry, session)?;
        session.output.message(&scripts);
        Extent::Scripts
    } else {
        Extent::Fields
    };
    if !arguments.yes && !asked("approve it?", session)? {
        return Ok(Exit::Findings);
    }
    approvals
        .approve(label, &entry, extent)
        .map_err(|error| Failure::new("cannot write the approval down").because(&error))?;
    session.output.message(&format!(
        "`{}` is approved as it is now{}\n",
        line(&format!("{label}/{name}")),
        if arguments.run {
            ", and its scripts may run"
        } else {
            ""
        },
    ));
    session.output.hint(&format!(
        "`prowess approve {} --revoke` takes that back",
        line(&format!("{label}/{name}"))
    ));
    Ok(Exit::Fine)
}

/// A host for this one server; the others are left alone.
fn host_of(label: &str, session: &mut Session) -> Result<Host, Failure> {
    let servers = session.servers()?;
    let labels: Vec<String> = servers.iter().map(|it| it.label.clone()).collect();
    let servers: Vec<_> = servers.into_iter().filter(|it| it.label == label).collect();
    if servers.is_empty() {
        let near = nearest(label, labels.iter().map(String::as_str));
        let all = match labels.len() {
            0 => "the config names no server; docs/HOST.md tells how".to_owned(),
            _ => {
                let quoted: Vec<_> = labels.iter().map(|it| format!("`{it}`")).collect();
                format!("the config names {}", words(&quoted))
            }
        };
        let shown = display_text(label);
        return Err(Failure::no_match(format!("no server named `{shown}`"))
            .hint(did_you_mean(&near).unwrap_or(all)));
    }
    open_host(servers, &session.environment)
}

/// What the server says about the skill.
fn entry(server: &Server, name: &str, session: &mut Session) -> Result<Entry, Failure> {
    let listing = server.list_blocking();
    for fault in &listing.faults {
        session.output.warning(&fault.to_string());
    }
    let is_it = |entry: &&std::sync::Arc<Entry>| entry.name() == name || entry.uri == name;
    let found: Vec<_> = listing.entries.iter().filter(is_it).collect();
    match found.as_slice() {
        [entry] => Ok(Entry::clone(entry)),
        [] => {
            let names = listing.entries.iter().map(|entry| entry.name());
            let near = did_you_mean(&nearest(name, names));
            let failure = Failure::no_match(format!(
                "the MCP server `{}` lists no skill `{name}`",
                server.label()
            ));
            Err(failure
                .hint(near.unwrap_or_else(|| "`prowess list` shows what it offers".to_owned())))
        }
        several => {
            let uris: Vec<_> = several.iter().map(|it| display_text(&it.uri)).collect();
            Err(Failure::no_match(format!(
                "the MCP server `{}` has {} of this name",
                server.label(),
                count(several.len(), "skill")
            ))
            .hint(format!("name one by its address: {}", uris.join(", "))))
        }
    }
}

/// What a person approves: who offers the skill, what it asks for, and its files.
fn summary(entry: &Entry, server: &Server) -> String {
    let place = server.place();
    let description = entry.frontmatter.get("description");
    let mut text = format!(
        "{}: {}\n  from    the MCP server `{}` at {}\n  address {}\n",
        line(entry.name()),
        line(description.and_then(|it| it.as_str()).unwrap_or_default()),
        server.label(),
        line(&place.to_string_lossy()),
        line(&entry.uri),
    );
    let withheld = entry.withheld();
    if withheld.is_empty() {
        text += "  asks    for nothing that needs an approval\n";
    }
    for (at, key) in withheld.iter().enumerate() {
        let value = entry.frontmatter.get(key).map(|value| match value {
            serde_json::Value::String(text) => line(text),
            other => line(&other.to_string()),
        });
        let label = if at == 0 { "asks  " } else { "      " };
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {label}  {key}: {}", value.unwrap_or_default());
    }
    for (at, file) in entry.files().iter().enumerate() {
        let label = if at == 0 { "files " } else { "      " };
        let (path, size) = (line(&file.path), byte_size(file.size));
        let _ = writeln!(text, "  {label}  {path} ({size})");
    }
    text
}

/// Fetches every file, checks it, and names those that could run, with what would run them.
fn scripts(server: &Server, entry: &Entry, session: &Session) -> Result<String, Failure> {
    let files = server
        .files_blocking(&entry.uri)
        .map_err(|fault| Failure::new(fault.to_string()).hint(fault.help()))?;
    let search = Search::new(session.environment.search_path.as_deref());
    let mut rows = Vec::new();
    // As where a skill's scripts are listed: a text is no script.
    let is_text = |path: &Path| path.extension() == Some("md".as_ref());
    for file in &files {
        let path = Path::new(&file.path);
        let by = match interpreter_for(path, &file.bytes, &search) {
            _ if is_text(path) => continue,
            Ok(found) => format!("by {}", found.name),
            Err(InterpreterError::Missing { name, .. }) => format!("by {name}, which is not here"),
            Err(_) => continue,
        };
        rows.push(format!("{} {by}", line(&file.path)));
    }
    if rows.is_empty() {
        let name = line(entry.name());
        return Err(
            Failure::new(format!("`{name}` has no script that could run"))
                .hint("approve it without `--run`"),
        );
    }
    Ok(format!("  runs    {}\n", rows.join("\n          ")))
}

/// Asks the person at the terminal; without one somebody has to say yes beforehand.
pub(super) fn asked(question: &str, session: &mut Session) -> Result<bool, Failure> {
    if !session.environment.stdin_terminal {
        return Err(
            Failure::usage("nobody can be asked here").hint("look at the above, then add `--yes`")
        );
    }
    session.output.message(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(is_yes(&answer))
}

pub(super) fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

fn revoke(
    label: &str,
    name: &str,
    all: &[Approval],
    approvals: &Approvals,
    session: &mut Session,
) -> Result<Exit, Failure> {
    let is_it = |it: &&Approval| it.server == label && (it.name == name || it.uri == name);
    let mut found = all.iter().filter(is_it).peekable();
    let shown = line(&format!("{label}/{name}"));
    if found.peek().is_none() {
        return Err(Failure::no_match(format!("`{shown}` is not approved"))
            .hint("`prowess approve --list` shows what is"));
    }
    for approval in found {
        approvals
            .revoke(&approval.server, &approval.uri)
            .map_err(|error| Failure::new("cannot take the approval back").because(&error))?;
    }
    session
        .output
        .message(&format!("`{shown}` is no longer approved\n"));
    Ok(Exit::Fine)
}

fn list(
    all: Vec<Approval>,
    store: String,
    json: bool,
    session: &mut Session,
) -> Result<Exit, Failure> {
    let empty = all.is_empty();
    if json {
        let rows = all.into_iter().map(|it| Row {
            server: it.server,
            name: it.name,
            uri: it.uri,
            manifest: it.manifest,
            run: it.run,
            approved_at: it.approved_at,
        });
        session.output.json(&Output {
            approvals: rows.collect(),
            store,
        })?;
        return Ok(Exit::Fine);
    }
    for it in &all {
        let run = if it.run { "  its scripts may run" } else { "" };
        let (name, uri) = (line(&it.name), line(&it.uri));
        let text = format!("{}/{name}  {uri}{run}\n", it.server);
        session.output.data(&text)?;
    }
    session.output.finish()?;
    if empty {
        session.output.message("no skill of a server is approved\n");
    }
    Ok(Exit::Fine)
}
