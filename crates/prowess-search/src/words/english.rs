//! English words without their endings, by the rules of the second Porter stemmer.
//!
//! The crate `rust-stemmers` has the same rules, and a test holds this to it word by word. It
//! reads its rules from general tables, which took a tenth of the time of building an index.

use std::borrow::Cow;

/// Longer words are left as they are; `words` cuts off before.
const MAX: usize = 64;

/// Words that follow no rule.
const WHOLE: [(&[u8], &str); 18] = [
    (b"andes", "andes"),
    (b"atlas", "atlas"),
    (b"bias", "bias"),
    (b"cosmos", "cosmos"),
    (b"dying", "die"),
    (b"early", "earli"),
    (b"gently", "gentl"),
    (b"howe", "howe"),
    (b"idly", "idl"),
    (b"lying", "lie"),
    (b"news", "news"),
    (b"only", "onli"),
    (b"singly", "singl"),
    (b"skies", "sky"),
    (b"skis", "ski"),
    (b"sky", "sky"),
    (b"tying", "tie"),
    (b"ugly", "ugli"),
];

/// Words that are done once a plural ending is gone.
const DONE: [&[u8]; 8] = [
    b"canning", b"earring", b"exceed", b"herring", b"inning", b"outing", b"proceed", b"succeed",
];

/// Beginnings after which endings may follow at once.
const BEGINNINGS: [&[u8]; 3] = [b"gener", b"commun", b"arsen"];

/// Endings and what stands in their place, the longest that fits first.
type Rules = [(&'static [u8], &'static [u8])];

const SECOND: &Rules = &[
    (b"ational", b"ate"),
    (b"fulness", b"ful"),
    (b"iveness", b"ive"),
    (b"ization", b"ize"),
    (b"ousness", b"ous"),
    (b"biliti", b"ble"),
    (b"lessli", b"less"),
    (b"tional", b"tion"),
    (b"alism", b"al"),
    (b"aliti", b"al"),
    (b"ation", b"ate"),
    (b"entli", b"ent"),
    (b"fulli", b"ful"),
    (b"iviti", b"ive"),
    (b"ousli", b"ous"),
    (b"abli", b"able"),
    (b"alli", b"al"),
    (b"anci", b"ance"),
    (b"ator", b"ate"),
    (b"enci", b"ence"),
    (b"izer", b"ize"),
    (b"bli", b"ble"),
    (b"ogi", b"og"),
    (b"li", b""),
];

const THIRD: &Rules = &[
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"alize", b"al"),
    (b"ative", b""),
    (b"icate", b"ic"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ness", b""),
    (b"ful", b""),
];

const FOURTH: &Rules = &[
    (b"ement", b""),
    (b"able", b""),
    (b"ance", b""),
    (b"ence", b""),
    (b"ible", b""),
    (b"ment", b""),
    (b"ant", b""),
    (b"ate", b""),
    (b"ent", b""),
    (b"ion", b""),
    (b"ism", b""),
    (b"iti", b""),
    (b"ive", b""),
    (b"ize", b""),
    (b"ous", b""),
    (b"al", b""),
    (b"er", b""),
    (b"ic", b""),
];

/// The stem of a word of small ASCII letters.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    let bytes = word.as_bytes();
    if bytes.len() <= 2 || bytes.len() > MAX {
        return Cow::Borrowed(word);
    }
    if let Ok(at) = WHOLE.binary_search_by_key(&bytes, |(whole, _)| whole) {
        return Cow::Borrowed(WHOLE[at].1);
    }
    let mut stem = Stem::new(bytes);
    stem.plural();
    if !DONE.contains(&stem.now()) {
        stem.past();
        stem.last_y();
        stem.replace(SECOND, stem.first, |stem, ending| match ending {
            b"ogi" => stem.before(3) == Some(b'l'),
            b"li" => stem.before(2).is_some_and(|it| b"cdeghkmnrt".contains(&it)),
            _ => true,
        });
        let second = stem.second;
        stem.replace(THIRD, stem.first, |stem, ending| {
            ending != b"ative" || stem.length - 5 >= second
        });
        stem.replace(FOURTH, stem.second, |stem, ending| {
            ending != b"ion" || matches!(stem.before(3), Some(b's' | b't'))
        });
        stem.last_e_or_l();
    }
    stem.finish(word)
}

