//! What a server says about one skill.

use std::collections::{BTreeMap, HashSet};

use prowess::{
    ContentHash, Resource, display_text,
    format::{Field, Node, Span, Style, Value, print},
    opaque_id,
    source::remote::path_below,
};
use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};

use super::config::HostLimits;

/// A longer URI names no real skill, and could only serve to fill a log.
const URI_BYTES: usize = 2_048;

/// The fields that describe a skill or make it smaller. Every other one gives it more to say, to
/// wake by or to do, and waits until the user approved the skill.
const HARMLESS: [&str; 18] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "version",
    "tags",
    "references",
    "hint",
    "when_to_use",
    "argument-hint",
    "arguments",
    "keywords",
    "author",
    "trigger",
    "disable-model-invocation",
    "user-invocable",
    "disallowed-tools",
];

/// One skill as its server tells it, already known to make sense.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The URI of its `SKILL.md`.
    pub uri: String,
    /// Every field of its frontmatter.
    pub frontmatter: Map<String, Json>,
    /// Its files.
    pub manifest: Manifest,
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manifest {
    /// All of them, by URI.
    Listed(BTreeMap<String, FileDigest>),
    /// Made when they are asked for, so nothing can be compared.
    Dynamic,
}

/// What a file has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileDigest {
    /// The SHA-256 of its bytes.
    pub digest: [u8; 32],
    /// How many bytes it has.
    pub size: u64,
}

impl Entry {
    /// Reads an entry; the reason where it makes no sense.
    pub fn read(value: &Json, limits: &HostLimits) -> Result<Self, String> {
        let uri = text(value, "uri")?;
        if let Some(reason) = bad_uri(uri) {
            return Err(reason.to_owned());
        }
        let frontmatter = match value.get("frontmatter") {
            Some(Json::Object(fields)) => fields.clone(),
            _ => return Err("has no frontmatter".to_owned()),
        };
        for key in ["name", "description"] {
            match frontmatter.get(key) {
                Some(Json::String(text)) if !text.trim().is_empty() => {}
                _ => return Err(format!("has no `{key}` in its frontmatter")),
            }
        }
        let named = decoded(super::fault::name_of(uri)).unwrap_or_default();
        if frontmatter["name"] != *named {
            return Err("is not called what its address says".to_owned());
        }
        let manifest = match value.get("resources") {
            Some(Json::String(word)) if word == "dynamic" => Manifest::Dynamic,
            Some(Json::Array(files)) => Manifest::read(uri, files, limits)?,
            _ => return Err("has no list of its files".to_owned()),
        };
        Ok(Self {
            uri: uri.to_owned(),
            frontmatter,
            manifest,
        })
    }

    /// The name its author gave it.
    pub fn name(&self) -> &str {
        let name = self.frontmatter.get("name").and_then(Json::as_str);
        name.unwrap_or_default()
    }

    /// The hash of the files: equal for equal files, and for nothing else. `None` where the
    /// files are not listed.
    pub fn manifest_hash(&self) -> Option<String> {
        let Manifest::Listed(files) = &self.manifest else {
            return None;
        };
        let mut hash = Sha256::new();
        for (uri, file) in files {
            hash.update(uri.as_bytes());
            hash.update([0]);
            hash.update(file.digest);
            hash.update(file.size.to_be_bytes());
        }
        let hash = ContentHash::from_bytes(hash.finalize().into());
        Some(hash.to_string())
    }

    /// The hash of the fields, whatever order they came in.
    pub fn fields_hash(&self) -> String {
        let fields: BTreeMap<_, _> = self.frontmatter.iter().collect();
        // Maps of texts always have a JSON.
        let text = serde_json::to_string(&fields).unwrap_or_default();
        ContentHash::of(text.as_bytes()).to_string()
    }

    /// What the skill's own file has to be, where that is told.
    pub fn own(&self) -> Option<FileDigest> {
        match &self.manifest {
            Manifest::Listed(files) => files.get(&self.uri).copied(),
            Manifest::Dynamic => None,
        }
    }

