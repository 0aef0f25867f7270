//! A lock that was read has one text, and that text reads back as the same lock: nothing of what a
//! later version wrote is lost on the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_install::Lock;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(lock) = Lock::from_text(text) else {
        return;
    };
    let text = lock.to_text().expect("what was read can be written");
    let again = Lock::from_text(&text).expect("what was written can be read");
    assert_eq!(again.skills().len(), lock.skills().len());
    assert_eq!(again.to_text().expect("it can be written twice"), text);
    for skill in again.skills() {
        let tree = skill.tree().expect("its files are a tree");
        assert_eq!(tree.digest().to_string(), skill.digest);
    }
});
