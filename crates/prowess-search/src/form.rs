//! What the form of a request says, whatever its words are.
//!
//! Somebody who wants work done names things: a file, a version, an acronym, *our* service.
//! Somebody who wants to know something asks a question. Both may use the words of a skill, but
//! only the first needs one. This moves all candidates of a request together: it changes how sure
//! a match is and never which one comes first.

use crate::words;

/// First words of questions about the world.
const QUESTION: &[&str] = &[
    "what", "why", "who", "whom", "whose", "when", "where", "which", "does", "did", "is", "are",
    "was", "were", "do",
];

/// What each form adds to a request's scores.
const ASKS: f32 = -2.4;
const QUESTION_MARK: f32 = -1.0;
const NAMES_THINGS: f32 = 1.6;
const OWN: f32 = 0.8;

/// What the form of a request adds to the score of every match.
pub(crate) fn form(text: &str) -> f32 {
    let mut first = true;
    let (mut asks, mut names, mut own) = (false, false, false);
    words::each(text, |word| {
        let lower = words::lowered(word);
        if std::mem::take(&mut first) {
            asks = QUESTION.contains(&&*lower);
        }
        names |= is_name_of_thing(word);
        own |= matches!(&*lower, "my" | "our" | "we");
    });
    let mark = text.trim_end().ends_with(['?', '？']);
    let add = |is: bool, what: f32| if is { what } else { 0.0 };
    add(asks, ASKS) + add(mark, QUESTION_MARK) + add(names, NAMES_THINGS) + add(own, OWN)
}

/// Whether a word has digits, capitals inside or two to six of them alone, or is of a script
/// without capitals.
fn is_name_of_thing(word: &str) -> bool {
    let bytes = word.as_bytes();
    let capitals = bytes
        .iter()
        .filter(|byte| byte.is_ascii_uppercase())
        .count();
    let camel = bytes
        .windows(2)
        .any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    camel
        || bytes.iter().any(u8::is_ascii_digit)
        || ((2..=6).contains(&capitals) && capitals == bytes.len())
        || word.chars().any(|letter| {
            letter.is_alphabetic() && !letter.is_lowercase() && !letter.is_uppercase()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_told_from_an_order() {
        for (text, expected) in [
            ("merge these files", 0.0),
            ("What is the capital of France?", -3.4),
            ("is it raining", -2.4),
            ("merge q3.pdf", 1.6),
            ("our API is slow", 2.4),
            ("把这个文件转成表格", 1.6),
            ("fix useEffect?", 0.6),
            ("", 0.0),
        ] {
            assert!(
                (form(text) - expected).abs() < 1e-6,
                "{text}: {}",
                form(text)
            );
        }
    }
}
