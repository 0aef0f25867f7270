//! Judges the plugin manifests that skills depend on.
//!
//! What is an error was asked of Claude Code 2.1.325 on 2026-11-18: its `plugin validate` refuses
//! the manifest, its `plugin install` fails, or the plugin "failed to load". A skill path of a
//! marketplace that is not there passes its validator and fails after the install.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use prowess_format::{Diagnostic, Position, Profile, Rule, Span, rules};
use serde_json::Value;

use crate::{
    catalog::Catalog,
    source::{
        Finding,
        disk::{read_file, real_path},
        note,
        plugin::{self, MARKETPLACE, MOST_BYTES, PLUGIN, below},
    },
};

/// Judges every plugin manifest around the skills of a catalog, up to the top of the repository or
/// of the place they were found in.
pub fn check_plugins(catalog: &Catalog, profile: Profile) -> Vec<Finding> {
    let mut folders = BTreeSet::new();
    for skill in catalog.skills() {
        let (Some(real), Some(root)) = (skill.real_path(), &skill.origin().real_root) else {
            continue;
        };
        let top = skill.origin().repository.as_ref().unwrap_or(root);
        // The folders above are known once one of them is.
        for folder in real.ancestors().take_while(|it| it.starts_with(top)) {
            if !folders.insert(folder.to_path_buf()) {
                break;
            }
        }
    }
    let mut findings = Vec::new();
    // A plugin without skills of its own is known by its marketplace alone.
    let mut plugins = folders.clone();
    for folder in &folders {
        if let Some(manifest) = Manifest::read(folder, MARKETPLACE, profile, &mut findings) {
            manifest.check_marketplace(&mut plugins, &mut findings);
        }
    }
    for folder in &plugins {
        if let Some(manifest) = Manifest::read(folder, PLUGIN, profile, &mut findings) {
            manifest.check_plugin(&mut findings);
        }
    }
    findings
}

/// A manifest, the folder it speaks of, and its text to find places in.
struct Manifest {
    folder: PathBuf,
    path: PathBuf,
    text: String,
    value: Value,
    profile: Profile,
}

impl Manifest {
    /// Reads a manifest of a folder, and reports one that is no JSON object.
    fn read(
        folder: &Path,
        name: &str,
        profile: Profile,
        findings: &mut Vec<Finding>,
    ) -> Option<Self> {
        let path = folder.join(name);
        let bytes = read_file(&path, MOST_BYTES)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (value, fault) = match serde_json::from_str::<Value>(&text) {
            Ok(value) if value.is_object() => (value, None),
            Ok(_) => (Value::Null, Some((0, "it is no object".to_owned()))),
            Err(error) => {
                let line = text.split_inclusive('\n').take(error.line().max(1) - 1);
                let start: usize = line.map(str::len).sum();
                let at = (start + error.column().max(1) - 1).min(text.len());
                (Value::Null, Some((at, format!("{error}"))))
            }
        };
        let manifest = Self {
            folder: folder.to_path_buf(),
            path,
            text,
            value,
            profile,
        };
        match fault {
            None => Some(manifest),
            Some((at, fault)) => {
                manifest.report(
                    at,
                    &rules::plugin_manifest::RULE,
                    format!("the manifest is not read, so Claude Code offers none of its skills: {fault}"),
                    "write it as one JSON object",
                    findings,
                );
                None
            }
        }
    }

    fn check_marketplace(&self, plugins: &mut BTreeSet<PathBuf>, findings: &mut Vec<Finding>) {
        self.check_fields(&["name", "owner", "plugins"], findings);
        // Bare names lie below it.
        let root = self.value.pointer("/metadata/pluginRoot");
        let root = root.and_then(Value::as_str);
        let mut names = HashSet::new();
        for entry in plugin::plugins(&self.value) {
            let Some(name) = plugin::text(entry, "name") else {
                self.report(
                    0,
                    &rules::plugin_manifest::RULE,
                    "a plugin has no `name`, so Claude Code refuses the whole marketplace",
                    "give each plugin a name of its own",
                    findings,
                );
                continue;
            };
            if !is_plugin_name(name) {
                self.report(
                    self.find(name),
                    &rules::plugin_manifest::RULE,
                    format!("Claude Code does not install a plugin called `{name}`"),
                    "use letters, digits, `.`, `_` and `-`, and start with a letter or a digit",
                    findings,
                );
            }
            if !names.insert(name) {
                self.report(
                    self.find_last(name),
                    &rules::plugin_manifest::RULE,
                    format!(
                        "two plugins are called `{name}`, so Claude Code refuses the marketplace"
                    ),
                    "give each plugin a name of its own",
                    findings,
                );
            }
            let Some(source) = plugin::text(entry, "source") else {
                continue;
            };
            let prefixed = match root {
                Some(root) if !source.starts_with('.') => format!("{root}/{source}"),
                _ => source.to_owned(),
            };
            let Some(own) = self.check_path(&self.folder, &prefixed, source, "source", findings)
            else {
                continue;
            };
            for path in plugin::paths(entry, "skills") {
                self.check_path(&own, path, path, "skills", findings);
            }
            if let Some(other) = plugin::read(&own.join(PLUGIN)) {
                self.check_agreement(entry, &other, findings);
            }
            plugins.insert(own);
        }
    }

