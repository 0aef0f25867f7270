//! What other installers write down: `skills-lock.json`, `.skill-lock.json`, and gh's keys in the
//! frontmatter.

use std::collections::BTreeMap;

use prowess_format::{Profile, parse};
use serde::Deserialize;

/// What another installer wrote down about one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The skill's name there.
    pub name: String,
    /// The file that says so.
    pub file: String,
    /// Where it came from, as `prowess add` takes it, without a ref.
    pub source: Option<String>,
    /// The ref that was asked for.
    pub reference: Option<String>,
    /// Its folder in the source, where that is said.
    pub path: Option<String>,
    /// Whether it is to stay at that ref.
    pub pinned: bool,
    /// What is said about its content.
    pub hash: RecordedHash,
}

/// What a record says about the content of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedHash {
    /// Nothing.
    None,
    /// The hash of `npx skills` over names and bytes of the source's files.
    Files(String),
    /// The id of the source's folder in git.
    GitTree(String),
    /// The same, of a skill whose `SKILL.md` gh rewrote when it installed it.
    GhTree(String),
}

/// Why a lock of another installer is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is no JSON, or not of this shape.
    #[error("it is no lock of `npx skills` or `gh skill`")]
    Damaged(#[source] serde_json::Error),
    /// Its form is another one.
    #[error("it has the form {0}, which is not read")]
    Version(u64),
}

#[derive(Deserialize)]
struct Text {
    version: u64,
    skills: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    source: String,
    #[serde(default)]
    source_type: String,
    source_url: Option<String>,
    source_base_url: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    pinned_ref: Option<String>,
    skill_path: Option<String>,
    computed_hash: Option<String>,
    skill_folder_hash: Option<String>,
}

/// The forms that are known: 1 of a project's lock, 3 of the user's.
const VERSIONS: [u64; 2] = [1, 3];

/// Reads a `skills-lock.json` or a `.skill-lock.json`; `file` is what to call it.
pub fn read_records(text: &str, file: &str) -> Result<Vec<Record>, RecordError> {
    let text: Text = serde_json::from_str(text).map_err(RecordError::Damaged)?;
    if !VERSIONS.contains(&text.version) {
        return Err(RecordError::Version(text.version));
    }
    let records = text.skills.into_iter();
    Ok(records
        .map(|(name, entry)| record(name, entry, file))
        .collect())
}

fn record(name: String, entry: Entry, file: &str) -> Record {
    let url = entry.source_url.clone();
    let source = match entry.source_type.as_str() {
        "github" => Some(entry.source),
        // What was typed, without the path to the index.
        "well-known" => entry.source_base_url.or(url),
        "local" => Some(path_text(&entry.source)),
        "node_modules" => Some(format!("./node_modules/{}", entry.source)),
        _ => url.or(Some(entry.source)),
    };
    let is_tree = |it: &String| it.len() == 40 && it.bytes().all(|it| it.is_ascii_hexdigit());
    let hashes = [entry.computed_hash, entry.skill_folder_hash];
    let hash = match hashes.into_iter().flatten().find(|it| !it.is_empty()) {
        None => RecordedHash::None,
        Some(hash) if is_tree(&hash) => RecordedHash::GitTree(hash),
        Some(hash) => RecordedHash::Files(hash),
    };
    Record {
        name,
        file: file.to_owned(),
        source,
        pinned: entry.pinned_ref.is_some(),
        reference: entry.pinned_ref.or(entry.reference),
        path: entry.skill_path.as_deref().map(folder_of),
        hash,
    }
}

/// The folder of a `SKILL.md`, as a source has it.
fn folder_of(path: &str) -> String {
    let path = path.replace('\\', "/");
    let folder = path.strip_suffix("SKILL.md").unwrap_or(&path);
    folder.trim_start_matches("./").trim_matches('/').to_owned()
}

/// A path that is read as one.
fn path_text(path: &str) -> String {
    if path.starts_with(['/', '.', '~']) || path.get(1..2) == Some(":") {
        path.to_owned()
    } else {
        format!("./{path}")
    }
}

