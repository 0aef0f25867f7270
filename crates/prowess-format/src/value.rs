//! A value as its author wrote it: text, list or map, with the bytes it came from.

use std::collections::HashSet;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::diagnostic::Span;

/// How a scalar was written; it decides what the scalar means as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes: `1.10`, `no`, `true`.
    Plain,
    /// In quotes or as a block: always text.
    Quoted,
}

/// What a field holds. Scalars stay text: `version: 1.10` is `1.10`, `name: no` is `no`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One piece of text.
    Scalar(Box<str>, Style),
    /// Values in order.
    List(Vec<Node>),
    /// Fields in the order they were written.
    Map(Vec<Field>),
}

/// A value and the bytes it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What was written.
    pub value: Value,
    /// Where; quotes are inside the span.
    pub span: Span,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key as written.
    pub key: Box<str>,
    /// Where the key stands.
    pub key_span: Span,
    /// What it holds.
    pub node: Node,
}

impl Value {
    /// Creates plain text.
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self::Scalar(text.into(), Style::Quoted)
    }

    /// The text of a scalar.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Scalar(text, _) => Some(text),
            Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The values of a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match self {
            Self::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The fields of a map.
    pub fn as_map(&self) -> Option<&[Field]> {
        match self {
            Self::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// Reads a switch. `yes`, `on` and their opposites count: YAML 1.1 files mean them so.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_str()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    /// From the first value inside to the last; `None` where there is none.
    pub(crate) fn extent(&self) -> Option<Span> {
        let (start, end) = match self {
            Self::Scalar(..) => return None,
            Self::List(nodes) => (nodes.first()?.span.start, nodes.last()?.span.end),
            Self::Map(fields) => (fields.first()?.key_span.start, fields.last()?.node.span.end),
        };
        Some(Span::new(start, end.max(start)))
    }

    /// A word for the kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Scalar(..) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// Renders as JSON with every scalar as text, so that nothing is lost on the way.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(text, _) => serializer.serialize_str(text),
            Self::List(nodes) => {
                let mut list = serializer.serialize_seq(Some(nodes.len()))?;
                for node in nodes {
                    list.serialize_element(&node.value)?;
                }
                list.end()
            }
            Self::Map(fields) => {
                let mut map = serializer.serialize_map(None)?;
                let mut keys = HashSet::new();
                // The first of two equal keys counts, here as everywhere.
                for field in fields.iter().filter(|field| keys.insert(&field.key)) {
                    map.serialize_entry(&*field.key, &field.node.value)?;
                }
                map.end()
            }
        }
    }
}
