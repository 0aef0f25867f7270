//! Who put a skill there: lock files of installers and plugin marketplaces near a place.
//!
//! `npx skills` writes `skills-lock.json` into a project and `.skill-lock.json` beside the user's
//! skills; plugins of Claude Code are listed in `.claude-plugin/marketplace.json`. They only say
//! where a skill came from. Nothing is decided by them, so one that cannot be read says nothing.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::Value;

use super::{
    Origin, Scope,
    disk::read_file,
    plugin::{self, MARKETPLACE, MOST_BYTES, below},
};

const LOCK_FILES: [&str; 2] = ["skills-lock.json", ".skill-lock.json"];

/// How far above a place such files lie: beside `.agents`, in which `skills` lies.
const LEVELS: usize = 3;

/// Where the skills of a place came from, as far as files near it say so.
#[derive(Debug, Clone, Default)]
pub(crate) struct Installed {
    /// By the name of a skill's folder.
    by_folder: HashMap<String, Arc<Installation>>,
    /// By the folders that plugins name, real and absolute.
    plugins: Vec<(PathBuf, Arc<Installation>)>,
}

/// Where one skill came from, and the file that says so.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Installation {
    pub(crate) from: String,
    pub(crate) record: PathBuf,
}

#[derive(Deserialize)]
struct LockFile {
    skills: HashMap<String, LockedSkill>,
}

#[derive(Deserialize)]
struct LockedSkill {
    source: String,
}

impl Installed {
    /// Reads what lies near a place: in it, beside the user's skills, and in the folders above as
    /// far as they are of its repository. Nothing else is opened.
    pub(crate) fn near(origin: &Origin) -> Self {
        let mut installed = Self::default();
        let Some(root) = origin.real_root.as_deref() else {
            return installed;
        };
        let top = match (&origin.repository, origin.scope) {
            (Some(repository), _) if root.starts_with(repository) => repository.as_path(),
            (_, Scope::User) => root.parent().unwrap_or(root),
            _ => root,
        };
        let near = root.ancestors().take(LEVELS);
        for folder in near.take_while(|it| it.starts_with(top)) {
            for name in LOCK_FILES {
                let record = folder.join(name);
                if let Some(lock) = read_lock(&record) {
                    for (skill, locked) in lock.skills {
                        let installation = Installation {
                            from: locked.source,
                            record: record.clone(),
                        };
                        let entry = installed.by_folder.entry(skill);
                        entry.or_insert_with(|| Arc::new(installation));
                    }
                }
            }
            let record = folder.join(MARKETPLACE);
            if let Some(marketplace) = plugin::read(&record) {
                installed.take_plugins(folder, &record, &marketplace);
            }
        }
        installed
    }

    fn take_plugins(&mut self, folder: &Path, record: &Path, marketplace: &Value) {
        let Some(name) = plugin::text(marketplace, "name") else {
            return;
        };
        for entry in plugin::plugins(marketplace) {
            let own = plugin::text(entry, "source").and_then(|it| below(folder, it));
            let (Some(own), Some(plugin)) = (own, plugin::text(entry, "name")) else {
                continue;
            };
            let from = Arc::new(Installation {
                from: format!("plugin {plugin} of {name}"),
                record: record.to_path_buf(),
            });
            let skills = plugin::paths(entry, "skills");
            if skills.is_empty() {
                self.plugins.push((own, from));
                continue;
            }
            let skills = skills.into_iter().filter_map(|it| below(&own, it));
            self.plugins
                .extend(skills.map(|path| (path, Arc::clone(&from))));
        }
    }

    /// Whether nothing near the place says anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_folder.is_empty() && self.plugins.is_empty()
    }

    /// Where the skill in this folder came from; the nearest plugin counts.
    pub(crate) fn from(&self, folder: &Path) -> Option<Arc<Installation>> {
        let name = folder.file_name()?.to_str()?;
        if let Some(source) = self.by_folder.get(name) {
            return Some(Arc::clone(source));
        }
        let around = self.plugins.iter().filter(|it| folder.starts_with(&it.0));
        let nearest = around.max_by_key(|it| it.0.as_os_str().len());
        nearest.map(|it| Arc::clone(&it.1))
    }
}

fn read_lock(path: &Path) -> Option<LockFile> {
    serde_json::from_slice(&read_file(path, MOST_BYTES)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tree;

    #[test]
    fn lock_files_and_marketplaces_say_where_a_skill_came_from() {
        let tree = Tree::new()
            .skill("home/.agents/skills/pdf")
            .file(
                "home/.agents/.skill-lock.json",
                r#"{"version": 3, "skills": {"pdf": {"source": "anthropics/skills", "sourceType": "github"}}}"#,
            )
            .file(
                "work/skills-lock.json",
                r#"{"version": 1, "skills": {"sql": {"source": "acme/skills"}}}"#,
            )
            .file("work/.agents/skills-lock.json", "no JSON")
            .file(
                "market/.claude-plugin/marketplace.json",
                r#"{"name": "tools", "plugins": [
                    {"name": "office", "source": "./", "skills": ["./skills/word"]},
                    {"name": "web", "source": "./plugins/web"},
                    {"name": "all", "source": "./more", "skills": "./skills"},
                    {"name": "far", "source": {"source": "github", "repo": "a/b"}},
                    {"name": "out", "source": "../secret"}
                ]}"#,
            );
        let from = |root: &str, folder: &str| {
            let home = root.starts_with("home");
            let scope = if home { Scope::User } else { Scope::Project };
            let origin = Origin {
                real_root: Some(tree.at(root)),
                repository: (!home).then(|| tree.at(root.split('/').next().unwrap())),
                ..Origin::new(scope, "agents", root)
            };
            let found = Installed::near(&origin).from(&tree.at(folder));
            found.map_or("-".to_owned(), |it| {
                let record = it.record.strip_prefix(tree.root()).unwrap();
                format!("{}, says {}", it.from, record.display())
            })
        };
        let home = "home/.agents/skills";
        assert_eq!(
            from(home, "home/.agents/skills/pdf"),
            "anthropics/skills, says home/.agents/.skill-lock.json"
        );
        assert_eq!(from(home, "home/.agents/skills/own"), "-");
        let work = "work/.agents/skills";
        assert_eq!(
            from(work, "work/.agents/skills/sql"),
            "acme/skills, says work/skills-lock.json"
        );
        assert_eq!(
            from("market", "market/skills/word"),
            "plugin office of tools, says market/.claude-plugin/marketplace.json"
        );
        assert_eq!(from("market", "market/skills/excel"), "-");
        assert_eq!(
            from("market", "market/more/skills/tar"),
            "plugin all of tools, says market/.claude-plugin/marketplace.json"
        );
        let web = "market/plugins/web/skills/css";
        assert_eq!(
            from("market", web),
            "plugin web of tools, says market/.claude-plugin/marketplace.json"
        );
    }
}
