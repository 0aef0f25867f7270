//! How rare each term is among real skills at large, as a table the ranker ships with.

use std::{collections::BTreeMap, collections::HashSet, fmt::Write as _, path::Path};

use prowess_search::{Entry, Index, is_dense};
use serde::Deserialize;

use super::{
    data::{Data, shared},
    entry,
};

/// Terms of fewer documents are left out: too many, and too little is known of them.
const LEAST: u32 = 9;

/// Where the table stands.
const TABLE: &str = "../crates/prowess-search/src/words/background.txt";

/// A file of the corpus.
#[derive(Deserialize)]
struct File {
    text: Option<String>,
    expect: Option<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    description: Option<String>,
}

/// Counts the documents of each term in the corpus and the labelled skills, and writes the table:
/// half-steps of log2(documents / document frequency), and the terms they hold for.
#[expect(clippy::disallowed_methods, reason = "a chore writes its own table")]
pub(crate) fn run(data: &Data) {
    let corpus = std::fs::read_to_string(shared().join("corpus/real-skills.jsonl"));
    let files: Vec<File> = corpus
        .expect("the corpus beside the labelled data")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a file of the corpus"))
        .collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut entries = Vec::new();
    for file in &files {
        if let Some(text) = file.text.as_deref().filter(|text| seen.insert(text)) {
            entries.push(Entry {
                body: text,
                ..Entry::default()
            });
            let said = file
                .expect
                .as_ref()
                .and_then(|it| it.description.as_deref());
            seen.extend(said);
        }
    }
    for skill in &data.skills {
        if seen.insert(&skill.description) {
            entries.push(entry(skill));
        }
    }
    let index = Index::build(&entries);
    let mut steps: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (term, count) in index.document_frequencies() {
        // Numbers mean nothing at large, and pairs of letters are no words.
        let is_word = term.bytes().any(|byte| !byte.is_ascii_digit()) && !term.contains(is_dense);
        if count >= LEAST && is_word {
            let rarity = (entries.len() as f64 / f64::from(count)).log2();
            #[expect(
                clippy::cast_sign_loss,
                reason = "no term is in more documents than all"
            )]
            steps
                .entry((rarity * 2.0).round() as u32)
                .or_default()
                .push(term);
        }
    }
    let mut table = String::new();
    for (step, mut terms) in steps {
        terms.sort_unstable();
        let _ = writeln!(table, "{step} {}", terms.join(" "));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    std::fs::write(&path, &table).expect("the table is written");
    let terms = table.split_ascii_whitespace().count() - table.lines().count();
    println!(
        "{terms} terms of {} skills, {} bytes",
        entries.len(),
        table.len()
    );
}
