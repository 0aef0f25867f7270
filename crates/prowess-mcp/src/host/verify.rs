//! Compares what came with what was listed.

use prowess::{
    ContentHash,
    format::{Document, Profile, Severity, Style, Value, read},
};
use serde_json::{Map, Value as Json};

use super::{entry::FileDigest, fault::Check};

/// Compares the size and the digest of a file.
pub(super) fn file(listed: FileDigest, bytes: &[u8]) -> Result<(), Check> {
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
    let parsed = read(bytes, Profile::Lenient);
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

/// Whether a value means the same in both. A server may have read `1.10` as a number, `yes` as a
/// switch and a day as a moment; white space at the ends is lost on the way through some readers.
fn same(listed: &Json, written: &Value) -> bool {
    match (listed, written) {
        (Json::String(listed), Value::Scalar(text, style)) => {
            listed.trim() == text.trim() || (*style == Style::Plain && is_same_day(listed, text))
        }
        (Json::Number(number), Value::Scalar(text, Style::Plain)) => {
            *number.to_string() == **text
                || readings(text).any(|value| number.as_f64() == Some(value))
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

/// What a number can mean to readers of YAML 1.1 and 1.2: `0o17`, `017`, `0x1f`, `1_000` and
/// `190:20:30`, to the base of sixty, are numbers to some.
fn readings(text: &str) -> impl Iterator<Item = f64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let signed = |digits: &str| !digits.starts_with(['+', '-']);
    let radix = |prefix: &str, radix: u32| {
        let digits = digits.strip_prefix(prefix).filter(|it| signed(it))?;
        let value = u32::from_str_radix(&digits.replace('_', ""), radix).ok()?;
        Some(f64::from(value))
    };
    let decimal = digits.replace('_', "").parse::<f64>().ok();
    let decimal = decimal.filter(|_| signed(digits));
    let sixties = digits.split(':').try_fold(0.0, |sum, part| {
        let value = part.parse::<f64>().ok().filter(|_| signed(part))?;
        Some(sum * 60.0 + value)
    });
    let all = [
        decimal,
        radix("0x", 16),
        radix("0o", 8),
        radix("0", 8),
        sixties,
    ];
    let value = move |value: f64| if negative { -value } else { value };
    all.into_iter().flatten().map(value)
}

/// Whether a moment is the beginning of a day that was written without quotes, as readers that
/// know dates give it.
fn is_same_day(listed: &str, written: &str) -> bool {
    let form = b"0000-00-00";
    let is_day = written.len() == form.len()
        && written.bytes().zip(form).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == *form,
        });
    let midnight = [
        "T00:00:00",
        "T00:00:00Z",
        "T00:00:00.000Z",
        "T00:00:00+00:00",
    ];
    is_day
        && listed
            .strip_prefix(written)
            .is_some_and(|rest| midnight.contains(&rest))
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
    fn numbers_and_days_mean_what_any_reader_makes_of_them() {
        let written = "a: 0x10\nb: 0o17\nc: 017\nd: 1_000\ne: 2026-01-31\nf: -0x10\ng: 190:20:30\n";
        let check = |listed: Json, expected: &Expect| {
            check(listed, &format!("---\n{written}---\nBody\n"), expected);
        };
        check(
            json!({"a": 16, "b": 15, "c": 15, "d": 1000, "e": "2026-01-31T00:00:00.000Z", "f": -16, "g": 685_230}),
            &expect!["Body"],
        );
        check(
            json!({"a": "0x10", "b": "0o17", "c": 17, "d": "1_000", "e": "2026-01-31", "f": -16, "g": "190:20:30"}),
            &expect!["Body"],
        );
        check(
            json!({"a": 17, "b": 15, "c": 15, "d": 1000, "e": "2026-01-31", "f": -16}),
            &expect![[r#"Frontmatter { field: "a" }"#]],
        );
        check(
            json!({"a": 16, "b": 15, "c": 15, "d": 1000, "e": "2026-01-31T10:00:00Z", "f": -16}),
            &expect![[r#"Frontmatter { field: "e" }"#]],
        );
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
        let listed = FileDigest {
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
