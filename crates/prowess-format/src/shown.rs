//! How text from a file is shown in a message: short, on one line, with nothing hidden.

use std::fmt::Write;

/// The longest text repeated in a message, in characters; a reader has the file for the rest.
const MAX_CHARS: usize = 60;

/// Makes text from a file fit to be shown: cut, on one line, with control, invisible and
/// direction-changing characters written out, and keys and tokens left out.
///
/// ```
/// assert_eq!(prowess_format::shown("run\u{200b}\n\x1b[2J"), r"run\u{200b} \u{1b}[2J");
/// ```
pub fn shown(text: &str) -> String {
    let mut line = String::new();
    // Keys go before the text is cut, because half a key is still half a key. A start is enough:
    // the rest is not shown.
    let text = text.trim();
    let start = text.char_indices().nth(MAX_CHARS * 8);
    let text = start.map_or(text, |(end, _)| &text[..end]);
    for (count, c) in crate::redact(text).chars().enumerate() {
        if count == MAX_CHARS {
            line.push('…');
            break;
        }
        match c {
            '\n' | '\r' | '\t' => line.push(' '),
            // An emoji with its selector is one sign to its reader.
            '\u{FE0F}' if line.ends_with(|before: char| !before.is_ascii() && before != c) => {
                line.push(c);
            }
            c if c.is_control() || is_invisible(c) => {
                let _ = write!(line, "{}", c.escape_unicode());
            }
            c => line.push(c),
        }
    }
    line
}

/// Whether a character leaves no mark of its own on a page, or turns the text around it.
///
/// Variation selectors and joiners are among them; whether one has business where it stands
/// depends on its neighbours.
pub fn is_invisible(c: char) -> bool {
    // Default_Ignorable_Code_Point of Unicode 17, then separators, interlinear marks, hieroglyph
    // format controls and what is no character at all.
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}'
        | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}'
        | '\u{2028}' | '\u{2029}' | '\u{13430}'..='\u{1343F}' | '\u{FDD0}'..='\u{FDEF}')
        || u32::from(c) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"x".repeat(60)), "x".repeat(60));
        assert_eq!(shown(&"x".repeat(61)), format!("{}…", "x".repeat(60)));
    }

    #[test]
    fn plain_text_of_any_script_is_visible() {
        assert!(!"Größe 数据 مرحبا 🛠 —“”".chars().any(is_invisible));
    }
}
