//! Any bytes parse; spans lie inside; what was read prints and reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::{Field, Profile, Value, parse, parse_convention, print};

fuzz_target!(|bytes: &[u8]| {
    let parsed = parse(bytes, Profile::Lenient);
    for it in &parsed.diagnostics {
        assert!(it.span.start <= it.span.end && it.span.end <= bytes.len());
        assert!(it.position.line >= 1 && it.position.column >= 1);
        for edit in it.fix.iter().flat_map(|fix| &fix.edits) {
            assert!(edit.span.start <= edit.span.end && edit.span.end <= bytes.len());
            let text = std::str::from_utf8(bytes).expect("only text is mended");
            assert!(text.is_char_boundary(edit.span.start) && text.is_char_boundary(edit.span.end));
        }
    }
    inside(parsed.document.fields(), bytes.len());

    let printed = print(parsed.document.fields(), parsed.document.instructions());
    let again = parse(printed.as_str(), Profile::Lenient);
    // What was printed may be larger than what was read, and then meet a limit.
    if !again
        .diagnostics
        .iter()
        .any(|it| it.code == "yaml-limit" || it.code == "frontmatter-too-large")
    {
        assert_eq!(
            json(parsed.document.fields()),
            json(again.document.fields())
        );
        assert_eq!(
            parsed.document.instructions(),
            again.document.instructions()
        );
    }

    let _ = parse(bytes, Profile::Strict);
    let _ = parse_convention(bytes, "AGENTS.md", Profile::Standard);
});

fn json(fields: &[Field]) -> String {
    serde_json::to_string(&Value::Map(fields.to_vec())).expect("values are always JSON")
}

fn inside(fields: &[Field], length: usize) {
    for field in fields {
        assert!(field.key_span.start <= field.key_span.end && field.key_span.end <= length);
        assert!(field.node.span.start <= field.node.span.end && field.node.span.end <= length);
        if let Value::Map(fields) = &field.node.value {
            inside(fields, length);
        }
    }
}
