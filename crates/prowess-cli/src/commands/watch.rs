//! `prowess watch`: what happens to the skills, as it happens.

use std::{
    future::poll_fn,
    io,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::channel,
    },
    task::Poll,
    thread,
    time::Duration,
};

use clap::Args;
use prowess::{
    Catalog, Scope, display_path,
    live::{Changes, LiveCatalog, SkillChange, Watching},
};
use serde::Serialize;

use super::prompt::note_untrusted;
use crate::{
    exit::{Exit, Failure},
    places::Request,
    render::{count, escape_json, line},
    servers,
    session::Session,
};

/// How often to see whether anybody still reads.
const TICK: Duration = Duration::from_millis(200);

/// Watch the skills and report what is added, changed and removed
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Look every so often instead of waiting for the system's notices, as for a network drive
    #[arg(long)]
    poll: bool,
    /// Wait for this much quiet before telling what changed
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 50)]
    debounce: u64,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

/// One line of `watch --json`.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    /// What is there when the watch begins.
    Start {
        generation: u64,
        skills: usize,
        folders: Vec<String>,
        servers: Vec<String>,
    },
    /// What became different.
    Change {
        generation: u64,
        added: Vec<Row>,
        changed: Vec<Row>,
        removed: Vec<Row>,
    },
}

impl Event {
    fn of(changes: &Changes) -> Self {
        Self::Change {
            generation: changes.generation,
            added: Row::all(&changes.added),
            changed: Row::all(&changes.changed),
            removed: Row::all(&changes.removed),
        }
    }
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    path: String,
    id: Option<String>,
    scope: &'static str,
    state: &'static str,
    stale: bool,
}

impl Row {
    fn all(skills: &[SkillChange]) -> Vec<Self> {
        let row = |skill: &SkillChange| Self {
            name: skill.name.clone(),
            path: display_path(&skill.path),
            id: skill.id.clone(),
            scope: skill.scope.as_str(),
            state: skill.state,
            stale: skill.stale,
        };
        skills.iter().map(row).collect()
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let (sources, mut options) = session.live(&Request::default())?;
    options.debounce = Duration::from_millis(arguments.debounce);
    if arguments.poll {
        options.watching = Watching::Poll;
    }
    let ended = end_on_signal()?;
    let live = LiveCatalog::open(sources, options)
        .map(Arc::new)
        .map_err(|error| Failure::new("cannot load the skills").because(&error))?;
    session.output.notes(&live.start().notes);
    let mut known = servers::report(&live.snapshot(), &[], &mut session.output);
    let changes = live.subscribe();
    let generation = live.generation();
    start(arguments, session, &live.snapshot(), generation)?;
    if let Some(host) = &session.host {
        // Held weakly: the end of the watch is the end of the catalog.
        let live = Arc::downgrade(&live);
        host.follow(move |_| {
            if let Some(live) = live.upgrade() {
                live.refresh();
            }
        });
    }
    let mut looked_at = generation;
    while !ended.load(Ordering::Relaxed) {
        // What is new about a server changes no skill where only an approval is gone.
        if live.generation() > looked_at {
            looked_at = live.generation();
            known = servers::report(&live.snapshot(), &known, &mut session.output);
        }
        match changes.next_within(TICK) {
            // What the first line already counts is not reported again.
            Some(new) if new.generation > generation => change(arguments, session, &new)?,
            None if changes.is_closed() || nobody_reads() => break,
            Some(_) | None => {}
        }
    }
    Ok(Exit::Fine)
}

fn start(
    arguments: &Arguments,
    session: &mut Session,
    catalog: &Catalog,
    generation: u64,
) -> Result<(), Failure> {
    session.report_left_out(catalog);
    note_untrusted(catalog.skills(), session);
    let origins = catalog.origins().iter();
    let (remote, places): (Vec<_>, Vec<_>) =
        origins.partition(|origin| origin.scope == Scope::Remote);
    let servers: Vec<String> = remote.iter().map(|origin| origin.label.clone()).collect();
    let folders: Vec<String> = places
        .iter()
        .map(|origin| session.environment.shorten(&origin.root))
        .collect();
    let skills = catalog.skills().len();
    if arguments.json {
        return print(
            session,
            &Event::Start {
                generation,
                skills,
                folders,
                servers,
            },
        );
    }
    let servers = match servers.len() {
        0 => String::new(),
        some => format!(" and {}", count(some, "server")),
    };
    let text = format!(
        "watching {} in {}{servers}\n",
        count(skills, "skill"),
        count(folders.len(), "folder")
    );
    session.output.data(&text)?;
    session.output.finish()?;
    if session.environment.stdout_terminal {
        session.output.hint("Ctrl-C ends the watch");
    }
    Ok(())
}

fn change(arguments: &Arguments, session: &mut Session, changes: &Changes) -> Result<(), Failure> {
    if arguments.json {
        return print(session, &Event::of(changes));
    }
    let paint = session.output.paint;
    for (word, skills) in [
        ("added", &changes.added),
        ("changed", &changes.changed),
        ("removed", &changes.removed),
    ] {
        for skill in skills {
            let remark = match (word, skill.stale, skill.state) {
                ("removed", ..) | (_, false, "active") => String::new(),
                (_, true, _) => {
                    "; its file broke, and the version from before stays in use".to_owned()
                }
                (_, false, state) => format!("; it is {state}"),
            };
            let text = format!(
                "{word:<7}  {}  {}{remark}\n",
                paint.strong(&line(&skill.name)),
                session.environment.shorten(&skill.path),
            );
            session.output.data(&text)?;
        }
    }
    Ok(session.output.finish()?)
}

/// One line of `watch --json` about a change.
pub(super) fn line_of(changes: &Changes) -> String {
    // Names and numbers always make JSON.
    let line = serde_json::to_string(&Event::of(changes)).unwrap_or_default();
    escape_json(&line).into_owned()
}

fn print(session: &mut Session, event: &Event) -> Result<(), Failure> {
    session.output.json_line(event)?;
    Ok(session.output.finish()?)
}

/// Set once the user or the system asks for the end.
fn end_on_signal() -> Result<Arc<AtomicBool>, Failure> {
    let ended = Arc::new(AtomicBool::new(false));
    let failed = |error: io::Error| Failure::new("cannot wait for Ctrl-C").because(&error);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(failed)?;
    let end = Arc::clone(&ended);
    let (ready, listening) = channel::<()>();
    let wait = move || {
        runtime.block_on(async {
            let mut asked = pin!(super::serve::asked_to_end());
            // The first question makes it listen; before that a signal would end the process.
            let at_once = poll_fn(|context| Poll::Ready(asked.as_mut().poll(context).is_ready()));
            let at_once = at_once.await;
            drop(ready);
            if !at_once {
                asked.await;
            }
        });
        end.store(true, Ordering::Relaxed);
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)
        .map_err(failed)?;
    // Nothing is sent; the end of the channel is the sign.
    let _ = listening.recv();
    Ok(ended)
}

/// Whether the pipe that is written to has no reader any more. Without a change to report, nothing
/// else would show it.
#[cfg(unix)]
fn nobody_reads() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut ready = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let polled = poll(&mut ready, Some(&now));
    polled.is_ok()
        && ready[0]
            .revents()
            .intersects(PollFlags::ERR | PollFlags::HUP)
}

#[cfg(not(unix))]
fn nobody_reads() -> bool {
    false
}
