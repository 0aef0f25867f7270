//! The stand-in for the reference command answers any bytes, and what it reads it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_skills_ref::{read_properties, to_prompt, validate};

fuzz_target!(|bytes: &[u8]| {
    let findings = validate(bytes, "pdf");
    let again = validate(bytes, "pdf");
    assert_eq!(findings.len(), again.len());
    if let Ok(properties) = read_properties(bytes) {
        if let Some(json) = properties.to_json() {
            let read: serde_json::Value = serde_json::from_str(&json).expect("it prints JSON");
            assert!(read.is_object());
        }
        let prompt = to_prompt([(&properties, "pdf/SKILL.md")]);
        assert!(prompt.starts_with("<available_skills>"));
    }
});