    /// The files by their paths below the skill, the skill's own among them.
    pub fn files(&self) -> Vec<Resource> {
        let Manifest::Listed(files) = &self.manifest else {
            return Vec::new();
        };
        let mut files: Vec<Resource> = files
            .iter()
            .filter_map(|(uri, file)| {
                Some(Resource {
                    path: shown_path(path_below(&self.uri, uri)?)?,
                    name: None,
                    size: file.size,
                    executable: None,
                })
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    /// The listed files: the address of each, and its path below the skill as it is meant.
    pub(super) fn paths(&self) -> Vec<(String, String)> {
        let Manifest::Listed(files) = &self.manifest else {
            return Vec::new();
        };
        let path = |uri: &String| Some((uri.clone(), decoded(path_below(&self.uri, uri)?)?));
        files.keys().filter_map(path).collect()
    }

    /// The URI of a file of this skill, by its path below the skill. A file that is not listed
    /// has none; where files are made on request, any path inside the skill will do.
    pub fn file(&self, path: &str) -> Option<String> {
        match &self.manifest {
            Manifest::Listed(files) => {
                let is_it = |uri: &&String| {
                    let below = path_below(&self.uri, uri);
                    let is = |known: Option<String>| known.as_deref() == Some(path);
                    below == Some(path)
                        || is(below.and_then(decoded))
                        || is(below.and_then(shown_path))
                };
                files.keys().find(is_it).cloned()
            }
            Manifest::Dynamic => {
                let folder = self.uri.rsplit_once('/')?.0;
                let uri = format!("{folder}/{path}");
                (is_inside(path) && !path.contains(['?', '#', '%', '\\'])).then_some(uri)
            }
        }
    }

    /// The fields that have no effect before the skill is approved.
    pub fn withheld(&self) -> Vec<String> {
        let keys = self.frontmatter.keys();
        keys.filter(|key| !HARMLESS.contains(&key.as_str()))
            .map(|key| display_text(key))
            .collect()
    }

    /// The text a catalog reads the skill from: its fields in effect, and its instructions.
    pub(super) fn text(&self, approved: bool, instructions: &str) -> String {
        let in_effect = |key: &str| approved || HARMLESS.contains(&key);
        let all = self.frontmatter.iter();
        let fields: Vec<Field> = all
            .filter(|(key, _)| in_effect(key))
            .map(|(key, value)| field(key, value))
            .collect();
        print(&fields, instructions)
    }
}

impl Manifest {
    fn read(skill: &str, files: &[Json], limits: &HostLimits) -> Result<Self, String> {
        if files.len() > limits.skill_files {
            let most = limits.skill_files;
            return Err(format!("has {} files, and {most} is the most", files.len()));
        }
        let mut listed = BTreeMap::new();
        let mut paths = HashSet::new();
        let mut bytes = 0_u64;
        for file in files {
            let uri = text(file, "uri")?;
            let shown = || display_text(uri.get(..120).unwrap_or(uri));
            let path = path_below(skill, uri).and_then(decoded);
            let Some(path) = path.filter(|path| is_inside(path)) else {
                return Err(format!("lists `{}`, which is not inside it", shown()));
            };
            let digest = text(file, "digest")?;
            let digest = read_digest(digest)
                .ok_or_else(|| format!("lists `{}` without a SHA-256 digest", shown()))?;
            let size = file.get("size").and_then(Json::as_u64);
            let size = size.ok_or_else(|| format!("lists `{}` without a size", shown()))?;
            bytes = bytes.saturating_add(size);
            let again = !paths.insert(path);
            if listed
                .insert(uri.to_owned(), FileDigest { digest, size })
                .is_some()
                || again
            {
                return Err(format!("lists `{}` twice", shown()));
            }
        }
        if bytes > limits.skill_bytes {
            let most = limits.skill_bytes;
            return Err(format!("has {bytes} bytes, and {most} is the most"));
        }
        if !listed.contains_key(skill) {
            return Err("does not list its own `SKILL.md`".to_owned());
        }
        Ok(Self::Listed(listed))
    }
}

fn text<'a>(value: &'a Json, key: &str) -> Result<&'a str, String> {
    match value.get(key) {
        Some(Json::String(text)) if text.len() <= URI_BYTES => Ok(text),
        Some(Json::String(_)) => Err(format!("has a `{key}` that is too long")),
        _ => Err(format!("has no `{key}`")),
    }
}

/// What is wrong with the URI of a skill.
fn bad_uri(uri: &str) -> Option<&'static str> {
    let Some(path) = uri.strip_prefix("skill://") else {
        return Some("does not start with `skill://`");
    };
    if !path.ends_with("/SKILL.md") {
        Some("does not end with `/SKILL.md`")
    } else if path.contains(['?', '#', '\\'])
        || decoded(path).is_none_or(|path| !is_inside(&path) || path.contains('\\'))
    {
        Some("is not an address of a skill")
    } else {
        None
    }
}

/// Whether a path stays below the folder it hangs in.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(char::is_control)
        && path
            .split(['/', '\\'])
            .all(|part| !matches!(part, "" | "." | ".."))
}

/// A path that can stand in a list a model reads: as it is meant, with an id for a name that would
/// break a line, hide something or mean a folder on another system.
fn shown_path(path: &str) -> Option<String> {
    let shown = |name: &str| {
        if display_text(name) == name && !name.contains('\\') {
            name.to_owned()
        } else {
            opaque_id(name.as_ref())
        }
    };
    let names: Vec<String> = decoded(path)?.split('/').map(shown).collect();
    Some(names.join("/"))
}

/// A path without `%` codes; `None` where they make no text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let code = digit()? * 16 + digit()?;
            // A separator that hides would make two files of one path.
            if code == u32::from(b'/') {
                return None;
            }
            bytes.push(u8::try_from(code).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn read_digest(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix("sha256:")?.as_bytes();
    let mut digest = [0; 32];
    if digits.len() != 2 * digest.len() {
        return None;
    }
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(digest)
}

fn field(key: &str, value: &Json) -> Field {
    Field {
        key: key.into(),
        key_span: Span::at(0),
        node: node(value),
    }
}

fn node(value: &Json) -> Node {
    let value = match value {
        Json::String(text) => Value::text(text.as_str()),
        Json::Array(values) => Value::List(values.iter().map(node).collect()),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| field(key, value));
            Value::Map(fields.collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {
            Value::Scalar(value.to_string().into(), Style::Plain)
        }
    };
    Node {
        value,
        span: Span::at(0),
    }
}

#[cfg(test)]
mod tests;
