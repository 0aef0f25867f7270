//! From a turn to the skills it wakes, and the list within a budget: ours, what one writes first,
//! and the hook of `defect-agent`, in one process.
//!
//! `cargo xtask bench activate` starts it and names the catalogs in `PROWESS_BENCH_SKILLS`.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use agent_client_protocol_schema::SessionId;
use defect_agent::{
    hooks::{HookCtx, StepHandler, builtin::SkillTriggersHook},
    tool::{SkillEntry, SkillTriggers},
};
use divan::{Bencher, black_box};
use futures::executor::block_on;
use globset::{Glob, GlobMatcher, GlobSetBuilder};
use prowess::{Budget, Catalog, LoadOptions, MemorySource, PromptOptions, Source, Triggers, Turn};
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn main() {
    divan::main();
}

/// A catalog on disk, by the name of its folder.
#[derive(Clone)]
struct Folder(PathBuf);

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self
            .0
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default();
        write!(f, "{}", name.display())
    }
}

fn folders() -> Vec<Folder> {
    let listed = std::env::var_os("PROWESS_BENCH_SKILLS").unwrap_or_default();
    std::env::split_paths(&listed).map(Folder).collect()
}

static CATALOGS: LazyLock<HashMap<PathBuf, Catalog>> = LazyLock::new(|| {
    let loaded = |Folder(dir): Folder| {
        let catalog = Catalog::from_dirs([&dir]);
        (dir, catalog)
    };
    folders().into_iter().map(loaded).collect()
});

/// The room for the list, as the tool `skill` has it.
const CHARACTERS: usize = 8_000;

/// Requests in words that the generated skills use.
const REQUESTS: [&str; 6] = [
    "validate invoice payment ledger audit",
    "why is the kitchen drain leaking after the valve was changed",
    "prepare the changelog and tag a new version",
    "compare dashboard metrics with the last quarter",
    "review the contract clause about liability",
    "plan a train itinerary with a stopover",
];

#[divan::bench(args = folders())]
fn list(bencher: Bencher, folder: &Folder) {
    let catalog = &CATALOGS[&folder.0];
    let mut requests = REQUESTS.iter().cycle();
    bencher.bench_local(|| {
        let options = PromptOptions {
            budget: Some(Budget::characters(CHARACTERS)),
            query: requests.next().copied(),
            ..PromptOptions::default()
        };
        catalog.prompt(&options).text.len()
    });
}

/// What one writes first: count the words of the request in every description, sort, and add
/// skills until the room is full.
#[divan::bench(args = folders(), sample_count = 10)]
fn list_by_a_plain_loop(bencher: Bencher, folder: &Folder) {
    let catalog = &CATALOGS[&folder.0];
    let mut requests = REQUESTS.iter().cycle();
    bencher.bench_local(|| plain_list(catalog, requests.next().unwrap_or(&"")).len());
}

fn plain_list(catalog: &Catalog, query: &str) -> String {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut found: Vec<_> = catalog
        .model_visible()
        .map(|skill| {
            let text = format!("{} {}", skill.name(), skill.description()).to_lowercase();
            let hits = words.iter().filter(|word| text.contains(**word)).count();
            (std::cmp::Reverse(hits), skill)
        })
        .collect();
    found.sort_by_key(|(hits, skill)| (*hits, skill.name()));
    let mut list = String::from("<available_skills>\n");
    for (_, skill) in found {
        let entry = format!(
            "  <skill>\n    <name>{}</name>\n    <description>{}</description>\n  </skill>\n",
            prowess::escape_xml(skill.name()),
            prowess::escape_xml(skill.description())
        );
        if list.chars().count() + entry.chars().count() > CHARACTERS {
            break;
        }
        list.push_str(&entry);
    }
    list + "</available_skills>"
}

/// A skill with two keywords and two globs.
struct Triggered {
    name: String,
    keywords: [String; 2],
    globs: [String; 2],
}

