//! A skill as a server tells of it.

use prowess::ContentHash;
use serde_json::{Value as Json, json};

/// A skill to serve.
#[derive(Clone)]
pub(super) struct Skill {
    name: String,
    fields: String,
    body: String,
    files: Vec<(String, String)>,
}

impl Skill {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            fields: String::new(),
            body: format!("Do {name}."),
            files: Vec::new(),
        }
    }

    pub(super) fn body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub(super) fn file(mut self, path: &str, text: &str) -> Self {
        self.files.push((path.to_owned(), text.to_owned()));
        self
    }

    /// Adds a line to the frontmatter, `key: value`.
    pub(super) fn field(mut self, line: &str) -> Self {
        self.fields.extend([line, "\n"]);
        self
    }

    pub(super) fn uri(&self) -> String {
        format!("skill://{}/SKILL.md", self.name)
    }

    pub(super) fn text(&self) -> String {
        let Self {
            name, fields, body, ..
        } = self;
        format!("---\nname: {name}\ndescription: Does {name}.\n{fields}---\n{body}\n")
    }

    /// Every file by URI.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let own = (self.uri(), self.text());
        let others = self.files.iter().map(|(path, text)| {
            let uri = format!("skill://{}/{path}", self.name);
            (uri, text.clone())
        });
        std::iter::once(own).chain(others).collect()
    }

    /// What the list says about it.
    pub(super) fn entry(&self) -> Json {
        let mut frontmatter = json!({
            "name": self.name, "description": format!("Does {}.", self.name),
        });
        for line in self.fields.lines() {
            let (key, value) = line.split_once(": ").unwrap();
            frontmatter[key] = json!(value);
        }
        let files: Vec<Json> = self
            .files()
            .into_iter()
            .map(|(uri, text)| listed(&uri, &text))
            .collect();
        json!({"uri": self.uri(), "frontmatter": frontmatter, "resources": files})
    }
}

pub(super) fn listed(uri: &str, text: &str) -> Json {
    let digest = format!("sha256:{}", ContentHash::of(text.as_bytes()));
    json!({"uri": uri, "digest": digest, "size": text.len()})
}
