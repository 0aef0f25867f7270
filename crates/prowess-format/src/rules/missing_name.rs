//! `missing-name`: a skill says its name.
//!
//! Loading takes the folder's name instead; clients that follow the standard drop the skill.

use crate::{
    Fix, SkillName, Span,
    document::Document,
    fields,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked on loading too.
pub static RULE: Rule = Rule {
    code: "missing-name",
    summary: "a skill says its name",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    if !subject.has_fields() || document.name().is_some() {
        return;
    }
    let folder = subject.folder_name();
    let effect = match folder {
        Some(folder) => format!("its folder's name `{}` is used", crate::shown(folder)),
        None => "clients that follow the standard drop it".to_owned(),
    };
    match document.field("name") {
        // A list or a map is `wrong-type`.
        Some(field) if field.node.value.as_str().is_none() => {}
        Some(field)
            if field
                .node
                .value
                .as_str()
                .is_some_and(|it| !it.trim().is_empty()) =>
        {
            report.note_with_help(
                &RULE,
                field.node.span,
                format!("the skill's name is too long to be used; {effect}"),
                "use lower-case letters, digits and single hyphens, such as `pdf-forms`",
            );
        }
        Some(field) => report.note_with_help(
            &RULE,
            field.key_span,
            format!("the skill's name is empty; {effect}"),
            "write the name after `name:`",
        ),
        None => {
            let at = Span::at(document.frontmatter_span().start);
            let message = format!("the skill has no name; {effect}");
            let mut fields = document.fields().iter();
            if let Some(slip) = fields.find(|it| fields::did_you_mean(&it.key) == Some("name")) {
                let help = format!("rename `{}` to `name`", crate::shown(&slip.key));
                report.note_with_help(&RULE, slip.key_span, message, help);
                return;
            }
            match folder.and_then(|folder| SkillName::new(folder).ok()) {
                Some(name) => report.note_with_fix(&RULE, at, message, insertion(document, &name)),
                None => report.note_with_help(&RULE, at, message, "add a `name:` line"),
            }
        }
    }
}

fn insertion(document: &Document, name: &SkillName) -> Fix {
    let frontmatter = document.frontmatter_span();
    let line = super::assignment(document, "name", name);
    let end = if frontmatter.of(document.text()).contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    Fix::replace(
        format!("add `{line}`"),
        Span::at(frontmatter.start),
        format!("{line}{end}"),
    )
}

#[cfg(test)]
mod tests {
    use crate::{Profile, parse, rules::Subject, rules::check};

    #[test]
    fn a_name_nobody_could_read_is_not_used() {
        let text = format!(
            "---\nname: {}\ndescription: Does it. Use when asked.\n---\nB\n",
            "n".repeat(5_000)
        );
        let document = parse(text.as_bytes(), Profile::Lenient).document;
        assert_eq!(document.name(), None);
        let subject = Subject {
            document: &document,
            file_name: "SKILL.md",
            folder: None,
        };
        let found = check(&subject, Profile::Lenient);
        assert_eq!(
            found[0].message,
            "the skill's name is too long to be used; clients that follow the standard drop it"
        );
    }
}
