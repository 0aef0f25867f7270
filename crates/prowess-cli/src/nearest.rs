//! The words a person probably meant.

/// At most this many are worth reading.
const MOST: usize = 3;

/// A longer word is no slip of the fingers.
const LONGEST: usize = 256;

/// The candidates nearest to a word, nearest first; none where nothing is near enough to suggest.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    // Nothing that has a name is longer, and the distance costs the product of both lengths.
    if word.len() > LONGEST {
        return Vec::new();
    }
    let word = word.to_lowercase();
    // One slip in three letters still looks like the same word; more is a guess.
    let slips = (word.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&word, &lower);
            // Half a name is how people remember long ones.
            let part = word.len().min(lower.len()) >= 3
                && (lower.contains(&word) || word.contains(&lower));
            (distance <= slips || part).then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, word)| word).take(MOST).collect()
}

/// Asks whether one of these was meant: ``did you mean `a` or `b`?``
pub(crate) fn did_you_mean(words: &[&str]) -> Option<String> {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| format!("`{}`", prowess::display_text(word)))
        .collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_found() {
        let names = ["pdf-forms", "pdf-merge", "release-notes"];
        assert_eq!(nearest("pdf-form", names), ["pdf-forms", "pdf-merge"][..1]);
        assert_eq!(nearest("pdf", names), ["pdf-forms", "pdf-merge"]);
        assert_eq!(nearest("Relaese-Notes", names), ["release-notes"]);
        assert_eq!(nearest("kitchen", names), [""; 0]);
    }

    #[test]
    fn the_question_names_each() {
        assert_eq!(did_you_mean(&[]), None);
        assert_eq!(
            did_you_mean(&["a", "b"]).as_deref(),
            Some("did you mean `a` or `b`?")
        );
    }
}
