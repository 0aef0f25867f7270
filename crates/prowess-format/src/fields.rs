//! The fields that mean something: who reads each, and what shape it has.

use strsim::osa_distance;

/// Who gives a field its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The Agent Skills standard.
    Standard,
    /// A client, and Prowess with it.
    Client(&'static str),
}

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One piece of text.
    Text,
    /// `true` or `false`.
    Switch,
    /// Text, or a list of texts.
    Texts,
    /// A map.
    Map,
    /// A map with `globs` and `keywords`, or a list of globs.
    Triggers,
    /// Whatever its client makes of it.
    Any,
}

impl Shape {
    /// The words for it, for messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Switch => "`true` or `false`",
            Self::Texts => "text or a list of texts",
            Self::Map => "a map",
            Self::Triggers => "a map with `globs` and `keywords`, or a list of globs",
            Self::Any => "anything",
        }
    }
}

/// A field that means something to someone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownField {
    /// The key, as it should be written.
    pub key: &'static str,
    /// Who reads it.
    pub origin: Origin,
    /// What it may hold.
    pub shape: Shape,
}

const STANDARD: Origin = Origin::Standard;
const ADK: Origin = Origin::Client("adk-rust");
const CLAUDE: Origin = Origin::Client("Claude Code");
const DEFECT: Origin = Origin::Client("defect");
const SEVERAL: Origin = Origin::Client("several clients");

/// Every field with a meaning; the standard's own first.
pub static KNOWN: &[KnownField] = &[
    known("name", STANDARD, Shape::Text),
    known("description", STANDARD, Shape::Text),
    known("license", STANDARD, Shape::Text),
    known("compatibility", STANDARD, Shape::Text),
    known("metadata", STANDARD, Shape::Map),
    known("allowed-tools", STANDARD, Shape::Texts),
    known("version", SEVERAL, Shape::Text),
    known("tags", SEVERAL, Shape::Texts),
    known("keywords", SEVERAL, Shape::Texts),
    known("author", SEVERAL, Shape::Any),
    known("references", ADK, Shape::Texts),
    known("trigger", ADK, Shape::Switch),
    known("hint", ADK, Shape::Text),
    known("always", DEFECT, Shape::Switch),
    known("triggers", DEFECT, Shape::Triggers),
    known("disable-model-invocation", CLAUDE, Shape::Switch),
    known("user-invocable", CLAUDE, Shape::Switch),
    known("when_to_use", CLAUDE, Shape::Text),
    // `argument-hint: [file]` is a list to YAML, and its authors mean text.
    known("argument-hint", CLAUDE, Shape::Texts),
    known("arguments", CLAUDE, Shape::Any),
    known("model", CLAUDE, Shape::Text),
    known("effort", CLAUDE, Shape::Text),
    known("context", CLAUDE, Shape::Text),
    known("agent", CLAUDE, Shape::Text),
    known("paths", CLAUDE, Shape::Texts),
    known("disallowed-tools", CLAUDE, Shape::Texts),
    known("hooks", CLAUDE, Shape::Map),
];

const fn known(key: &'static str, origin: Origin, shape: Shape) -> KnownField {
    KnownField { key, origin, shape }
}

/// Slips that are too far from their field for a spelling distance, all seen in real files.
static ALIASES: &[(&str, &str)] = &[
    ("desc", "description"),
    ("user-invokable", "user-invocable"),
    ("user-callable", "user-invocable"),
    ("tag", "tags"),
    ("licence", "license"),
    ("disable-model-invoke", "disable-model-invocation"),
];

/// The longest description the standard allows, in characters.
pub const DESCRIPTION_CHARS: usize = 1024;

/// The longest `compatibility` the standard allows, in characters.
pub const COMPATIBILITY_CHARS: usize = 500;

/// The keys of the standard's own fields.
pub fn standard() -> impl Iterator<Item = &'static str> {
    let own = KNOWN
        .iter()
        .filter(|field| field.origin == Origin::Standard);
    own.map(|field| field.key)
}

/// Whether a field keeps a skill from being called, or from tools. Such a field is never moved:
/// elsewhere it would do nothing, and the skill would do more than its author allowed.
pub fn is_guard(key: &str) -> bool {
    GUARDS.contains(&key)
}

/// Whether a key that nobody is known to read sounds like such a field.
pub(crate) fn may_be_guard(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    GUARD_PARTS.iter().any(|part| key.contains(part))
}

