//! What a client lists: its entries, and which of two with one name it keeps.

use std::path::Path;

use super::{
    budget::{self, Share},
    loader::{self, Entry, Reading},
    scan::Found,
};
use crate::source::clients::rules::{Answer, Rules, SameName, Tier};

/// A file that a client finds, and what it makes of it.
#[derive(Debug, Clone)]
pub struct Listed {
    pub(super) found: Found,
    /// `None` where a rule that reading takes is not known.
    pub(super) reading: Option<Reading>,
    pub(super) rivals: Rivals,
    pub(super) share: Share,
}

/// What becomes of a skill whose name another has too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rivals {
    /// No other has it, or the client keeps this one.
    None,
    /// The client keeps this one and the other.
    Both,
    /// The client keeps the other.
    Lost { to: usize },
    /// The same file was taken from another folder.
    Again { from: usize },
    /// Nobody knows which one it keeps.
    Unknown,
}

impl Listed {
    /// Where the client finds it.
    pub fn path(&self) -> &Path {
        &self.found.path
    }

    /// What the client would list; `None` where it leaves the file out or nobody knows.
    pub fn entry(&self) -> Option<&Entry> {
        self.reading.as_ref()?.as_ref().ok()
    }

    /// The name there, or nothing.
    pub fn name(&self) -> &str {
        self.entry().map_or("", |entry| &entry.name)
    }

    /// The description that the model's list shows, within its room.
    pub fn description(&self) -> &str {
        match (self.entry(), self.share) {
            (Some(entry), Share::Whole) => &entry.description,
            (Some(entry), Share::Part(characters)) => {
                let cut = entry.description.char_indices().nth(characters);
                &entry.description[..cut.map_or(entry.description.len(), |(at, _)| at)]
            }
            _ => "",
        }
    }

    /// Whether the list of skills has room for its whole description.
    pub fn is_whole(&self) -> bool {
        self.share == Share::Whole
    }

    /// Whether the client keeps it, for the model or for the user.
    pub fn is_offered(&self) -> bool {
        let kept = !matches!(self.rivals, Rivals::Lost { .. } | Rivals::Again { .. });
        kept && self.entry().is_some_and(|entry| entry.model || entry.user)
    }

    /// Whether it lies in a folder of the project.
    pub fn is_project(&self) -> bool {
        self.found.tier == Tier::Project
    }

    /// What became of it, in the words of `list`.
    pub fn state(&self) -> &'static str {
        match (&self.reading, &self.rivals) {
            (None | Some(Err(_)), _) => "broken",
            (_, Rivals::Lost { .. } | Rivals::Again { .. }) => "shadowed",
            (Some(Ok(entry)), _) if !entry.model || entry.waits => "hidden",
            _ => "active",
        }
    }

    /// Whether it is known that the client keeps it.
    pub fn is_certain(&self) -> bool {
        self.rivals != Rivals::Unknown
    }
}

/// Reads what was found, and settles which of two is kept.
pub(super) fn list(rules: &Rules, found: Vec<Found>) -> Vec<Listed> {
    let mut files: Vec<Listed> = found
        .into_iter()
        .map(|found| {
            let folder = found.path.parent().and_then(Path::file_name);
            let folder = folder.unwrap_or_default().to_string_lossy().into_owned();
            Listed {
                reading: loader::read(rules, &found.bytes, &folder),
                found: Found {
                    bytes: Vec::new(),
                    ..found
                },
                rivals: Rivals::None,
                share: Share::Whole,
            }
        })
        .collect();
    for at in 0..files.len() {
        files[at].rivals = rivals(rules, &files, at);
    }
    budget::share(rules, &mut files);
    files
}

fn rivals(rules: &Rules, files: &[Listed], at: usize) -> Rivals {
    let own = &files[at];
    let Some(entry) = own.entry() else {
        return Rivals::None;
    };
    // One file that is found twice is one skill, where the client says so or the name does.
    let order = |it: &Listed| rank(rules, it);
    let earlier = files.iter().enumerate().filter(|(other, it)| {
        let once = match rules.same_file {
            Some(Answer::Skipped) => true,
            _ => it.name() == entry.name && rules.same_name != Some(SameName::Both),
        };
        once && it.found.real == own.found.real
            && it.entry().is_some()
            && (order(it), *other) < (order(own), at)
    });
    if let Some((from, _)) = earlier.min_by_key(|(other, it)| (order(it), *other)) {
        return Rivals::Again { from };
    }
    let mut worst = Rivals::None;
    for (other, it) in files.iter().enumerate() {
        let same = it.entry().is_some_and(|it| it.name == entry.name);
        let one_folder = it.found.root == own.found.root;
        // Two ways to one file are no rivals where the client keeps one of them: it is the same.
        let one_file = it.found.real == own.found.real
            && (one_folder || rules.same_name != Some(SameName::Both));
        if other == at || !same || one_file {
            continue;
        }
        let rule = if one_folder {
            rules.same_folder
        } else {
            rules.same_name
        };
        let here = match rule {
            None | Some(SameName::Varies) => Rivals::Unknown,
            Some(SameName::Both) => Rivals::Both,
            Some(SameName::First | SameName::UserFirst | SameName::Last) => {
                let before = (rank(rules, it), other) < (rank(rules, own), at);
                let wins = before != (rule == Some(SameName::Last));
                if wins {
                    Rivals::Lost { to: other }
                } else {
                    Rivals::None
                }
            }
        };
        worst = match (worst, here) {
            (lost @ Rivals::Lost { .. }, _) | (_, lost @ Rivals::Lost { .. }) => lost,
            (Rivals::Unknown, _) | (_, Rivals::Unknown) => Rivals::Unknown,
            (Rivals::Both, _) | (_, Rivals::Both) => Rivals::Both,
            (_, none) => none,
        };
    }
    worst
}

/// Where a file stands in the order of precedence; the lowest comes first.
fn rank(rules: &Rules, file: &Listed) -> (bool, usize) {
    let user_first = rules.same_name == Some(SameName::UserFirst);
    (
        user_first && file.found.tier == Tier::Project,
        file.found.root,
    )
}
