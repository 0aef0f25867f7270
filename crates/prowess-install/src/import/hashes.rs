//! The hashes that other installers write down, made again from files.

use std::{cmp::Ordering, collections::BTreeMap, fmt::Write as _};

use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use crate::tree::{Mode, SkillFiles};

/// What stands before the digits in the order of ICU, for English and the root locale. Measured
/// with Node 22 (ICU 78) on 2026-11-18.
const SIGNS: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// The `computedHash` of `skills-lock.json`: names and bytes in one stream, in the order that
/// JavaScript's `localeCompare` gives in English. `node_modules` and modes are not in it. `None`
/// where a name is not ASCII: then the order is the machine's own.
pub(crate) fn computed_hash(files: &SkillFiles) -> Option<String> {
    let mut hashed: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(entry, bytes)| (entry.path.as_str(), bytes))
        .filter(|(path, _)| {
            let mut folders = path.split('/').rev().skip(1);
            !folders.any(|it| matches!(it, "node_modules" | ".git"))
        })
        .collect();
    if !hashed.iter().all(|(path, _)| path.is_ascii()) {
        return None;
    }
    hashed.sort_by(|a, b| locale_compare(a.0, b.0));
    let mut hash = Sha256::new();
    for (path, bytes) in hashed {
        hash.update(path);
        hash.update(bytes);
    }
    Some(hex(&hash.finalize()))
}

/// Letters without case first; where all are equal, the leftmost lower one wins.
fn locale_compare(a: &str, b: &str) -> Ordering {
    let rank = |it: char| match SIGNS.find(it) {
        Some(at) => at,
        None => SIGNS.len() + it.to_ascii_lowercase() as usize,
    };
    let by_letter = a.chars().map(rank).cmp(b.chars().map(rank));
    let by_case = || {
        let upper = |it: char| it.is_ascii_uppercase();
        a.chars().map(upper).cmp(b.chars().map(upper))
    };
    by_letter.then_with(by_case)
}

/// The id that git gives the folder of these files, with modes.
pub(crate) fn git_tree(files: &SkillFiles) -> String {
    let entries = files.iter().map(|(entry, bytes)| {
        let parts: Vec<&str> = entry.path.as_str().split('/').collect();
        (parts, entry.mode, bytes)
    });
    hex(&tree_id(&entries.collect::<Vec<_>>()))
}

type PathBytes<'a> = (Vec<&'a str>, Mode, &'a [u8]);

fn tree_id(files: &[PathBytes<'_>]) -> Vec<u8> {
    // Git sorts a folder as if its name ended in `/`.
    let mut entries: BTreeMap<String, (&str, Vec<u8>)> = BTreeMap::new();
    let mut folders: BTreeMap<&str, Vec<PathBytes<'_>>> = BTreeMap::new();
    for (path, mode, bytes) in files {
        match path.as_slice() {
            [name] => {
                let mode = match mode {
                    Mode::Plain => "100644",
                    Mode::Run => "100755",
                };
                let id = object_id("blob", bytes);
                entries.insert((*name).to_owned(), (mode, id));
            }
            [folder, below @ ..] => {
                let inside = folders.entry(folder).or_default();
                inside.push((below.to_vec(), *mode, bytes));
            }
            [] => {}
        }
    }
    for (name, inside) in folders {
        entries.insert(format!("{name}/"), ("40000", tree_id(&inside)));
    }
    let mut tree = Vec::new();
    for (name, (mode, id)) in entries {
        tree.extend_from_slice(format!("{mode} {}\0", name.trim_end_matches('/')).as_bytes());
        tree.extend_from_slice(&id);
    }
    object_id("tree", &tree)
}

fn object_id(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let mut hash = Sha1::new();
    hash.update(format!("{kind} {}\0", bytes.len()));
    hash.update(bytes);
    hash.finalize().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, it| {
        // Writing to a string does not fail.
        let _ = write!(text, "{it:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_path::FilePath;

    fn files(all: &[(&str, &str)]) -> SkillFiles {
        let file = |(path, text): &(&str, &str)| {
            let mode = if *path == "run.sh" {
                Mode::Run
            } else {
                Mode::Plain
            };
            (FilePath::new(path).unwrap(), mode, text.as_bytes().to_vec())
        };
        SkillFiles::new(all.iter().map(file).collect()).unwrap()
    }

    const SKILL: &str = "---\nname: demo\ndescription: A demo.\n---\nHello\n";

    /// A folder that `npx skills` 1.7.4 was run on: what its lock said, and what it installed.
    #[test]
    fn the_hash_of_the_other_lock_is_made_again() {
        let installed = [
            ("SKILL.md", SKILL),
            ("references/a.md", "A\n"),
            ("references/B.md", "B\n"),
            ("scripts/run.sh", "x\n"),
            ("node_modules/n.js", "n"),
            ("LICENSE", "L\n"),
        ];
        let dropped = [("metadata.json", "{}"), ("__pycache__/p.pyc", "p")];
        let source = files(&[installed.as_slice(), &dropped].concat());
        assert_eq!(
            computed_hash(&source).unwrap(),
            "e4f272e2a69e420fc77a9a9d9a35da99d2d50a6a6dc4317adb257cd4a9d0f919"
        );
        assert_eq!(
            computed_hash(&files(&installed)).unwrap(),
            "7a1c724e7b87060a3f044ba5d704279eced9dc490ca25ee4c735eab1933f0b8f"
        );
        assert_eq!(computed_hash(&files(&[installed[0], ("ä", "")])), None);
    }

    /// The order that Node 22 (ICU 78) gives these names with `localeCompare`.
    #[test]
    fn names_have_the_order_of_javascript() {
        let ordered = [
            " a", "_a", "-a", ",a", ";a", "!a", ".a", "'a", "(a", ")a", "[a", "]a", "{a", "}a",
            "@a", "&a", "#a", "%a", "`a", "^a", "+a", "=a", "~a", "$a", "0", "10", "2", "a", "A",
            "a/b", "a/B", "A/b", "a0", "ab", "aB", "Ab", "AB", "abc", "b", "x/B", "X/b", "z", "Z",
        ];
        let mut sorted = ordered;
        sorted.reverse();
        sorted.sort_by(|a, b| locale_compare(a, b));
        assert_eq!(sorted, ordered);
    }

    /// What `git write-tree` says of the same files.
    #[test]
    fn a_folder_has_the_id_that_git_gives_it() {
        let tree = files(&[
            ("SKILL.md", SKILL),
            ("a.b/x", "1\n"),
            ("a/y", "2\n"),
            ("a-b", "3\n"),
            ("run.sh", ""),
        ]);
        assert_eq!(git_tree(&tree), "63dd801f30fab853a71e8f507fd881a944ee33bd");
    }
}