static GUARDS: &[&str] = &[
    "disable-model-invocation",
    "user-invocable",
    "disallowed-tools",
    "trigger",
    "hooks",
];

/// Parts of keys that clients may come to read as a limit.
static GUARD_PARTS: &[&str] = &[
    "allow",
    "approv",
    "auto",
    "confirm",
    "context",
    "deny",
    "disable",
    "enable",
    "forbid",
    "guard",
    "hidden",
    "hook",
    "invoc",
    "invok",
    "mode",
    "permission",
    "polic",
    "private",
    "restrict",
    "sandbox",
    "scope",
    "secur",
    "tool",
    "trigger",
    "trust",
    "when",
    "path",
    "glob",
    "always",
];

/// Finds a field by its key.
pub fn known_field(key: &str) -> Option<&'static KnownField> {
    KNOWN.iter().find(|field| field.key == key)
}

/// Finds the field a key was meant to be; `None` for a known key and for one like no other.
pub fn did_you_mean(key: &str) -> Option<&'static str> {
    // Nobody misspells a field with a sentence, and distances cost the product of the lengths.
    if key.len() > 32 || known_field(key).is_some() {
        return None;
    }
    let key = hyphenated(key);
    // `Author` is a label of its author's own as much as a slip; nobody acts on either.
    if matches!(key.as_str(), "author" | "version") {
        return None;
    }
    let same = |field: &&KnownField| field.key.replace('_', "-") == key;
    if let Some(field) = KNOWN.iter().find(same) {
        return Some(field.key);
    }
    if let Some((_, meant)) = ALIASES.iter().find(|(slip, _)| *slip == key) {
        return Some(meant);
    }
    KNOWN
        .iter()
        .filter(|field| may_be_misspelt(field))
        .map(|field| (osa_distance(&key, &field.key.replace('_', "-")), field.key))
        .filter(|&(distance, meant)| match meant.len() {
            // `game` is a word of its own, `nmae` is not.
            ..6 => distance == 1 && sorted(&key) == sorted(meant),
            6..8 => distance == 1 || distance == 2 && sorted(&key) == sorted(meant),
            _ => distance <= 2,
        })
        .min()
        .map(|(_, meant)| meant)
}

/// A short word of some client lies too near to other words: `mode` is not a slip for `model`.
fn may_be_misspelt(field: &KnownField) -> bool {
    field.origin == Origin::Standard || field.key.len() >= 8
}

fn sorted(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.sort_unstable();
    bytes
}

/// Brings `allowedTools`, `allowed_tools` and `Allowed Tools` to one spelling.
fn hyphenated(key: &str) -> String {
    let mut text = String::with_capacity(key.len() + 2);
    let mut after_lower = false;
    for c in key.chars() {
        if matches!(c, '_' | ' ' | '-') {
            text.push('-');
        } else {
            if c.is_ascii_uppercase() && after_lower {
                text.push('-');
            }
            text.push(c.to_ascii_lowercase());
        }
        after_lower = c.is_ascii_lowercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_slips_find_their_field() {
        for (slip, meant) in [
            ("desciption", "description"),
            ("Description", "description"),
            ("discription", "description"),
            ("nmae", "name"),
            ("Name", "name"),
            ("allowed_tools", "allowed-tools"),
            ("allowedTools", "allowed-tools"),
            ("allow-tools", "allowed-tools"),
            ("user-invokable", "user-invocable"),
            ("user_invocable", "user-invocable"),
            ("when-to-use", "when_to_use"),
            ("whenToUse", "when_to_use"),
            ("disable_model_invocation", "disable-model-invocation"),
            ("argument_hint", "argument-hint"),
            ("metdata", "metadata"),
            ("compatability", "compatibility"),
            ("licence", "license"),
            ("lisence", "license"),
        ] {
            assert_eq!(did_you_mean(slip), Some(meant), "{slip}");
        }
    }

    #[test]
    fn words_of_their_own_are_left_alone() {
        for key in [
            "name",
            "tools",
            "mode",
            "models",
            "content",
            "authors",
            "title",
            "category",
            "type",
            "source",
            "domain",
            "level",
            "status",
            "compatible-with",
            "game",
            "",
        ] {
            assert_eq!(did_you_mean(key), None, "{key}");
        }
    }

    #[test]
    fn each_field_is_known_once() {
        for (at, field) in KNOWN.iter().enumerate() {
            assert!(
                KNOWN[..at].iter().all(|other| other.key != field.key),
                "{}",
                field.key
            );
        }
    }
}
