//! A new version of a skill and the changes somebody made here, brought together file by file.

use std::collections::BTreeSet;

use crate::tree::{FileEntry, SkillFiles};

/// Brings a new version together with what was changed here since the version both come from; the
/// paths where both changed the same lines otherwise.
pub fn merge(
    base: &SkillFiles,
    ours: &SkillFiles,
    theirs: &SkillFiles,
) -> Result<SkillFiles, Vec<String>> {
    let all = [base, ours, theirs];
    let paths: BTreeSet<&str> = all
        .iter()
        .flat_map(|it| it.iter())
        .map(|(entry, _)| entry.path.as_str())
        .collect();
    let mut merged = Vec::new();
    let mut conflicts = Vec::new();
    for path in paths {
        let [base, ours, theirs] =
            all.map(|files| files.iter().find(|(entry, _)| entry.path.as_str() == path));
        let kept = match (base, ours, theirs) {
            (base, ours, theirs) if same(ours, base) => theirs.map(owned),
            (base, ours, theirs) if same(theirs, base) || same(ours, theirs) => ours.map(owned),
            (Some(base), Some(ours), Some(theirs)) => match lines(base.1, ours.1, theirs.1) {
                Some(bytes) => {
                    // Who changed the mode has it.
                    let mode = if ours.0.mode == base.0.mode {
                        theirs.0.mode
                    } else {
                        ours.0.mode
                    };
                    Some((ours.0.path.clone(), mode, bytes))
                }
                None => {
                    conflicts.push(path.to_owned());
                    None
                }
            },
            _ => {
                conflicts.push(path.to_owned());
                None
            }
        };
        merged.extend(kept);
    }
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    SkillFiles::new(merged).map_err(|error| vec![error.to_string()])
}

type File<'a> = (&'a FileEntry, &'a [u8]);

fn same(a: Option<File<'_>>, b: Option<File<'_>>) -> bool {
    a.map(|it| (it.0.mode, it.1)) == b.map(|it| (it.0.mode, it.1))
}

fn owned((entry, bytes): File<'_>) -> (crate::file_path::FilePath, crate::tree::Mode, Vec<u8>) {
    (entry.path.clone(), entry.mode, bytes.to_vec())
}

fn lines(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    // Equal bytes with other modes, and texts only.
    if ours == theirs {
        return Some(ours.to_vec());
    }
    let texts = (
        str::from_utf8(base).ok()?,
        str::from_utf8(ours).ok()?,
        str::from_utf8(theirs).ok()?,
    );
    diffy::merge(texts.0, texts.1, texts.2)
        .ok()
        .map(String::into_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{file_path::FilePath, tree::Mode};

    fn files(files: &[(&str, &str)]) -> SkillFiles {
        let file = |(path, text): &(&str, &str)| {
            (
                FilePath::new(path).unwrap(),
                Mode::Plain,
                text.as_bytes().to_vec(),
            )
        };
        let own = [("SKILL.md", "---\nname: a\n---\n")];
        let own = own
            .iter()
            .filter(|it| !files.iter().any(|other| other.0 == it.0));
        SkillFiles::new(own.chain(files).map(file).collect()).unwrap()
    }

    #[test]
    fn changes_on_both_sides_come_together_or_are_named() {
        let text = "one\ntwo\nthree\nfour\nfive\n";
        let base = files(&[("a", text), ("gone", "x"), ("both", "x")]);
        let ours = files(&[
            ("a", &text.replace("one", "ONE")),
            ("gone", "x"),
            ("both", "x"),
            ("mine", "m"),
        ]);
        let theirs = files(&[
            ("a", &text.replace("five", "FIVE")),
            ("both", "y"),
            ("new", "n"),
        ]);
        let merged = merge(&base, &ours, &theirs).unwrap();
        let shown: Vec<(&str, &[u8])> = merged
            .iter()
            .map(|(entry, bytes)| (entry.path.as_str(), bytes))
            .collect();
        assert_eq!(
            shown[1..],
            [
                ("a", &b"ONE\ntwo\nthree\nfour\nFIVE\n"[..]),
                ("both", b"y"),
                ("mine", b"m"),
                ("new", b"n")
            ]
        );
        let theirs = files(&[
            ("a", &text.replace("one", "Eins")),
            ("gone", "x"),
            ("both", "x"),
        ]);
        assert_eq!(merge(&base, &ours, &theirs).unwrap_err(), ["a"]);
        let ours = files(&[("a", text), ("gone", "changed"), ("both", "x")]);
        let theirs = files(&[("a", text), ("both", "x")]);
        assert_eq!(
            merge(&base, &ours, &theirs).unwrap_err(),
            ["gone"],
            "changed here, removed there"
        );
        assert_eq!(merge(&base, &base, &theirs).unwrap(), theirs);
    }
}
