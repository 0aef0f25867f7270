//! The word a person probably meant.

/// Finds the candidate nearest to `word`, or `None` where nothing is near enough to suggest.
pub(crate) fn similar<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = word.to_lowercase();
    // One slip in three letters still looks like the same word; more is a guess.
    let slips = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, candidate), candidate))
        .filter(|(distance, _)| *distance <= slips)
        // The first of equals wins, so that the answer does not depend on luck.
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_forgiven_and_a_stranger_is_not() {
        let known = ["project", "user", "system"];
        assert_eq!(similar("projekt", known), Some("project"));
        assert_eq!(similar("usre", known), Some("user"));
        assert_eq!(similar("Sytsem", known), Some("system"));
        assert_eq!(similar("kitchen", known), None);
    }
}
