//! What is read lies below the skill. The bytes are a path, and the target of a link inside the
//! skill; every file outside says so, and no page ever shows one of them.
#![no_main]

use std::{cell::RefCell, fs, os::unix::fs::symlink, path::PathBuf, sync::Arc};

use libfuzzer_sys::fuzz_target;
use prowess::{Catalog, Content, Limits};

struct World {
    _folder: tempfile::TempDir,
    link: PathBuf,
    catalog: Arc<Catalog>,
}

const INSIDE: &str = "INSIDE";
const OUTSIDE: &str = "OUTSIDE";

fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("skills");
    let skill = root.join("a");
    fs::create_dir_all(skill.join("b/c")).expect("folders");
    fs::create_dir_all(root.join("x")).expect("folders");
    let text = format!("---\nname: a\ndescription: Use when asked.\n---\n{INSIDE}\n");
    fs::write(skill.join("SKILL.md"), text).expect("a file");
    for name in ["f", "b/f", "b/c/f"] {
        fs::write(skill.join(name), INSIDE).expect("a file");
    }
    for name in ["f", "x/f", "../f"] {
        fs::write(root.join(name), OUTSIDE).expect("a file");
    }
    for (link, target) in [("b/up", "../.."), ("b/in", "../b/c"), ("b/abs", "/")] {
        symlink(target, skill.join(link)).expect("a link");
    }
    World {
        catalog: Arc::new(Catalog::from_dirs([&root])),
        link: skill.join("l"),
        _folder: folder,
    }
}

thread_local!(static WORLD: RefCell<Option<World>> = const { RefCell::new(None) });

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (path, target) = text.split_once('\n').unwrap_or((&text, ""));
    WORLD.with_borrow_mut(|slot| {
        let world = slot.get_or_insert_with(world);
        let _ = fs::remove_file(&world.link);
        if !target.is_empty() {
            // A target that can not be one is no link.
            let _ = symlink(target, &world.link);
        }
        let skill = world.catalog.get("a").expect("the skill is there");
        let limits = Limits::default();
        if let Ok(page) = skill.read_resource(path, 0, &limits) {
            let Content::Text(text) = page.content else {
                panic!("`{path}` is none of the files of the skill");
            };
            assert!(
                text.contains(INSIDE) && !text.contains(OUTSIDE),
                "{path} {target}"
            );
        }
        let listed = skill.resources(&limits).expect("the folder can be listed");
        for file in listed.files {
            assert!(
                file.size == INSIDE.len() as u64
                    || file.path.ends_with("SKILL.md")
                    || target.contains("SKILL"),
                "{file:?} {target}"
            );
        }
    });
});
