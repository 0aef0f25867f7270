//! The path of a file inside a skill, fit for every system it may be installed on.

use std::fmt;

use unicode_normalization::is_nfc;

/// No real skill goes deeper, and some readers stall far below their own limits.
const MOST_PARTS: usize = 32;

/// The longest path that Windows takes below a home, and then some.
const MOST_BYTES: usize = 1024;

/// The longest name that the common file systems take.
const MOST_NAME_BYTES: usize = 255;

/// Names that Windows keeps for devices, with or without an ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A path below a skill's folder: relative, with `/`, the same file on every system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(Box<str>);

/// Why a path is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path `{}` {reason}", prowess::display_text(path))]
pub struct UnsafePath {
    /// The path as it came.
    pub path: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl FilePath {
    /// Takes a path that names the same file below a folder on every system.
    pub fn new(path: &str) -> Result<Self, UnsafePath> {
        match fault(path) {
            None => Ok(Self(path.into())),
            Some(reason) => Err(UnsafePath {
                path: path.to_owned(),
                reason,
            }),
        }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What two paths share that are one file where case does not count.
    pub(crate) fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fault(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("is empty");
    }
    if path.len() > MOST_BYTES {
        return Some("is longer than 1024 bytes");
    }
    if path.contains('\\') {
        return Some("has a backslash");
    }
    if path.starts_with('/') {
        return Some("is absolute");
    }
    if path.chars().any(char::is_control) {
        return Some("has a control character");
    }
    if path.chars().any(turns_text) {
        return Some("has a character that hides or turns text");
    }
    if !is_nfc(path) {
        return Some("is not in the normal form NFC");
    }
    if path.split('/').count() > MOST_PARTS {
        return Some("has more than 32 parts");
    }
    path.split('/').find_map(name_fault)
}

/// Marks that change the order or the look of what follows them, so that one path looks like
/// another: Unicode's bidirectional controls, zero-width signs, and the byte order mark.
fn turns_text(it: char) -> bool {
    matches!(it, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("has an empty part");
    }
    if matches!(name, "." | "..") {
        return Some("has a part `.` or `..`");
    }
    if name.len() > MOST_NAME_BYTES {
        return Some("has a name of more than 255 bytes");
    }
    if name.contains([':', '<', '>', '"', '|', '?', '*']) {
        return Some("has a sign that Windows does not take in names");
    }
    if name.ends_with(['.', ' ']) {
        return Some("has a name that ends in a dot or a space");
    }
    let lower = name.to_ascii_lowercase();
    // Windows also knows `.git` by its short name.
    if matches!(lower.as_str(), ".git" | "git~1") {
        return Some("leads into `.git`");
    }
    let stem = lower.split('.').next().unwrap_or_default().trim_end();
    let numbered = |device: &str| {
        let mut rest = stem.strip_prefix(device).unwrap_or_default().chars();
        matches!(
            (rest.next(), rest.next()),
            (Some('0'..='9' | '¹' | '²' | '³'), None)
        )
    };
    if DEVICES.contains(&stem) || numbered("com") || numbered("lpt") {
        return Some("is the name of a device on Windows");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn ordinary_paths_are_taken() {
        for path in [
            "SKILL.md",
            "scripts/run.sh",
            ".hidden",
            "a b/ç.md",
            "console.md",
            "com10",
            "..a",
        ] {
            assert_eq!(FilePath::new(path).unwrap().as_str(), path);
        }
    }

    #[test]
    fn what_would_be_another_file_somewhere_is_not() {
        let long = "x".repeat(256);
        let deep = ["a"; 33].join("/");
        let paths = [
            "",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "./x",
            "a//b",
            "a/",
            "a\\b",
            "C:\\x",
            "C:x",
            "a:b",
            "a\0b",
            "a\nb",
            "a\u{85}b",
            "a\u{202e}b",
            "a\u{200b}b",
            "\u{feff}a",
            "e\u{301}.md",
            ".git/config",
            "x/.GIT/hooks/post-checkout",
            "git~1/x",
            "NUL",
            "aux.md",
            "a/Com1.txt",
            "lpt¹",
            "conin$",
            "x.",
            "x ",
            "a?b",
            "a*b",
            "a|b",
            "a<b",
            "a\"b",
            &long,
            &deep,
        ];
        let told: String = paths
            .iter()
            .map(|path| FilePath::new(path).unwrap_err().reason.to_owned() + "\n")
            .collect();
        expect![[r#"
            is empty
            is absolute
            has a part `.` or `..`
            has a part `.` or `..`
            has a part `.` or `..`
            has an empty part
            has an empty part
            has a backslash
            has a backslash
            has a sign that Windows does not take in names
            has a sign that Windows does not take in names
            has a control character
            has a control character
            has a control character
            has a character that hides or turns text
            has a character that hides or turns text
            has a character that hides or turns text
            is not in the normal form NFC
            leads into `.git`
            leads into `.git`
            leads into `.git`
            is the name of a device on Windows
            is the name of a device on Windows
            is the name of a device on Windows
            is the name of a device on Windows
            is the name of a device on Windows
            has a name that ends in a dot or a space
            has a name that ends in a dot or a space
            has a sign that Windows does not take in names
            has a sign that Windows does not take in names
            has a sign that Windows does not take in names
            has a sign that Windows does not take in names
            has a sign that Windows does not take in names
            has a name of more than 255 bytes
            has more than 32 parts
        "#]]
        .assert_eq(&told);
    }
}
