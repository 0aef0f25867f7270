//! Folders that are not searched, and the short look that tells what they hide.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use prowess_format::{Severity, rules};

use super::{
    handle::{Buffers, Folder, Kind},
    names::is_skill_file,
    walk::{Walk, Worker},
};
use crate::{
    display::{display_path, display_text},
    source::{Layout, note},
};

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
    pub(super) fn peek(&self, worker: &mut Worker<'_>, parent: &F, path: &Path, name: &OsStr) {
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
        // A folder that can not be listed shows nothing, and nothing is claimed about it.
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