static TRIGGERED: LazyLock<Vec<Triggered>> = LazyLock::new(|| {
    const WORDS: [&str; 10] = [
        "invoice", "table", "kernel", "garden", "schema", "court", "engine", "river", "recipe",
        "signal",
    ];
    let skill = |at: usize| {
        let (a, b) = (WORDS[at % 10], WORDS[at / 10 % 10]);
        Triggered {
            name: format!("{a}-{b}-{at}"),
            keywords: [format!("{a} {b} {at}"), format!("key{at}")],
            globs: [format!("{a}/**/*.{b}{at}"), format!("*.x{at}")],
        }
    };
    (0..1_000).map(skill).collect()
});

/// The files of the turn.
const FILES: [&str; 3] = ["src/lib.rs", "river/a/b.court7", "docs/a.md"];

/// A message of 660 characters, with paths, a keyword, a name and an address.
fn message() -> String {
    let line = "Please look at src/main.x17 and the engine of my garden, key500 came up. ";
    line.repeat(8) + "Then ask @invoice-invoice-0 and write to joe@example.org about `key3`."
}

#[divan::bench]
fn wake(bencher: Bencher) {
    let source = TRIGGERED.iter().fold(MemorySource::new("bench"), |source, it| {
        let text = format!(
            "---\nname: {}\ndescription: Works.\ntriggers:\n  globs: {:?}\n  keywords: {:?}\n---\n",
            it.name, it.globs, it.keywords
        );
        source.skill(format!("{}/SKILL.md", it.name), text)
    });
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).expect("a lenient load");
    let triggers = Triggers::new(&catalog);
    let message = message();
    let turn = Turn {
        message: &message,
        files: &FILES,
        ..Turn::default()
    };
    let woken = triggers.activate(&catalog, &turn, None).len();
    assert!(woken >= 3, "a name, a glob and a keyword: {woken}");
    bencher.bench_local(|| triggers.activate(&catalog, black_box(&turn), None).len());
}

/// One search for each keyword and one match for each glob, all prepared beforehand: without
/// whole words, folding or names, so less than ours does.
#[divan::bench]
fn wake_by_a_plain_loop(bencher: Bencher) {
    let keywords: Vec<&str> = TRIGGERED
        .iter()
        .flat_map(|it| &it.keywords)
        .map(|it| &**it)
        .collect();
    let globs: Vec<GlobMatcher> = TRIGGERED
        .iter()
        .flat_map(|it| &it.globs)
        .filter_map(|glob| Some(Glob::new(glob).ok()?.compile_matcher()))
        .collect();
    let message = message();
    bencher.bench_local(|| {
        let lower = black_box(&message).to_lowercase();
        let words = keywords
            .iter()
            .filter(|word| lower.contains(**word))
            .count();
        let paths: Vec<&str> = lower
            .split_whitespace()
            .filter(|word| word.contains(['/', '.']))
            .chain(FILES)
            .collect();
        let fits = |glob: &&GlobMatcher| paths.iter().any(|path| glob.is_match(path));
        words + globs.iter().filter(fits).count()
    });
}

/// It looks for keywords as parts of words, so `key50` fires on `key500`. It reads no files of a
/// turn, so they stand in the message.
#[divan::bench]
fn wake_by_defect_agent(bencher: Bencher) {
    let entry = |it: &Triggered| {
        let mut globs = GlobSetBuilder::new();
        for glob in &it.globs {
            globs.add(Glob::new(glob).expect("a glob"));
        }
        let entry = SkillEntry {
            description: String::new(),
            body: String::new(),
            dir: Path::new("/").join(&it.name),
            always: false,
            triggers: SkillTriggers {
                globs: globs.build().ok(),
                keywords: it.keywords.to_vec(),
            },
        };
        (it.name.clone(), entry)
    };
    let skills: BTreeMap<String, SkillEntry> = TRIGGERED.iter().map(entry).collect();
    let hook = SkillTriggersHook::new(Arc::new(skills));
    let session = SessionId::new("bench");
    let message = format!("{} {}", message(), FILES.join(" "));
    bencher.bench_local(|| {
        let envelope = json!({ "source": "user", "input": black_box(&message) });
        let ctx = HookCtx::new(&session, Path::new("/"), CancellationToken::new());
        block_on(hook.handle_step(&envelope, ctx)).ok().flatten()
    });
}
