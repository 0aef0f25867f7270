//! Where our reader takes a manifest without a repair and a peer takes it too, both read the same
//! fields: libyaml (by a port of it) text by text, serde-saphyr as far as it leaves text as text.
#![no_main]

use std::fmt::Write as _;

use libfuzzer_sys::fuzz_target;
use libyaml_safer::{EventData, Parser};
use prowess_format::{Field, Profile, Value, parse};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    // YAML 1.1 counts these as line breaks and 1.2 does not; tabs are allowed in other places, and
    // names of anchors, aliases and tags end elsewhere, and a bare `?` starts a key.
    const DIFFERENT: &[char] = &[
        '\u{85}', '\u{2028}', '\u{2029}', '\u{feff}', '\t', '\r', '&', '*', '!', '?',
    ];
    // A merge key means itself here.
    if text.contains(DIFFERENT) || text.contains("<<") {
        return;
    }
    let parsed = parse(
        format!("---\n{text}\n---\nDo it.\n").as_str(),
        Profile::Lenient,
    );
    let as_written = parsed
        .diagnostics
        .iter()
        .all(|it| matches!(it.code, "missing-name" | "missing-description"));
    let head = parsed.document.frontmatter_span();
    let source = &parsed.document.text()[head.start..head.end];
    if !as_written || parsed.document.fields().is_empty() {
        return;
    }
    if let Some(peer) = libyaml(source) {
        let mut ours = String::new();
        map(parsed.document.fields(), &mut ours);
        assert_eq!(ours, peer, "libyaml\n{source}");
    }
    if let Ok(peer) = serde_saphyr::from_str::<serde_json::Value>(source) {
        let ours = Value::Map(parsed.document.fields().to_vec());
        assert!(
            agrees(&ours, &peer),
            "serde-saphyr\n{source}\n{ours:?}\n{peer:?}"
        );
    }
});

/// Writes a value as nested text in which each part says how long it is.
fn value(value: &Value, out: &mut String) {
    match value {
        Value::Scalar(text, _) => scalar(text, out),
        Value::List(nodes) => {
            out.push('[');
            nodes.iter().for_each(|node| self::value(&node.value, out));
            out.push(']');
        }
        Value::Map(fields) => map(fields, out),
    }
}

fn map(fields: &[Field], out: &mut String) {
    out.push('{');
    for field in fields {
        scalar(&field.key, out);
        value(&field.node.value, out);
    }
    out.push('}');
}

fn scalar(text: &str, out: &mut String) {
    let _ = write!(out, "{text:?} ");
}

/// What libyaml reads from one document of maps, lists and text; `None` for anything else. A key
/// that is no text is one: it is kept as it was written here, and reported.
fn libyaml(source: &str) -> Option<String> {
    let mut input = source.as_bytes();
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let mut out = String::new();
    let mut documents = 0;
    // For each open map whether a key is next; lists have none.
    let mut open: Vec<Option<bool>> = Vec::new();
    loop {
        let event = parser.parse().ok()?.data;
        let is_key = open.last() == Some(&Some(true));
        match &event {
            EventData::StreamStart { .. } | EventData::DocumentEnd { .. } => continue,
            EventData::StreamEnd => return (documents == 1).then_some(out),
            EventData::DocumentStart { .. } => {
                documents += 1;
                continue;
            }
            EventData::Alias { .. } => return None,
            EventData::Scalar { tag: Some(_), .. } => return None,
            EventData::Scalar { value, .. } => scalar(value, &mut out),
            EventData::SequenceStart { .. } | EventData::MappingStart { .. } if is_key => {
                return None;
            }
            EventData::SequenceStart { .. } => out.push('['),
            EventData::MappingStart { .. } => out.push('{'),
            EventData::SequenceEnd => out.push(']'),
            EventData::MappingEnd => out.push('}'),
        }
        if matches!(event, EventData::SequenceEnd | EventData::MappingEnd) {
            open.pop();
        } else if let Some(Some(key)) = open.last_mut() {
            *key = !*key;
        }
        match event {
            EventData::SequenceStart { .. } => open.push(None),
            EventData::MappingStart { .. } => open.push(Some(true)),
            _ => {}
        }
    }
}

/// Whether a peer that turns scalars into types read the same text where it left text.
fn agrees(ours: &Value, peer: &serde_json::Value) -> bool {
    match (ours, peer) {
        (Value::Scalar(text, _), serde_json::Value::String(peer)) => **text == **peer,
        (Value::Scalar(..), peer) => !peer.is_array() && !peer.is_object(),
        (Value::List(nodes), serde_json::Value::Array(peer)) => {
            nodes.len() == peer.len()
                && nodes
                    .iter()
                    .zip(peer)
                    .all(|(node, it)| agrees(&node.value, it))
        }
        (Value::Map(fields), serde_json::Value::Object(peer)) => {
            fields.len() == peer.len()
                && fields.iter().all(|it| {
                    peer.get(&*it.key)
                        .is_some_and(|peer| agrees(&it.node.value, peer))
                })
        }
        _ => false,
    }
}
