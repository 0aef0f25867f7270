//! What a client makes of a skill's text: its frontmatter, its fields, its description.

use prowess_format::fields::{self, DESCRIPTION_CHARS};

use super::{
    Finding, Frontmatter, Seen,
    finding::{changed, dropped, unknown},
};
use crate::source::clients::rules::{
    BrokenYaml, Budget, ByteOrderMark, DescriptionCap, FenceInValue, Rules, UnknownFields,
};

pub(super) fn unknown_fields(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "unknown-fields";
    if let (Some(UnknownFields::Standard), Some(fault)) = (rules.unknown_fields, &seen.fault) {
        let message = format!("{title} skips skills that break the standard: {fault}");
        return Some(dropped(RULE, message).help("mend what `prowess check` reports"));
    }
    let strange: Vec<String> = seen
        .fields
        .iter()
        .filter(|field| !fields::standard().any(|own| own == **field))
        .map(|field| format!("`{field}`"))
        .collect();
    if strange.is_empty() || rules.unknown_fields == Some(UnknownFields::Ignored) {
        return None;
    }
    let strange = strange.join(", ");
    let message = match rules.unknown_fields {
        Some(_) => format!(
            "{title} skips skills that break the standard; whether fields beside the standard's ({strange}) do so is not known"
        ),
        None => {
            format!("what {title} does with fields outside the standard ({strange}) is not known")
        }
    };
    Some(unknown(RULE, message).help("move them below `metadata:`"))
}

pub(super) fn frontmatter(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "broken-yaml";
    let finding = match (seen.frontmatter, rules.broken_yaml) {
        (Frontmatter::Yaml | Frontmatter::Missing, _) => return None,
        (Frontmatter::Toml, _) => return Some(toml(title, rules)),
        (Frontmatter::Loose, _) => unknown(
            RULE,
            format!(
                "its quoted text is not indented, which some YAML readers refuse; whether {title}'s does is not known"
            ),
        ),
        (Frontmatter::Quoted, Some(BrokenYaml::Quoted)) => changed(
            RULE,
            format!("its YAML is broken, and {title} reads it with the value in quotes"),
        ),
        (_, Some(BrokenYaml::Quoted)) => unknown(
            RULE,
            format!(
                "its YAML is broken; {title} puts values in quotes and tries again, and whether that helps here is not known"
            ),
        ),
        (_, Some(BrokenYaml::Lines)) => changed(
            RULE,
            format!(
                "its YAML is broken, and {title} takes only the `name:` and `description:` lines"
            ),
        ),
        (_, Some(BrokenYaml::Refused)) => dropped(
            RULE,
            format!("its YAML is broken, and {title} skips such skills"),
        ),
        (_, None) => unknown(
            RULE,
            format!("its YAML is broken, and what {title} does with that is not known"),
        ),
    };
    Some(finding.help("run `prowess check --fix`"))
}

/// TOML between `+++` lines is an extension of a few engines; the standard says YAML.
fn toml(title: &str, rules: &Rules) -> Finding {
    const RULE: &str = "frontmatter";
    let finding = if rules.unknown_fields == Some(UnknownFields::Standard) {
        dropped(
            RULE,
            format!("its frontmatter is TOML; the standard says YAML, and {title} follows it"),
        )
    } else {
        unknown(
            RULE,
            format!("its frontmatter is TOML, and whether {title} reads that is not known"),
        )
    };
    finding.help("write the frontmatter as YAML between `---` lines")
}

pub(super) fn byte_order_mark(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "byte-order-mark";
    if !seen.byte_order_mark {
        return None;
    }
    let finding = match rules.byte_order_mark {
        Some(ByteOrderMark::Accepted) => return None,
        Some(ByteOrderMark::Refused) => dropped(
            RULE,
            format!("the file starts with a byte order mark, and {title} refuses such files"),
        ),
        None => unknown(
            RULE,
            format!("whether {title} reads a file that starts with a byte order mark is not known"),
        ),
    };
    Some(finding.help("save the file as UTF-8 without a byte order mark"))
}

pub(super) fn fence_in_value(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "fence-in-value";
    if !seen.fence_in_value {
        return None;
    }
    let finding = match rules.fence_in_value {
        Some(FenceInValue::LineAnchored) => return None,
        Some(FenceInValue::Cut) => changed(
            RULE,
            format!(
                "a value holds `---`, and {title} ends the frontmatter there: what follows is lost as fields"
            ),
        ),
        None => unknown(
            RULE,
            format!(
                "a value holds `---`, and whether {title} ends the frontmatter there is not known"
            ),
        ),
    };
    Some(finding.help("write the value without `---`"))
}

pub(super) fn description(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "description-cap";
    if seen.frontmatter == Frontmatter::Unreadable {
        return None;
    }
    let Some(description) = seen.description else {
        return Some(missing_description(title, rules));
    };
    let mut length = description.chars().count();
    let finding = match &rules.description_cap {
        Some(DescriptionCap::Unlimited) => return None,
        Some(DescriptionCap::Cut { characters, with }) => {
            if with.as_deref() == Some("when_to_use") {
                length += seen.when_to_use.map_or(0, |text| text.chars().count());
            }
            if length <= *characters as usize {
                return None;
            }
            let what = match with.as_deref() {
                Some(field) if seen.when_to_use.is_some() => {
                    format!("its description with `{field}`")
                }
                _ => "its description".to_owned(),
            };
            changed(
                RULE,
                format!("{what} has {length} characters, and {title} lists the first {characters}"),
            )
        }
        Some(DescriptionCap::Refused { characters }) => {
            if length <= *characters as usize {
                return None;
            }
            dropped(
                RULE,
                format!(
                    "its description has {length} characters, and {title} takes at most {characters}"
                ),
            )
        }
        None if length <= DESCRIPTION_CHARS => return None,
        None => unknown(
            RULE,
            format!(
                "its description has {length} characters, more than the standard's {DESCRIPTION_CHARS}; what {title} does with it is not known"
            ),
        ),
    };
    Some(finding.help("say what and when first, and shorten the rest"))
}

/// The table has no row for a missing description; only the standard's own followers are sure.
fn missing_description(title: &str, rules: &Rules) -> Finding {
    const RULE: &str = "description";
    let finding = if rules.unknown_fields == Some(UnknownFields::Standard) {
        dropped(
            RULE,
            format!("it has no description; the standard wants one, and {title} follows it"),
        )
    } else {
        unknown(
            RULE,
            format!("what {title} does with a skill without a description is not known"),
        )
    };
    finding.help("add `description:` to the frontmatter: what the skill does and when to use it")
}

pub(super) fn budget(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    let listed: usize = seen.listed.iter().map(|(_, characters)| characters).sum();
    let Some(Budget::Share {
        percent,
        characters: Some(characters),
        over,
    }) = &rules.budget
    else {
        return None;
    };
    if listed <= *characters as usize {
        return None;
    }
    let message = format!(
        "the list of skills needs {listed} characters, and {title} gives it {percent} % of the context or {characters} characters: beyond that {over}; whether this one is hit is not known"
    );
    Some(unknown("budget", message).help("install fewer skills, or shorten descriptions"))
}
