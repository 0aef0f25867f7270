//! Fixing any text ends, a second run changes nothing, and the instructions and the switches that
//! keep a skill from being called stay. The bytes are the lines between the fences.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::{Folder, Profile, fix, judge};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let text = format!("---\n{text}\n---\n# Steps\n\nOpen the form.\n");
    let folder = Folder {
        name: "pdf".to_owned(),
        files: Vec::new(),
    };
    let read = |text: &str| judge(text, "SKILL.md", Some(&folder), Profile::Standard);
    let made = |text: &str| fix(text, "SKILL.md", Some(&folder), Profile::Standard, |_| true);
    let once = made(&text);
    assert_eq!(made(&once.text).text, once.text, "a second run changes it");
    let (before, after) = (read(&text), read(&once.text));
    let errors = |parsed: &prowess_format::Parsed| {
        let errors = parsed.diagnostics.iter();
        errors
            .filter(|it| it.severity == prowess_format::Severity::Error)
            .count()
    };
    assert!(
        errors(&after) <= errors(&before),
        "a fix made errors: {}",
        once.text
    );
    // Hidden characters are taken out of any text, so that only what can be seen is compared.
    let seen = |text: &str| -> String { text.chars().filter(char::is_ascii_graphic).collect() };
    assert_eq!(
        seen(before.document.instructions()),
        seen(after.document.instructions())
    );
});
