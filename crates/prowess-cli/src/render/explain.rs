//! An explanation as a person reads it: a bar for each word, or all of it in one line.

use std::fmt::Write as _;

use prowess::explain::{Explanation, Field};

use super::{
    paint::Paint,
    text::{cut, line, width},
};

/// The longest bar, in columns.
const LONGEST: usize = 24;

/// Words take no more columns than this.
const WIDEST_WORD: usize = 20;

/// So many words stand in one line, or are drawn.
const MOST_WORDS: usize = 12;

/// A bar's last column in eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The words that made the score, by where they stand: `description: water, ceiling`.
pub(crate) fn in_short(explanation: &Explanation) -> String {
    let mut left = MOST_WORDS / 2;
    let mut parts = Vec::new();
    for (field, words) in explanation.by_field() {
        let words: Vec<String> = words.iter().take(left).map(|word| line(word)).collect();
        left -= words.len();
        if !words.is_empty() {
            parts.push(format!("{}: {}", field_name(field), words.join(", ")));
        }
    }
    parts.join("; ")
}

/// The field as people call it.
fn field_name(field: Field) -> &'static str {
    match field {
        Field::NotFor => "not for",
        Field::Prose => "instructions",
        field => field.name(),
    }
}

/// What one word of the request added, all its terms together.
struct Word<'a> {
    text: &'a str,
    /// What it was taken for, where that is another word.
    term: Option<&'a str>,
    added: f32,
    fields: Vec<(Field, f32)>,
}

/// The words of an explanation, each once: a compound counts by its parts, and a script without
/// spaces by pairs of letters, but a person wrote one word.
fn words(explanation: &Explanation) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for it in &explanation.words {
        let at = words.iter().position(|known| is_same(known.text, &it.word));
        let at = at.unwrap_or_else(|| {
            words.push(Word {
                text: &it.word,
                term: (!is_alike(&it.word, &it.term)).then_some(&*it.term),
                added: 0.0,
                fields: Vec::new(),
            });
            words.len() - 1
        });
        let word = &mut words[at];
        word.added += it.added;
        for part in &it.fields {
            match word
                .fields
                .iter_mut()
                .find(|(field, _)| *field == part.field)
            {
                Some((_, added)) => *added += part.added,
                None => word.fields.push((part.field, part.added)),
            }
        }
    }
    for word in &mut words {
        word.fields.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    words.sort_by(|a, b| b.added.total_cmp(&a.added));
    words
}

fn is_same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// A line with a bar for each word, what else was added, and what is missing.
pub(crate) fn bars(explanation: &Explanation, most: f32, paint: Paint, columns: usize) -> String {
    let words = words(explanation);
    let mut rows: Vec<(String, f32, String)> = Vec::new();
    for word in words.iter().take(MOST_WORDS) {
        let mut label = line(word.text);
        if let Some(term) = word.term {
            label = format!("{label} ({})", line(term));
        }
        let fields = word.fields.iter();
        let fields: Vec<String> = fields
            .map(|(field, added)| format!("{} {added:.2}", field_name(*field)))
            .collect();
        rows.push((label, word.added, fields.join(", ")));
    }
    let left: f32 = words.iter().skip(MOST_WORDS).map(|word| word.added).sum();
    if left > 0.0 {
        rows.push(("other words".to_owned(), left, String::new()));
    }
    if explanation.name > 0.0 {
        let why = "the request covers the name".to_owned();
        rows.push(("name".to_owned(), explanation.name, why));
    }
    if explanation.pairs > 0.0 {
        let why = "words stand together as in the request".to_owned();
        rows.push(("pairs".to_owned(), explanation.pairs, why));
    }
    for it in &explanation.signals {
        let label = it.signal.name().replace('-', " ");
        rows.push((label, it.added, it.signal.meaning().to_owned()));
    }
    let most = rows.iter().map(|row| row.1).fold(most, f32::max);
    let widest = rows.iter().map(|row| width(&row.0)).max().unwrap_or(0);
    let widest = widest.max("missing".len()).min(WIDEST_WORD);
    let mut text = String::new();
    for (label, added, why) in rows {
        let label = cut(&label, widest);
        let gap = " ".repeat(widest - width(&label));
        let (bar, rest) = bar(added, most);
        let added = format!("{added:>5.2}");
        // Three columns before the word, and two between each two of the four parts.
        let taken = 3 + widest + 2 + LONGEST + 2 + width(&added) + 2;
        let row = format!(
            "   {label}{gap}  {}{rest}  {added}  {}",
            paint.good(&bar),
            paint.faint(&cut(&why, columns.saturating_sub(taken).max(1)))
        );
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", row.trim_end());
    }
    let gap = " ".repeat(widest - "missing".len());
    let room = columns.saturating_sub(widest + 5).max(16);
    let (in_body, missing) = missing(explanation);
    if !missing.is_empty() {
        let missing = cut(&missing.join(", "), room);
        let _ = writeln!(text, "   {}{gap}  {missing}", paint.warning("missing"));
    }
    if !in_body.is_empty() {
        let label = format!("   {}{gap}  ", paint.faint("weak   "));
        let words = format!("only in the instructions: {}", in_body.join(", "));
        let _ = writeln!(text, "{label}{}", cut(&words, room));
    }
    text
}

/// The words that stand only in the instructions, and those that stand nowhere, each with its
/// share of the request.
fn missing(explanation: &Explanation) -> (Vec<String>, Vec<String>) {
    let mut words: Vec<(&str, f32, bool)> = Vec::new();
    for it in &explanation.missing {
        match words.iter_mut().find(|known| is_same(known.0, &it.word)) {
            Some(known) => {
                known.1 += it.share;
                known.2 |= it.in_body;
            }
            None => words.push((&it.word, it.share, it.in_body)),
        }
    }
    let named = |of_body: bool| {
        let words = words.iter().filter(|it| it.2 == of_body).take(MOST_WORDS);
        words
            .map(|(word, share, _)| format!("{} ({:.0} %)", line(word), share * 100.0))
            .collect()
    };
    (named(true), named(false))
}

/// Whether a term is the word itself or its stem, and not another word it was taken for.
fn is_alike(word: &str, term: &str) -> bool {
    let word = word.to_lowercase();
    let beginning: String = term.chars().take(3).collect();
    word.starts_with(&beginning)
}

/// A bar, and the blanks that follow it.
fn bar(value: f32, most: f32) -> (String, String) {
    let share = if most > 0.0 {
        (value / most).clamp(0.0, 1.0)
    } else {
        0.0
    };
    #[expect(clippy::cast_sign_loss, reason = "a share is not below zero")]
    let eighths = (share * (LONGEST * 8) as f32).round() as usize;
    let bar = format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]);
    let rest = " ".repeat(LONGEST - width(&bar).min(LONGEST));
    (bar, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_eighths_and_always_the_same_room() {
        for value in [0.0, 0.01, 0.5, 0.99, 1.0, 7.0] {
            let (bar, rest) = bar(value, 1.0);
            assert_eq!(width(&bar) + rest.len(), LONGEST, "{value}");
        }
        assert_eq!(bar(0.5, 1.0).0, "█".repeat(12));
        assert_eq!(bar(0.0, 0.0).0, "");
    }
}
