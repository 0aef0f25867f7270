//! The room that a client gives to its list of skills.

use super::listing::{Listed, Rivals};
use crate::source::clients::rules::{Budget, Over, Room, Rules};

/// How much of a description the list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    Whole,
    /// So many characters of it.
    Part(usize),
    /// Only the name.
    Name,
    /// Not even the name.
    Nothing,
}

/// Divides the room of the list.
pub(super) fn share(rules: &Rules, files: &mut [Listed]) {
    let Some(Budget::Room(room)) = &rules.budget else {
        return;
    };
    let listed: Vec<usize> = (0..files.len())
        .filter(|&at| {
            let kept = !matches!(files[at].rivals, Rivals::Lost { .. } | Rivals::Again { .. });
            kept && files[at]
                .entry()
                .is_some_and(|entry| entry.model && !entry.waits)
        })
        .collect();
    if needed(room, files) <= room.characters as usize {
        return;
    }
    let name = |file: &Listed| file.name().chars().count() + room.each as usize + path(room, file);
    let text = |file: &Listed| {
        file.entry()
            .map_or(0, |entry| entry.description.chars().count())
    };
    let all = room.characters as usize;
    let names: usize = listed.iter().map(|&at| name(&files[at])).sum();
    match room.over {
        Over::WholeOrNothing => {
            let mut left = all.saturating_sub(names + room.taken as usize);
            for at in listed {
                let length = text(&files[at]);
                if length <= left {
                    left -= length;
                } else {
                    files[at].share = Share::Name;
                }
            }
        }
        Over::NamesOnly => {
            let mut used = room.taken as usize;
            let mut full = false;
            for at in listed {
                used += name(&files[at]) + text(&files[at]);
                full = full || used > all;
                if full {
                    files[at].share = Share::Name;
                }
            }
        }
        Over::Shortened => {
            let left = all.saturating_sub(room.taken as usize);
            if names > left {
                let mut used = 0;
                for at in listed {
                    used += name(&files[at]);
                    files[at].share = if used <= left {
                        Share::Name
                    } else {
                        Share::Nothing
                    };
                }
                return;
            }
            let most = level(
                left - names,
                listed.iter().map(|&at| text(&files[at])).collect(),
            );
            for at in listed {
                if text(&files[at]) > most {
                    files[at].share = Share::Part(most);
                }
            }
        }
    }
}

/// The characters that the whole list takes.
pub(super) fn needed(room: &Room, files: &[Listed]) -> usize {
    let kept = files.iter().filter(|it| {
        let kept = !matches!(it.rivals, Rivals::Lost { .. } | Rivals::Again { .. });
        kept && it.entry().is_some_and(|entry| entry.model && !entry.waits)
    });
    let own = kept.map(|it| {
        let entry = it.entry().map_or(0, |entry| {
            entry.name.chars().count() + entry.description.chars().count()
        });
        entry + room.each as usize + path(room, it)
    });
    room.taken as usize + own.sum::<usize>()
}

fn path(room: &Room, file: &Listed) -> usize {
    if room.path {
        file.found.path.to_string_lossy().chars().count()
    } else {
        0
    }
}

/// The length up to which all texts fit when each gets one character in turn.
fn level(mut room: usize, mut lengths: Vec<usize>) -> usize {
    lengths.sort_unstable();
    let mut left = lengths.len();
    let mut level = 0;
    for length in lengths {
        let step = (length - level).min(room / left);
        level += step;
        room -= step * left;
        if level < length {
            return level;
        }
        left -= 1;
    }
    level
}
