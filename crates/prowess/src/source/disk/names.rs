//! Which files look like a skill and which folders are searched, by their names alone.

use std::ffi::OsStr;

use prowess_format::convention::is_convention_file;

use crate::source::Layout;

/// The file of a skill, as the standard spells it.
pub(super) const SKILL_FILE: &str = "SKILL.md";

/// Whether a file is called `SKILL.md`, in any spelling.
pub(super) fn is_skill_file(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE)
}

/// Whether a file was probably meant to be called `SKILL.md`.
pub(super) fn is_misnamed(name: &OsStr) -> bool {
    [
        "skill.markdown",
        "skill.mdx",
        "skill.md.txt",
        "skill.txt",
        "skills.md",
    ]
    .iter()
    .any(|near| name.eq_ignore_ascii_case(near))
}

/// Whether a file is a convention file.
pub(super) fn is_convention(name: &OsStr, at_root: bool) -> bool {
    name.to_str()
        .is_some_and(|name| is_convention_file(name, at_root))
}

/// Whether a file is Markdown.
pub(super) fn is_markdown(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes.len() > 3 && bytes[bytes.len() - 3..].eq_ignore_ascii_case(b".md")
}

/// Whether a layout wants to look at a file that is no `SKILL.md`. Beside skill folders, a
/// Markdown file may be a skill whose author forgot the folder.
pub(super) fn is_wanted(name: &OsStr, layout: Layout, depth: usize) -> bool {
    match layout {
        Layout::Folder => depth == 0 && is_markdown(name) && !is_convention(name, true),
        Layout::Flat => is_markdown(name),
        Layout::Convention => is_convention(name, depth == 0),
        Layout::Record => false,
    }
}

/// The stores of version control: nobody keeps a skill there on purpose.
const HISTORY: [&str; 3] = [".git", ".hg", ".svn"];

/// Build output and installed packages.
const OUTPUT: [&str; 6] = [
    "target",
    "node_modules",
    ".next",
    "dist",
    "build",
    "coverage",
];

/// Where Codex unpacks skills of its own among those of its user (seen with 0.166.0): they are not
/// the user's, and every other client would be offered them.
pub(super) const BUNDLED: &str = ".system";

/// Whether a folder of this name is not searched. Only a folder below the root counts: the root
/// itself may lie anywhere.
pub(super) fn is_ignored(name: &OsStr) -> bool {
    is_one_of(name, &HISTORY) || is_one_of(name, &OUTPUT) || name == BUNDLED
}

/// Whether a folder is the store of a version control system.
pub(super) fn is_history(name: &OsStr) -> bool {
    is_one_of(name, &HISTORY)
}

/// Whether a folder is called like build output. Somebody may call a skill so.
pub(super) fn is_output(name: &OsStr) -> bool {
    is_one_of(name, &OUTPUT)
}

fn is_one_of(name: &OsStr, names: &[&str]) -> bool {
    names.iter().any(|known| name == *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_what_is_looked_at() {
        let name = |text: &'static str| OsStr::new(text);
        assert!(is_skill_file(name("skill.MD")));
        assert!(!is_skill_file(name("SKILLS.md")));
        assert!(is_wanted(name("a.md"), Layout::Flat, 3));
        assert!(!is_wanted(name(".md"), Layout::Flat, 3));
        assert!(is_wanted(name("AGENTS.md"), Layout::Convention, 3));
        assert!(is_wanted(name("SOUL.md"), Layout::Convention, 0));
        assert!(!is_wanted(name("SOUL.md"), Layout::Convention, 1));
        assert!(!is_wanted(name("agents.md"), Layout::Convention, 0));
    }
}
