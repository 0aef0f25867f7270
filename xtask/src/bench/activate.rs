//! `cargo xtask bench activate`: from a turn to the skills it wakes, and the list within a budget.

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use globset::{Glob, GlobMatcher};
use prowess::format::{Document, Trigger};
use prowess::{Budget, Catalog, LoadOptions, MemorySource, PromptOptions, Source, Triggers, Turn};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::peers::Peers;
use super::table::{Table, Target, figure, targets, thousands};
use super::{Format, Options, child, median};
use crate::generate::queries;
use crate::measure::{QueryCost, processor_time};
use crate::workspace;

/// How many requests the list is made for.
const QUERIES: usize = 40;

/// The room for the list, as the tool `skill` has it.
const CHARACTERS: usize = 8_000;

/// How many skills have triggers: four each.
const TRIGGERED: usize = 1_000;

/// The files of the turn.
const FILES: [&str; 3] = ["src/lib.rs", "river/a/b.court7", "docs/a.md"];

/// The size at which the issue sets its limit.
const JUDGED: usize = 10_000;

/// Options of `bench activate`.
#[derive(Debug, Args)]
pub(crate) struct Activate {
    #[command(flatten)]
    options: Options,
}

/// Processor time of ours and of a plain loop that does the same, in nanoseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Beside {
    skills: usize,
    /// How much came out: characters of a list, skills that woke.
    gave: usize,
    ours_ns: Vec<u64>,
    naive_ns: Vec<u64>,
}

impl Beside {
    fn micros(runs: &[u64]) -> f64 {
        median(runs.iter().map(|&ns| ns as f64 / 1e3).collect())
    }

    fn ours(&self) -> f64 {
        Self::micros(&self.ours_ns)
    }

    fn naive(&self) -> f64 {
        Self::micros(&self.naive_ns)
    }
}

impl Activate {
    /// Takes both measurements, each in a process of its own, and prints the tables.
    pub(super) fn run(&self) -> Result<()> {
        let file = workspace().join("target/bench/queries.txt");
        let repeats = self.options.repeats.to_string();
        let mut lists = Vec::new();
        for &size in &self.options.sizes {
            let catalog = self.options.catalog(size)?;
            fs::write(&file, queries(QUERIES)).context("cannot write the requests")?;
            eprintln!("listing {} skills", catalog.skills);
            let dir = catalog.skills_dir();
            let (dir, file) = (dir.to_string_lossy(), file.to_string_lossy());
            let list: Beside = child(&["list", &dir, &file, "--repeats", &repeats])?;
            ensure!(list.skills == size, "{} of {size} skills", list.skills);
            lists.push(list);
        }
        eprintln!("waking {TRIGGERED} skills");
        let wake: Beside = child(&["wake", "--repeats", &repeats])?;
        ensure!(wake.gave > 0, "nothing woke; that cannot be compared");
        let defect = if self.options.no_peers {
            None
        } else {
            Some(defect(self.options.repeats)?)
        };
        self.print(&lists, &wake, defect.as_ref())
    }

    fn print(&self, lists: &[Beside], wake: &Beside, defect: Option<&QueryCost>) -> Result<()> {
        let met = judge(lists, wake);
        let format = self.options.format();
        if format == Format::Json {
            let whole = json!({ "list": lists, "wake": wake, "defect": defect, "targets": met });
            println!("{}", serde_json::to_string_pretty(&whole)?);
            return Ok(());
        }
        println!("{}", table(lists, wake).render(format));
        if let Some(defect) = defect {
            println!("{}", beside_defect(wake, defect).render(format));
        }
        println!("{}", targets("Targets of activation", &met).render(format));
        Ok(())
    }
}

