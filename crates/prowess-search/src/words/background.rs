//! How rare a term is among skills at large.
//!
//! In a small catalog every word is rare: with three skills, `use` weighs as much as `pdf`. The
//! table holds the document frequency of the terms of some thousands of real skills, so that a
//! small catalog knows what a large one would say. `cargo xtask quality --background` makes it.

use std::{collections::HashMap, sync::LazyLock};

/// Lines of `half-steps of log2(documents / document frequency)` and the terms they hold for.
const TABLE: &str = include_str!("background.txt");

/// The rarity, as log2, of a term that is not in the table: above that of any term in it.
const UNSEEN: f32 = 9.0;

static RARITY: LazyLock<HashMap<&'static str, u8>> = LazyLock::new(|| {
    let mut rarity = HashMap::new();
    for line in TABLE.lines() {
        let mut words = line.split(' ');
        if let Some(Ok(steps)) = words.next().map(str::parse) {
            rarity.extend(words.map(|word| (word, steps)));
        }
    }
    rarity
});

/// How rare a term is among skills at large: log2 of how many documents there are for each that
/// holds it, 0 to 9.
pub(crate) fn background(term: &str) -> f32 {
    RARITY
        .get(term)
        .map_or(UNSEEN, |steps| f32::from(*steps) / 2.0)
}

/// Whether skills at large hardly ever use a term.
pub(crate) fn is_unseen(term: &str) -> bool {
    !RARITY.contains_key(term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_terms_are_common_and_unknown_ones_rare() {
        assert!(background("file") < 3.0, "{}", background("file"));
        assert!(background("kubernet") > 4.0);
        assert!(background("zzyzx") > background("kubernet"));
    }

    #[test]
    fn the_table_is_sorted_and_small() {
        assert!((4_000..8_000).contains(&RARITY.len()), "{}", RARITY.len());
        for line in TABLE.lines() {
            let (steps, words) = line.split_once(' ').unwrap();
            assert!(steps.parse::<u8>().is_ok_and(|steps| steps < 18), "{line}");
            assert!(words.split(' ').is_sorted(), "{steps}");
        }
    }
}
