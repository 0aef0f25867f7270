//! A manifest that was read prints, and what was printed reads back the same. The bytes are the
//! lines between the fences, so that every one of them reaches the YAML or TOML reader.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::{Document, Profile, Value, parse, print};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    for fence in ["---", "+++"] {
        let read = parse(
            format!("{fence}\n{text}\n{fence}\nDo it.\n").as_str(),
            Profile::Lenient,
        );
        let printed = print(read.document.fields(), read.document.instructions());
        let again = parse(printed.as_str(), Profile::Lenient);
        // What was printed may be larger than what was read, and then meet a limit.
        let too_much = |code: &str| matches!(code, "yaml-limit" | "frontmatter-too-large");
        if again.diagnostics.iter().any(|it| too_much(it.code)) {
            continue;
        }
        assert_eq!(json(&read.document), json(&again.document), "{printed}");
        assert_eq!(read.document.name(), again.document.name());
        assert_eq!(read.document.description(), again.document.description());
        assert_eq!(read.document.instructions(), again.document.instructions());
        // A second print changes nothing more.
        let twice = print(again.document.fields(), again.document.instructions());
        assert_eq!(printed, twice);
    }
});

fn json(document: &Document) -> String {
    serde_json::to_string(&Value::Map(document.fields().to_vec())).expect("values are always JSON")
}
