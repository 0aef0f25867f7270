//! A repository as a collection of plugins: where their manifests say that the skills are.
//!
//! Marketplaces of Codex, Claude Code and Cursor name plugins; a plugin of theirs, of Agent Plugins
//! 1.0.0 or an extension of Gemini can also be the repository itself. Manifests only say what
//! belongs together: a skill is found by its `SKILL.md` in any case, and a path that leaves the
//! repository is left out and named.

use serde::Deserialize;
use serde_json::Value;

/// Where a marketplace may lie; the first that is there counts, as in Codex.
const MARKETPLACES: [&str; 4] = [
    ".agents/plugins/marketplace.json",
    ".agents/plugins/api_marketplace.json",
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
];

/// Where the manifest of one plugin may lie; the first that is there counts.
const PLUGINS: [&str; 5] = [
    ".codex-plugin/plugin.json",
    ".claude-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "plugin.json",
    "gemini-extension.json",
];

/// What the root `plugin.json` of Agent Plugins says it is; others have a file of that name too.
const AGENT_PLUGINS: &str = "https://agent-plugins.org/schemas/";

/// More than any marketplace has.
const MOST_PLUGINS: usize = 5_000;

/// A plugin that a marketplace names and that lies elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePlugin {
    /// Its name in the marketplace.
    pub name: String,
    /// What `prowess add` takes for it; `None` for a package of npm.
    pub source: Option<String>,
}

/// The plugins of a repository.
#[derive(Debug, Default)]
pub(super) struct Collection {
    plugins: Vec<Plugin>,
    pub(super) remote: Vec<RemotePlugin>,
    pub(super) notes: Vec<String>,
}

#[derive(Debug)]
struct Plugin {
    name: String,
    /// Folders with its skills, or the skills themselves.
    folders: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Marketplace {
    #[serde(default)]
    metadata: Metadata,
    plugins: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    plugin_root: String,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    source: Value,
    #[serde(default)]
    skills: Value,
}

#[derive(Deserialize)]
struct Elsewhere {
    source: String,
    repo: Option<String>,
    url: Option<String>,
    path: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    sha: Option<String>,
}

#[derive(Deserialize)]
struct Manifest {
    name: Option<String>,
    #[serde(rename = "$schema")]
    schema: Option<String>,
    #[serde(default)]
    skills: Value,
}

/// Reads texts by their paths, in one request where they are elsewhere.
pub(super) type Read<'a> = dyn FnMut(&[String]) -> Vec<Option<String>> + 'a;

impl Collection {
    /// Reads the manifests below a folder of a repository.
    pub(super) fn read(top: &str, read: &mut Read<'_>) -> Self {
        let mut collection = Self::default();
        let at = |paths: &[&str]| -> Vec<String> { paths.iter().map(|it| join(top, it)).collect() };
        let paths = at(&MARKETPLACES);
        let texts = read(&paths);
        let first = paths
            .iter()
            .zip(texts)
            .find_map(|(path, text)| Some((path, text?)));
        let Some((path, text)) = first else {
            let plugin = Plugin {
                name: String::new(),
                folders: Vec::new(),
            };
            collection.take_manifests(vec![(plugin, top.to_owned())], read);
            return collection;
        };
        let marketplace: Marketplace = match serde_json::from_str(&text) {
            Ok(marketplace) => marketplace,
            Err(error) => {
                let note =
                    format!("`{path}` is no marketplace, so its plugins are not known: {error}");
                collection.notes.push(note);
                return collection;
            }
        };
        let mut local = Vec::new();
        for entry in marketplace.plugins.into_iter().take(MOST_PLUGINS) {
            let Ok(entry) = serde_json::from_value::<Entry>(entry) else {
                let note =
                    format!("`{path}` names a plugin without name or source, which is left out");
                collection.notes.push(note);
                continue;
            };
            local.extend(collection.place(top, &marketplace.metadata.plugin_root, entry));
        }
        collection.take_manifests(local, read);
        collection
    }

