//! Whether the argument of a call is what a pattern means: `git add:*`, `docs/**`, `npm test`.

/// Whether a pattern covers an argument. `prefix:*` covers the words that start so, `*` stands for
/// any text, and everything else is itself.
///
/// What a star stands for is held short: it never covers a second command of a shell line, nor a
/// way up out of a folder. A call that is not covered is asked about, so being narrow is safe.
pub(super) fn covers(pattern: &str, argument: &str) -> bool {
    if pattern == argument || matches!(pattern, "*" | "**" | ":*") {
        return true;
    }
    if leaves(argument) {
        return false;
    }
    if let Some(prefix) = pattern.strip_suffix(":*") {
        let rest = argument.strip_prefix(prefix);
        return rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    }
    if !pattern.contains('*') {
        return false;
    }
    let path = pattern.contains('/') && !pattern.contains(char::is_whitespace);
    matches(pattern.as_bytes(), argument.as_bytes(), path)
}

/// Whether a pattern for a tool's name covers a name.
pub(super) fn glob(pattern: &str, name: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return pattern == name;
    }
    matches(pattern.as_bytes(), name.as_bytes(), false)
}

/// Whether an argument does more than its first words say.
fn leaves(argument: &str) -> bool {
    argument.contains([';', '&', '|', '`', '<', '>', '\n', '\r', '\0'])
        || argument.contains("$(")
        || argument.contains("${")
        || argument
            .split(['/', '\\', ' ', '=', '"', '\''])
            .any(|part| part == "..")
}

/// Compares with `*` and `?`. In a path a single star stays within one folder.
fn matches(pattern: &[u8], text: &[u8], path: bool) -> bool {
    let bounded = |byte: u8| path && byte == b'/';
    let (mut p, mut t) = (0, 0);
    // Where to go on when a comparison fails: behind the last star, one byte further. A star that
    // stays in its folder can not grow over a slash, so the last one that can is kept as well.
    let mut narrow: Option<(usize, usize)> = None;
    let mut wide: Option<(usize, usize)> = None;
    loop {
        match pattern.get(p) {
            Some(b'*') => {
                let stars = pattern[p..]
                    .iter()
                    .take_while(|&&byte| byte == b'*')
                    .count();
                p += stars;
                if stars > 1 || !path {
                    wide = Some((p, t));
                    narrow = None;
                } else {
                    narrow = Some((p, t));
                }
                continue;
            }
            Some(b'?') if t < text.len() && !bounded(text[t]) => {
                (p, t) = (p + 1, t + 1);
                continue;
            }
            Some(byte) if text.get(t) == Some(byte) => {
                (p, t) = (p + 1, t + 1);
                continue;
            }
            None if t == text.len() => return true,
            _ => {}
        }
        if let Some((after, from)) = narrow
            && from < text.len()
            && !bounded(text[from])
        {
            narrow = Some((after, from + 1));
            (p, t) = (after, from + 1);
        } else if let Some((after, from)) = wide
            && from < text.len()
        {
            wide = Some((after, from + 1));
            narrow = None;
            (p, t) = (after, from + 1);
        } else {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_covers_what_it_says_and_no_more() {
        let cases = [
            ("git add:*", "git add .", true),
            ("git add:*", "git add", true),
            ("git add:*", "git addendum", false),
            ("git add:*", "git add . && rm -rf /", false),
            ("git add:*", "git add $(cat x)", false),
            ("git *", "git log", true),
            ("git *", "git", false),
            ("git *", "git log\nrm x", false),
            ("npm test", "npm test", true),
            ("npm test", "npm test x", false),
            ("docs/**", "docs/a/b.md", true),
            ("docs/*", "docs/a/b.md", false),
            ("docs/*.md", "docs/b.md", true),
            ("docs/**/*.md", "docs/a/c/b.md", true),
            ("docs/**", "docs/../src", false),
            ("domain:example.com", "domain:example.com", true),
            ("*", "anything; at all", true),
        ];
        for (pattern, argument, expected) in cases {
            assert_eq!(covers(pattern, argument), expected, "{pattern} {argument}");
        }
    }

    #[test]
    fn names_are_compared_whole() {
        assert!(glob("mcp__db__*", "mcp__db__query"));
        assert!(!glob("mcp__db__*", "mcp__dbx"));
        assert!(!glob("Bash", "bash"));
        assert!(!glob("", "Bash"));
    }

    #[test]
    fn many_stars_end_quickly() {
        let pattern = "*a".repeat(200);
        assert!(!matches(
            pattern.as_bytes(),
            "b".repeat(2_000).as_bytes(),
            false
        ));
    }
}
