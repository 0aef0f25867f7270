//! What technical words of other languages mean in English.
//!
//! Most skills are written in English and many requests are not, or the other way round. The
//! tables are plain text: a word, then one to three English words.

use std::{collections::HashMap, sync::LazyLock};

/// Chinese words of two letters.
const CHINESE: &str = include_str!("translate/zh.txt");

static DENSE: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| lines(CHINESE).collect());

/// The words of a table, each with what it means.
fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter_map(|line| line.split_once(' '))
}

/// The English words for two letters of a script without spaces.
pub(super) fn pair(pair: &str) -> impl Iterator<Item = &'static str> {
    DENSE.get(pair).into_iter().flat_map(|it| it.split(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{fold::is_dense, stop::is_stop};

    #[test]
    fn the_table_is_sorted_and_every_word_says_something() {
        for table in [CHINESE] {
            assert!(table.lines().is_sorted_by(|one, next| one < next));
            for (word, meaning) in lines(table) {
                assert!(word.chars().all(is_dense), "{word}");
                assert_eq!(word.chars().count(), 2, "{word}");
                assert!(!is_stop(word), "{word} is a stop word");
                let meanings: Vec<&str> = meaning.split(' ').collect();
                assert!((1..=3).contains(&meanings.len()), "{word} {meaning}");
                for meaning in meanings {
                    assert!(!meaning.is_empty() && !is_stop(meaning), "{word} {meaning}");
                    assert!(
                        meaning.bytes().all(|byte| byte.is_ascii_lowercase()),
                        "{word}"
                    );
                }
            }
            assert_eq!(lines(table).count(), table.lines().count());
        }
        assert_eq!(DENSE.len(), 1_414);
    }
}
