//! Did-you-mean, as a question.

pub(crate) use prowess::format::nearest;

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
    fn the_question_names_each() {
        assert_eq!(did_you_mean(&[]), None);
        assert_eq!(
            did_you_mean(&["a", "b"]).as_deref(),
            Some("did you mean `a` or `b`?")
        );
    }
}
