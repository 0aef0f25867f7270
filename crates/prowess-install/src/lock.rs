//! `prowess.lock`: what is installed, to the byte.
//!
//! TOML, one `[[skill]]` each, sorted by folder; the same text on every machine. Fields of a later
//! version are kept. A lock that cannot be read is an error and is never written over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::tree::{Tree, TreeError};

/// The form the text has now.
const VERSION: u32 = 1;

const HEAD: &str = "# Written by `prowess add`, `update` and `remove`; commit it. `prowess verify` holds the files to it.\n";

/// Every installed skill.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lock {
    skills: Vec<LockedSkill>,
    /// Fields that this version does not know.
    extra: BTreeMap<String, toml::Value>,
}

/// One installed skill: where it came from and what it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LockedSkill {
    /// The folder it is installed in: a name below `.agents/skills`, or a path with `/` from the
    /// root where another installer put it into the folder of a client (`.claude/skills/pdf`).
    pub folder: String,
    /// Its own name, where the folder has another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it came from, as `prowess add` takes it, without the ref.
    pub source: String,
    /// The ref that was followed: `refs/heads/…` or `refs/tags/…`.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Whether `update` leaves it where it is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// The commit it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The digest of the artifact it was read from, where that is one file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// Its folder in the source; empty for the source itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Clients that have a link to it or a copy of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<String>,
    /// The digest over all files.
    pub digest: String,
    /// Every file, as the digest counts it.
    pub files: Vec<String>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: BTreeMap<String, toml::Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(it: &bool) -> bool {
    !it
}

/// Why a text is no lock.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It is no TOML, or not of this shape.
    #[error("line {line}, column {column}: {message}")]
    Damaged {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// A later program wrote it.
    #[error("it has the form {found}, and this version reads {VERSION}")]
    Version {
        /// The form it says it has.
        found: i64,
    },
    /// An entry that contradicts itself.
    #[error("the entry of `{}` {reason}", prowess::display_text(folder))]
    Entry {
        /// The entry's folder.
        folder: String,
        /// What is wrong.
        reason: String,
    },
    /// An entry whose files are no tree.
    #[error("the files of `{}` are no tree", prowess::display_text(folder))]
    Files {
        /// The entry's folder.
        folder: String,
        /// Why.
        #[source]
        source: TreeError,
    },
}

#[derive(Deserialize)]
struct Version {
    version: i64,
}

#[derive(Serialize, Deserialize)]
struct Text {
    version: i64,
    #[serde(flatten)]
    extra: BTreeMap<String, toml::Value>,
    #[serde(default, rename = "skill", skip_serializing_if = "Vec::is_empty")]
    skills: Vec<LockedSkill>,
}

impl LockedSkill {
    /// Its files. A lock that was read holds only entries that have some.
    pub fn tree(&self) -> Result<Tree, TreeError> {
        Tree::from_lines(self.files.iter().map(String::as_str))
    }

    /// Writes down these files.
    pub fn set_tree(&mut self, tree: &Tree) {
        self.files = tree.entries().iter().map(ToString::to_string).collect();
        self.digest = tree.digest().to_string();
    }

    /// Its own name.
    pub fn name(&self) -> &str {
        let last = self.folder.rsplit('/').next().unwrap_or(&self.folder);
        self.name.as_deref().unwrap_or(last)
    }

    /// Whether a config means it: by its name, or by its path where its source has the name twice.
    pub fn is_wanted_as(&self, wanted: &str) -> bool {
        self.name() == wanted || (!self.path.is_empty() && self.path == wanted)
    }

    /// Whether it lies in the folder of a client, where others need no link to it.
    pub fn is_in_client_folder(&self) -> bool {
        self.folder.contains('/')
    }

    /// How it is addressed where two have one name: `owner/name`.
    pub fn address(&self) -> String {
        format!("{}/{}", owner(&self.source), self.name())
    }
}

/// Whose source it is: the account before the repository, or the host.
pub fn owner(source: &str) -> String {
    let path = source.split_once("://").map_or(source, |(_, rest)| rest);
    let path = path.trim_end_matches('/').trim_end_matches(".git");
    let parts: Vec<&str> = path
        .split(['/', ':'])
        .filter(|it| !it.is_empty() && !matches!(*it, "." | ".."))
        .collect();
    let owner = match parts.as_slice() {
        [] => "local",
        [one] => one,
        [.., owner, _] => owner,
    };
    let clean = owner
        .to_ascii_lowercase()
        .replace(|it: char| !it.is_ascii_alphanumeric(), "-");
    let clean = clean.trim_matches('-');
    if clean.is_empty() {
        "local".to_owned()
    } else {
        clean.to_owned()
    }
}

