//! The reference's rules, in its order and its words.

use super::{
    Finding,
    source::Frontmatter,
    text::Text,
    tree::{Entry, Value},
};
use prowess_format::{SkillName, Span, fields};

const LONGEST_NAME: usize = SkillName::MAX_CHARS;
const LONGEST_DESCRIPTION: usize = fields::DESCRIPTION_CHARS;
const LONGEST_COMPATIBILITY: usize = fields::COMPATIBILITY_CHARS;

/// Collects what is wrong with the fields.
pub(super) struct Checker<'a> {
    pub(super) frontmatter: &'a Frontmatter,
    pub(super) entries: &'a [Entry],
    pub(super) findings: Vec<Finding>,
}

/// The field with this key.
pub(super) fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.key == key)
}

/// The stripped text of a field; `None` where nothing but white space is left, or no text.
pub(super) fn solid_text(value: &Value) -> Option<Text> {
    match value {
        Value::Text(text) => Some(text.strip()).filter(|text| !text.is_empty()),
        _ => None,
    }
}

/// What the reference says when a field it needs is not there.
pub(super) fn missing(key: &str) -> String {
    format!("Missing required field in frontmatter: {key}")
}

/// What the reference says when a field it needs has nothing in it.
pub(super) fn hollow(key: &str) -> String {
    format!("Field '{key}' must be a non-empty string")
}

impl Checker<'_> {
    /// Runs every rule.
    pub(super) fn run(&mut self, directory: &str) {
        self.unexpected();
        self.name(directory);
        self.description();
        self.compatibility();
    }

    fn report(&mut self, span: Span, message: String) {
        self.findings.push(Finding { message, span });
    }

    fn value_span(&self, entry: &Entry) -> Span {
        self.frontmatter.span(entry.start, entry.end)
    }

    fn unexpected(&mut self) {
        let mut unexpected: Vec<&Entry> = self
            .entries
            .iter()
            .filter(|entry| !fields::standard().any(|allowed| entry.key == *allowed))
            .collect();
        let Some(first) = unexpected.first() else {
            return;
        };
        let span = self.frontmatter.span(first.key_start, first.key_end);
        unexpected.sort_by(|left, right| left.key.cmp(&right.key));
        let names: Vec<String> = unexpected
            .iter()
            .map(|entry| entry.key.to_string())
            .collect();
        let mut allowed: Vec<&str> = fields::standard().collect();
        allowed.sort_unstable();
        self.report(
            span,
            format!(
                "Unexpected fields in frontmatter: {}. Only ['{}'] are allowed.",
                names.join(", "),
                allowed.join("', '")
            ),
        );
    }

    /// The field and its stripped text, or a finding that says which of both is missing.
    fn required(&mut self, key: &str) -> Option<(Span, &Entry, Text)> {
        let Some(entry) = find(self.entries, key) else {
            self.report(Span::new(0, 3), missing(key));
            return None;
        };
        let span = self.value_span(entry);
        let Some(text) = solid_text(&entry.value) else {
            let key_span = self.frontmatter.span(entry.key_start, entry.key_end);
            self.report(key_span, hollow(key));
            return None;
        };
        Some((span, entry, text))
    }

    fn name(&mut self, directory: &str) {
        let Some((span, _, text)) = self.required("name") else {
            return;
        };
        let name = text.normalize();
        if name.len() > LONGEST_NAME {
            let length = name.len();
            self.report(
                span,
                format!(
                    "Skill name '{name}' exceeds {LONGEST_NAME} character limit ({length} chars)"
                ),
            );
        }
        if name != name.lower() {
            self.report(span, format!("Skill name '{name}' must be lowercase"));
        }
        if name.starts_with('-') || name.ends_with('-') {
            self.report(
                span,
                "Skill name cannot start or end with a hyphen".to_owned(),
            );
        }
        if name.has_twice('-') {
            self.report(
                span,
                "Skill name cannot contain consecutive hyphens".to_owned(),
            );
        }
        if !name.is_name() {
            self.report(
                span,
                format!(
                    "Skill name '{name}' contains invalid characters. \
                     Only letters, digits, and hyphens are allowed."
                ),
            );
        }
        if Text::from(directory).normalize() != name {
            self.report(
                span,
                format!("Directory name '{directory}' must match skill name '{name}'"),
            );
        }
    }

    fn description(&mut self) {
        let Some((span, entry, _)) = self.required("description") else {
            return;
        };
        // The reference counts the value as written, white space included.
        if let Value::Text(text) = &entry.value {
            let length = text.len();
            if length > LONGEST_DESCRIPTION {
                self.report(
                    span,
                    format!(
                        "Description exceeds {LONGEST_DESCRIPTION} character limit ({length} chars)"
                    ),
                );
            }
        }
    }

    fn compatibility(&mut self) {
        let Some(entry) = find(self.entries, "compatibility") else {
            return;
        };
        let span = self.value_span(entry);
        match &entry.value {
            Value::Text(text) if text.len() > LONGEST_COMPATIBILITY => {
                let length = text.len();
                self.report(
                    span,
                    format!(
                        "Compatibility exceeds {LONGEST_COMPATIBILITY} character limit \
                         ({length} chars)"
                    ),
                );
            }
            Value::Text(_) => {}
            _ => self.report(span, "Field 'compatibility' must be a string".to_owned()),
        }
    }
}
