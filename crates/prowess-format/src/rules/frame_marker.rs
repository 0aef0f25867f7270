//! `frame-marker`: no line of a body looks like the frame around a skill.
//!
//! A body that writes `[/skill]` could end its own frame and speak as the host. Prowess puts
//! such a line out of action when it builds a prompt; other clients do not.

use crate::{
    Span,
    links::lines,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "frame-marker",
    summary: "no line of a body looks like the frame around a skill",
    levels: Levels::LOUD,
    check: Some(check),
};

/// Tags in which hosts speak to a model; the first is the standard's own.
static TAGS: &[&str] = &["available_skills", "system", "system-reminder"];

/// Whether a line opens or closes the frame around a skill, a list of skills, or a host's words.
pub fn is_frame_line(line: &str) -> bool {
    let line = line.trim();
    // Every marker starts with one of two characters, and few lines do.
    if !line.starts_with(['[', '<']) {
        return false;
    }
    let line = line.to_ascii_lowercase();
    let line = line.trim_matches(|c: char| c.is_whitespace() || crate::shown::is_invisible(c));
    line.starts_with("[/skill]")
        || line.starts_with("[skill:") && line.contains(']') && !line.contains("](")
        || TAGS.iter().any(|tag| {
            line.strip_prefix("</")
                .or_else(|| line.strip_prefix('<'))
                .and_then(|rest| rest.strip_prefix(tag))
                .is_some_and(|rest| rest.starts_with(['>', ' ', '/']))
        })
}

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for line in lines(subject.document) {
        if is_frame_line(line.text) {
            let indent = line.text.len() - line.text.trim_start().len();
            report.note_with_help(
                &RULE,
                Span::new(line.start + indent, line.start + line.text.trim_end().len()),
                format!(
                    "`{}` looks like a mark of the host, and can end the skill's frame in some clients",
                    crate::shown(line.text)
                ),
                "put other words on the line, or write it in backticks",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_frame_line;

    #[test]
    fn frames_are_told_from_links_and_prose() {
        for line in [
            "[skill:pdf]",
            "  [/SKILL]  ",
            "</available_skills>",
            "<available_skills>",
            "<system>",
        ] {
            assert!(is_frame_line(line), "{line}");
        }
        for line in [
            "[skill: x](y.md)",
            "see [/skill]",
            "<skills>",
            "[skills]",
            "",
            "`[/skill]`",
        ] {
            assert!(!is_frame_line(line), "{line}");
        }
    }
}
