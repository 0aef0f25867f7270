//! Letters without case and accents, so that `Größe`, `GRÖSSE` and `grosse` are one word.

/// Base letters of U+00C0 to U+017F, in order; `-` keeps the letter as it is.
const LATIN: &str = "aaaaaa-ceeeeiiiidnooooo-ouuuuy--aaaaaa-ceeeeiiiidnooooo-ouuuuy-y\
    aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii--jjkkklllllll\
    lllnnnnnnnnnoooooo--rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// Appends a letter in lower case and without its accent. Combining marks vanish.
pub(crate) fn fold(letter: char, out: &mut String) {
    if letter.is_ascii() {
        out.push(letter.to_ascii_lowercase());
        return;
    }
    match letter {
        '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' => {}
        'ß' | 'ẞ' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'þ' | 'Þ' => out.push_str("th"),
        'ĳ' | 'Ĳ' => out.push_str("ij"),
        'ё' | 'Ё' => out.push('е'),
        '\u{C0}'..='\u{17F}' => match LATIN.as_bytes()[letter as usize - 0xC0] {
            b'-' => out.extend(letter.to_lowercase()),
            base => out.push(base as char),
        },
        // Full-width forms, as typed with East Asian keyboards.
        '\u{FF01}'..='\u{FF5E}' => {
            let ascii = char::from_u32(letter as u32 - 0xFEE0).unwrap_or(letter);
            out.push(ascii.to_ascii_lowercase());
        }
        _ => out.extend(letter.to_lowercase().filter(|low| !is_mark(*low))),
    }
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36F}')
}

/// Whether a letter belongs to a script that writes words without spaces between them, or
/// glues particles to them; such runs are indexed by pairs of letters.
pub fn is_dense(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' | '\u{E00}'..='\u{E7F}' | '\u{1100}'..='\u{11FF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_case_vanish() {
        let folded = |text: &str| {
            let mut out = String::new();
            text.chars().for_each(|letter| fold(letter, &mut out));
            out
        };
        assert_eq!(LATIN.len(), 0x180 - 0xC0);
        assert_eq!(folded("Größe"), "grosse");
        assert_eq!(folded("naïve CAFÉ"), "naive cafe");
        assert_eq!(folded("cafe\u{301}"), "cafe");
        assert_eq!(folded("Žluťoučký kůň Łódź ÿ"), "zlutoucky kun lodz y");
        assert_eq!(folded("ПОИСК ёлка"), "поиск елка");
        assert_eq!(folded("ＰＤＦ"), "pdf");
        assert_eq!(folded("ſ×÷"), "s×÷");
    }
}
