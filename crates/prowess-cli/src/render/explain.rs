//! An explanation as a person reads it: a bar for each word, or all of it in one line.

use std::fmt::Write as _;

use prowess::{explain::Explanation, index::Field};

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

/// A line with a bar for each word, what else was added, and what is missing.
pub(crate) fn bars(explanation: &Explanation, most: f32, paint: Paint, columns: usize) -> String {
    let mut rows: Vec<(String, f32, String)> = Vec::new();
    for word in explanation.words.iter().take(MOST_WORDS) {
        let mut label = line(&word.word);
        if !is_alike(&word.word, &word.term) {
            label = format!("{label} ({})", line(&word.term));
        }
        let mut fields = word.fields.clone();
        fields.sort_by(|a, b| b.added.total_cmp(&a.added));
        let fields: Vec<String> = fields
            .iter()
            .map(|it| format!("{} {:.2}", field_name(it.field), it.added))
            .collect();
        rows.push((label, word.added, fields.join(", ")));
    }
    let left: f32 = explanation
        .words
        .iter()
        .skip(MOST_WORDS)
        .map(|word| word.added)
        .sum();
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
    let most = rows.iter().map(|row| row.1).fold(most, f32::max);
    let widest = rows.iter().map(|row| width(&row.0)).max().unwrap_or(0);
    let widest = widest.max("missing".len()).min(WIDEST_WORD);
    let mut text = String::new();
    for (label, added, why) in rows {
        let label = cut(&label, widest);
        let gap = " ".repeat(widest - width(&label));
        let (bar, rest) = bar(added, most);
        let room = columns.saturating_sub(widest + LONGEST + 13).max(16);
        let row = format!(
            "   {label}{gap}  {}{rest}  {added:>5.2}  {}",
            paint.good(&bar),
            paint.faint(&cut(&why, room))
        );
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if !explanation.missing.is_empty() {
        let missing: Vec<String> = explanation
            .missing
            .iter()
            .take(MOST_WORDS)
            .map(|it| {
                let body = if it.in_body {
                    ", only in the instructions"
                } else {
                    ""
                };
                format!("{} ({:.0} %{body})", line(&it.word), it.share * 100.0)
            })
            .collect();
        let gap = " ".repeat(widest - "missing".len());
        let room = columns.saturating_sub(widest + 5).max(16);
        let missing = cut(&missing.join(", "), room);
        let _ = writeln!(text, "   {}{gap}  {missing}", paint.warning("missing"));
    }
    text
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
