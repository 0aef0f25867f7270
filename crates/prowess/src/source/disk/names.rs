//! Which files look like a skill and which folders are searched, by their names alone; and the
//! short look that finds what the others hide.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use prowess_format::{Severity, convention::is_convention_file, rules};

use super::{
    handle::{Buffers, Folder, Kind},
    walk::{Walk, Worker},
};
use crate::{
    display::{display_path, display_text},
    source::{Layout, note},
};

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
const BUNDLED: &str = ".system";

/// How far the look goes: a package's skills lie not deeper, and five thousand entries take a
/// few milliseconds.
const DEPTH: usize = 8;
const ENTRIES: usize = 5_000;

/// Whether a folder of this name is not searched. Only a folder below the root counts: the root
/// itself may lie anywhere.
pub(super) fn is_ignored(name: &OsStr) -> bool {
    is_one_of(name, &HISTORY) || is_one_of(name, &OUTPUT) || name == BUNDLED
}

/// Whether a folder is the store of a version control system.
pub(super) fn is_history(name: &OsStr) -> bool {
    is_one_of(name, &HISTORY)
}

fn is_one_of(name: &OsStr, names: &[&str]) -> bool {
    names.iter().any(|known| name == *known)
}

impl<F: Folder> Walk<'_, F> {
    /// Looks a little way into an ignored folder, so that a skill in it is not lost in silence.
    pub(super) fn peek(&self, worker: &mut Worker, parent: &F, path: &Path, name: &OsStr) {
        if self.source.layout == Layout::Convention || name == BUNDLED {
            return;
        }
        let Ok(folder) = parent.child(name) else {
            return;
        };
        let history = is_history(name);
        let mut peek = Peek {
            buffers: &mut worker.buffers,
            left: ENTRIES,
            whole: true,
            found: Vec::new(),
        };
        peek.look(&folder, path, if history { 0 } else { DEPTH });
        let Peek {
            whole, mut found, ..
        } = peek;
        found.sort();
        let shown = display_text(&name.to_string_lossy());
        for skill in found {
            self.tell(
                worker,
                &rules::ignored_folder::RULE,
                &skill,
                format!(
                    "`{}` is not loaded: folders named `{shown}` are not searched",
                    display_path(&skill)
                ),
                "move the skill, or name its folder directly",
            );
        }
        if !whole && !history {
            let message = format!(
                "`{}` is not searched: it is named `{shown}`, and too large for more than a look",
                display_path(path)
            );
            let help = "name the folder directly if it holds skills";
            let told = note(
                &rules::ignored_folder::RULE,
                self.request.profile,
                message,
                help,
            );
            if let Some(mut diagnostic) = told {
                // Nothing is known to be lost.
                diagnostic.severity = Severity::Hint;
                worker.push(path, diagnostic);
            }
        }
    }
}

struct Peek<'a> {
    buffers: &'a mut Buffers,
    /// Entries that may still be looked at.
    left: usize,
    /// Whether everything was seen.
    whole: bool,
    found: Vec<PathBuf>,
}

impl Peek<'_> {
    fn look<F: Folder>(&mut self, folder: &F, path: &Path, depth: usize) {
        let mut folders = Vec::new();
        let (left, whole, found) = (&mut self.left, &mut self.whole, &mut self.found);
        // A folder that cannot be listed shows nothing, and nothing is claimed about it.
        let _ = folder.entries(self.buffers, &mut |name, kind| {
            *whole &= *left > 0;
            *left = left.saturating_sub(1);
            if kind == Kind::Folder {
                folders.push(name.to_os_string());
            } else if is_skill_file(name) {
                found.push(path.join(name));
            }
            *whole
        });
        if depth == 0 {
            self.whole &= folders.is_empty();
            return;
        }
        for name in folders {
            if !self.whole {
                return;
            }
            if let Ok(child) = folder.child(&name) {
                self.look(&child, &path.join(&name), depth - 1);
            }
        }
    }
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
