//! A skill's file as a value: fields, instructions, and where each stands.

use crate::{
    diagnostic::Span,
    value::{Field, Node, Value},
};

/// A longer name is not used, in bytes. The standard allows 64 characters.
const LONGEST_NAME: usize = 1024;

/// How the frontmatter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// Between `---` lines.
    Yaml,
    /// Between `+++` lines.
    Toml,
}

/// One skill's file: its text, its fields in order, and its instructions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    pub(crate) text: Box<str>,
    pub(crate) syntax: Option<Syntax>,
    pub(crate) frontmatter: Span,
    pub(crate) instructions: Span,
    pub(crate) fields: Vec<Field>,
}

impl Document {
    /// The whole file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How the frontmatter is written; `None` where there is none.
    pub fn syntax(&self) -> Option<Syntax> {
        self.syntax
    }

    /// The bytes between the fences.
    pub fn frontmatter_span(&self) -> Span {
        self.frontmatter
    }

    /// Every field, in the order it was written, known or not.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field with this key. Where a key stands twice, the first counts.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.key == key)
    }

    /// The value of the field with this key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.field(key).map(|field| &field.node)
    }

    /// The text of a scalar field, trimmed; empty counts as absent.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        let text = self.get(key)?.value.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Whether the skill asks to be used only when called by name.
    pub fn is_manual(&self) -> bool {
        let is_set = |key| self.get(key).and_then(|node| node.value.as_bool());
        ["disable-model-invocation", "trigger"]
            .into_iter()
            .any(|key| is_set(key) == Some(true))
    }

    /// What the skill calls itself. A name longer than anyone would read is none: it stands in
    /// every list that a model gets.
    pub fn name(&self) -> Option<&str> {
        self.text_of("name")
            .filter(|name| name.len() <= LONGEST_NAME)
    }

    /// What the skill does and when to use it.
    pub fn description(&self) -> Option<&str> {
        self.text_of("description")
    }

    /// Everything after the closing fence, trimmed.
    pub fn instructions(&self) -> &str {
        self.instructions.of(&self.text)
    }

    /// Where the instructions stand.
    pub fn instructions_span(&self) -> Span {
        self.instructions
    }

    /// The texts of a field that is a list, a comma-separated text, or a single word.
    pub fn list_of(&self, key: &str) -> Vec<&str> {
        match self.get(key).map(|node| &node.value) {
            Some(Value::List(nodes)) => nodes
                .iter()
                .filter_map(|node| node.value.as_str())
                .map(str::trim)
                .filter(|text| !text.is_empty())
                .collect(),
            Some(Value::Scalar(text, _)) => text
                .split(',')
                .map(str::trim)
                .filter(|text| !text.is_empty())
                .collect(),
            Some(Value::Map(_)) | None => Vec::new(),
        }
    }

    /// The labels given for finding and filtering.
    pub fn tags(&self) -> Vec<&str> {
        self.list_of("tags")
    }
}