    fn check_plugin(&self, findings: &mut Vec<Finding>) {
        self.check_fields(&["name"], findings);
        for path in plugin::paths(&self.value, "skills") {
            self.check_path(&self.folder, path, path, "skills", findings);
        }
    }

    fn check_fields(&self, keys: &[&str], findings: &mut Vec<Finding>) {
        for key in keys {
            if self.value.get(key).is_none() {
                self.report(
                    0,
                    &rules::plugin_manifest::RULE,
                    format!("`{key}` is missing, so Claude Code refuses the manifest"),
                    format!("add `\"{key}\"`"),
                    findings,
                );
            }
        }
    }

    /// A path that is written as Claude Code asks and leads to something inside `folder`.
    fn check_path(
        &self,
        folder: &Path,
        path: &str,
        written: &str,
        key: &str,
        findings: &mut Vec<Finding>,
    ) -> Option<PathBuf> {
        let at = self.find(written);
        let below = below(folder, path).filter(|_| path == "." || path.starts_with("./"));
        let Some(below) = below else {
            self.report(
                at,
                &rules::plugin_manifest::RULE,
                format!("the path `{written}` in `{key}` is refused by Claude Code"),
                "write it from the folder above `.claude-plugin`, as `./folder`",
                findings,
            );
            return None;
        };
        let inside = real_path(&below).is_ok_and(|real| real.starts_with(folder));
        if !inside {
            self.report(
                at,
                &rules::plugin_manifest::RULE,
                format!(
                    "`{written}` in `{key}` is not there, so Claude Code does not load the plugin"
                ),
                "correct the path, or take it out",
                findings,
            );
            return None;
        }
        Some(below)
    }

    /// Where a marketplace and the plugin itself say different things, the plugin is believed.
    fn check_agreement(&self, entry: &Value, own: &Value, findings: &mut Vec<Finding>) {
        for key in ["name", "version"] {
            let (Some(listed), Some(own)) = (plugin::text(entry, key), plugin::text(own, key))
            else {
                continue;
            };
            if listed != own {
                self.report(
                    self.find(listed),
                    &rules::plugin_mismatch::RULE,
                    format!("the marketplace has the {key} `{listed}`, the plugin itself `{own}`"),
                    format!("write `{own}` here, or change the plugin's own manifest"),
                    findings,
                );
            }
        }
    }

    /// Where a text first stands as a value, else the start.
    fn find(&self, text: &str) -> usize {
        self.values(text).next().unwrap_or(0)
    }

    fn find_last(&self, text: &str) -> usize {
        self.values(text).last().unwrap_or(0)
    }

    /// The places of a text in quotes that is no key.
    fn values(&self, text: &str) -> impl Iterator<Item = usize> {
        let quoted = format!("\"{text}\"");
        let places: Vec<usize> = self.text.match_indices(&quoted).map(|it| it.0).collect();
        let is_value = move |at: &usize| {
            let after = self.text[at + quoted.len()..].trim_start();
            !after.starts_with(':')
        };
        places.into_iter().filter(is_value)
    }

    fn report(
        &self,
        at: usize,
        rule: &'static Rule,
        message: impl Into<String>,
        help: impl Into<String>,
        findings: &mut Vec<Finding>,
    ) {
        let diagnostic = note(rule, self.profile, message, help);
        findings.extend(diagnostic.map(|diagnostic| Finding {
            path: self.path.clone(),
            diagnostic: Diagnostic {
                span: Span::at(at),
                position: Position::of(self.text.as_bytes(), at),
                ..diagnostic
            },
        }));
    }
}

