//! A skill's frontmatter as JSON: every field its author wrote, as any reader of YAML sees it.

use std::collections::HashSet;

use prowess::format::{Document, Field, Node, Style, Value};
use serde_json::{Map, Number, Value as Json};

/// Renders every field, in order. The first of two equal keys counts.
pub fn frontmatter(document: &Document) -> Map<String, Json> {
    map(document.fields())
}

fn map(fields: &[Field]) -> Map<String, Json> {
    let mut keys = HashSet::new();
    fields
        .iter()
        .filter(|field| keys.insert(&field.key))
        .map(|field| (field.key.to_string(), json(&field.node)))
        .collect()
}

fn json(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(text, Style::Quoted) => Json::String(text.to_string()),
        Value::Scalar(text, Style::Plain) => plain(text),
        Value::List(nodes) => Json::Array(nodes.iter().map(json).collect()),
        Value::Map(fields) => Json::Object(map(fields)),
    }
}

/// What a word without quotes means in the core schema of YAML 1.2, which a host that checks the
/// frontmatter against the file reads it by.
pub(super) fn plain(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Json::String(text.to_owned()), Json::Number)
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let whole = text.strip_prefix('+').unwrap_or(text);
        let small = whole.parse::<i64>().map(Number::from);
        return small.ok().or_else(|| float(whole));
    }
    is_float(unsigned).then(|| float(text))?
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    // A sign after the prefix is no number.
    let clean = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = clean.then(|| u64::from_str_radix(digits, radix).ok())?;
    value.map(Number::from)
}

/// Digits with a point or an exponent: `1.5`, `.5`, `1.`, `1e3`.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    (!whole.is_empty() || !fraction.is_empty())
        && digits(whole)
        && digits(fraction)
        && exponent_fits
}

/// A whole value without a fraction is written without one: JSON knows one kind of number.
fn float(text: &str) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value: f64 = text.parse().ok()?;
    if value.fract() == 0.0 && value.abs() < EXACT {
        return format!("{value:.0}").parse::<i64>().ok().map(Number::from);
    }
    // Infinity is not JSON.
    Number::from_f64(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use prowess::format::{Profile, parse};

    fn check(fields: &str, expect: &Expect) {
        let parsed = parse(format!("---\n{fields}---\nBody.\n"), Profile::Lenient);
        expect.assert_eq(&serde_json::to_string(&frontmatter(&parsed.document)).unwrap());
    }

    #[test]
    fn every_field_in_order() {
        check(
            "name: pdf\ndescription: >\n  Fills\n  forms.\nmetadata:\n  author: Ada\n  tags: [a, b]\nx-own: 'yes'\n",
            &expect![[
                r#"{"name":"pdf","description":"Fills forms.\n","metadata":{"author":"Ada","tags":["a","b"]},"x-own":"yes"}"#
            ]],
        );
    }

    #[test]
    fn words_without_quotes_mean_what_yaml_says() {
        check(
            "a: 1.10\nb: '1.10'\nc: no\nd: true\ne: ~\nf:\ng: 0x1F\nh: 1e3\ni: 1.5.2\nj: +7\nk: .5\nl: -0.25\nm: 2024-01-01\nn: 99999999999999999999\n",
            &expect![[
                r#"{"a":1.1,"b":"1.10","c":"no","d":true,"e":null,"f":null,"g":31,"h":1000,"i":"1.5.2","j":7,"k":0.5,"l":-0.25,"m":"2024-01-01","n":1e+20}"#
            ]],
        );
    }

    #[test]
    fn what_only_looks_like_a_number_stays_text() {
        check(
            "a: '.'\nb: e3\nc: 1e\nd: 0x\ne: 0xZZ\nf: .inf\ng: 1_000\nh: '-'\ni: 0o9\n",
            &expect![[
                r#"{"a":".","b":"e3","c":"1e","d":"0x","e":"0xZZ","f":".inf","g":"1_000","h":"-","i":"0o9"}"#
            ]],
        );
    }
}
