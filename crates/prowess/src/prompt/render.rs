//! The list of skills as text.

use std::borrow::Cow;

use super::{Form, PromptOptions, Tier, escape_xml, plan::Item};
use crate::{display::display_path, skill::Skill};

/// So many characters of a description stay when it is trimmed, if a sentence ends there.
const TRIMMED: usize = 160;

/// What stands before and after the skills.
pub(super) fn ends(form: Form) -> (&'static str, &'static str) {
    match form {
        Form::Xml => ("<available_skills>\n", "</available_skills>"),
        Form::Lines => ("", ""),
    }
}

/// What is said about skills that are left out.
pub(super) fn note(count: usize, options: &PromptOptions<'_>) -> String {
    let how = clean(options.search);
    match options.form {
        Form::Xml => format!(
            "  <hidden count=\"{count}\">{}</hidden>\n",
            escape_xml(&how)
        ),
        Form::Lines => format!("- and {count} more: {how}\n"),
    }
}

/// Writes the whole list; nothing for no skills.
pub(super) fn list(shown: &[&Item<'_>], hidden: usize, options: &PromptOptions<'_>) -> String {
    if shown.is_empty() && hidden == 0 {
        return String::new();
    }
    let (open, close) = ends(options.form);
    let mut text = open.to_owned();
    for item in shown {
        entry(&mut text, item.skill, item.tier, options.form);
    }
    if hidden > 0 {
        text.push_str(&note(hidden, options));
    }
    text.push_str(close);
    text
}

/// Writes one skill.
pub(super) fn entry(out: &mut String, skill: &Skill, tier: Tier, form: Form) {
    if tier == Tier::Hidden {
        return;
    }
    let name = clean(skill.name());
    let description = clean(skill.description());
    let mut description = match tier {
        Tier::Trimmed => trim(&description),
        _ => Cow::Borrowed(&*description),
    };
    // Where a skill is from is never cut.
    let origin = skill.remote().map(|it| format!(" ({})", clean(&it.told())));
    if let Some(origin) = &origin {
        description += &**origin;
    }
    match (form, tier) {
        (Form::Xml, Tier::NameOnly) => {
            let origin = origin.unwrap_or_default();
            let name = escape_xml(&name);
            out.extend(["  <skill><name>", &*name, "</name>", &*escape_xml(&origin)]);
            out.push_str("</skill>\n");
        }
        (Form::Xml, _) => {
            let location = display_path(&skill.absolute_path());
            put_skill(out, &name, &description, Some(&location));
        }
        (Form::Lines, Tier::NameOnly) => {
            out.extend(["- ", &*name, origin.as_deref().unwrap_or_default(), "\n"]);
        }
        (Form::Lines, _) => out.extend(["- ", &name, ": ", &description, "\n"]),
    }
}

/// Writes one skill of the block.
fn put_skill(block: &mut String, name: &str, description: &str, location: Option<&str>) {
    block.push_str("  <skill>\n");
    let location = location.map(|location| ("location", location));
    for (tag, text) in [("name", name), ("description", description)]
        .into_iter()
        .chain(location)
    {
        block.extend(["    <", tag, ">", &escape_xml(text), "</", tag, ">\n"]);
    }
    block.push_str("  </skill>\n");
}

/// Text on one line, without characters that XML has no place for.
fn clean(text: &str) -> Cow<'_, str> {
    let forbidden = |char: char| {
        char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}' | '\u{2028}' | '\u{2029}')
    };
    if !text.contains(forbidden) {
        return Cow::Borrowed(text);
    }
    let words: Vec<_> = text.split_whitespace().collect();
    Cow::Owned(words.join(" ").replace(forbidden, "\u{fffd}"))
}

/// The first sentences of a description, as many as fit; a long first sentence is cut between
/// words, with a mark.
fn trim(text: &str) -> Cow<'_, str> {
    let Some((limit, _)) = text.char_indices().nth(TRIMMED) else {
        return Cow::Borrowed(text);
    };
    let mut ends = text[..limit].char_indices().filter(|&(at, char)| {
        let after = &text[at + char.len_utf8()..];
        match char {
            '。' | '！' | '？' => true,
            // `e.g. this` goes on in lower case.
            '.' | '!' | '?' => {
                after.starts_with(char::is_whitespace)
                    && !after.trim_start().starts_with(char::is_lowercase)
            }
            _ => false,
        }
    });
    if let Some((at, char)) = ends.next_back() {
        return Cow::Borrowed(&text[..at + char.len_utf8()]);
    }
    let cut = text[..limit].rfind(char::is_whitespace).unwrap_or(limit);
    Cow::Owned(format!(
        "{} …",
        text[..cut].trim_end_matches([',', ';', ':', ' '])
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_cut_at_the_end_of_a_sentence() {
        let filler = "Use it for forms, e.g. tax forms and letters. ";
        let text = format!("Fills PDF forms. {}Never ends", filler.repeat(4));
        assert_eq!(
            trim(&text),
            format!("Fills PDF forms. {}", filler.repeat(3)).trim_end()
        );
        let long = "word ".repeat(60);
        assert_eq!(trim(&long), format!("{}…", "word ".repeat(32)));
        assert_eq!(trim("Short."), "Short.");
        assert_eq!(
            trim(&format!("填写表格。{}", "字".repeat(200))),
            "填写表格。"
        );
    }

    #[test]
    fn a_description_stays_on_its_line() {
        assert_eq!(clean("a\n\n b\u{1}"), "a b\u{fffd}");
    }
}