/// Whether Claude Code installs a plugin of this name.
fn is_plugin_name(name: &str) -> bool {
    let letter = |char: char| char.is_ascii_alphanumeric();
    name.starts_with(letter)
        && name
            .chars()
            .all(|it| letter(it) || matches!(it, '.' | '_' | '-'))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::Tree;

    fn check(marketplace: &str, plugin: &str, expected: &Expect) {
        let mut tree = Tree::new().skill("skills/pdf");
        for (path, text) in [(MARKETPLACE, marketplace), (PLUGIN, plugin)] {
            if !text.is_empty() {
                tree = tree.file(path, text);
            }
        }
        let catalog = Catalog::from_dirs([tree.root()]);
        let findings = check_plugins(&catalog, Profile::Standard);
        let shown = findings.iter().map(|it| {
            let path = it.path.strip_prefix(tree.root()).unwrap_or(&it.path);
            format!("{}:{}\n", path.display(), it.diagnostic)
        });
        expected.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn manifests_that_lead_to_their_skills_are_fine() {
        check(
            r#"{"name": "tools", "owner": {"name": "a"}, "plugins": [
                {"name": "office", "source": "./", "skills": ["./skills/pdf"]},
                {"name": "far", "source": {"source": "github", "repo": "a/b"}}
            ]}"#,
            r#"{"name": "office", "skills": "./skills"}"#,
            &expect![[r#""#]],
        );
    }

    #[test]
    fn what_claude_code_refuses_is_an_error() {
        check(
            r#"{"name": "tools", "plugins": [
                {"name": "office", "source": "./", "skills": ["./skills/gone"]},
                {"name": "office", "source": "./plugins/none"},
                {"name": "My Tools", "source": "skills"},
                {"name": "up", "source": "../x"}
            ]}"#,
            r#"{"version": "1.0.0", "skills": ["extra"]}"#,
            &expect![[r#"
                .claude-plugin/marketplace.json:1:1: error[plugin-manifest]: `owner` is missing, so Claude Code refuses the manifest
                .claude-plugin/marketplace.json:2:63: error[plugin-manifest]: `./skills/gone` in `skills` is not there, so Claude Code does not load the plugin
                .claude-plugin/marketplace.json:3:26: error[plugin-manifest]: two plugins are called `office`, so Claude Code refuses the marketplace
                .claude-plugin/marketplace.json:3:46: error[plugin-manifest]: `./plugins/none` in `source` is not there, so Claude Code does not load the plugin
                .claude-plugin/marketplace.json:4:26: error[plugin-manifest]: Claude Code does not install a plugin called `My Tools`
                .claude-plugin/marketplace.json:4:48: error[plugin-manifest]: the path `skills` in `source` is refused by Claude Code
                .claude-plugin/marketplace.json:5:42: error[plugin-manifest]: the path `../x` in `source` is refused by Claude Code
                .claude-plugin/plugin.json:1:1: error[plugin-manifest]: `name` is missing, so Claude Code refuses the manifest
                .claude-plugin/plugin.json:1:33: error[plugin-manifest]: the path `extra` in `skills` is refused by Claude Code
            "#]],
        );
        check(
            "{\"name\":\n  nothing}",
            "[]",
            &expect![[r#"
            .claude-plugin/marketplace.json:2:4: error[plugin-manifest]: the manifest is not read, so Claude Code offers none of its skills: expected ident at line 2 column 4
            .claude-plugin/plugin.json:1:1: error[plugin-manifest]: the manifest is not read, so Claude Code offers none of its skills: it is no object
        "#]],
        );
    }

    #[test]
    fn a_marketplace_and_its_plugin_agree() {
        check(
            r#"{"name": "tools", "owner": {"name": "a"}, "plugins": [
                {"name": "office", "source": "./", "version": "2.0.0"}
            ]}"#,
            r#"{"name": "word", "version": "1.0.0"}"#,
            &expect![[r#"
                .claude-plugin/marketplace.json:2:26: warning[plugin-mismatch]: the marketplace has the name `office`, the plugin itself `word`
                .claude-plugin/marketplace.json:2:63: warning[plugin-mismatch]: the marketplace has the version `2.0.0`, the plugin itself `1.0.0`
            "#]],
        );
    }
}
