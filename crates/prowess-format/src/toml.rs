//! Reads TOML frontmatter into the same values as YAML.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

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
    let document = DeTable::parse(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        TomlError {
            span: Span::new(
                base + range.start.min(text.len()),
                base + range.end.min(text.len()),
            ),
            why: error.message().trim().replace('\n', "; "),
        }
    })?;
    Ok(Reader { text, base }.table(document.get_ref()))
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
}

impl Reader<'_> {
    fn span<T>(&self, of: &Spanned<T>) -> Span {
        let range = of.span();
        Span::new(self.base + range.start, self.base + range.end)
    }

    fn table(&self, table: &DeTable<'_>) -> Vec<Field> {
        let mut fields: Vec<Field> = table
            .iter()
            .map(|(key, value)| Field {
                key: key.get_ref().as_ref().into(),
                key_span: self.span(key),
                node: self.value(value),
            })
            .collect();
        // A table's own order is by first mention; authors read from top to bottom.
        fields.sort_by_key(|field| field.key_span.start);
        fields
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let span = self.span(value);
        let value = match value.get_ref() {
            DeValue::String(text) => Value::text(text.as_ref()),
            DeValue::Array(array) => {
                Value::List(array.iter().map(|value| self.value(value)).collect())
            }
            DeValue::Table(table) => Value::Map(self.table(table)),
            // Numbers, switches and dates stay as they were written: `1.10` is not `1.1`.
            DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {
                let source = self.text.get(value.span()).unwrap_or_default();
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
