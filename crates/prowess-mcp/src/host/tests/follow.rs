//! A host that lives long hears of new skills.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

use prowess::{
    ToolOptions,
    live::{LiveCatalog, LiveOptions},
};

use super::{serving::Serving, *};
use crate::server::SkillServer;

/// Long enough for a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// Gives the label of each server whose list changed.
fn followed(host: &Host) -> Receiver<String> {
    let (sender, receiver) = channel();
    host.follow(move |server| {
        // Nobody waits at the end of a test.
        let _ = sender.send(server.label().to_owned());
    });
    receiver
}

fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.skills().iter().map(prowess::Skill::name).collect()
}

#[test]
fn an_older_server_says_that_its_list_changed() {
    let (script, skills) = changing(vec![Skill::new("pdf")]);
    let script = script.older();
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    assert_eq!(names(&catalog_of(&host)), ["pdf"]);
    assert!(!script.calls().contains(&"GET".to_owned()));
    let changed = followed(&host);
    while !script.calls().contains(&"GET".to_owned()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    skills.lock().unwrap().push(Skill::new("docx"));
    script.tell();
    assert_eq!(changed.recv_timeout(PATIENCE).unwrap(), "acme");
    assert_eq!(names(&catalog_of(&host)), ["docx", "pdf"]);
}

#[test]
fn a_server_that_says_nothing_is_asked_again() {
    let (script, skills) = changing(vec![Skill::new("pdf")]);
    let options = HostOptions {
        ask_again: Duration::from_millis(50),
        ..HostOptions::default()
    };
    let host = Host::start(vec![server("acme", &script)], options).unwrap();
    let changed = followed(&host);
    assert_eq!(names(&catalog_of(&host)), ["pdf"]);
    skills.lock().unwrap().clear();
    assert_eq!(changed.recv_timeout(PATIENCE).unwrap(), "acme");
    assert!(names(&catalog_of(&host)).is_empty());
    // The end does not wait for the next time.
    drop(host);
    assert!(changed.recv_timeout(PATIENCE).is_err());
}

#[test]
fn a_live_catalog_follows_a_server_of_the_newest_kind() {
    let served = |names: &[&str]| {
        let skills = names
            .iter()
            .fold(MemorySource::new("test"), |source, name| {
                let text = Skill::new(name).text();
                source.skill(format!("{name}/SKILL.md"), text)
            });
        let sources: Vec<Box<dyn Source>> = vec![Box::new(skills)];
        Arc::new(Catalog::load(&sources, &LoadOptions::default()).unwrap())
    };
    let remote = SkillServer::new(served(&["pdf"]), ToolOptions::default());
    let serving = Serving::start(&remote);
    let host = Host::start(vec![serving.config("acme")], HostOptions::default()).unwrap();
    let host = Arc::new(host);
    let sources = Arc::clone(&host);
    let live = LiveCatalog::open(move || sources.sources(), LiveOptions::default()).unwrap();
    let live = Arc::new(live);
    assert_eq!(names(&live.snapshot()), ["pdf"]);
    let changes = live.subscribe();
    let refreshed = Arc::downgrade(&live);
    host.follow(move |_| {
        if let Some(live) = refreshed.upgrade() {
            live.refresh();
        }
    });
    remote.replace(served(&["docx", "pdf"]));
    let told = changes.next_within(PATIENCE).unwrap();
    assert_eq!(told.added.len(), 1);
    assert_eq!(names(&live.snapshot()), ["docx", "pdf"]);
    remote.replace(served(&["docx"]));
    let told = changes.next_within(PATIENCE).unwrap();
    assert_eq!(told.removed.len(), 1);
    assert_eq!(names(&live.snapshot()), ["docx"]);
    drop((live, host));
}

#[test]
fn who_reads_does_not_wait_for_who_asks_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let skills = [Skill::new("pdf")];
    let script = Script::new(move |method, params| {
        // The second time it says nothing.
        let again = method == "skills/list" && count.fetch_add(1, Ordering::Relaxed) > 0;
        if again {
            return Reply::Silence;
        }
        script::serve(&skills, method, params)
    });
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    assert_eq!(names(&catalog_of(&host)), ["pdf"]);
    let _changed = followed(&host);
    while asked.load(Ordering::Relaxed) < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    // The one that is followed has a minute to answer; this has its answer now.
    assert_eq!(names(&catalog_of(&host)), ["pdf"]);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    script.end();
}
