//! The address of a skill's file: `skill://<skill>/<path>`.

use std::{ffi::OsStr, path::Path};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use prowess::{display_path, opaque_id};

/// The scheme of skills.
pub const SCHEME: &str = "skill://";

/// The name a skill's own file has in every address, whatever the disk calls it.
pub const SKILL_FILE: &str = "SKILL.md";

/// All but what RFC 3986 calls unreserved, which means itself everywhere. `~` begins the names of
/// our own making, so no name on disk may have it.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// The address of a file or folder below `base`, which is the address of a folder.
pub fn below(base: &str, path: &Path) -> String {
    let mut uri = base.to_owned();
    for part in path.components() {
        uri.push('/');
        push_segment(&mut uri, part.as_os_str());
    }
    uri
}

/// Adds one name. A name with control characters, direction marks or bytes that are no text is
/// replaced by a hash: whoever decodes the address must not get those bytes either. So is one with
/// a backslash, which separates folders elsewhere: strict hosts refuse a whole list for it.
fn push_segment(uri: &mut String, name: &OsStr) {
    let shown = display_path(Path::new(name));
    match name.to_str() {
        Some(text) if text == shown && !text.contains('\\') => {
            uri.extend(utf8_percent_encode(text, RESERVED));
        }
        _ => uri.push_str(&opaque_id(name)),
    }
}

/// Whether a name can be the last part of a skill's address: what every host accepts.
pub fn is_plain_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=64).contains(&name.len())
        && name.bytes().all(plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_an_address() {
        let uri = |path: &str| below("skill://pdf", Path::new(path));
        assert_eq!(uri("SKILL.md"), "skill://pdf/SKILL.md");
        assert_eq!(uri("refs/a b.md"), "skill://pdf/refs/a%20b.md");
        assert_eq!(uri("100%?#.md"), "skill://pdf/100%25%3F%23.md");
        assert_eq!(uri("größe.md"), "skill://pdf/gr%C3%B6%C3%9Fe.md");
        // A name of our own making cannot be mistaken for one on disk.
        assert_eq!(uri("~a"), "skill://pdf/%7Ea");
    }

    #[test]
    fn a_name_that_cannot_be_shown_becomes_a_hash() {
        for name in ["a\nb", "a\u{1b}[31mb", "a\u{202e}b", "a\\b.txt"] {
            let uri = below("skill://pdf", Path::new(name));
            let rest = uri.strip_prefix("skill://pdf/~").unwrap();
            assert_eq!(rest.len(), 32, "{uri}");
            assert!(rest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{uri}");
        }
    }

    #[test]
    fn plain_names() {
        for name in ["pdf", "a", "pdf-forms", "0"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in [
            "",
            "PDF",
            "-a",
            "a-",
            "a--b",
            "größe",
            "a b",
            &"a".repeat(65),
        ] {
            assert!(!is_plain_name(name), "{name}");
        }
    }
}