/// A word while its endings are taken off. A `y` that is no vowel is a `Y` meanwhile.
struct Stem {
    letters: [u8; MAX],
    length: usize,
    /// Where the part begins that endings are taken from: after the first vowel and the next
    /// letter that is none.
    first: usize,
    /// The same once more.
    second: usize,
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

impl Stem {
    fn new(word: &[u8]) -> Self {
        let mut letters = [0; MAX];
        letters[..word.len()].copy_from_slice(word);
        for at in 0..word.len() {
            if letters[at] == b'y' && (at == 0 || is_vowel(letters[at - 1])) {
                letters[at] = b'Y';
            }
        }
        let now = &letters[..word.len()];
        let after = |from: usize| {
            let vowel = now[from..].iter().position(|it| is_vowel(*it));
            let Some(vowel) = vowel.map(|at| from + at) else {
                return now.len();
            };
            let other = now[vowel..].iter().position(|it| !is_vowel(*it));
            other.map_or(now.len(), |at| vowel + at + 1)
        };
        let beginning = BEGINNINGS.iter().find(|it| now.starts_with(it));
        let first = beginning.map_or_else(|| after(0), |it| it.len());
        let second = after(first);
        Self {
            letters,
            length: word.len(),
            first,
            second,
        }
    }

    fn now(&self) -> &[u8] {
        &self.letters[..self.length]
    }

    fn ends(&self, ending: &[u8]) -> bool {
        self.now().ends_with(ending)
    }

    /// The letter before so many last ones.
    fn before(&self, last: usize) -> Option<u8> {
        let at = self.length.checked_sub(last + 1)?;
        Some(self.letters[at])
    }

    fn cut(&mut self, letters: usize) {
        self.length -= letters;
    }

    fn push(&mut self, letters: &[u8]) {
        self.letters[self.length..self.length + letters.len()].copy_from_slice(letters);
        self.length += letters.len();
    }

    /// Whether a vowel stands before so many last letters.
    fn vowel_before(&self, last: usize) -> bool {
        self.letters[..self.length.saturating_sub(last)]
            .iter()
            .any(|it| is_vowel(*it))
    }

    fn plural(&mut self) {
        if self.ends(b"sses") {
            self.cut(2);
        } else if self.ends(b"ied") || self.ends(b"ies") {
            self.cut(if self.length > 4 { 2 } else { 1 });
        } else if self.ends(b"s") && !self.ends(b"us") && !self.ends(b"ss") && self.vowel_before(2)
        {
            self.cut(1);
        }
    }

