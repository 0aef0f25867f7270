//! Values as the reference prints them: Python's JSON, its `repr`, its HTML escapes.

use std::fmt::Write as _;

use super::{
    text::{Text, is_shown},
    tree::Value,
};

/// Where a value lies that the reference can not print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unprintable;

/// Writes JSON with two spaces an indent and nothing beyond ASCII.
pub(super) fn json(out: &mut String, value: &Value, indent: usize) -> Result<(), Unprintable> {
    match value {
        Value::Text(text) => json_text(out, text),
        Value::Sign(_) => return Err(Unprintable),
        Value::List(items) if items.is_empty() => out.push_str("[]"),
        Value::Map(fields) if fields.is_empty() => out.push_str("{}"),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                json_line(out, index, indent + 1);
                json(out, item, indent + 1)?;
            }
            json_close(out, indent, ']');
        }
        Value::Map(fields) => {
            out.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                json_line(out, index, indent + 1);
                json_text(out, key);
                out.push_str(": ");
                json(out, value, indent + 1)?;
            }
            json_close(out, indent, '}');
        }
    }
    Ok(())
}

fn json_line(out: &mut String, index: usize, indent: usize) {
    out.push_str(if index == 0 { "\n" } else { ",\n" });
    out.push_str(&"  ".repeat(indent));
}

fn json_close(out: &mut String, indent: usize, bracket: char) {
    out.push('\n');
    out.push_str(&"  ".repeat(indent));
    out.push(bracket);
}

fn json_text(out: &mut String, text: &Text) {
    out.push('"');
    for code in text.codes() {
        match char::from_u32(code) {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(char @ ' '..='~') => out.push(char),
            Some(char) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            None => {
                let _ = write!(out, "\\u{code:04x}");
            }
        }
    }
    out.push('"');
}

/// What `str` makes of a value: text stays, lists and maps are spelt out.
pub(super) fn str(value: &Value) -> Text {
    match value {
        Value::Text(text) | Value::Sign(text) => text.clone(),
        Value::List(_) | Value::Map(_) => {
            let mut out = Text::default();
            repr(&mut out, value);
            out
        }
    }
}

/// The text in quotes, as `repr` shows it.
pub(super) fn quoted(text: &Text) -> Text {
    let mut out = Text::default();
    repr_text(&mut out, text);
    out
}

fn repr(out: &mut Text, value: &Value) {
    match value {
        Value::Text(text) | Value::Sign(text) => repr_text(out, text),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                repr_comma(out, index);
                repr(out, item);
            }
            out.push(']');
        }
        Value::Map(fields) => {
            out.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                repr_comma(out, index);
                repr_text(out, key);
                out.append(&Text::from(": "));
                repr(out, value);
            }
            out.push('}');
        }
    }
}

fn repr_comma(out: &mut Text, index: usize) {
    if index > 0 {
        out.append(&Text::from(", "));
    }
}

fn repr_text(out: &mut Text, text: &Text) {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(quote);
    for code in text.codes() {
        let escape = match char::from_u32(code) {
            Some(char) if char == quote || char == '\\' => format!("\\{char}"),
            Some('\n') => "\\n".to_owned(),
            Some('\r') => "\\r".to_owned(),
            Some('\t') => "\\t".to_owned(),
            _ if is_shown(code) => {
                out.push_code(code);
                continue;
            }
            _ if code <= 0xff => format!("\\x{code:02x}"),
            _ if code <= 0xffff => format!("\\u{code:04x}"),
            _ => format!("\\U{code:08x}"),
        };
        out.append(&Text::from(escape.as_str()));
    }
    out.push(quote);
}

/// Text that is safe between tags and inside quotes.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(Text::from(text))
    }

    #[test]
    fn json_is_ascii_and_indented() {
        let value = Value::Map(vec![
            ("a".into(), text("é🧠\u{7f}\"\n")),
            ("b".into(), Value::List(vec![text("c"), Value::Map(vec![])])),
        ]);
        let mut out = String::new();
        json(&mut out, &value, 0).unwrap();
        expect_test::expect![[r#"
            {
              "a": "\u00e9\ud83e\udde0\u007f\"\n",
              "b": [
                "c",
                {}
              ]
            }"#]]
        .assert_eq(&out);
    }

    #[test]
    fn nested_values_become_text_with_python_quotes() {
        let value = Value::List(vec![
            text("it's"),
            text("it's \"so\""),
            text("\u{1b}\u{ad}\u{2028}é\u{f0000}"),
            Value::Map(vec![("k".into(), text("v"))]),
        ]);
        expect_test::expect![[
            r#"["it's", 'it\'s "so"', '\x1b\xad\u2028é\U000f0000', {'k': 'v'}]"#
        ]]
        .assert_eq(&str(&value).to_string());
    }
}
