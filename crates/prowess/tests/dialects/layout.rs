//! Lays out the cases of `cases.jsonl` for one client. Shared with `cargo xtask dialects`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// One case: a file or a link, and the file that is asked about.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct Case {
    /// Cases of one tree lie side by side; a tree is laid out once for each client.
    pub(crate) tree: String,
    /// Its name; descriptions say `mk-` and this.
    #[serde(rename = "case")]
    pub(crate) id: String,
    /// The file to write.
    pub(crate) file: Option<String>,
    /// Its text.
    #[serde(default)]
    pub(crate) text: Text,
    /// A link to make: its place, and where it leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<(String, String)>,
    /// The file that is asked about, where it is not the one written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<String>,
}

/// The cases in the files of a folder, those written by hand and those drawn by a seed.
pub(crate) fn stored(folder: &Path) -> Vec<Case> {
    let files = ["cases.jsonl", "drawn.jsonl"];
    let texts = files.map(|file| fs::read_to_string(folder.join(file)).unwrap_or_default());
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

/// A text; `{{x*3}}` stands for `xxx`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Text {
    /// UTF-8.
    Plain(String),
    /// Any bytes.
    Bytes {
        /// In hexadecimal.
        hex: String,
    },
}

impl Default for Text {
    fn default() -> Self {
        Self::Plain(String::new())
    }
}

/// How a client was run.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct Run {
    /// The version.
    pub(crate) version: String,
    /// The day.
    pub(crate) day: String,
    /// What `P0`, `P1`, … stand for, relative to the project.
    pub(crate) project: Vec<String>,
    /// What `U0`, `U1`, … stand for, relative to the home.
    pub(crate) user: Vec<String>,
}

/// The folders of one laid out tree.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// The folder of everything.
    pub(crate) root: PathBuf,
    /// The home.
    pub(crate) home: PathBuf,
    /// The repository, which is the working directory.
    pub(crate) project: PathBuf,
}

impl Tree {
    /// Makes the folders of a tree.
    pub(crate) fn new(root: &Path) -> Self {
        let tree = Self {
            root: root.to_path_buf(),
            home: root.join("home"),
            project: root.join("w/proj"),
        };
        fs::create_dir_all(&tree.home).unwrap();
        fs::create_dir_all(tree.project.join(".git/objects")).unwrap();
        fs::create_dir_all(tree.project.join(".git/refs")).unwrap();
        fs::write(tree.project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(tree.project.join(".gitignore"), "dir-gitignored/\n").unwrap();
        tree
    }

    /// Lays out a case; `None` where the client has no such folder.
    pub(crate) fn lay(&self, case: &Case, run: &Run) -> Option<PathBuf> {
        if let Some(file) = &case.file {
            let path = self.path(file, run)?;
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, case.text.bytes()).unwrap();
        }
        if let Some((place, target)) = &case.link {
            let (place, target) = (self.path(place, run)?, self.path(target, run)?);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            #[cfg(unix)]
            std::os::unix::fs::symlink(target, &place).unwrap();
        }
        let subject = case.subject.as_ref().or(case.file.as_ref())?;
        self.path(subject, run)
    }

    /// The path that a case means.
    fn path(&self, path: &str, run: &Run) -> Option<PathBuf> {
        let (base, path) = match path.split_once('/') {
            Some(("SUB", rest)) => (self.project.join("pkg"), rest),
            Some(("UP", rest)) => (self.root.join("w"), rest),
            Some(("OUT", rest)) => return Some(self.root.join("outside").join(rest)),
            _ => (self.project.clone(), path),
        };
        let (folder, rest) = path.split_once('/')?;
        let number = |letter: char| folder.strip_prefix(letter)?.parse::<usize>().ok();
        let joined = match (number('P'), number('U')) {
            (Some(at), _) => base.join(run.project.get(at)?),
            (_, Some(at)) => self.home.join(run.user.get(at)?),
            _ => base.join(folder),
        };
        Some(normal(
            &joined.join(
                rest.replace("{{n*64}}", &"n".repeat(64))
                    .replace("{{m*65}}", &"m".repeat(65)),
            ),
        ))
    }
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                normal.pop();
            }
            _ => normal.push(part),
        }
    }
    normal
}

impl Text {
    /// The bytes, with repeats written out.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Bytes { hex } => (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect(),
            Self::Plain(text) => expanded(text).into_bytes(),
        }
    }
}

fn expanded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let repeat = after.split_once("}}").and_then(|(inner, tail)| {
            let (unit, count) = inner.rsplit_once('*')?;
            Some((unit.repeat(count.parse().ok()?), tail))
        });
        out.push_str(before);
        match repeat {
            Some((repeated, tail)) => {
                out.push_str(&repeated);
                rest = tail;
            }
            None => {
                out.push_str("{{");
                rest = after;
            }
        }
    }
    out + rest
}
