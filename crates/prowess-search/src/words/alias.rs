//! Short names and spellings that stand for another word.

/// Words as people write them, and the stem they mean, in byte order.
///
/// Only names that mean one thing wherever skills are written: a wrong entry cannot be
/// outvoted, since it changes both sides.
const ALIASES: &[(&str, &str)] = &[
    (".net", "dotnet"),
    ("a/b", "ab"),
    ("auth", "authent"),
    ("c#", "dotnet"),
    ("c++", "cpp"),
    ("config", "configur"),
    ("configs", "configur"),
    ("csharp", "dotnet"),
    ("db", "databas"),
    ("docs", "document"),
    ("env", "environ"),
    ("f#", "fsharp"),
    ("js", "javascript"),
    ("k8s", "kubernet"),
    ("perf", "perform"),
    ("postgres", "postgresql"),
    ("ppt", "powerpoint"),
    ("pptx", "powerpoint"),
    ("py", "python"),
    ("repo", "repositori"),
    ("repos", "repositori"),
    ("spec", "specif"),
    ("specs", "specif"),
    ("ts", "typescript"),
    ("xls", "excel"),
    ("xlsx", "excel"),
];

/// No short name has more bytes.
const LONGEST: usize = 8;

/// The stem a short name stands for.
pub(crate) fn alias(word: &str) -> Option<&'static str> {
    if word.len() > LONGEST {
        return None;
    }
    let at = ALIASES
        .binary_search_by_key(&word, |(short, _)| short)
        .ok()?;
    Some(ALIASES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(ALIASES.is_sorted());
        assert!(ALIASES.iter().all(|(short, _)| short.len() <= LONGEST));
        assert_eq!(alias("k8s"), Some("kubernet"));
        assert_eq!(alias("pod"), None);
    }
}