/// What gh wrote into the frontmatter of a skill it installed.
pub fn gh_record(name: &str, skill_text: &str) -> Option<Record> {
    let parsed = parse(skill_text.as_bytes(), Profile::Lenient);
    let metadata = parsed.document.get("metadata")?.value.as_map()?;
    let key = |key: &str| {
        let field = metadata.iter().find(|it| &*it.key == key)?;
        let text = field.node.value.as_str()?.trim().to_owned();
        Some(text).filter(|it| !it.is_empty())
    };
    let repository = key("github-repo");
    let source = repository.clone().or_else(|| key("local-path"))?;
    Some(Record {
        name: name.to_owned(),
        file: "SKILL.md".to_owned(),
        source: Some(source),
        reference: key("github-ref"),
        path: match repository {
            Some(_) => key("github-path").as_deref().map(folder_of),
            None => Some(String::new()),
        },
        pinned: key("github-pinned").is_some(),
        hash: key("github-tree-sha").map_or(RecordedHash::None, RecordedHash::GhTree),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::fmt::Write as _;

    fn shown(records: &[Record]) -> String {
        let mut text = String::new();
        for it in records {
            let _ = writeln!(
                text,
                "{}: {} {} {}{} {:?}",
                it.name,
                it.source.as_deref().unwrap_or("-"),
                it.reference.as_deref().unwrap_or("-"),
                it.path.as_deref().unwrap_or("-"),
                if it.pinned { " pinned" } else { "" },
                it.hash,
            );
        }
        text
    }

    #[test]
    fn each_kind_of_entry_names_a_source() {
        let lock = r#"{"version": 1, "skills": {
            "a": {"source": "acme/skills", "sourceType": "github", "ref": "v1", "skillPath": "skills/a/SKILL.md", "computedHash": "ab", "later": 1},
            "b": {"source": "https://gitlab.com/g/r.git", "sourceUrl": "https://gitlab.com/g/r.git", "sourceType": "gitlab", "skillPath": "SKILL.md", "computedHash": "ab"},
            "c": {"source": "../up", "sourceType": "local", "computedHash": "ab"},
            "d": {"source": "docs.example", "sourceUrl": "https://docs.example", "sourceType": "well-known", "computedHash": "ab"},
            "e": {"source": "@acme/kit", "sourceType": "node_modules", "skillPath": "skills/e/SKILL.md", "computedHash": "ab"}
        }}"#;
        expect![[r#"
            a: acme/skills v1 skills/a Files("ab")
            b: https://gitlab.com/g/r.git -  Files("ab")
            c: ../up - - Files("ab")
            d: https://docs.example - - Files("ab")
            e: ./node_modules/@acme/kit - skills/e Files("ab")
        "#]]
        .assert_eq(&shown(&read_records(lock, "skills-lock.json").unwrap()));
        let user = r#"{"version": 3, "skills": {
            "f": {"source": "acme/skills", "sourceType": "github", "sourceUrl": "https://github.com/acme/skills.git", "skillPath": "f/SKILL.md", "skillFolderHash": "63dd801f30fab853a71e8f507fd881a944ee33bd", "pinnedRef": "v2", "installedAt": "2026-11-18T00:00:00Z"},
            "g": {"source": "docs.example", "sourceType": "well-known", "sourceUrl": "https://docs.example/x/SKILL.md", "sourceBaseUrl": "https://docs.example", "skillFolderHash": ""}
        }, "dismissed": {}}"#;
        expect![[r#"
            f: acme/skills v2 f pinned GitTree("63dd801f30fab853a71e8f507fd881a944ee33bd")
            g: https://docs.example - - None
        "#]]
        .assert_eq(&shown(&read_records(user, ".skill-lock.json").unwrap()));
    }

    #[test]
    fn a_lock_of_another_form_is_not_read() {
        let told = |text: &str| read_records(text, "x").unwrap_err().to_string();
        expect!["it has the form 2, which is not read"]
            .assert_eq(&told(r#"{"version": 2, "skills": {}}"#));
        expect!["it is no lock of `npx skills` or `gh skill`"].assert_eq(&told("[]"));
    }

    #[test]
    fn gh_writes_into_the_skill_itself() {
        let text = "---\ndescription: D\nmetadata:\n    github-path: skills/pdf\n    github-pinned: v1\n    github-ref: refs/tags/v1\n    github-repo: https://github.com/acme/skills\n    github-tree-sha: 63dd801f30fab853a71e8f507fd881a944ee33bd\nname: pdf\n---\nGo\n";
        expect![[r#"
            pdf: https://github.com/acme/skills refs/tags/v1 skills/pdf pinned GhTree("63dd801f30fab853a71e8f507fd881a944ee33bd")
        "#]].assert_eq(&shown(&[gh_record("pdf", text).unwrap()]));
        let local = "---\nname: pdf\nmetadata:\n    local-path: /src/pdf\n---\n";
        expect![[r#"
            pdf: /src/pdf -  None
        "#]]
        .assert_eq(&shown(&[gh_record("pdf", local).unwrap()]));
        assert_eq!(gh_record("pdf", "---\nname: pdf\n---\n"), None);
    }
}
