//! What a client calls a skill, and which of two it keeps.

use std::borrow::Cow;

use prowess_format::SkillName;

use super::{
    Finding, Frontmatter, Seen,
    finding::{changed, dropped, unknown},
};
use crate::source::clients::rules::{MissingName, NameDiffers, NameShape, Rules, SameName, Tier};

pub(super) fn missing_name(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "missing-name";
    // What can not be read has no name either; the row for broken YAML tells that.
    if seen.name.is_some() || seen.frontmatter == Frontmatter::Unreadable {
        return None;
    }
    let finding = match (rules.missing_name, seen.folder_name) {
        (Some(MissingName::Folder), Some(folder)) => changed(
            RULE,
            format!("it has no name, and {title} calls it `{folder}` after its folder"),
        ),
        (Some(MissingName::Refused), _) => dropped(
            RULE,
            format!("it has no name, and {title} refuses such skills"),
        ),
        (Some(MissingName::SilentlyRefused), _) => dropped(
            RULE,
            format!("it has no name, and {title} drops such skills without a word"),
        ),
        (Some(MissingName::Folder), None) | (None, _) => unknown(
            RULE,
            format!("what {title} does with a skill without a name is not known"),
        ),
    };
    Some(finding.help("add `name:` to the frontmatter"))
}

pub(super) fn name_shape(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "name-shape";
    let name = seen.name?;
    let follows = SkillName::new(name).is_ok();
    let finding = match &rules.name_shape {
        Some(NameShape::Any) => return None,
        Some(NameShape::Collapsed { most }) => {
            let listed = collapsed(name);
            let length = listed.chars().count();
            if length > *most as usize {
                dropped(
                    RULE,
                    format!("its name has {length} characters, and {title} takes at most {most}"),
                )
            } else if listed == name {
                return None;
            } else {
                changed(
                    RULE,
                    format!("{title} calls it `{listed}`, with the spaces made one"),
                )
            }
        }
        Some(NameShape::Replaced(characters)) => {
            let listed = replaced(name, characters);
            if listed == name {
                return None;
            }
            changed(
                RULE,
                format!("{title} calls it `{listed}`, with `-` for what it does not allow"),
            )
        }
        _ if follows => return None,
        Some(NameShape::Standard) => dropped(
            RULE,
            format!("the name `{name}` breaks the standard, and {title} skips such skills"),
        ),
        Some(NameShape::StandardSilently) => dropped(
            RULE,
            format!(
                "the name `{name}` breaks the standard, and {title} drops such skills without a word"
            ),
        ),
        None => unknown(
            RULE,
            format!(
                "the name `{name}` breaks the standard, and what {title} does with such names is not known"
            ),
        ),
    };
    Some(finding.help("use at most 64 lower-case letters, digits and single hyphens"))
}

pub(super) fn name_differs(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "name-differs";
    let (name, folder) = (seen.name?, seen.folder_name?);
    if name == folder {
        return None;
    }
    let finding = match rules.name_differs {
        Some(NameDiffers::Loads) => return None,
        Some(NameDiffers::Folder) => changed(
            RULE,
            format!("{title} calls it `{folder}` after its folder, and not `{name}`"),
        ),
        Some(NameDiffers::Refused) => dropped(
            RULE,
            format!(
                "its name is `{name}` and its folder's `{folder}`, and {title} refuses such skills"
            ),
        ),
        None => unknown(
            RULE,
            format!(
                "its name is `{name}` and its folder's `{folder}`: what {title} makes of that is not known"
            ),
        ),
    };
    Some(finding.help(format!("give both the same name, such as `{folder}`")))
}

pub(super) fn same_name(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "same-name";
    if seen.rivals.is_empty() {
        return None;
    }
    let finding = match &rules.same_name {
        Some(SameName::Both) => {
            let call = rules.call.as_deref().unwrap_or_default();
            let name = listed_name(rules, seen).unwrap_or_default();
            changed(
                RULE,
                format!(
                    "another skill has its name; {title} keeps both, and `{call}{name}` is ambiguous"
                ),
            )
        }
        Some(SameName::First) => unknown(
            RULE,
            format!(
                "another skill has its name; {title} keeps the one it reads first, and its order is not known"
            ),
        ),
        Some(SameName::Last) => unknown(
            RULE,
            format!(
                "another skill has its name; {title} keeps the one it reads last, and its order is not known"
            ),
        ),
        Some(SameName::Order(order)) => return ordered(title, order, seen),
        None => unknown(
            RULE,
            format!("another skill has its name, and which one {title} keeps is not known"),
        ),
    };
    Some(finding.help("give one of them another name"))
}

/// Where shelves have an order, a higher one hides a lower one.
fn ordered(title: &str, order: &[Tier], seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "same-name";
    let rank = |tier| order.iter().position(|it| *it == tier);
    let own = seen.place.as_ref().and_then(|place| rank(place.tier));
    let rivals: Option<Vec<usize>> = seen.rivals.iter().map(|it| rank(it.tier)).collect();
    let finding = match (own, rivals.and_then(|ranks| ranks.into_iter().min())) {
        (Some(own), Some(best)) if own < best => return None,
        (Some(own), Some(best)) if own > best => {
            let winner = order[best].as_str();
            dropped(
                RULE,
                format!("a {winner} skill has its name, and {title} prefers that one"),
            )
        }
        _ => unknown(
            RULE,
            format!("another skill has its name, and which of the two {title} keeps is not known"),
        ),
    };
    Some(finding.help("give one of them another name"))
}

/// The name under which a client lists the skill, where that can be told.
pub(super) fn listed_name<'a>(rules: &Rules, seen: &Seen<'a>) -> Option<Cow<'a, str>> {
    let Some(name) = seen.name else {
        let folder = seen.folder_name.map(Cow::Borrowed);
        return folder.filter(|_| rules.missing_name == Some(MissingName::Folder));
    };
    if rules.name_differs == Some(NameDiffers::Folder) {
        return Some(Cow::Borrowed(seen.folder_name.unwrap_or(name)));
    }
    Some(match &rules.name_shape {
        Some(NameShape::Collapsed { .. }) => collapsed(name).into(),
        Some(NameShape::Replaced(characters)) => replaced(name, characters).into(),
        _ => Cow::Borrowed(name),
    })
}

fn collapsed(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn replaced(name: &str, characters: &str) -> String {
    name.replace(|character| characters.contains(character), "-")
}
