//! Holds what is said about clients against what they did: `cargo xtask dialects` runs the
//! clients and stores their answers in `dialects/results.json`, and here no client is needed.
#![expect(
    clippy::disallowed_methods,
    reason = "the cases are laid out on a disk, as clients need them"
)]
#![cfg(unix)]

use std::{collections::BTreeMap, fmt::Write as _};

use prowess::{
    Clients, Environment,
    dialect::{Outcome, Subject, Verdict, View},
    format::{Profile, parse},
};
use serde::Deserialize;

#[path = "dialects/layout.rs"]
mod layout;

use layout::{Case, Run, Tree};

#[derive(Deserialize)]
struct Results {
    clients: BTreeMap<String, Run>,
    /// By case, then by client; `None` where the client lists nothing.
    results: BTreeMap<String, BTreeMap<String, Option<String>>>,
}

/// A claim beside what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    Right,
    Unknown,
    Wrong,
}

fn agreement(verdict: &Verdict, name: &str, description: &str, real: Option<&str>) -> Agreement {
    // Room is a matter of all skills together; the cases were listed without a bound.
    let finding = verdict.findings.iter().find(|it| it.rule != "budget");
    let outcome = finding.map_or(Outcome::Loads, |it| it.outcome);
    let real = real.map(|real| real.split_once(" | ").unwrap_or((real, "")));
    let right = match (outcome, real) {
        (Outcome::Unknown, _) => return Agreement::Unknown,
        (Outcome::Dropped, real) => real.is_none(),
        // It is not there yet: it comes with the first file that its paths name.
        (Outcome::Changed, None) => finding.is_some_and(|it| it.rule == "paths"),
        // The list that was asked for is the model's, and the claim is that it is not in there.
        (_, None) => {
            let mut notes = verdict.notes.iter();
            notes.any(|it| it.starts_with("the model is not told"))
        }
        // A skill of a name and a text that are not its own has changed.
        (Outcome::Loads, Some((real, _))) if real.trim() != name.trim() => false,
        (Outcome::Loads, Some((_, "(only by name)"))) => true,
        (Outcome::Loads, Some((_, real))) => is_text(real, description),
        _ => true,
    };
    if right {
        Agreement::Right
    } else {
        Agreement::Wrong
    }
}

/// Whether a case was drawn: its tree is called `s` and the seed.
fn is_drawn(case: &Case) -> bool {
    let seed = case.tree.strip_prefix('s');
    seed.is_some_and(|seed| seed.parse::<u64>().is_ok())
}

/// Whether a client showed this text, of which the start is stored.
fn is_text(real: &str, text: &str) -> bool {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let real = real.trim_end_matches("...").trim_end();
    real == flat || real.chars().count() > 30 && flat.starts_with(real)
}

/// What `list --client` shows for a file, where it is not what the client showed.
fn otherwise(view: &View<'_>, path: &std::path::Path, real: Option<&str>) -> Option<String> {
    let (name, text) = real?.split_once(" | ")?;
    let offered = view.offered();
    let listed = offered.iter().find(|it| it.path() == path)?;
    let entry = listed.entry()?;
    let same = name.trim() == entry.name.trim()
        && (text == "(only by name)" || is_text(text, &entry.description));
    (!same).then(|| format!("`{} | {}`", entry.name, entry.description))
}

#[test]
fn what_is_said_of_clients_is_what_they_did() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialects");
    let cases = layout::stored(&folder);
    let results = std::fs::read_to_string(folder.join("results.json")).unwrap();
    let results: Results = serde_json::from_str(&results).unwrap();
    let clients = Clients::builtin();
    let mut told = String::new();
    let mut wrongs = String::new();
    for (name, run) in &results.clients {
        let client = clients.find(name).unwrap();
        let rules = client.rules.as_ref().unwrap();
        assert_eq!(rules.version.as_ref(), Some(&run.version), "{name}");
        let mut counts: BTreeMap<(bool, Agreement), usize> = BTreeMap::new();
        let mut trees: Vec<&str> = cases.iter().map(|case| case.tree.as_str()).collect();
        trees.dedup();
        for tree in trees {
            let place = tempfile::tempdir().unwrap();
            let laid = Tree::new(&place.path().canonicalize().unwrap());
            let subjects: Vec<_> = (cases.iter().filter(|case| case.tree == tree))
                .filter_map(|case| Some((case, laid.lay(case, run)?)))
                .collect();
            let environment = Environment {
                home: Some(laid.home.clone()),
                working_directory: laid.project.clone(),
                ..Environment::default()
            };
            let view = View::new(client, &clients, &environment);
            for (case, path) in subjects {
                let Some(real) = results.results.get(&case.id).and_then(|it| it.get(name)) else {
                    continue;
                };
                let bytes = std::fs::read(&path).unwrap_or_default();
                let parsed = parse(bytes, Profile::Lenient);
                let folder = path.parent().and_then(|it| it.file_name());
                let folder = folder.map(|it| it.to_string_lossy().into_owned());
                let own = parsed
                    .document
                    .name()
                    .or(folder.as_deref())
                    .unwrap_or_default();
                let description = parsed.document.description().unwrap_or_default();
                let subject = Subject {
                    path: Some(&path),
                    text: parsed.document.text(),
                    name: own,
                    description,
                    folder: folder.as_deref(),
                };
                let verdict = view.judge(&subject);
                let mut found = agreement(&verdict, own, description, real.as_deref());
                let said = verdict.findings.iter().find(|it| it.rule != "budget");
                let mut said = said.map_or("it loads".to_owned(), |it| it.message.clone());
                if found == Agreement::Right
                    && let Some(shown) = otherwise(&view, &path, real.as_deref())
                {
                    found = Agreement::Wrong;
                    said = shown;
                }
                *counts.entry((is_drawn(case), found)).or_default() += 1;
                if found == Agreement::Wrong {
                    writeln!(wrongs, "{name} {}: said `{said}`, did {real:?}", case.id).unwrap();
                }
            }
        }
        let of = |it| counts.iter().filter(move |((_, found), _)| *found == it);
        let [right, unknown, wrong] = [Agreement::Right, Agreement::Unknown, Agreement::Wrong]
            .map(|it| of(it).map(|(_, number)| number).sum::<usize>());
        // Many drawn cases are pairs of one name, and OpenCode itself does not know which of two it
        // keeps: the last to be read.
        let pairs = if name == "opencode" { 13 } else { 5 };
        for (drawn, most) in [(false, 5), (true, pairs)] {
            let all = counts.iter().filter(|((it, _), _)| *it == drawn);
            let all: usize = all.map(|(_, number)| number).sum();
            let unknown = counts.get(&(drawn, Agreement::Unknown));
            let unknown = unknown.copied().unwrap_or_default();
            if unknown * 100 > all * most {
                let which = if drawn { "drawn" } else { "hand-written" };
                writeln!(wrongs, "{name}: {unknown} of {all} {which} cases unknown").unwrap();
            }
        }
        writeln!(
            told,
            "{name} {} of {}: {right} right, {unknown} unknown, {wrong} wrong",
            run.version, run.day
        )
        .unwrap();
    }
    println!("{told}");
    assert_eq!(wrongs, "");
}
