//! What was framed comes back byte for byte from exactly one frame, whatever stands in the name,
//! the description, the body and the text behind it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess::frame::{frame, frame_instruction, unframe};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.splitn(4, '\u{1}');
    let mut next = || parts.next().unwrap_or_default();
    let (body, name, description, after) = (next(), next(), next(), next());

    let framed = frame(name, body);
    assert_eq!(framed.text.matches("[/skill]").count(), 1);
    assert_eq!(framed.text.matches("[skill:").count(), 1);
    let whole = format!("{}\n\n{after}", framed.text);
    let read = unframe(&whole).expect("a frame is one");
    assert_eq!(read.name, name);
    assert_eq!(read.body, body);
    assert_eq!(&read.rest[2..], after);

    let framed = frame_instruction(name, description, &[after], body, usize::MAX);
    assert_eq!(framed.text.matches("[/skill]").count(), 1);
    let read = unframe(&framed.text).expect("a frame is one");
    assert_eq!(read.instructions(), Some(body));
    assert!(read.rest.is_empty());
});
