//! Our host against our server, over skills that people wrote: what one lists, the other verifies.

use std::{path::PathBuf, sync::Arc};

use prowess::ToolOptions;
use serde_json::Value as Json;

use super::{serving::Serving, *};
use crate::server::SkillServer;

/// Loads every skill that the server lists; the names of those that failed a check, and how many
/// were loaded.
fn load_all(catalog: Catalog) -> (Vec<String>, usize) {
    let serving = Serving::start(&SkillServer::new(Arc::new(catalog), ToolOptions::default()));
    let host = Host::start(vec![serving.config("ours")], HostOptions::default()).unwrap();
    let listing = host.servers()[0].list_blocking();
    assert!(listing.faults.is_empty(), "{:?}", listing.faults);
    let load = |uri: &String| host.servers()[0].load_blocking(uri);
    let failed = listing.entries.iter().filter_map(|entry| {
        let error = load(&entry.uri).err()?;
        Some(error.to_string())
    });
    (failed.collect(), listing.entries.len())
}

#[test]
fn what_our_server_lists_passes_our_checks() {
    let odd = [
        "version: 1.10\nx-own:\n  a: 0x10\n  b: 0o755\n  c: 010\n  d: 1_000\n  e: 1:30\n  f: 2026-01-01\n",
        "x-own:\n  g: yes\n  h: .5\n  i: 1e3\n  j: -0\n  k: +5\n  l: 12345678901234567890\n  m: ~\n",
        "when_to_use: |\n  one\n  two\ntags:\n- a\n- b: c\nx: >-\n  folded\n  text\ny: \"\\u00e9\\n\"\n",
    ];
    let mut source = MemorySource::new("test");
    for (number, fields) in odd.iter().enumerate() {
        let text = format!("---\nname: odd-{number}\ndescription: Odd.\n{fields}---\nBody\n");
        source = source
            .skill(format!("lf/odd-{number}/SKILL.md"), text.clone())
            .skill(
                format!("crlf/crlf-{number}/SKILL.md"),
                format!(
                    "\u{feff}{}",
                    text.replace("odd-", "crlf-").replace('\n', "\r\n")
                ),
            );
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    assert_eq!(load_all(catalog), (Vec::new(), 6));
}

/// Names that mean something else to somebody else.
#[cfg(unix)]
#[test]
fn files_of_any_name_are_read_by_our_host() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("odd");
    std::fs::create_dir(&folder).unwrap();
    let text = "---\nname: odd\ndescription: Odd files.\n---\nRead them.\n";
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    let names = [
        "a\\b.txt",
        "..\\c",
        "100%.txt",
        "a#b?c.txt",
        "a b~.txt",
        "x\ny",
        "größe.md",
    ];
    for name in names {
        std::fs::write(folder.join(name), name).unwrap();
    }
    let server = SkillServer::new(
        Arc::new(Catalog::from_dirs([home.path()])),
        ToolOptions::default(),
    );
    let serving = Serving::start(&server);
    let host = Host::start(vec![serving.config("ours")], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    assert!(catalog.findings().is_empty(), "{:?}", catalog.findings());
    let skill = catalog.get("odd").unwrap().loaded().unwrap();
    let files = skill.resources(&Limits::default()).unwrap().files;
    assert_eq!(files.len(), names.len());
    for file in files {
        let page = skill.read_resource(&file.path, 0, &Limits::default());
        assert!(page.is_ok(), "{page:?}");
    }
}

#[test]
fn skills_of_the_field_come_through_unharmed() {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("PROWESS_SHARED").map_or_else(beside, PathBuf::from);
    let Ok(lines) = std::fs::read_to_string(shared.join("corpus/real-skills.jsonl")) else {
        println!("note: the corpus is not here; set PROWESS_SHARED to check it");
        return;
    };
    let mut source = MemorySource::new("corpus");
    for (number, line) in lines.lines().enumerate() {
        let skill: Json = serde_json::from_str(line).unwrap();
        let text = skill["text"].as_str().unwrap();
        source = source.skill(format!("{number}/skill/SKILL.md"), text);
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    let (failed, count) = load_all(catalog);
    assert_eq!(failed, Vec::<String>::new());
    assert!(count > 1_000, "{count}");
}