impl Lock {
    /// Reads a lock; `text` is what [`Lock::to_text`] wrote, then or in a later version.
    pub fn from_text(text: &str) -> Result<Self, LockError> {
        let damaged = |error: &toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let before = text.get(..at).unwrap_or_default();
            LockError::Damaged {
                line: before.matches('\n').count() + 1,
                column: before
                    .rsplit('\n')
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .count()
                    + 1,
                message: error.message().to_owned(),
            }
        };
        // The version first: a later form may have another shape.
        let Version { version } = toml::from_str(text).map_err(|error| damaged(&error))?;
        if version != i64::from(VERSION) {
            return Err(LockError::Version { found: version });
        }
        let text: Text = toml::from_str(text).map_err(|error| damaged(&error))?;
        let mut lock = Self {
            skills: Vec::new(),
            extra: text.extra,
        };
        for skill in text.skills {
            let wrong = |reason: &str| LockError::Entry {
                folder: skill.folder.clone(),
                reason: reason.to_owned(),
            };
            if !is_folder_name(&skill.folder) && !is_client_path(&skill.folder) {
                return Err(wrong("has no folder name"));
            }
            let tree = skill.tree().map_err(|source| LockError::Files {
                folder: skill.folder.clone(),
                source,
            })?;
            if tree.digest().to_string() != skill.digest {
                return Err(wrong("has a digest that is not that of its files"));
            }
            if lock
                .skills
                .iter()
                .any(|it| it.folder.eq_ignore_ascii_case(&skill.folder))
            {
                return Err(wrong("is there twice"));
            }
            lock.skills.push(skill);
        }
        lock.sort();
        Ok(lock)
    }

    /// The lock as text: one form for one content.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        let text = Text {
            version: i64::from(VERSION),
            extra: self.extra.clone(),
            skills: self.skills.clone(),
        };
        Ok(format!("{HEAD}{}", toml::to_string_pretty(&text)?))
    }

    /// The skills, sorted by folder.
    pub fn skills(&self) -> &[LockedSkill] {
        &self.skills
    }

    /// The skill in this folder.
    pub fn get(&self, folder: &str) -> Option<&LockedSkill> {
        self.skills.iter().find(|it| it.folder == folder)
    }

    /// The skills that a person may mean by a folder, a name or `owner/name`.
    pub fn named(&self, wanted: &str) -> Vec<&LockedSkill> {
        if let Some(skill) = self.get(wanted) {
            return vec![skill];
        }
        let means = |it: &&LockedSkill| it.name() == wanted || it.address() == wanted;
        self.skills.iter().filter(means).collect()
    }

    /// Adds an entry, or replaces the one of the same folder.
    pub fn insert(&mut self, skill: LockedSkill) {
        self.remove(&skill.folder);
        self.skills.push(skill);
        self.sort();
    }

    /// Takes an entry away.
    pub fn remove(&mut self, folder: &str) -> Option<LockedSkill> {
        let at = self.skills.iter().position(|it| it.folder == folder)?;
        Some(self.skills.remove(at))
    }

    fn sort(&mut self) {
        self.skills.sort_by(|a, b| a.folder.cmp(&b.folder));
    }
}

/// Whether this can be the name of a skill's folder: one part of a path, and not hidden.
pub fn is_folder_name(name: &str) -> bool {
    !name.contains('/') && !name.starts_with('.') && crate::file_path::FilePath::new(name).is_ok()
}

