//! Compares what came with what was listed.

use prowess::{
    ContentHash,
    format::{Document, Profile, Severity, Style, Value, parse},
};
use serde_json::{Map, Value as Json};

use super::{entry::Listed, fault::Check};

/// Compares the size and the digest of a file.
pub(super) fn file(listed: Listed, bytes: &[u8]) -> Result<(), Check> {
    let found = bytes.len() as u64;
    if found != listed.size {
        return Err(Check::Size {
            listed: listed.size,
            found,
        });
    }
    if *ContentHash::of(bytes).as_bytes() != listed.digest {
        return Err(Check::Digest);
    }
    Ok(())
}

/// Reads a skill's file and compares every field with the listed ones, both ways.
pub(super) fn frontmatter(listed: &Map<String, Json>, bytes: &[u8]) -> Result<Document, Check> {
    let parsed = parse(bytes, Profile::Lenient);
    let document = parsed.document;
    if document.syntax().is_none() {
        let fault = parsed.diagnostics.iter().min_by_key(|it| it.severity);
        let reason = fault
            .filter(|fault| fault.severity == Severity::Error)
            .map_or("it has no frontmatter", |fault| &fault.message);
        return Err(Check::Form {
            reason: reason.to_owned(),
        });
    }
    let differs = |field: &str| Check::Frontmatter {
        field: prowess::display_text(field),
    };
    for (key, value) in listed {
        let written = document.get(key).map(|node| &node.value);
        if !written.is_some_and(|written| same(value, written)) {
            return Err(differs(key));
        }
    }
    for field in document.fields() {
        if !listed.contains_key(&*field.key) {
            return Err(differs(&field.key));
        }
    }
    Ok(document)
}

/// Whether a value means the same in both. A server may have read `1.10` as a number and `yes` as
/// a switch; white space at the ends is lost on the way through some readers.
fn same(listed: &Json, written: &Value) -> bool {
    match (listed, written) {
        (Json::String(listed), Value::Scalar(text, _)) => listed.trim() == text.trim(),
        (Json::Number(number), Value::Scalar(text, Style::Plain)) => {
            *number.to_string() == **text
                || text
                    .parse()
                    .is_ok_and(|value: f64| number.as_f64() == Some(value))
        }
        (Json::Bool(switch), Value::Scalar(_, Style::Plain)) => written.as_bool() == Some(*switch),
        (Json::Null, Value::Scalar(text, Style::Plain)) => {
            matches!(&**text, "" | "~" | "null" | "Null" | "NULL")
        }
        (Json::Array(values), Value::List(nodes)) => {
            let pairs = || values.iter().zip(nodes);
            values.len() == nodes.len() && pairs().all(|(value, node)| same(value, &node.value))
        }
        (Json::Object(values), Value::Map(fields)) => {
            let listed = |key: &str| values.contains_key(key);
            fields.iter().all(|field| listed(&field.key))
                && values.iter().all(|(key, value)| {
                    // Where a key stands twice, the first counts.
                    let field = fields.iter().find(|field| *field.key == **key);
                    field.is_some_and(|field| same(value, &field.node.value))
                })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::json;

    fn check(listed: Json, text: &str, expected: &Expect) {
        let Json::Object(listed) = listed else {
            panic!("fields are a map")
        };
        let told = match frontmatter(&listed, text.as_bytes()) {
            Ok(document) => document.instructions().to_owned(),
            Err(check) => format!("{check:?}"),
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn equal_content_passes_however_it_was_read() {
        check(
            json!({
                "name": "pdf", "description": "Fills forms.\n", "version": 1.1,
                "always": true, "nothing": null,
                "metadata": {"a": "1", "b": [1, "x"]},
            }),
            "---\nname: pdf\ndescription: >\n  Fills forms.\nversion: 1.10\nalways: yes\n\
             nothing:\nmetadata: {b: [1, x], a: \"1\"}\n---\nDo it.\n",
            &expect!["Do it."],
        );
        check(
            json!({"name": "pdf", "version": "1.10"}),
            "+++\nname = \"pdf\"\nversion = \"1.10\"\n+++\nDo it.\n",
            &expect!["Do it."],
        );
    }

    #[test]
    fn every_difference_is_found() {
        let listed = || json!({"name": "pdf", "metadata": {"a": "1"}});
        check(
            listed(),
            "---\nname: pdf2\nmetadata: {a: \"1\"}\n---\n",
            &expect![[r#"Frontmatter { field: "name" }"#]],
        );
        check(
            listed(),
            "---\nname: pdf\nmetadata: {a: \"1\", b: x}\n---\n",
            &expect![[r#"Frontmatter { field: "metadata" }"#]],
        );
        check(
            listed(),
            "---\nname: pdf\n---\n",
            &expect![[r#"Frontmatter { field: "metadata" }"#]],
        );
        check(
            listed(),
            "---\nname: pdf\nmetadata: {a: \"1\"}\nallowed-tools: Bash\n---\n",
            &expect![[r#"Frontmatter { field: "allowed-tools" }"#]],
        );
        check(
            json!({"name": "1"}),
            "---\nname: [1]\n---\n",
            &expect![[r#"Frontmatter { field: "name" }"#]],
        );
        check(
            listed(),
            "just text",
            &expect![[
                r#"Form { reason: "the file has no frontmatter, so the skill has no name and no description" }"#
            ]],
        );
    }

    #[test]
    fn size_and_digest_are_those_of_the_bytes() {
        let listed = Listed {
            digest: *ContentHash::of(b"abc").as_bytes(),
            size: 3,
        };
        assert_eq!(file(listed, b"abc"), Ok(()));
        assert_eq!(file(listed, b"abd"), Err(Check::Digest));
        let (listed_size, found) = (3, 4);
        let size = Check::Size {
            listed: listed_size,
            found,
        };
        assert_eq!(file(listed, b"abcd"), Err(size));
    }
}
