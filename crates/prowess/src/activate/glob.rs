//! Globs on the files of a turn, and on the paths a message speaks of.

use std::collections::HashSet;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::Turn;
use crate::skill::Skill;

/// Every glob of a catalog as one set.
#[derive(Debug)]
pub(super) struct Globs {
    set: GlobSet,
    /// For each glob of the set: the skill it wakes, and the glob as it was written.
    owners: Vec<(Box<str>, Box<str>)>,
}

impl Globs {
    /// Compiles the globs, and gives back the skills that have one that can not be read.
    pub(super) fn new<'a>(skills: impl Iterator<Item = &'a Skill>) -> (Self, Vec<&'a Skill>) {
        let mut builder = GlobSetBuilder::new();
        let mut owners = Vec::new();
        let mut bad = Vec::new();
        for skill in skills {
            let mut readable = true;
            for trigger in skill.document().trigger_globs() {
                match compile(trigger.text) {
                    Ok(glob) => {
                        builder.add(glob);
                        owners.push((skill.name().into(), trigger.text.into()));
                    }
                    Err(_) => readable = false,
                }
            }
            if !readable {
                bad.push(skill);
            }
        }
        match builder.build() {
            Ok(set) => (Self { set, owners }, bad),
            // Each glob is fine alone, so only their number can be too much; none then fires,
            // rather than some by luck.
            Err(_) => (
                Self {
                    set: GlobSet::empty(),
                    owners: Vec::new(),
                },
                bad,
            ),
        }
    }

    /// Tells each skill, glob and path that fit.
    pub(super) fn find(&self, turn: &Turn<'_>, mut found: impl FnMut(&str, &str, &str)) {
        if self.owners.is_empty() {
            return;
        }
        let mut fits = Vec::new();
        let mut seen = HashSet::new();
        let words = paths_in(turn.message);
        for path in turn.files.iter().copied().chain(words) {
            if !seen.insert(path) {
                continue;
            }
            let plain = path.replace('\\', "/");
            for part in below(&plain, turn.root) {
                self.set.matches_into(part, &mut fits);
                for &at in &fits {
                    let (skill, glob) = &self.owners[at];
                    found(skill, glob, path);
                }
            }
        }
    }
}

/// Compiles a glob. Without a slash it is about the file's name, in any folder.
fn compile(text: &str) -> Result<Glob, globset::Error> {
    // As written first: what the rule calls bad must not be mended by what is added below.
    GlobBuilder::new(text).literal_separator(true).build()?;
    let text = text.strip_prefix("./").unwrap_or(text);
    let text = text.strip_prefix('/').unwrap_or(text);
    let mut text = if text.trim_end_matches('/').contains('/') {
        text.to_owned()
    } else {
        format!("**/{text}")
    };
    if text.ends_with('/') {
        text.push_str("**");
    }
    GlobBuilder::new(&text).literal_separator(true).build()
}

/// The ways to tell a path so that a glob may fit: below the root, or, for an absolute path that
/// is not below it, from each of its folders on.
fn below<'a>(path: &'a str, root: Option<&str>) -> impl Iterator<Item = &'a str> {
    let inside = root.and_then(|root| {
        let root = root.trim_end_matches(['/', '\\']).replace('\\', "/");
        path.strip_prefix(root.as_str())?.strip_prefix('/')
    });
    let absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let whole = inside.unwrap_or_else(|| path.strip_prefix("./").unwrap_or(path));
    let every = inside.is_none() && absolute;
    let folders = path
        .match_indices('/')
        .map(move |(at, _)| &path[at + 1..])
        .filter(move |_| every);
    std::iter::once(whole)
        .filter(move |_| !every)
        .chain(folders)
}

/// The words of a message that look like paths. Web and mail addresses do not count.
fn paths_in(message: &str) -> impl Iterator<Item = &str> {
    message.split_whitespace().filter_map(|word| {
        let word = word.trim_matches(|char: char| {
            !(char.is_alphanumeric() || matches!(char, '/' | '\\' | '.' | '_' | '-' | '~'))
        });
        let word = word.trim_end_matches('.');
        // `src/main.rs:12:3` is a place in a file.
        let path = word.split(':').next().unwrap_or(word);
        (is_path(path) && !word.contains("://") && !word.contains('@')).then_some(path)
    })
}

fn is_path(word: &str) -> bool {
    let is_name = |part: &str| part.chars().any(char::is_alphanumeric);
    if !is_name(word) {
        return false;
    }
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let has_ending = file.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=10).contains(&ending.len())
            && ending.starts_with(|char: char| char.is_ascii_alphabetic())
            && ending.chars().all(|char| char.is_ascii_alphanumeric())
    });
    has_ending || word.contains(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_paths() {
        let told: Vec<_> = paths_in(
            "Fix `src/main.rs:12`, (docs/a.md) and Cargo.toml. Not v1.10, a@b.rs, \
             https://x.org/a.rs or e2e; but @src/lib.rs",
        )
        .collect();
        assert_eq!(
            told,
            ["src/main.rs", "docs/a.md", "Cargo.toml", "src/lib.rs"]
        );
    }

    #[test]
    fn a_path_is_told_from_the_root() {
        let told = |path, root| below(path, root).collect::<Vec<_>>();
        assert_eq!(told("./a/b.rs", None), ["a/b.rs"]);
        assert_eq!(told("/home/p/a/b.rs", Some("/home/p/")), ["a/b.rs"]);
        assert_eq!(
            told("/home/p/b.rs", Some("/home/px")),
            ["home/p/b.rs", "p/b.rs", "b.rs"]
        );
    }

    #[test]
    fn a_glob_without_a_folder_is_about_the_name() {
        let fits = |glob, path| compile(glob).unwrap().compile_matcher().is_match(path);
        assert!(fits("*.rs", "src/deep/main.rs"));
        assert!(fits("*.rs", "main.rs"));
        assert!(fits("src/*.rs", "src/main.rs"));
        assert!(!fits("src/*.rs", "src/deep/main.rs"));
        assert!(fits("src/", "src/deep/main.rs"));
        assert!(fits("./src/**", "src/main.rs"));
        assert!(compile("src/[").is_err());
    }
}
