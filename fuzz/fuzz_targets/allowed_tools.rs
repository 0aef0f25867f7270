//! No pattern widens: whatever a skill writes into `allowed-tools`, a call that the host does not
//! offer is refused, one the user has not granted is never run unasked, and a pattern that can
//! not be read grants nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess::{
    Authority, Grant, Permission,
    authority::{Call, Verdict},
};
use prowess_format::{Profile, parse};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\u{1}');
    let mut next = || parts.next().unwrap_or_default();
    let (asked, host, user, tool, argument) = (next(), next(), next(), next(), next());
    let quoted = serde_json::to_string(asked).expect("text is JSON");
    let plain = format!("---\nname: a\ndescription: b\nallowed-tools: {asked}\n---\n");
    let quoted = format!("---\nname: a\ndescription: b\nallowed-tools: {quoted}\n---\n");
    let (host, user) = (Grant::of(host.lines()), Grant::of(user.lines()));
    for source in [plain, quoted] {
        let document = parse(source.as_str(), Profile::Lenient).document;
        for pattern in document.allowed_tools() {
            let span = pattern.span;
            assert!(span.start <= span.end && span.end <= source.len());
        }
        for permission in [
            Permission::Preapprove,
            Permission::Restrict,
            Permission::Advisory,
        ] {
            let nobody = Authority {
                permission,
                host: host.clone(),
                user: user.clone(),
                ..Authority::default()
            };
            let skill = nobody.for_skill(&document);
            for argument in [None, Some(argument)] {
                let call = Call { tool, argument };
                let verdict = skill.judge(&call);
                assert!(host.covers(&call) || verdict == Verdict::Denied);
                assert!(user.covers(&call) || verdict < Verdict::Allowed);
                // Without a skill nothing runs unasked, so a wish is all that can allow.
                let wished = skill.asked.iter().any(|pattern| pattern.covers(&call));
                assert!(wished || verdict < Verdict::Allowed);
                if permission == Permission::Restrict {
                    assert!(wished || verdict == Verdict::Denied);
                }
            }
        }
    }
});
