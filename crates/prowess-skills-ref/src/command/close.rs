//! Which known words come close to a misspelt one, by the measure of Python's `difflib`.
//!
//! Edit distance orders words differently, and the reference's suggestions are part of
//! what it prints.

/// Words less alike than this are not suggested.
const CUTOFF: f64 = 0.6;

/// The known words that resemble `word`, best first, at most three.
pub(super) fn close_matches<'a>(word: &str, known: &[&'a str]) -> Vec<&'a str> {
    let word: Vec<char> = word.chars().collect();
    // Nothing this long resembles a word of fifteen letters, and the measure is slow.
    if word.len() > 100 {
        return Vec::new();
    }
    let mut close: Vec<(f64, &str)> = known
        .iter()
        .map(|known| {
            let letters: Vec<char> = known.chars().collect();
            (likeness(&letters, &word), *known)
        })
        .filter(|(likeness, _)| *likeness >= CUTOFF)
        .collect();
    close.sort_by(|left, right| right.0.total_cmp(&left.0));
    close.into_iter().take(3).map(|(_, word)| word).collect()
}

/// Twice the letters in common, divided by all letters.
fn likeness(left: &[char], right: &[char]) -> f64 {
    let all = left.len() + right.len();
    2.0 * common(left, right) as f64 / all as f64
}

/// Counts the longest common stretch, and then the same on both sides of it.
fn common(left: &[char], right: &[char]) -> usize {
    let mut best = (0, 0, 0);
    for start in 0..left.len() {
        for other in 0..right.len() {
            let length = left[start..]
                .iter()
                .zip(&right[other..])
                .take_while(|(left, right)| left == right)
                .count();
            if length > best.0 {
                best = (length, start, other);
            }
        }
    }
    let (length, start, other) = best;
    if length == 0 {
        return 0;
    }
    length
        + common(&left[..start], &right[..other])
        + common(&left[start + length..], &right[other + length..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_resemble_the_word() {
        let known = ["read-properties", "to-prompt", "validate"];
        assert_eq!(close_matches("validat", &known), ["validate"]);
        assert_eq!(close_matches("to_prompt", &known), ["to-prompt"]);
        assert_eq!(
            close_matches("to-properties", &known),
            ["read-properties", "to-prompt"]
        );
        assert!(close_matches("VALIDATE", &known).is_empty());
        assert!(close_matches("va", &known).is_empty());
        assert!(close_matches(&"v".repeat(10_000), &known).is_empty());
    }
}
