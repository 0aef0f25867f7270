//! The verdict of the reference validator: its words, in its order, nothing else.

use std::path::Path;

use prowess::{
    Layout, Skill,
    format::{Diagnostic, Position, Severity, Span},
};

use super::Checked;
use crate::files;

/// The reference reads files of any size; nobody writes larger ones.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Judges a skill that was found.
pub(super) fn judge(skill: &Skill) -> Vec<Diagnostic> {
    let named = skill.path().file_name().unwrap_or_default();
    // Other spellings are a hint to us and no skill to the reference.
    if skill.layout() == Layout::Folder && named != "SKILL.md" && named != "skill.md" {
        return vec![missing_file()];
    }
    let text = skill.document().text();
    // Text that is not UTF-8 is not in the document, and the reference has a word on it.
    let bytes = match text {
        "" => skill.reread(MOST_BYTES).unwrap_or_default(),
        text => text.as_bytes().to_vec(),
    };
    prowess_skills_ref::validate(&bytes, &folder_name(skill))
        .into_iter()
        .map(|finding| told(finding.message, finding.span, &bytes))
        .collect()
}

/// The folder's name as it was found, or as it really is for `.`.
fn folder_name(skill: &Skill) -> String {
    let named = skill.path().parent().and_then(Path::file_name);
    let folder = skill.directory();
    let folder = named.or_else(|| folder.as_deref().and_then(Path::file_name));
    folder.map_or_else(
        || skill.name().to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// What the reference says about a path before it looks for a skill there.
pub(super) fn refuses(path: &Path) -> Option<Checked> {
    let shown = path.display();
    let is_skill_file = || {
        let name = path.file_name().unwrap_or_default();
        name.eq_ignore_ascii_case("SKILL.md")
    };
    let message = if files::real_path(path).is_err() {
        format!("Path does not exist: {shown}")
    } else if !files::is_folder(path) && !is_skill_file() {
        format!("Not a directory: {shown}")
    } else {
        return None;
    };
    Some(checked(path, told(message, Span::at(0), b"")))
}

/// What the reference says about a folder without a skill.
pub(super) fn without_skill(path: &Path) -> Checked {
    checked(path, missing_file())
}

fn missing_file() -> Diagnostic {
    told(
        "Missing required file: SKILL.md".to_owned(),
        Span::at(0),
        b"",
    )
}

fn checked(path: &Path, diagnostic: Diagnostic) -> Checked {
    Checked {
        path: path.to_path_buf(),
        skill: None,
        diagnostics: vec![diagnostic],
    }
}

fn told(message: String, span: Span, bytes: &[u8]) -> Diagnostic {
    Diagnostic {
        code: "skills-ref",
        severity: Severity::Error,
        span,
        position: Position::of(bytes, span.start),
        message,
        help: None,
        fix: None,
    }
}
