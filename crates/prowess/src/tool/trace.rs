//! What observers are told when a skill is put to use.

use std::fmt::Write as _;

use crate::{activate::Reason, ledger::Loaded, skill::Skill};

/// Where a skill comes from, as a URI: its file, or its place in a source that is not on disk.
pub fn source_uri(skill: &Skill) -> String {
    if let Some(remote) = skill.remote() {
        return remote.uri.clone();
    }
    let path = skill.absolute_path();
    let (mut uri, path) = if skill.origin().real_root.is_some() {
        ("file://".to_owned(), path)
    } else {
        ("skill://".to_owned(), skill.origin().root.join(path))
    };
    let path = path.to_string_lossy().replace('\\', "/");
    // `C:/skills` needs a slash before it.
    if uri == "file://" && !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.trim_start_matches("./").bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// Tells observers that a skill is active.
pub(super) fn loaded(skill: &Skill, reason: Reason, loaded: &Loaded) {
    tracing::info!(
        gen_ai.skill.name = skill.name(),
        gen_ai.skill.source.uri = source_uri(skill),
        gen_ai.skill.trigger = reason.as_str(),
        gen_ai.skill.already_active = matches!(loaded, Loaded::Already),
        "skill loaded"
    );
}
