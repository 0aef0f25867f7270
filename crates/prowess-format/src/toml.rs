//! Reads TOML frontmatter into the same values as YAML.

use toml_edit::{Document as Toml, Item, Key, TableLike, Value as TomlValue};

use crate::{
    diagnostic::Span,
    value::{Field, Node, Style, Value},
};

/// Why the TOML could not be read, and where.
#[derive(Debug)]
pub(crate) struct TomlError {
    pub(crate) span: Span,
    pub(crate) why: String,
}

/// Reads the fields; spans are offset by `base`, the place of `text` in its file.
pub(crate) fn read(text: &str, base: usize) -> Result<Vec<Field>, TomlError> {
    let document = Toml::parse(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        TomlError {
            span: Span::new(
                base + range.start.min(text.len()),
                base + range.end.min(text.len()),
            ),
            why: error.message().trim().replace('\n', "; "),
        }
    })?;
    Ok(Reader { text, base }.table(document.as_table()))
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
}

impl Reader<'_> {
    fn span(&self, range: Option<std::ops::Range<usize>>) -> Span {
        let range = range.unwrap_or(0..0);
        Span::new(self.base + range.start, self.base + range.end)
    }

    fn table(&self, table: &dyn TableLike) -> Vec<Field> {
        let mut fields: Vec<Field> = table
            .iter()
            .filter_map(|(name, item)| Some(self.field(table.get_key_value(name)?.0, item)))
            .collect();
        // A table's own order is by first mention; authors read from top to bottom.
        fields.sort_by_key(|field| field.key_span.start);
        fields
    }

    fn field(&self, key: &Key, item: &Item) -> Field {
        Field {
            key: key.get().into(),
            key_span: self.span(key.span()),
            node: self.item(item),
        }
    }

    fn item(&self, item: &Item) -> Node {
        let span = self.span(item.span());
        let value = match item {
            Item::None => Value::text(""),
            Item::Value(value) => return self.value(value),
            Item::Table(table) => Value::Map(self.table(table)),
            Item::ArrayOfTables(tables) => Value::List(
                tables
                    .iter()
                    .map(|table| Node {
                        value: Value::Map(self.table(table)),
                        span: self.span(table.span()),
                    })
                    .collect(),
            ),
        };
        Node { value, span }
    }

    fn value(&self, value: &TomlValue) -> Node {
        let range = value.span();
        let span = self.span(range.clone());
        let value = match value {
            TomlValue::String(text) => Value::text(text.value().as_str()),
            TomlValue::Array(array) => {
                Value::List(array.iter().map(|value| self.value(value)).collect())
            }
            TomlValue::InlineTable(table) => Value::Map(self.table(table)),
            // Numbers, switches and dates stay as they were written: `1.10` is not `1.1`.
            TomlValue::Integer(_)
            | TomlValue::Float(_)
            | TomlValue::Boolean(_)
            | TomlValue::Datetime(_) => {
                let source = range
                    .and_then(|range| self.text.get(range))
                    .unwrap_or_default();
                Value::Scalar(source.trim().into(), Style::Plain)
            }
        };
        Node { value, span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        match read(text, 0) {
            Ok(fields) => serde_json::to_string(&Value::Map(fields)).unwrap(),
            Err(error) => format!("{}: {}", error.span.start, error.why),
        }
    }

    #[test]
    fn values_are_those_of_yaml() {
        assert_eq!(
            json(
                "name = \"pdf\"\nversion = 1.10\nalways = true\ntags = ['a', \"b\"]\n[triggers]\nglobs = [\"*.pdf\"]\n"
            ),
            r#"{"name":"pdf","version":"1.10","always":"true","tags":["a","b"],"triggers":{"globs":["*.pdf"]}}"#
        );
        assert_eq!(
            json("a.b = 1\na.c = 2\n[[d]]\ne = 1979-05-27\n"),
            r#"{"a":{"b":"1","c":"2"},"d":[{"e":"1979-05-27"}]}"#
        );
    }

    #[test]
    fn a_fault_has_a_place() {
        assert!(
            json("name = pdf\n").starts_with("7: "),
            "{}",
            json("name = pdf\n")
        );
        assert!(
            json(&format!("a = {}", "[".repeat(30_000))).contains("recursion"),
            "nesting is bounded"
        );
    }
}
