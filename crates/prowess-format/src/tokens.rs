//! How much of a model's context a text takes, without a model's tokenizer.

/// Estimates the tokens in a text: a quarter of its Latin characters, and one for every character
/// of three bytes or more, which is near what tokenizers make of Chinese, Japanese and emoji.
///
/// ```
/// assert_eq!(prowess_format::estimate_tokens("Fill the form and save it."), 7);
/// assert_eq!(prowess_format::estimate_tokens("填写表格"), 4);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    if text.is_ascii() {
        return text.len().div_ceil(4);
    }
    let mut light = 0;
    let mut heavy = 0;
    for &byte in text.as_bytes() {
        light += usize::from(byte < 0x80 || (0xC0..0xE0).contains(&byte));
        heavy += usize::from(byte >= 0xE0);
    }
    light.div_ceil(4) + heavy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_counts_about_right() {
        assert_eq!(estimate_tokens(""), 0);
        assert_eq!(estimate_tokens("a"), 1);
        assert_eq!(estimate_tokens(&"word ".repeat(100)), 125);
        assert_eq!(
            estimate_tokens("Größe"),
            2,
            "an accented letter is one character"
        );
        assert_eq!(estimate_tokens("🛠️"), 2, "the emoji and its selector");
    }
}
