use super::*;
use crate::{
    Catalog, DiskSource, Limits, LoadOptions, Source, State,
    testing::{Tree, skill_text},
};

fn project(root: &str) -> Origin {
    Origin {
        real_root: Some(root.into()),
        ..Origin::new(Scope::Project, "agents", root)
    }
}

#[test]
fn only_projects_wait_for_trust() {
    let store = TrustStore::new(["/home/u/work/mine".into()]);
    let decide = |origin: &Origin| store.decide(origin);
    for (root, decision) in [
        ("/home/u/work/mine/.agents/skills", TrustDecision::Trusted),
        ("/home/u/work/mine-too/.agents/skills", TrustDecision::Ask),
        ("/home/u/work/.agents/skills", TrustDecision::Ask),
    ] {
        assert_eq!(decide(&project(root)), decision, "{root}");
    }
    for scope in [Scope::Explicit, Scope::User, Scope::System] {
        assert_eq!(
            decide(&Origin::new(scope, "x", "x")),
            TrustDecision::Trusted
        );
    }
}

#[test]
fn a_place_whose_real_path_is_unknown_is_not_trusted() {
    let store = TrustStore::new(["/".into()]);
    let origin = Origin::new(Scope::Project, "agents", "/x");
    assert_eq!(store.decide(&origin), TrustDecision::Ask);
}

#[test]
fn a_denial_stays_and_reaches_below() {
    let mut store = TrustStore::new(["/p".into()]);
    store.deny("/p/skills/bad".into());
    let bad = Path::new("/p/skills/bad");
    assert_eq!(store.decide(&project("/p/skills")), TrustDecision::Ask);
    assert_eq!(store.decide_skill(bad, None), TrustDecision::Denied);
    assert!(!store.knows(bad));
    assert_eq!(
        store.decide_skill(Path::new("/p/skills/good"), None),
        TrustDecision::Trusted
    );
    store.deny("/p".into());
    assert_eq!(store.decide(&project("/p/skills")), TrustDecision::Denied);
    assert_eq!(store.revoke(Path::new("/p")), 1);
    assert_eq!(store.decide(&project("/p/skills")), TrustDecision::Trusted);
}

/// Loads the project's skills as a host with this store does.
fn load(tree: &Tree, store: &TrustStore, look: bool) -> Catalog {
    let source = DiskSource::new(tree.at("p/skills")).scope(Scope::Project);
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let options = LoadOptions {
        trust: store,
        look_at_untrusted: look,
        ..LoadOptions::default()
    };
    Catalog::load(&sources, &options).unwrap()
}

fn states(catalog: &Catalog) -> Vec<(&str, State, TrustDecision)> {
    let skills = catalog.skills().iter();
    skills
        .map(|skill| (skill.name(), skill.state(), skill.decision()))
        .collect()
}

#[test]
fn a_skill_is_trusted_as_it_was_seen_and_a_change_asks_again() {
    let tree = Tree::new()
        .skill("p/skills/a")
        .file("p/skills/a/run.sh", "echo one")
        .skill("p/skills/b");
    let mut store = TrustStore::default();
    let seen = load(&tree, &store, true);
    let changes = store
        .approve(&seen.skills()[0], &Limits::default())
        .unwrap();
    assert_eq!(changes.added, ["SKILL.md", "run.sh"]);
    for look in [true, false] {
        assert_eq!(
            states(&load(&tree, &store, look)),
            [
                ("a", State::Active, TrustDecision::Trusted),
                ("b", State::Untrusted, TrustDecision::Ask)
            ]
        );
    }
    // Not the skill's own file: a script counts as much.
    let tree = tree.file("p/skills/a/run.sh", "echo two");
    let after = load(&tree, &store, false);
    assert_eq!(
        states(&after)[0],
        ("a", State::Untrusted, TrustDecision::Changed)
    );
    let changes = store
        .approve(&load(&tree, &store, true).skills()[0], &Limits::default())
        .unwrap();
    assert_eq!(changes.altered, ["run.sh"]);
    assert_eq!(
        states(&load(&tree, &store, false))[0].2,
        TrustDecision::Trusted
    );
}

#[test]
fn a_file_nobody_trusts_is_not_opened_unless_a_person_wants_to_look() {
    let tree = Tree::new().file("p/skills/a/SKILL.md", skill_text("told"));
    let store = TrustStore::default();
    let closed = load(&tree, &store, false);
    let skill = &closed.skills()[0];
    // The name is that of the folder: what the file says is not known.
    assert_eq!(
        (skill.name(), skill.description(), skill.hash()),
        ("a", "", None)
    );
    assert_eq!(skill.state(), State::Untrusted);
    assert_eq!(load(&tree, &store, true).skills()[0].name(), "told");
}

#[test]
fn a_resource_that_changed_after_the_load_is_not_handed_out() {
    let tree = Tree::new()
        .skill("p/skills/a")
        .file("p/skills/a/notes.md", "one");
    let mut store = TrustStore::default();
    let limits = Limits::default();
    let seen = load(&tree, &store, true);
    store.approve(&seen.skills()[0], &limits).unwrap();
    let catalog = load(&tree, &store, false);
    let skill = catalog.get("a").unwrap();
    assert!(skill.read_resource("notes.md", 0, &limits).is_ok());
    let tree = tree
        .file("p/skills/a/notes.md", "two")
        .file("p/skills/a/new.md", "x");
    let told = |path: &str| {
        let error = skill.read_resource(path, 0, &limits).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        told("notes.md"),
        "`notes.md` is not what it was when the skill was trusted, and is not read"
    );
    assert_eq!(
        told("new.md"),
        "`new.md` is not what it was when the skill was trusted, and is not read"
    );
    drop(tree);
}
