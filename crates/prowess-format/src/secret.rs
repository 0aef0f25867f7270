//! Secrets in text that is about to be shown: keys and tokens are known by their shape.

use std::borrow::Cow;

/// What stands in place of a secret.
const MARK: &str = "[secret]";

/// How tokens of well-known makers start, and how many characters must follow.
static PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 12),
    ("rk_live_", 12),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("npm_", 24),
    ("pypi-", 24),
    ("hf_", 20),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxs-", 8),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 16),
    ("eyJ", 32),
    ("Bearer ", 16),
    ("-----BEGIN ", 0),
];

/// A private key says what it is within this many bytes.
const KEY_HEADER: usize = 64;

/// Replaces what looks like a key or a token, so that a message, a log or a report can be passed
/// on. The file itself is never touched.
///
/// ```
/// use prowess_format::redact;
///
/// assert_eq!(redact("use ghp_0123456789abcdefABCD now"), "use [secret] now");
/// assert_eq!(redact("https://me:hunter2@example.org/x"), "https://[secret]@example.org/x");
/// assert_eq!(redact("sk-learn is a library"), "sk-learn is a library");
/// ```
pub fn redact(text: &str) -> Cow<'_, str> {
    let spans = secrets(text);
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end) in spans {
        if start >= done {
            shown.push_str(&text[done..start]);
            shown.push_str(MARK);
            done = end;
        }
    }
    shown.push_str(&text[done..]);
    Cow::Owned(shown)
}

/// Where secrets stand, in order.
pub(crate) fn secrets(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    for &(prefix, least) in PREFIXES {
        // What was looked at is not looked at again: a part of a token is no more than the token.
        let mut done = 0;
        for (at, _) in text.match_indices(prefix) {
            // In the middle of a word it is part of something else.
            if at < done || text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &text[at + prefix.len()..];
            if prefix.starts_with("-----") {
                let header = &rest.as_bytes()[..rest.len().min(KEY_HEADER)];
                if memchr::memmem::find(header, b"PRIVATE KEY").is_some() {
                    // Everything from here on is the key.
                    done = text[at + 5..]
                        .find("-----END")
                        .map_or(text.len(), |end| at + 5 + end);
                    spans.push((at, done));
                }
                continue;
            }
            let length = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "_-.=+/".contains(c)))
                .unwrap_or(rest.len());
            done = at + prefix.len() + length;
            let token = &rest[..length];
            // A name such as `sk-learn-contrib-project` has no digit.
            if length >= least && token.contains(|c: char| c.is_ascii_digit()) {
                let start = if prefix == "Bearer " {
                    at + prefix.len()
                } else {
                    at
                };
                spans.push((start, done));
            }
        }
    }
    spans.extend(credentials(text));
    spans.sort_unstable();
    spans
}

/// A user and a password before the host of an address.
fn credentials(text: &str) -> Vec<(usize, usize)> {
    let found = text.match_indices("://").filter_map(|(at, _)| {
        let start = at + 3;
        let rest = &text[start..];
        let host = rest.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c));
        let authority = &rest[..host.unwrap_or(rest.len())];
        let at = authority.rfind('@')?;
        authority[..at].contains(':').then_some((start, start + at))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_hidden_and_words_are_not() {
        for (text, shown) in [
            ("key: sk-proj-abc123DEF456ghi789", "key: [secret]"),
            ("AKIAIOSFODNN7EXAMPLE", "[secret]"),
            (
                "Authorization: Bearer abc.def-0123456789",
                "Authorization: Bearer [secret]",
            ),
            ("a glpat-0123456789abcdef, b", "a [secret], b"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
                "[secret]-----END RSA PRIVATE KEY-----",
            ),
        ] {
            assert_eq!(redact(text), shown);
        }
        for text in [
            "risk-based-approach-2024-long-word",
            "sk-learn-contrib-imbalanced",
            "-----BEGIN CERTIFICATE-----",
            "http://localhost:8080/a@b",
            "npm_config",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn a_line_full_of_beginnings_is_read_once() {
        let started = std::time::Instant::now();
        for text in [
            "sk-",
            "-----BEGIN PRIVATE KEY ",
            "-----BEGIN -----END",
            "://",
            "Bearer ",
        ] {
            let long = text.repeat(1_000_000 / text.len());
            assert!(redact(&long).len() <= long.len(), "{text}");
        }
        // What is quadratic takes hours here.
        assert!(started.elapsed().as_secs() < 60);
    }
}
