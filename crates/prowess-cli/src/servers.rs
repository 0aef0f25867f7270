//! From settings and options to the MCP servers whose skills are used.
//!
//! Servers come from the user: from their config, or from the command line. A project can name
//! servers too, but nothing in a repository starts a program or calls an address before the user
//! trusted the project.

use std::path::{Path, PathBuf};

use prowess::{
    Catalog, Finding, Origin, Scope, Trust as _, TrustDecision, display_text, format::Diagnostic,
};
use prowess_mcp::host::{Host, HostOptions, ServerConfig, Transport, is_label};

use crate::{
    config::NamedServer,
    environment::Environment,
    exit::Failure,
    files,
    places::Places,
    render::{Terminal, count, list},
};

/// A token has a line, and the certificates of a whole system have a quarter of this.
const FILE_BYTES: u64 = 1024 * 1024;

/// The codes of findings about servers. Every verb reports them: a server that is away changes
/// what there is to choose from.
const CODES: [&str; 2] = ["server-", "approval-"];

/// The servers to be asked: those of the command line, then those of the config. What is left out
/// is said.
pub(crate) fn chosen(
    places: Places<'_>,
    output: &mut Terminal,
) -> Result<Vec<ServerConfig>, Failure> {
    let mut servers: Vec<ServerConfig> = Vec::new();
    for text in &places.options.server {
        let server = named(text)?;
        if servers.iter().any(|it| it.label == server.label) {
            let label = &server.label;
            return Err(Failure::usage(format!("two servers are called `{label}`"))
                .hint("write `--server LABEL=URL` to give each a name of its own"));
        }
        servers.push(server);
    }
    if places.options.no_servers || places.options.local {
        return Ok(servers);
    }
    let enabled = places.config.servers.iter().filter(|it| it.server.enabled);
    let (mut projects, users): (Vec<_>, Vec<_>) = enabled.partition(|it| it.project);
    if !projects.is_empty() && !trusts_project(places) {
        output.hint(&not_contacted(&projects));
        projects.clear();
    }
    for named in users.into_iter().chain(projects) {
        // The command line speaks last.
        if servers.iter().any(|it| it.label == named.server.label) {
            continue;
        }
        match with_files(named, places) {
            Ok(server) => servers.push(server),
            Err(failure) => failure.report(output),
        }
    }
    Ok(servers)
}

/// The labels of the servers that this run would use. Nobody is contacted, and no project is
/// asked whether it is trusted.
pub(crate) fn labels(places: Places<'_>) -> Vec<String> {
    let given = places.options.server.iter();
    let given = given.filter_map(|text| named(text).ok());
    let mut labels: Vec<String> = given.map(|server| server.label).collect();
    if !places.options.no_servers && !places.options.local {
        let set = places.config.servers.iter();
        let set = set.filter(|it| it.server.enabled && !it.project);
        labels.extend(set.map(|it| it.server.label.clone()));
    }
    labels.sort();
    labels.dedup();
    labels
}

/// A host for these servers, with the folders of this user.
pub(crate) fn open_host(
    servers: Vec<ServerConfig>,
    environment: &Environment,
) -> Result<Host, Failure> {
    let state = environment.state_folder();
    let cache = environment.cache_folder();
    let options = HostOptions {
        cache: cache.map(|folder| folder.join("servers")),
        approvals: state.map(|folder| folder.join("approvals")),
        ..HostOptions::default()
    };
    Host::start(servers, options)
        .map_err(|error| Failure::new("cannot start to talk to servers").because(&error))
}

/// Says that an untrusted project's servers are left alone.
fn not_contacted(servers: &[&NamedServer]) -> String {
    let labels: Vec<String> = servers
        .iter()
        .map(|it| format!("`{}`", it.server.label))
        .collect();
    let verb = if servers.len() == 1 { "is" } else { "are" };
    format!(
        "{} of this project ({}) {verb} not contacted; look at its `prowess.toml`, then copy it to your config, or use `--trust` for one run",
        count(servers.len(), "server"),
        list(&labels)
    )
}

/// Whether the user trusts the project as a whole.
fn trusts_project(places: Places<'_>) -> bool {
    if places.options.trust {
        return true;
    }
    let (Some(root), Ok(store)) = (project_root(places), places.trusted()) else {
        return false;
    };
    let mut origin = Origin::new(Scope::Project, "project", &root);
    origin.real_root = Some(root.clone());
    origin.repository = Some(root);
    store.decide(&origin) == TrustDecision::Trusted
}

fn project_root(places: Places<'_>) -> Option<PathBuf> {
    let root = places.project().pop()?;
    files::real_path(&root).ok()
}