/// Whether this can be a skill in the folder of a client: hidden at the top, then `skills/NAME`.
/// What lies elsewhere in a project is never a lock's to write.
pub(crate) fn is_client_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let [top, .., "skills", name] = parts.as_slice() else {
        return false;
    };
    let hidden = top.starts_with('.') && *top != ".agents";
    hidden && is_folder_name(name) && crate::file_path::FilePath::new(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const LINE: &str =
        "0644 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 SKILL.md";

    fn skill(folder: &str) -> LockedSkill {
        let tree = Tree::from_lines([LINE]).unwrap();
        let mut skill = LockedSkill {
            folder: folder.to_owned(),
            name: None,
            source: "https://github.com/acme/skills".to_owned(),
            reference: Some("refs/heads/main".to_owned()),
            pinned: false,
            commit: Some("0".repeat(40)),
            artifact: None,
            path: format!("skills/{folder}"),
            clients: vec!["claude-code".to_owned()],
            digest: String::new(),
            files: Vec::new(),
            extra: BTreeMap::new(),
        };
        skill.set_tree(&tree);
        skill
    }

    #[test]
    fn a_lock_has_one_text_and_reads_back() {
        let mut lock = Lock::default();
        for name in ["sql", "pdf", "Zoo"] {
            lock.insert(skill(name));
        }
        let text = lock.to_text().unwrap();
        assert_eq!(Lock::from_text(&text).unwrap(), lock);
        assert_eq!(Lock::from_text(&text).unwrap().to_text().unwrap(), text);
        lock.remove("Zoo");
        lock.remove("sql");
        expect![[r##"
            # Written by `prowess add`, `update` and `remove`; commit it. `prowess verify` holds the files to it.
            version = 1

            [[skill]]
            folder = "pdf"
            source = "https://github.com/acme/skills"
            ref = "refs/heads/main"
            commit = "0000000000000000000000000000000000000000"
            path = "skills/pdf"
            clients = ["claude-code"]
            digest = "sha256:922450d6eb5bb218e1a77d41726bfb2ea1482d94cf9ade899cc051d3a37ae00c"
            files = ["0644 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 SKILL.md"]
        "##]].assert_eq(&lock.to_text().unwrap());
    }

    #[test]
    fn fields_of_a_later_version_are_kept() {
        let mut lock = Lock::default();
        lock.insert(skill("pdf"));
        let text = lock
            .to_text()
            .unwrap()
            .replace("version = 1", "version = 1\nmirror = \"x\"")
            + "signer = { key = \"k\" }\n";
        let read = Lock::from_text(&text).unwrap().to_text().unwrap();
        assert!(
            read.contains("mirror = \"x\"") && read.contains("key = \"k\""),
            "{read}"
        );
    }

    #[test]
    fn what_is_no_lock_is_told_with_its_place() {
        let mut lock = Lock::default();
        lock.insert(skill("pdf"));
        let good = lock.to_text().unwrap();
        let told = |text: &str| {
            let error = Lock::from_text(text).unwrap_err();
            let cause = std::error::Error::source(&error).map(|it| format!(": {it}"));
            format!("{error}{}\n", cause.unwrap_or_default())
        };
        let texts = [
            String::new(),
            good[..good.len() / 2].to_owned(),
            good.replace("version = 1", "version = 2"),
            good.replace("\"pdf\"", "\"../pdf\""),
            good.replace("\"pdf\"", "\".pdf\""),
            good.replace(" 0 SKILL.md", " 1 SKILL.md"),
            good.replace("SKILL.md", "a/../SKILL.md"),
            format!("{good}{}", good.split_once("\n\n").unwrap().1),
        ];
        expect![[r#"
            line 1, column 1: missing field `version`
            line 8, column 35: invalid basic string, expected `"`
            it has the form 2, and this version reads 1
            the entry of `../pdf` has no folder name
            the entry of `.pdf` has no folder name
            the entry of `pdf` has a digest that is not that of its files
            the files of `pdf` are no tree: the path `a/../SKILL.md` has a part `.` or `..`
            the entry of `pdf` is there twice
        "#]]
        .assert_eq(&texts.iter().map(|it| told(it)).collect::<String>());
    }

    #[test]
    fn skills_are_found_by_folder_name_and_address() {
        let mut lock = Lock::default();
        lock.insert(skill("pdf"));
        lock.insert(LockedSkill {
            name: Some("pdf".to_owned()),
            source: "git@host:zoo/skills.git".to_owned(),
            ..skill("zoo-pdf")
        });
        let found = |name: &str| {
            lock.named(name)
                .iter()
                .map(|it| &*it.folder)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("pdf"), ["pdf"]);
        assert_eq!(found("zoo/pdf"), ["zoo-pdf"]);
        assert_eq!(found("acme/pdf"), ["pdf"]);
        assert_eq!(owner("./skills"), "skills");
        assert_eq!(owner("https://x.org/"), "x-org");
    }
}