fn table(lists: &[Beside], wake: &Beside) -> Table {
    let head = ["what", "µs", "plain loop µs", "times faster"];
    let mut table = Table::new("CPU time of a turn", &head);
    let mut row = |what: String, cost: &Beside| {
        table.row(vec![
            what,
            figure(cost.ours()),
            figure(cost.naive()),
            figure(cost.naive() / cost.ours()),
        ]);
    };
    for list in lists {
        let size = thousands(list.skills as f64);
        row(format!("list of {size} skills in 8,000 characters"), list);
    }
    row(
        format!(
            "message against {} triggers",
            thousands(4.0 * TRIGGERED as f64)
        ),
        wake,
    );
    table
}

/// Asks the hook of `defect-agent` about the same message and triggers.
fn defect(repeats: usize) -> Result<QueryCost> {
    let peers = Peers::build()?;
    let catalog = triggered();
    let texts = |triggers: Vec<Trigger<'_>>| -> Vec<String> {
        triggers.iter().map(|it| it.text.to_owned()).collect()
    };
    let skills: Vec<_> = catalog
        .skills()
        .iter()
        .map(|skill| {
            let document = skill.document();
            json!({
                "name": skill.name(),
                "keywords": texts(document.trigger_keywords()),
                "globs": texts(document.trigger_globs()),
            })
        })
        .collect();
    // The hook reads no files of a turn, so they stand in the message.
    let message = format!("{} {}", message(), FILES.join(" "));
    let file = workspace().join("target/bench/triggers.json");
    let triggers = json!({ "message": message, "skills": skills });
    fs::write(&file, triggers.to_string()).context("cannot write the triggers")?;
    let cost: QueryCost = peers.run("defect-wake", &file, &[&(repeats * 20).to_string()])?;
    ensure!(cost.matches > 0, "defect-agent woke nothing");
    Ok(cost)
}

fn beside_defect(wake: &Beside, defect: &QueryCost) -> Table {
    let head = ["what", "µs", "woken"];
    let mut table = Table::new("The same message and triggers beside `defect-agent`", &head);
    let runs: Vec<u64> = defect.runs_ns.concat();
    let theirs = Beside::micros(&runs);
    table.row(vec![
        "prowess".into(),
        figure(wake.ours()),
        wake.gave.to_string(),
    ]);
    table.row(vec![
        "defect-agent's hook".into(),
        figure(theirs),
        (defect.matches / runs.len().max(1)).to_string(),
    ]);
    table.row(vec![
        "times faster".into(),
        figure(theirs / wake.ours()),
        String::new(),
    ]);
    table
}

fn judge(lists: &[Beside], wake: &Beside) -> Vec<Target> {
    let lists = lists.iter().filter(|list| list.skills == JUDGED);
    let mut met: Vec<Target> = lists
        .map(|list| {
            let what = "list of 10,000 skills within a budget, with a query";
            Target::at_most(what, list.ours() / 1e3, 3.0, " ms")
        })
        .collect();
    let what = "message against the triggers of 1,000 skills";
    met.push(Target::at_most(what, wake.ours(), 200.0, " µs"));
    met
}

/// Runs `work` often and gives the processor time of each run; the first warms up.
fn runs(repeats: usize, mut work: impl FnMut() -> usize) -> Vec<u64> {
    black_box(work());
    (0..repeats)
        .map(|_| {
            let start = processor_time();
            black_box(work());
            processor_time().saturating_sub(start).as_nanos() as u64
        })
        .collect()
}

/// Makes the list for each request, with the index and with a plain loop.
pub(super) fn list(catalog: &Catalog, file: &PathBuf, repeats: usize) -> Result<Beside> {
    let queries = fs::read_to_string(file)?;
    let mut cost = Beside {
        skills: catalog.model_visible().count(),
        gave: 0,
        ours_ns: Vec::new(),
        naive_ns: Vec::new(),
    };
    for query in queries.lines() {
        let options = PromptOptions {
            budget: Some(Budget::characters(CHARACTERS)),
            query: Some(query),
            ..PromptOptions::default()
        };
        cost.gave += catalog.prompt(&options).text.len();
        let ours = runs(repeats, || catalog.prompt(&options).text.len());
        cost.ours_ns.extend(ours);
        let naive = runs(2, || naive_list(catalog, query).len());
        cost.naive_ns.extend(naive);
    }
    Ok(cost)
}

