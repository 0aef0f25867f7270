//! `prowess serve`: every skill for every MCP client, over standard streams or HTTP.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use clap::Args;
use prowess::{live::LiveCatalog, run::Grant, select::Policy};
use prowess_mcp::{
    http::{self, HttpOptions, Token},
    server::SkillServer,
    stdio,
};
use tokio_util::sync::CancellationToken;

use super::tool;
use crate::{
    exit::{Exit, Failure},
    files,
    places::Request,
    render::count,
    session::Session,
};

mod address;
mod log;
mod snippet;

use address::{address, host_name};
use log::{Log, LogLevel};

/// A token fits on a line; a larger file is another file.
const MOST_TOKEN_BYTES: u64 = 4096;

/// Serve the skills to MCP clients, over standard input and output or over HTTP
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Listen on this address instead of standard input; the endpoint is `/mcp`
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:8645",
        value_parser = address
    )]
    http: Option<SocketAddr>,
    /// Ask clients for the bearer token in this file; needed for an address that others reach
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Answer to this host name too, beside `localhost` and its addresses; can be repeated
    #[arg(long, value_name = "NAME", requires = "http", value_parser = host_name)]
    allow_host: Vec<String>,
    /// Offer `run_skill_script` too: the client asks its user before a script runs, sandboxed
    #[arg(long)]
    allow_run: bool,
    /// Widen the sandbox of every script: `read:/PATH`, `write:/PATH`, `net`, `env:NAME`
    #[arg(long, value_name = "GRANT", requires = "allow_run")]
    grant: Vec<Grant>,
    #[command(flatten)]
    host: tool::HostTools,
    /// How the log on standard error is written
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    log: Log,
    /// How much is logged [default: info over HTTP, else warn]
    #[arg(long, value_enum, value_name = "LEVEL")]
    log_level: Option<LogLevel>,
    /// Print what to add to the settings of this client, and end
    #[arg(long, value_enum, value_name = "CLIENT")]
    print_config: Option<snippet::McpClient>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    if let Some(client) = arguments.print_config {
        return snippet::print(client, arguments, session);
    }
    let token = arguments
        .token_file
        .as_deref()
        .map(read_token)
        .transpose()?;
    log::start(arguments, session);
    let (sources, options) = session.live(&ours())?;
    tell_left_out(session);
    let live = LiveCatalog::open(sources, options)
        .map(Arc::new)
        .map_err(|error| Failure::new("cannot load the skills").because(&error))?;
    session.output.notes(&live.start().notes);
    let mut tools = tool::options(session);
    tools.check = arguments.host.check();
    // Where a skill's folder is tells a client on another machine nothing it could use.
    tools.directory = arguments
        .http
        .is_none_or(|address| address.ip().is_loopback());
    if arguments.allow_run {
        tools.run = Some(super::run::options(&arguments.grant, session)?);
    }
    let server = SkillServer::new(live.snapshot(), tools);
    let follower = follow(&live, &server)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("cannot start").because(&error))?;
    let read = live.start().read;
    let done = runtime.block_on(serve(arguments, &server, token, read));
    // A read of standard input cannot be called back; it ends with the process.
    runtime.shutdown_background();
    drop(live);
    // It has nothing left to wait for.
    let _ = follower.join();
    done.map(|()| Exit::Fine)
}

async fn serve(
    arguments: &Arguments,
    server: &SkillServer,
    token: Option<Token>,
    read: usize,
) -> Result<(), Failure> {
    let end = CancellationToken::new();
    let skills = server.catalog().model_visible().count();
    let Some(address) = arguments.http else {
        tracing::info!(skills, read, "serving on the standard streams");
        let ends = tokio::spawn(end_on_signal(end.clone()));
        let done = stdio::serve(server, end).await;
        ends.abort();
        return done.map_err(|error| Failure::new("cannot serve the client").because(&error));
    };
    let options = HttpOptions {
        token,
        hosts: arguments.allow_host.clone(),
        ..HttpOptions::default()
    };
    let listener = http::listen(address, &options).await.map_err(|error| {
        let failure = Failure::new(error.to_string());
        match error {
            http::HttpError::NoToken { .. } => failure
                .hint("give `--token-file FILE`, or listen on `127.0.0.1`, which only this machine reaches"),
            error => match std::error::Error::source(&error) {
                Some(cause) => failure.because(cause),
                None => failure,
            },
        }
    })?;
    // With port 0 the system chooses one.
    let address = listener.local_addr().unwrap_or(address);
    tracing::info!(skills, read, url = %format!("http://{address}/mcp"), "listening");
    tokio::spawn(end_on_signal(end.clone()));
    http::serve(server, listener, options, end).await;
    tracing::info!("ended");
    Ok(())
}

/// The skills that are passed on: whose author a client must be able to see, so none of other
/// servers under our name.
fn ours() -> Request {
    Request {
        local: true,
        ..Request::default()
    }
}

/// Says which servers the clients have to be connected to themselves.
fn tell_left_out(session: &Session) {
    let servers = crate::servers::labels(session.places());
    if !servers.is_empty() {
        tracing::warn!(
            count = servers.len(),
            servers = servers.join(" "),
            "the skills of other MCP servers are not passed on; connect the client to them"
        );
    }
}

/// Asks everything to end when the system or the user does.
async fn end_on_signal(end: CancellationToken) {
    asked_to_end().await;
    end.cancel();
}

/// Waits until the system or the user asks for the end.
pub(super) async fn asked_to_end() {
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => _ = signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}

/// Hands every new snapshot to the server, once it can be searched at full speed.
fn follow(
    live: &Arc<LiveCatalog>,
    server: &SkillServer,
) -> Result<thread::JoinHandle<()>, Failure> {
    let changes = live.subscribe();
    // Held weakly: the end of the catalog ends the wait below.
    let live = Arc::downgrade(live);
    let server = server.clone();
    let work = move || {
        let warm = |catalog: &prowess::Catalog| drop(catalog.select("skill", &Policy::default()));
        warm(&server.catalog());
        while changes.next().is_some() {
            let Some(catalog) = live.upgrade().map(|live| live.snapshot()) else {
                return;
            };
            warm(&catalog);
            server.replace(catalog);
        }
    };
    thread::Builder::new()
        .name("follow".to_owned())
        .spawn(work)
        .map_err(|error| Failure::new("cannot start").because(&error))
}

fn read_token(path: &Path) -> Result<Token, Failure> {
    let shown = path.display();
    let text = files::read_text(path, MOST_TOKEN_BYTES).map_err(|error| {
        Failure::new(format!("cannot read the token in `{shown}`")).because(&error)
    })?;
    Token::new(&text).ok_or_else(|| {
        Failure::usage(format!(
            "the token in `{shown}` is shorter than 16 characters"
        ))
        .hint("a long random text cannot be guessed")
    })
}

/// How many skills a snippet makes available, for the one who pastes it.
fn available(session: &mut Session) -> Result<String, Failure> {
    let catalog = session.load(&ours())?;
    Ok(count(catalog.model_visible().count(), "skill"))
}
