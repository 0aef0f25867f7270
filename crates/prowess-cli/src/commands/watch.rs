//! `prowess watch`: what happens to the skills, as it happens.

use std::{
    io::{self, Write as _},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use clap::Args;
use prowess::{
    Catalog, Scope, display_path,
    live::{Changes, LiveCatalog, SkillChange, Watching},
};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    load::{Request, Session},
    render::text::{count, line},
};

/// How often to see whether anybody still reads.
const TICK: Duration = Duration::from_millis(200);

/// Watch the skills and tell what is added, changed and removed
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
        added: Vec<Told>,
        changed: Vec<Told>,
        removed: Vec<Told>,
    },
}

#[derive(Debug, Serialize)]
struct Told {
    name: String,
    path: String,
    id: Option<String>,
    scope: &'static str,
    state: &'static str,
    stale: bool,
}

impl Told {
    fn all(skills: &[SkillChange]) -> Vec<Self> {
        let told = |skill: &SkillChange| Self {
            name: skill.name.clone(),
            path: display_path(&skill.path),
            id: skill.id.clone(),
            scope: skill.scope.as_str(),
            state: skill.state,
            stale: skill.stale,
        };
        skills.iter().map(told).collect()
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
    let mut told_servers = session.tell_new_servers(&live.snapshot(), &[]);
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
            told_servers = session.tell_new_servers(&live.snapshot(), &told_servers);
        }
        match changes.next_within(TICK) {
            // What the first line already counts is not told again.
            Some(told) if told.generation > generation => change(arguments, session, &told)?,
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
    let told = format!(
        "watching {} in {}{servers}\n",
        count(skills, "skill"),
        count(folders.len(), "folder")
    );
    session.output.data(&told)?;
    session.output.finish()?;
    if session.environment.stdout_terminal {
        session.output.hint("Ctrl-C ends the watch");
    }
    Ok(())
}

fn change(arguments: &Arguments, session: &mut Session, told: &Changes) -> Result<(), Failure> {
    if arguments.json {
        return print(
            session,
            &Event::Change {
                generation: told.generation,
                added: Told::all(&told.added),
                changed: Told::all(&told.changed),
                removed: Told::all(&told.removed),
            },
        );
    }
    let paint = session.output.paint;
    for (word, skills) in [
        ("added", &told.added),
        ("changed", &told.changed),
        ("removed", &told.removed),
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
    session.output.finish()
}

fn print(session: &mut Session, event: &Event) -> Result<(), Failure> {
    let mut text = serde_json::to_string(event)
        .map_err(|error| Failure::new("cannot tell what changed").because(&error))?;
    text.push('\n');
    session.output.writer().write_all(text.as_bytes())?;
    session.output.finish()
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
    let wait = move || {
        runtime.block_on(super::serve::asked_to_end());
        end.store(true, Ordering::Relaxed);
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)
        .map_err(failed)?;
    Ok(ended)
}

/// Whether the pipe that is written to has no reader any more. Without a change to tell, nothing
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
