use super::*;
use crate::{
    source::disk::DiskSource,
    testing::{Tree, skill_text},
};

fn sources(tree: &Tree) -> impl Sources + use<> {
    let root = tree.root();
    move || vec![Box::new(DiskSource::new(&root)) as Box<dyn Source>]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test changes the files")]
fn a_refresh_sees_what_changed() {
    let tree = Tree::new().skill("one").skill("two");
    let live = LiveCatalog::open(sources(&tree), LiveOptions::default()).unwrap();
    let changes = live.subscribe();
    let before = live.snapshot();
    std::fs::write(tree.at("one/SKILL.md"), skill_text("uno")).unwrap();
    live.refresh();
    assert!(before.get("uno").is_none() && live.snapshot().get("uno").is_some());
    let told = changes.next().unwrap();
    assert_eq!(
        (told.added.len(), told.changed.len(), told.removed.len()),
        (0, 1, 0)
    );
    drop(live);
    assert!(changes.next().is_none());
}