/// A server with its token and its certificates, which are read when they are needed and kept
/// nowhere.
fn with_files(named: &NamedServer, places: Places<'_>) -> Result<ServerConfig, Failure> {
    let mut server = named.server.clone();
    if let Transport::Url {
        token, authorities, ..
    } = &mut server.transport
    {
        *token = file_of(named, named.token_file.as_deref(), "token", places)?;
        *authorities = file_of(named, named.ca_file.as_deref(), "certificates", places)?;
    }
    Ok(server)
}

fn file_of(
    named: &NamedServer,
    path: Option<&Path>,
    what: &str,
    places: Places<'_>,
) -> Result<Option<String>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    let failure = || {
        Failure::new(format!(
            "the MCP server `{}` is left out: cannot read its {what} in `{}`",
            named.server.label,
            path.display()
        ))
    };
    // A link could lead a project's server to a secret of its user.
    let root = project_root(places);
    let inside = |real: &PathBuf| root.is_some_and(|root| real.starts_with(root));
    if named.project && !files::real_path(path).ok().as_ref().is_some_and(inside) {
        return Err(failure().hint("a project's files lie inside the project"));
    }
    let text = files::read_text(path, FILE_BYTES).map_err(|error| failure().because(&error))?;
    Ok(Some(text.trim().to_owned()))
}

/// Reports what is wrong with servers and was not known before; gives what is known now.
pub(crate) fn report(catalog: &Catalog, known: &[Finding], output: &mut Terminal) -> Vec<Finding> {
    let findings = catalog.findings().iter();
    let findings: Vec<Finding> = findings
        .filter(|finding| is_about_server(&finding.diagnostic))
        .cloned()
        .collect();
    for finding in findings.iter().filter(|finding| !known.contains(finding)) {
        let place = display_text(&finding.path.to_string_lossy());
        output.diagnostic(&finding.diagnostic, &place, None);
    }
    findings
}

/// Whether a finding is about a server.
pub(crate) fn is_about_server(diagnostic: &Diagnostic) -> bool {
    CODES.iter().any(|code| diagnostic.code.starts_with(code))
}

/// A server as the command line names it.
fn named(text: &str) -> Result<ServerConfig, Failure> {
    let is_url = |text: &str| text.starts_with("http://") || text.starts_with("https://");
    if is_url(text) {
        let url = Transport::Url {
            url: text.to_owned(),
            token: None,
            headers: std::collections::BTreeMap::new(),
            authorities: None,
        };
        // `https://skills.example.com:8443/mcp` is called `skills.example.com`.
        let place = url.place();
        let host = place.split("://").nth(1).unwrap_or_default();
        let host = host.split(['/', ':']).next().unwrap_or_default();
        let label = if is_label(host) { host } else { "server" };
        return Ok(ServerConfig::new(label, url));
    }
    let how = "write a URL, `LABEL=URL` or `'LABEL=COMMAND ARGS'`";
    let wrong = |what: String| Failure::usage(what).hint(how);
    let (label, rest) = text
        .split_once('=')
        .ok_or_else(|| wrong(format!("`{text}` names no server")))?;
    if !is_label(label) {
        return Err(wrong(format!("`{label}` cannot be the name of a server")));
    }
    if is_url(rest) {
        return Ok(ServerConfig::url(label, rest));
    }
    // No shell is asked: quotes hold words together, and nothing else has a meaning.
    let words = shlex::split(rest);
    let words = words.ok_or_else(|| wrong(format!("a quote in `{text}` is not closed")))?;
    let mut words = words.into_iter();
    let command = words.next();
    let command = command.ok_or_else(|| wrong(format!("`{text}` has no command")))?;
    Ok(ServerConfig::command(label, command, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_by_its_address_or_by_its_user() {
        let label = |text: &str| named(text).unwrap().label;
        assert_eq!(
            label("https://skills.example.com:8443/mcp?x"),
            "skills.example.com"
        );
        assert_eq!(label("acme=https://x/mcp"), "acme");
        assert_eq!(label("http://[::1]:8000/mcp"), "server");
        assert!(named("acme").is_err());
        assert!(named("a b=c").is_err());
        assert!(named("acme=").is_err());
        assert!(named("acme=npx 'my server").is_err());
        let server = named("acme=npx -y 'my server' --root=\"a b\"").unwrap();
        let Transport::Command { command, args, .. } = server.transport else {
            panic!("it is a command")
        };
        assert_eq!(command, "npx");
        assert_eq!(args, ["-y", "my server", "--root=a b"]);
    }
}
