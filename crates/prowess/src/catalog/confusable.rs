//! Finds names that look alike: other case, other composition, look-alike letters.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use prowess_format::rules;
use unicode_security::confusable_detection::skeleton;

use super::Catalog;
use crate::{
    display::display_path,
    skill::{Skill, State},
    source::{Scope, note},
};

impl Catalog {
    /// Warns about skills with look-alike names. A skill that is trusted less than its twin can
    /// not take its place; one that waits for trust is told too, before anyone trusts it.
    pub(super) fn resolve_confusable(&mut self) {
        let shown = self.skills.iter().enumerate();
        let shown =
            shown.filter(|(_, skill)| matches!(skill.state, State::Active | State::Untrusted));
        let mut looks: Vec<(u64, usize)> =
            shown.map(|(at, skill)| (look(skill.name()), at)).collect();
        looks.sort_unstable();
        // Nearly all names are alone, so only those that meet another are spelled out.
        let mut twins: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for alike in looks.chunk_by(|a, b| a.0 == b.0).filter(|it| it.len() > 1) {
            let mut keys: HashMap<Cow<'_, str>, Vec<usize>> = HashMap::new();
            for &(_, at) in alike {
                keys.entry(key(self.skills[at].name()))
                    .or_default()
                    .push(at);
            }
            let groups = keys.into_values().filter(|group| group.len() > 1);
            twins.extend(groups.map(|group| (group[0], group)));
        }
        for group in twins.into_values() {
            self.resolve_twins(&group);
        }
    }

    fn resolve_twins(&mut self, group: &[usize]) {
        // The most trusted one keeps its place; of equals, the first by name.
        let Some(&first) = group
            .iter()
            .min_by_key(|&&at| (distance(&self.skills[at]), at))
        else {
            return;
        };
        let original = self.skills[first].clone();
        for &at in group {
            let skill = &mut self.skills[at];
            // Of one name two can be here only while one of them waits for trust.
            if at == first || skill.name() == original.name() {
                continue;
            }
            let waits = skill.state == State::Untrusted;
            // Plain ASCII names such as `modem` and `modern` may both be meant.
            let disguised = !skill.name().is_ascii() || same_but_for_case(skill, &original);
            let refused = disguised && distance(skill) > distance(&original);
            if refused && !waits {
                skill.state = State::Shadowed { by: first };
            }
            skill.notes.extend(note(
                &rules::confusable_name::RULE,
                self.profile,
                format!(
                    "the name `{}` looks like `{}` at `{}`{}",
                    skill.name().escape_default(),
                    original.name().escape_default(),
                    display_path(original.path()),
                    if refused {
                        ", which is trusted more and stays in use"
                    } else {
                        ""
                    },
                ),
                "rename the skill so that nobody takes it for the other",
            ));
        }
    }
}

/// How far a skill is from the user's own hand; more is trusted less.
fn distance(skill: &Skill) -> u8 {
    match skill.origin().scope {
        _ if skill.state == State::Untrusted => 3,
        Scope::Explicit | Scope::User | Scope::System => 0,
        Scope::Project => 1,
        Scope::Remote => 2,
    }
}

fn same_but_for_case(a: &Skill, b: &Skill) -> bool {
    a.name().eq_ignore_ascii_case(b.name())
}

/// A number that is equal for names with one key, worked out without making the key.
fn look(name: &str) -> u64 {
    const START: u64 = 0xCBF2_9CE4_8422_2325;
    let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    let mut sum = START;
    for byte in name.bytes() {
        sum = match PLAIN[usize::from(byte)] {
            0 => return table_key(name).bytes().fold(START, step),
            b'm' => step(step(sum, b'r'), b'n'),
            plain => step(sum, plain),
        };
    }
    sum
}

/// What a plain character looks like; 0 for those that the table must tell. The letter `m` looks
/// like two.
const PLAIN: [u8; 256] = {
    let mut plain = [0; 256];
    let mut at = 0_u8;
    while at < 128 {
        if at.is_ascii_alphanumeric() || at == b'-' || at == b'_' {
            plain[at as usize] = match at.to_ascii_lowercase() {
                b'0' => b'o',
                b'1' => b'l',
                byte => byte,
            };
        }
        at += 1;
    }
    plain
};

/// Equal for names that look alike. Nearly all names are plain ASCII, for which the table of
/// look-alikes comes down to a few characters.
fn key(name: &str) -> Cow<'_, str> {
    let stays = |byte: u8| matches!(byte, b'a'..=b'l' | b'n'..=b'z' | b'2'..=b'9' | b'-');
    if name.bytes().all(stays) {
        return Cow::Borrowed(name);
    }
    if name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    {
        let mut key = String::with_capacity(name.len() + 4);
        for byte in name.bytes() {
            match byte.to_ascii_lowercase() {
                b'm' => key.push_str("rn"),
                b'0' => key.push('o'),
                b'1' => key.push('l'),
                byte => key.push(char::from(byte)),
            }
        }
        return Cow::Owned(key);
    }
    Cow::Owned(table_key(name))
}

/// The same by the whole table. Lower case before and after: the table maps some characters to
/// capitals.
fn table_key(name: &str) -> String {
    skeleton(&name.to_lowercase())
        .collect::<String>()
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_gives_what_the_table_gives() {
        for char in (0..=127_u8).map(char::from) {
            let name = format!("a{char}b");
            assert_eq!(key(&name), table_key(&name), "{char:?}");
            assert_eq!(look(&name), look(&key(&name)), "{char:?}");
        }
    }
}