    /// Where a plugin lies in this repository; `None` for one that does not.
    fn place(&mut self, top: &str, base: &str, entry: Entry) -> Option<(Plugin, String)> {
        let elsewhere: Option<Elsewhere> = serde_json::from_value(entry.source.clone()).ok();
        let path = match (&entry.source, elsewhere) {
            (Value::String(path), _) if path.starts_with('.') => below(top, path),
            (Value::String(path), _) => below(top, base).and_then(|base| below(&base, path)),
            (_, Some(it)) if it.source == "local" => {
                below(top, it.path.as_deref().unwrap_or_default())
            }
            (_, Some(it)) => {
                self.remote.push(RemotePlugin {
                    source: it.as_source(),
                    name: entry.name,
                });
                return None;
            }
            _ => None,
        };
        let Some(path) = path else {
            let (name, source) = (&entry.name, &entry.source);
            self.notes.push(format!(
                "the plugin `{name}` lies at {source}, which is no path in this repository, so it is left out"
            ));
            return None;
        };
        let folders = self.folders(&entry.name, &path, &entry.skills);
        let plugin = Plugin {
            name: entry.name,
            folders,
        };
        Some((plugin, path))
    }

    /// The folders that a field `skills` names, below the plugin.
    fn folders(&mut self, plugin: &str, root: &str, skills: &Value) -> Vec<String> {
        let named: Vec<&str> = match skills {
            Value::String(one) => vec![one],
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut folders = Vec::new();
        for path in named {
            match below(root, path) {
                Some(folder) => folders.push(folder),
                None => self.notes.push(format!(
                    "the plugin `{plugin}` names skills at `{path}`, which leaves it, so they are left out"
                )),
            }
        }
        folders
    }

    /// Reads the manifests of plugins, in one request, and takes the plugins.
    fn take_manifests(&mut self, plugins: Vec<(Plugin, String)>, read: &mut Read<'_>) {
        let paths: Vec<String> = plugins
            .iter()
            .flat_map(|(_, root)| PLUGINS.iter().map(|it| join(root, it)))
            .collect();
        let texts = read(&paths);
        for ((mut plugin, root), texts) in plugins.into_iter().zip(texts.chunks(PLUGINS.len())) {
            let manifests = PLUGINS.iter().zip(texts).filter_map(|(path, text)| {
                let manifest: Manifest = serde_json::from_str(text.as_deref()?).ok()?;
                let known = manifest.schema.as_deref().unwrap_or_default();
                (*path != "plugin.json" || known.starts_with(AGENT_PLUGINS)).then_some(manifest)
            });
            // What the marketplace says about the skills stands alone.
            let alone = !plugin.folders.is_empty();
            if let Some(manifest) = manifests.into_iter().next() {
                if plugin.name.is_empty() {
                    plugin.name = manifest.name.unwrap_or_default();
                }
                if !alone {
                    plugin.folders = self.folders(&plugin.name, &root, &manifest.skills);
                }
            }
            if !alone {
                plugin.folders.push(join(&root, "skills"));
            }
            if !plugin.name.is_empty() {
                self.plugins.push(plugin);
            }
        }
    }

    /// The plugin that the skill in this folder belongs to: the one that names the nearest folder.
    pub(super) fn plugin_of(&self, skill: &str) -> Option<&str> {
        let around = |folder: &String| {
            folder.is_empty()
                || skill
                    .strip_prefix(folder.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let all = self.plugins.iter().flat_map(|plugin| {
            let near = plugin.folders.iter().filter(|it| around(it));
            near.map(|folder| (folder.len(), plugin.name.as_str()))
        });
        // Of equals the first that is named.
        all.rev().max_by_key(|it| it.0).map(|it| it.1)
    }
}

impl Elsewhere {
    /// As `prowess add` takes it.
    fn as_source(&self) -> Option<String> {
        let mut source = match (self.source.as_str(), &self.repo, &self.url) {
            ("github", Some(repository), _) => repository.clone(),
            (_, _, Some(url)) => url.clone(),
            _ => return None,
        };
        if let Some(path) = self.path.as_deref().and_then(|it| below("", it))
            && !path.is_empty()
        {
            let short = source
                .strip_prefix("https://github.com/")
                .unwrap_or(&source);
            let short = short.trim_end_matches(".git").trim_end_matches('/');
            if !short.contains(':') {
                source = format!("{short}/{path}");
            }
        }
        let at = self.sha.as_ref().or(self.reference.as_ref());
        Some(at.map_or(source.clone(), |at| format!("{source}#{at}")))
    }
}

fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// A path that a manifest names, below a folder; `None` where it leaves it.
fn below(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains(['\\', ':']) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/').filter(|it| !matches!(*it, "" | ".")) {
        if part == ".." {
            return None;
        }
        parts.push(part);
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
    fn check(files: &[(&str, &str)], skills: &[&str], expected: Expect) {
        let mut read = |paths: &[String]| -> Vec<Option<String>> {
            let text = |path: &String| {
                files
                    .iter()
                    .find(|it| it.0 == path)
                    .map(|it| it.1.to_owned())
            };
            paths.iter().map(text).collect()
        };
        let collection = Collection::read("", &mut read);
        let mut seen = String::new();
        for skill in skills {
            let plugin = collection.plugin_of(skill).unwrap_or("-");
            let _ = writeln!(seen, "{skill}: {plugin}");
        }
        for it in &collection.remote {
            let _ = writeln!(seen, "{} elsewhere: {:?}", it.name, it.source);
        }
        for note in &collection.notes {
            let _ = writeln!(seen, "note: {note}");
        }
        expected.assert_eq(&seen);
    }

    #[test]
    fn a_marketplace_says_whose_a_skill_is() {
        let marketplace = r#"{"name": "m", "owner": {"name": "o"}, "metadata": {"pluginRoot": "./plugins"}, "plugins": [
            {"name": "office", "source": "./", "strict": false, "skills": ["./skills/word", "./skills/excel"]},
            {"name": "web", "source": "web"},
            {"name": "deep", "source": {"source": "local", "path": "./deep"}},
            {"name": "far", "source": {"source": "github", "repo": "a/b", "sha": "1234"}},
            {"name": "sub", "source": {"source": "git-subdir", "url": "https://github.com/a/b.git", "path": "x/y", "ref": "v1"}},
            {"name": "url", "source": {"source": "url", "url": "https://git.example/a.git"}},
            {"name": "npm", "source": {"source": "npm", "package": "p"}},
            {"name": "out", "source": "../secret"},
            {"name": "reach", "source": "./reach", "skills": ["../../etc"]},
            {"nothing": 1}
        ]}"#;
        check(
            &[
                (".claude-plugin/marketplace.json", marketplace),
                (
                    "deep/.codex-plugin/plugin.json",
                    r#"{"name": "d", "skills": "./more"}"#,
                ),
            ],
            &[
                "skills/word",
                "skills/other",
                "plugins/web/skills/css",
                "deep/more/x/y",
                "deep/skills/z",
                "docs/a",
            ],
            expect![[r#"
                skills/word: office
                skills/other: -
                plugins/web/skills/css: web
                deep/more/x/y: deep
                deep/skills/z: deep
                docs/a: -
                far elsewhere: Some("a/b#1234")
                sub elsewhere: Some("a/b/x/y#v1")
                url elsewhere: Some("https://git.example/a.git")
                npm elsewhere: None
                note: the plugin `out` lies at "../secret", which is no path in this repository, so it is left out
                note: the plugin `reach` names skills at `../../etc`, which leaves it, so they are left out
                note: `.claude-plugin/marketplace.json` names a plugin without name or source, which is left out
            "#]],
        );
        check(
            &[(".claude-plugin/marketplace.json", "[]")],
            &["a"],
            expect![[r#"
                a: -
                note: `.claude-plugin/marketplace.json` is no marketplace, so its plugins are not known: invalid length 1, expected struct Marketplace with 2 elements at line 1 column 2
            "#]],
        );
    }

    #[test]
    fn a_repository_can_be_one_plugin() {
        let skills = ["skills/a", "b"];
        let agent = r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "kit"}"#;
        check(
            &[("plugin.json", agent)],
            &skills,
            expect![[r#"
            skills/a: kit
            b: -
        "#]],
        );
        check(
            &[("plugin.json", r#"{"name": "of another kind"}"#)],
            &skills,
            expect![[r#"
                skills/a: -
                b: -
            "#]],
        );
        check(
            &[(
                "gemini-extension.json",
                r#"{"name": "gem", "version": "1"}"#,
            )],
            &skills,
            expect![[r#"
                skills/a: gem
                b: -
            "#]],
        );
        check(
            &[(
                ".claude-plugin/plugin.json",
                r#"{"name": "cc", "skills": ["./b", "/etc"]}"#,
            )],
            &skills,
            expect![[r#"
                skills/a: cc
                b: cc
                note: the plugin `cc` names skills at `/etc`, which leaves it, so they are left out
            "#]],
        );
    }
}
