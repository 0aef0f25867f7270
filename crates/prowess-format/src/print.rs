//! Writes fields and instructions as a `SKILL.md` that reads back the same.

use crate::{
    quote::quote,
    value::{Field, Style, Value},
};

/// Writes a skill's file with YAML frontmatter.
pub fn print(fields: &[Field], instructions: &str) -> String {
    let mut out = String::from("---\n");
    map(fields, 0, &mut out);
    out.push_str("---\n");
    let instructions = instructions.trim();
    if !instructions.is_empty() {
        out.push('\n');
        out.push_str(instructions);
        out.push('\n');
    }
    out
}

fn map(fields: &[Field], depth: usize, out: &mut String) {
    for field in fields {
        indent(depth, out);
        out.push_str(&scalar(&field.key, Style::Plain));
        out.push(':');
        value(&field.node.value, depth + 1, out);
    }
}

fn value(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Scalar(text, style) => {
            out.push(' ');
            out.push_str(&scalar(text, *style));
            out.push('\n');
        }
        Value::List(nodes) if nodes.is_empty() => out.push_str(" []\n"),
        Value::Map(fields) if fields.is_empty() => out.push_str(" {}\n"),
        Value::List(nodes) => {
            out.push('\n');
            for node in nodes {
                indent(depth, out);
                out.push('-');
                self::value(&node.value, depth + 1, out);
            }
        }
        Value::Map(fields) => {
            out.push('\n');
            map(fields, depth, out);
        }
    }
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// Leaves a text bare where every reader agrees on it; the rest goes into quotes.
pub(crate) fn scalar(text: &str, style: Style) -> String {
    let bare = style == Style::Plain
        && text.starts_with(|char: char| char.is_ascii_alphanumeric())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text
            .chars()
            .all(|char| char == ' ' || char.is_ascii_graphic());
    if bare { text.to_owned() } else { quote(text) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Node, Profile, Span, parse};

    #[test]
    fn a_document_reads_back_as_written() {
        let text = "---\nname: pdf\nmetadata: {a: [1, 'b: c'], d: {}}\ndescription: |\n  two\n  lines\n---\nDo it.\n";
        let document = parse(text, Profile::Lenient).document;
        let printed = print(document.fields(), document.instructions());
        expect_test::expect![[r#"
            ---
            name: pdf
            metadata:
              a:
                - 1
                - "b: c"
              d: {}
            description: "two\nlines\n"
            ---

            Do it.
        "#]]
        .assert_eq(&printed);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = (".{0,12}", any::<bool>()).prop_map(|(text, plain)| {
            Value::Scalar(
                text.into(),
                if plain { Style::Plain } else { Style::Quoted },
            )
        });
        leaf.prop_recursive(3, 12, 4, |inner| {
            let node = inner.prop_map(|value| Node {
                value,
                span: Span::default(),
            });
            prop_oneof![
                prop::collection::vec(node.clone(), 0..4).prop_map(Value::List),
                any_fields(node).prop_map(Value::Map),
            ]
        })
    }

    fn any_fields(node: impl Strategy<Value = Node>) -> impl Strategy<Value = Vec<Field>> {
        prop::collection::btree_map(".{0,8}", node, 0..4).prop_map(|map| {
            map.into_iter()
                .map(|(key, node)| Field {
                    key: key.into(),
                    key_span: Span::default(),
                    node,
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn printing_and_parsing_gives_the_same_fields(
            fields in any_fields(any_value().prop_map(|value| Node { value, span: Span::default() })),
            instructions in "[ -~\n]{0,40}",
        ) {
            let parsed = parse(print(&fields, &instructions), Profile::Lenient).document;
            let json = |fields: &[Field]| serde_json::to_string(&Value::Map(fields.to_vec())).unwrap();
            prop_assert_eq!(json(parsed.fields()), json(&fields));
            prop_assert_eq!(parsed.instructions(), instructions.trim());
        }
    }
}