    fn past(&mut self) {
        for ending in [&b"eedly"[..], b"eed"] {
            if self.ends(ending) {
                if self.length - ending.len() >= self.first {
                    self.cut(ending.len() - 2);
                }
                return;
            }
        }
        let ending = [&b"ingly"[..], b"edly", b"ing", b"ed"]
            .into_iter()
            .find(|it| self.ends(it));
        let Some(ending) = ending.filter(|it| self.vowel_before(it.len())) else {
            return;
        };
        self.cut(ending.len());
        match *self.now() {
            [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => self.push(b"e"),
            [.., a, b] if a == b && b"bdfgmnprt".contains(&a) => self.cut(1),
            _ if self.length == self.first && self.short(0) => self.push(b"e"),
            _ => {}
        }
    }

    /// Whether what stands before so many last letters ends in a short syllable.
    fn short(&self, last: usize) -> bool {
        match self.letters[..self.length - last] {
            [.., a, b, c] => {
                !is_vowel(a) && is_vowel(b) && !is_vowel(c) && !matches!(c, b'w' | b'x' | b'Y')
            }
            [a, b] => is_vowel(a) && !is_vowel(b),
            _ => false,
        }
    }

    fn last_y(&mut self) {
        if let [_, .., other, b'y' | b'Y'] = *self.now()
            && self.length > 2
            && !is_vowel(other)
        {
            self.letters[self.length - 1] = b'i';
        }
    }

    /// Replaces the longest ending that fits, if it stands after `start` and `allow` lets it.
    fn replace(&mut self, rules: &Rules, start: usize, allow: impl Fn(&Self, &[u8]) -> bool) {
        let fits = |rule: &&(&'static [u8], &[u8])| self.ends(rule.0);
        if let Some((ending, other)) = rules.iter().find(fits)
            && self.length - ending.len() >= start
            && allow(self, ending)
        {
            self.cut(ending.len());
            self.push(other);
        }
    }

    fn last_e_or_l(&mut self) {
        let before = self.length - 1;
        let gone = match self.letters[before] {
            b'e' => before >= self.second || (before >= self.first && !self.short(1)),
            b'l' => before >= self.second && self.before(1) == Some(b'l'),
            _ => false,
        };
        if gone {
            self.cut(1);
        }
    }

    fn finish(mut self, word: &str) -> Cow<'_, str> {
        for letter in &mut self.letters[..self.length] {
            if *letter == b'Y' {
                *letter = b'y';
            }
        }
        let stem = self.now();
        if word.as_bytes().starts_with(stem) {
            return Cow::Borrowed(&word[..stem.len()]);
        }
        Cow::Owned(String::from_utf8_lossy(stem).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_stemmers::{Algorithm, Stemmer};

    const ENDINGS: &[&str] = &[
        "", "s", "es", "ies", "ied", "sses", "us", "ss", "ed", "ing", "edly", "ingly", "eed",
        "eedly", "y", "ly", "li", "ational", "ization", "fulness", "ousness", "iveness", "bility",
        "logy", "logi", "fully", "lessly", "alize", "icate", "ative", "ical", "ness", "ement",
        "ment", "ent", "ion", "sion", "tion", "er", "ic", "ism", "ous", "ize", "e", "le", "ll",
        "able", "ibly", "ance", "enci", "ator", "izer", "alism", "ality", "ivity", "ying", "at",
        "bl", "iz",
    ];

    fn check(word: &str) {
        let stemmer = Stemmer::create(Algorithm::English);
        assert_eq!(stem(word), stemmer.stem(word), "{word}");
    }

    #[test]
    fn the_lists_are_sorted_and_longest_first() {
        assert!(WHOLE.is_sorted());
        for rules in [SECOND, THIRD, FOURTH] {
            assert!(rules.is_sorted_by(|a, b| a.0.len() >= b.0.len()));
        }
    }

    #[test]
    fn real_words_have_the_stems_of_the_reference() {
        let listed = "skis skies dying idly early only news bias andes inning outings proceeds \
            generate generalize communism arsenal hoping hopping using tied ties flies gas this \
            kiwis yes boy boys say enjoy youth saying playing controlled controlling rate rated \
            bed shed shredded agreed feed feedly luxuriating vietnamization predication operator \
            decisiveness hopefulness callousness formality sensitivity radically hopeless apology \
            electrical electricity revival allowance inference airliner gyroscopic adjustable \
            defensible irritant replacement adjustment dependent adoption homology probate cease \
            roll fall excess sky ugly zyzzyva ay yy bling ing eed ed ly";
        listed.split_whitespace().for_each(check);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn made_words_have_the_stems_of_the_reference(
            head in "[a-z]{1,3}[aeiouy][a-z]{0,4}|gener|commun|arsen|[a-z]{1,4}",
            first in prop::sample::select(ENDINGS),
            second in prop::sample::select(ENDINGS),
        ) {
            check(&format!("{head}{first}{second}"));
        }
    }
}
