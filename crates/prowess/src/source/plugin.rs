//! Manifests of plugins, as Claude Code reads them: a marketplace lists plugins, a plugin says
//! where its skills are. Codex and `npx skills` read the same files.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::disk::read_file;

/// The list of plugins of a repository.
pub(crate) const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// What one plugin brings.
pub(crate) const PLUGIN: &str = ".claude-plugin/plugin.json";

/// More than any real one has; a thousand plugins make some 300 KB.
pub(crate) const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Reads a manifest; `None` where there is none that could be read.
pub(crate) fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&read_file(path, MOST_BYTES)?).ok()
}

/// The plugins of a marketplace.
pub(crate) fn plugins(marketplace: &Value) -> impl Iterator<Item = &Value> {
    let plugins = marketplace.get("plugins").and_then(Value::as_array);
    plugins.into_iter().flatten()
}

/// The text of a field.
pub(crate) fn text<'a>(manifest: &'a Value, key: &str) -> Option<&'a str> {
    manifest.get(key)?.as_str()
}

/// The paths of a field that holds one or a list of them.
pub(crate) fn paths<'a>(manifest: &'a Value, key: &str) -> Vec<&'a str> {
    match manifest.get(key) {
        Some(Value::String(path)) => vec![path],
        Some(Value::Array(paths)) => paths.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A path that a manifest names, below the folder it speaks of.
pub(crate) fn below(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut below = folder.to_path_buf();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => below.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(below)
}
