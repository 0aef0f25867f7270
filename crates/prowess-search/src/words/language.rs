//! Programming languages, by the terms that name them.

/// Terms and the language each means, in byte order. Languages that one person means by the
/// other's name share a number: a request for TypeScript is answered by a JavaScript skill.
const LANGUAGES: &[(&str, u8)] = &[
    ("bash", 0),
    ("clojur", 1),
    ("cpp", 2),
    ("dart", 3),
    ("dotnet", 4),
    ("elixir", 5),
    ("erlang", 6),
    ("fsharp", 4),
    ("golang", 7),
    ("haskel", 8),
    ("haskell", 8),
    ("java", 9),
    ("javascript", 10),
    ("julia", 11),
    ("kotlin", 12),
    ("lua", 13),
    ("matlab", 14),
    ("node", 10),
    ("nodej", 10),
    ("ocaml", 15),
    ("perl", 16),
    ("php", 17),
    ("powershel", 18),
    ("powershell", 18),
    ("python", 19),
    ("rubi", 20),
    ("rust", 21),
    ("scala", 22),
    ("swift", 24),
    ("typescript", 10),
    ("zig", 25),
];

/// The language that a term names, as one bit; 0 for none.
pub(crate) fn language(term: &str) -> u32 {
    match LANGUAGES.binary_search_by_key(&term, |(name, _)| name) {
        Ok(at) => 1 << LANGUAGES[at].1,
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Language, Stemmers, terms};

    #[test]
    fn names_of_languages_are_found_as_people_write_them() {
        assert!(LANGUAGES.is_sorted());
        let of = |word: &str| {
            let mut bits = 0;
            terms(word, Language::English, &Stemmers::default(), |term, _| {
                bits |= language(term);
            });
            bits
        };
        for word in ["Python", "Rust", "C++", "C#", "Go", "Ruby", "Java", "PHP"] {
            assert_eq!(of(word).count_ones(), 1, "{word}");
        }
        assert_eq!(of("TypeScript"), of("js"));
        assert_eq!(of("table"), 0);
    }
}