/// What one writes first: count the words of the request in every description, sort, and add
/// skills until the room is full.
fn naive_list(catalog: &Catalog, query: &str) -> String {
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

/// Wakes skills by one message, in one pass and with a plain loop.
pub(super) fn wake(repeats: usize) -> Beside {
    let catalog = triggered();
    let triggers = Triggers::new(&catalog);
    let message = message();
    let turn = Turn {
        message: &message,
        files: &FILES,
        ..Turn::default()
    };
    let loops = Loop::new(&catalog);
    Beside {
        skills: catalog.model_visible().count(),
        gave: triggers.activate(&catalog, &turn, None).len(),
        ours_ns: runs(repeats * 20, || {
            triggers.activate(&catalog, &turn, None).len()
        }),
        naive_ns: runs(repeats * 4, || loops.wake(&turn)),
    }
}

/// One search for each keyword and one match for each glob, all prepared beforehand.
struct Loop {
    keywords: Vec<String>,
    globs: Vec<GlobMatcher>,
}

impl Loop {
    fn new(catalog: &Catalog) -> Self {
        let documents = || catalog.skills().iter().map(prowess::Skill::document);
        let keywords = documents().flat_map(Document::trigger_keywords);
        let globs = documents().flat_map(Document::trigger_globs);
        Self {
            keywords: keywords.map(|it| it.text.to_lowercase()).collect(),
            globs: globs
                .filter_map(|it| Glob::new(it.text).ok())
                .map(|glob| glob.compile_matcher())
                .collect(),
        }
    }

    /// Without whole words, folding or names: less than ours does.
    fn wake(&self, turn: &Turn<'_>) -> usize {
        let lower = turn.message.to_lowercase();
        let words = self.keywords.iter().filter(|word| lower.contains(*word));
        let paths: Vec<&str> = lower
            .split_whitespace()
            .filter(|word| word.contains(['/', '.']))
            .chain(turn.files.iter().copied())
            .collect();
        let fits = |glob: &&GlobMatcher| paths.iter().any(|path| glob.is_match(path));
        words.count() + self.globs.iter().filter(fits).count()
    }
}

/// Skills with two keywords and two globs each.
fn triggered() -> Catalog {
    const WORDS: [&str; 10] = [
        "invoice", "table", "kernel", "garden", "schema", "court", "engine", "river", "recipe",
        "signal",
    ];
    let mut source = MemorySource::new("bench");
    for at in 0..TRIGGERED {
        let (a, b) = (WORDS[at % 10], WORDS[at / 10 % 10]);
        source = source.skill(
            format!("s{at}/SKILL.md"),
            format!(
                "---\nname: {a}-{b}-{at}\ndescription: Works on the {a} of a {b}.\ntriggers:\n  \
                 globs: ['{a}/**/*.{b}{at}', '*.x{at}']\n  keywords: [{a} {b} {at}, key{at}]\n\
                 ---\nTake the {a}.\n"
            ),
        );
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).expect("the lenient profile always loads")
}

/// A message of 660 characters, with paths, a keyword, a name and an address.
fn message() -> String {
    let line = "Please look at src/main.x17 and the engine of my garden, key500 came up. ";
    line.repeat(8) + "Then ask @invoice-invoice-0 and write to joe@example.org about `key3`."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_wake_something_and_the_list_keeps_its_room() {
        let cost = wake(1);
        assert_eq!(cost.skills, TRIGGERED);
        assert!(
            cost.gave >= 3,
            "a name, a glob and a keyword: {}",
            cost.gave
        );
        let catalog = triggered();
        let list = naive_list(&catalog, "the garden");
        assert!(list.chars().count() <= CHARACTERS + 20);
        assert!(list.contains("garden"));
    }
}
