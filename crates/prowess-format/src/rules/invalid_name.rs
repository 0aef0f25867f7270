//! `invalid-name`: a name is 1 to 64 lower-case letters, digits and single hyphens.
//!
//! A name of any shape loads leniently and is never used as a path; several clients drop the
//! skill without a word.

use crate::{
    Fix, SkillName,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked on loading too.
pub static RULE: Rule = Rule {
    code: "invalid-name",
    summary: "a name is 1 to 64 lower-case letters, digits and single hyphens",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let Some(name) = document.name() else {
        return;
    };
    let Err(fault) = crate::name::check(name) else {
        return;
    };
    let Some(node) = document.get("name") else {
        return;
    };
    let message = format!("`{}` is not a skill name: {fault}", crate::shown(name));
    // The folder's name is the one the standard asks for, so one step fixes both, and no two
    // folders side by side have the same. A name that only looks better could be another skill's.
    let folder = subject.folder_name();
    let own = folder.map_or_else(|| SkillName::nearest(name), |it| SkillName::new(it).ok());
    if let Some(own) = own {
        let literal = super::literal(document, &own);
        // The folder may have the worse name of the two.
        let other = SkillName::nearest(name).filter(|other| *other != own);
        let title = match other {
            Some(other) if folder.is_some() => {
                format!("call it `{own}` as its folder, or both `{other}`")
            }
            _ => format!("call it `{own}`"),
        };
        let fix = Fix::replace(title, node.span, literal);
        report.note_with_fix(&RULE, node.span, message, fix);
        return;
    }
    let help = match folder.and_then(SkillName::nearest) {
        Some(better) => format!("call the skill and its folder `{better}`"),
        None => "use lower-case letters, digits and single hyphens, such as `pdf-forms`".to_owned(),
    };
    report.note_with_help(&RULE, node.span, message, help);
}
