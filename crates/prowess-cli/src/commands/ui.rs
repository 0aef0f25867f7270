//! `prowess ui`: a page on this machine for what is easier seen than read.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use clap::Args;
use prowess::{Catalog, LiveCatalog, format::Profile, select::Policy};
use prowess_ui::{App, Fault, Feed, Options, Secret};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{drift, prompt::note_untrusted, serve::asked_to_end, watch};
use crate::{
    exit::{Exit, Failure},
    files,
    places::Request,
    render::{count, thousands},
    session::Session,
    write::write_whole,
};

mod engine;
mod tune;

use engine::Local;

/// Open a page on this machine: browse, try and decide, live while files are edited
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Listen on this port of the loopback address; 0 lets the system choose
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
    /// Change no file, whatever the page asks
    #[arg(long)]
    read_only: bool,
    /// Write the page with all it shows into DIR, as a static site, and serve nothing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "no_open", "read_only"])]
    export: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let request = Request {
        look_at_untrusted: true,
        ..Request::default()
    };
    let (sources, mut options) = session.live(&request)?;
    options.look_at_untrusted = true;
    // What is wrong is said as `check` says it; what loads is the same.
    options.profile = Profile::Standard;
    let live = LiveCatalog::open(sources, options)
        .map(Arc::new)
        .map_err(|error| Failure::new("cannot load the skills").because(&error))?;
    session.output.notes(&live.start().notes);
    let catalog = live.snapshot();
    session.report_left_out(&catalog);
    note_untrusted(catalog.skills(), session);
    catalog.prepare();
    let skills = catalog.skills().len();
    if let Some(folder) = &arguments.export {
        let engine = Local::new(Arc::clone(&live), true, session);
        return export(folder, &engine, &catalog, session);
    }
    drop(catalog);
    let feed = Feed::default();
    let follower = follow(&live, &feed)?;
    let engine = Local::new(Arc::clone(&live), arguments.read_only, session);
    let secret = || {
        Secret::random().map_err(|error| {
            Failure::new("the system gives no random bytes for a token").because(&error)
        })
    };
    let (ticket, cookie) = (secret()?, secret()?);
    let options = Options {
        read_only: arguments.read_only,
    };
    let app = App::new(Arc::new(engine), feed, options, &ticket, cookie)
        .ok_or_else(|| Failure::new("the token is too short"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("cannot start").because(&error))?;
    let done = runtime.block_on(serve(arguments, &app, &ticket, skills, session));
    drop(app);
    // A question that is not answered by now has nobody left to read the answer.
    runtime.shutdown_background();
    drop(live);
    // It has nothing left to wait for.
    let _ = follower.join();
    done.map(|()| Exit::Fine)
}

/// Writes a static site. A folder that holds another page is left alone.
fn export(
    folder: &Path,
    engine: &Local,
    catalog: &Catalog,
    session: &mut Session,
) -> Result<Exit, Failure> {
    let [page, data] = ["index.html", "data.js"].map(|name| folder.join(name));
    if files::is_there(&page) && !files::is_there(&data) {
        let message = format!("`{}` holds another page", folder.display());
        return Err(Failure::new(message).hint("name a folder of its own"));
    }
    let failed = |it: Fault| Failure::new(format!("cannot export: {}", it.message()));
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let made = now.map_or(0, |it| it.as_secs());
    let commit = drift::revision::head(catalog, session);
    let site = prowess_ui::export(engine, made, commit.as_deref()).map_err(failed)?;
    let (mut written, mut bytes) = (0, 0);
    for file in site {
        let (name, text) = file.map_err(failed)?;
        write_whole(&folder.join(name), text.as_bytes())?;
        written += 1;
        bytes += text.len();
    }
    remove_stale(folder, catalog.skills().len());
    session.output.data(&format!("{}\n", page.display()))?;
    session.output.finish()?;
    session.output.message(&format!(
        "{} on a page that any web server can hand out: {written} files, {} KB\n",
        count(catalog.skills().len(), "skill"),
        thousands(bytes / 1000)
    ));
    Ok(Exit::Fine)
}

/// A page of one skill is smaller; a larger file is not ours.
const MOST_PAGE: u64 = 256 * 1024 * 1024;

/// Removes the pages that an earlier, larger export left behind; they follow on each other.
#[expect(
    clippy::disallowed_methods,
    reason = "files that an export wrote, known by how they begin"
)]
fn remove_stale(folder: &Path, skills: usize) {
    for at in skills.. {
        let file = folder.join(format!("data/{at}.js"));
        let own = files::read_bytes(&file, MOST_PAGE)
            .is_ok_and(|bytes| bytes.starts_with(format!("EXPORTED.skills[{at}] =").as_bytes()));
        // What cannot be removed is not shown by the page either.
        if !own || std::fs::remove_file(&file).is_err() {
            return;
        }
    }
}

async fn serve(
    arguments: &Arguments,
    app: &App,
    ticket: &Secret,
    skills: usize,
    session: &mut Session,
) -> Result<(), Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::new(format!("cannot listen on `{address}`"))
            .because(&error)
            .hint("`--port 0` takes one that is free")
    })?;
    // With port 0 the system chooses one.
    let address = listener.local_addr().unwrap_or(address);
    let url = format!("http://{address}/?token={}", ticket.text());
    session.output.data(&format!("{url}\n"))?;
    session.output.finish()?;
    session.output.message(&format!(
        "{} on a page that only this machine reaches; the address works once\n",
        count(skills, "skill")
    ));
    if session.environment.stderr_terminal {
        session.output.hint("Ctrl-C ends it");
    }
    if !arguments.no_open && open::that_detached(&url).is_err() {
        session
            .output
            .hint("no browser could be started; open the address in one");
    }
    let end = CancellationToken::new();
    let ending = end.clone();
    tokio::spawn(async move {
        asked_to_end().await;
        ending.cancel();
    });
    app.serve(listener, &end).await;
    Ok(())
}

/// Tells every page what changes, once it can be asked at full speed.
fn follow(live: &Arc<LiveCatalog>, feed: &Feed) -> Result<thread::JoinHandle<()>, Failure> {
    let changes = live.subscribe();
    // Held weakly: the end of the catalog ends the wait below.
    let live = Arc::downgrade(live);
    let feed = feed.clone();
    let work = move || {
        while let Some(changes) = changes.next() {
            let Some(catalog) = live.upgrade().map(|live| live.snapshot()) else {
                return;
            };
            drop(catalog.select("skill", &Policy::default()));
            feed.send(&watch::line_of(&changes));
        }
    };
    thread::Builder::new()
        .name("follow".to_owned())
        .spawn(work)
        .map_err(|error| Failure::new("cannot start").because(&error))
}
