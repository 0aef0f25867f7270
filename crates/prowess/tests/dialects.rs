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
        (Outcome::Loads, Some((real, _))) if real != name => false,
        (Outcome::Loads, Some((_, "(only by name)"))) => true,
        (Outcome::Loads, Some((_, real))) => {
            let flat = description.split_whitespace().collect::<Vec<_>>().join(" ");
            real.is_empty() && flat.is_empty()
                || real.trim_end_matches("...").trim_end() == flat
                || real.chars().count() > 30 && flat.starts_with(real.trim_end_matches("..."))
        }
        _ => true,
    };
    if right {
        Agreement::Right
    } else {
        Agreement::Wrong
    }
}

#[test]
fn what_is_said_of_clients_is_what_they_did() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialects");
    let cases = std::fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let cases: Vec<Case> = (cases.lines())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    let results = std::fs::read_to_string(folder.join("results.json")).unwrap();
    let results: Results = serde_json::from_str(&results).unwrap();
    let clients = Clients::builtin();
    let mut told = String::new();
    let mut wrong = String::new();
    for (name, run) in &results.clients {
        let client = clients.find(name).unwrap();
        let rules = client.rules.as_ref().unwrap();
        assert_eq!(rules.version.as_ref(), Some(&run.version), "{name}");
        let mut counts = BTreeMap::from([
            (Agreement::Right, 0),
            (Agreement::Unknown, 0),
            (Agreement::Wrong, 0),
        ]);
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
                let found = agreement(&verdict, own, description, real.as_deref());
                *counts.get_mut(&found).unwrap() += 1;
                if found == Agreement::Wrong {
                    let said = verdict.findings.iter().find(|it| it.rule != "budget");
                    let said = said.map_or("it loads", |it| it.message.as_str());
                    writeln!(wrong, "{name} {}: said `{said}`, did {real:?}", case.id).unwrap();
                }
            }
        }
        let [right, unknown, wrong] =
            [Agreement::Right, Agreement::Unknown, Agreement::Wrong].map(|it| counts[&it]);
        let all = right + unknown + wrong;
        assert!(unknown * 20 <= all, "{name}: {unknown} of {all} unknown");
        writeln!(
            told,
            "{name} {} of {}: {right} right, {unknown} unknown, {wrong} wrong",
            run.version, run.day
        )
        .unwrap();
    }
    println!("{told}");
    assert_eq!(wrong, "");
}
