use std::error::Error as _;

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::sample::catalog;

fn loaded(names: &[&str], cap: usize) -> (Catalog, Ledger) {
    let catalog = catalog(&[
        ("a", "description: First.\n", "Text of a."),
        ("b", "description: Second.\n", "Text of b."),
        ("c", "description: Third.\n", "Text of c."),
    ]);
    let mut ledger = Ledger::with_cap(cap);
    for name in names {
        ledger.load(catalog.get(name).unwrap(), Reason::Invoked);
    }
    (catalog, ledger)
}

fn names(ledger: &Ledger) -> Vec<&str> {
    ledger.entries().iter().map(|entry| &*entry.name).collect()
}

#[test]
fn a_skill_is_loaded_once() {
    let (catalog, mut ledger) = loaded(&["a"], 4);
    let a = catalog.get("a").unwrap();
    assert!(ledger.holds(a));
    assert_eq!(ledger.load(a, Reason::Explicit), Loaded::Already);
    assert_eq!(names(&ledger), ["a"]);
    assert!(ledger.unload("a"));
    assert!(!ledger.unload("a"));
}

#[test]
fn the_one_used_longest_ago_makes_room() {
    let (catalog, mut ledger) = loaded(&["a", "b"], 2);
    ledger.touch("a");
    assert_eq!(
        ledger.load(catalog.get("c").unwrap(), Reason::Invoked),
        Loaded::New {
            evicted: vec!["b".to_owned()]
        }
    );
    assert_eq!(names(&ledger), ["a", "c"]);
}

#[test]
fn a_changed_file_is_noticed() {
    let (_, mut ledger) = loaded(&["a", "b"], 4);
    let newer = catalog(&[("a", "description: First.\n", "New text.")]);
    assert_eq!(
        ledger.changes(&newer),
        [
            StaleSkill::Changed { name: "a".into() },
            StaleSkill::Gone { name: "b".into() }
        ]
    );
    assert!(!ledger.holds(newer.get("a").unwrap()));
    assert_eq!(
        ledger.load(newer.get("a").unwrap(), Reason::Invoked),
        Loaded::Changed
    );
}

#[test]
fn after_a_compaction_the_last_used_come_back_first() {
    let (catalog, mut ledger) = loaded(&["a", "b", "c"], 4);
    ledger.touch("a");
    // One block has 31 characters, and two more stand between two blocks.
    let back = ledger.put_back(&catalog, &Budget::characters(64));
    expect![[r"
        [skill:a]
        Text of a.
        [/skill]

        [skill:c]
        Text of c.
        [/skill]"]]
    .assert_eq(&back.text);
    assert_eq!(back.left_out, ["b"]);
    assert_eq!(names(&ledger), ["a", "c"]);
    let none = ledger.put_back(&catalog, &Budget::characters(3));
    assert_eq!((none.text.as_str(), none.left_out.len()), ("", 2));
}

#[test]
fn what_is_no_ledger_is_refused_with_its_reason() {
    let refused = |json: &str| {
        let error = Ledger::restore(json).unwrap_err();
        format!("{error} {:?}", error.source().map(ToString::to_string))
    };
    expect![[r#"the text is not a ledger of active skills Some("EOF while parsing an object at line 1 column 1")"#]]
        .assert_eq(&refused("{"));
    expect!["the ledger has version 9, and this build reads up to 1; update it None"]
        .assert_eq(&refused(r#"{"version": 9, "more": []}"#));
}

proptest! {
    #[test]
    fn what_was_exported_is_restored(
        cap in 1_usize..6,
        steps in prop::collection::vec((0_usize..3, 0_usize..4), 0..30),
    ) {
        let (catalog, mut ledger) = loaded(&[], cap);
        for (skill, step) in steps {
            let name = ["a", "b", "c"][skill];
            match step {
                0 | 1 => { ledger.load(catalog.get(name).unwrap(), Reason::TriggerGlob); }
                2 => ledger.touch(name),
                _ => { ledger.unload(name); }
            }
            prop_assert!(ledger.entries().len() <= cap);
            prop_assert_eq!(&Ledger::restore(&ledger.export()).unwrap(), &ledger);
        }
    }

    #[test]
    fn what_is_put_back_fits(room in 0_usize..120) {
        let (catalog, mut ledger) = loaded(&["a", "b", "c"], 4);
        let back = ledger.put_back(&catalog, &Budget::characters(room));
        prop_assert!(back.text.chars().count() <= room);
        prop_assert_eq!(back.names.len(), ledger.entries().len());
    }
}
