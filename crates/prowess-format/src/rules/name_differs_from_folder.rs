//! `name-differs-from-folder`: a skill is called as its folder is.
//!
//! One popular client goes by the folder, another by the name, a third refuses the skill: the
//! same request then finds it here and misses it there.

use crate::{
    Fix, SkillName,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked on loading too.
pub static RULE: Rule = Rule {
    code: "name-differs-from-folder",
    summary: "a skill is called as its folder is",
    levels: Levels::SPECIFICATION,
    check: Some(check),
};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let document = subject.document;
    let (Some(folder), Some(name)) = (subject.folder_name(), document.name()) else {
        return;
    };
    // A name against the standard is `invalid-name`, and its fix is the folder's name.
    if folder == name || crate::name::check(name).is_err() {
        return;
    }
    let Some(node) = document.get("name") else {
        return;
    };
    let message = format!(
        "the skill is called `{name}` and its folder `{}`; clients differ in which they use",
        crate::shown(folder)
    );
    match SkillName::new(folder) {
        Ok(folder) => {
            let literal = super::literal(document, &folder);
            let title = format!("call it `{folder}`, or its folder `{name}`");
            let fix = Fix::replace(title, node.span, literal);
            report.note_with_fix(&RULE, node.span, message, fix);
        }
        Err(_) => {
            report.note_with_help(
                &RULE,
                node.span,
                message,
                format!("rename the folder to `{name}`"),
            );
        }
    }
}
