//! Why no skill of a name can be used, and the one that was probably meant.

use prowess_format::nearest;

use crate::{
    catalog::Catalog,
    display::display_text,
    skill::{HiddenBy, Skill, State},
};

/// So many names stand in a message about an unknown one.
const NAMED: usize = 20;

/// Why no skill of this name can be used. With `search`, the tool by which a model finds more.
pub(crate) fn reason(catalog: &Catalog, name: &str, search: Option<&str>) -> String {
    let shown = display_text(name);
    // A name that is there but kept from models deserves its own answer.
    for skill in catalog.named(name) {
        match skill.state() {
            State::Hidden(HiddenBy::Itself | HiddenBy::Manual) => {
                return format!(
                    "the skill `{shown}` is used only when the user calls it; ask the user to \
                     write `@{shown}`"
                );
            }
            State::Hidden(_) => return format!("the skill `{shown}` is switched off"),
            State::Untrusted => {
                return format!(
                    "the skill `{shown}` comes from a project the user has not trusted yet"
                );
            }
            State::Broken => return format!("the skill `{shown}` cannot be read"),
            State::Active | State::Shadowed { .. } => {}
        }
    }
    let names: Vec<&str> = catalog.model_visible().map(Skill::name).collect();
    let near = match nearest(name, names.iter().copied()).first() {
        Some(near) => format!("; did you mean `{}`?", display_text(near)),
        None => ";".to_owned(),
    };
    let listed: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|it| display_text(it))
        .collect();
    let listed = listed.join(", ");
    let rest = match (names.len(), search) {
        (0, _) => "there are no skills".to_owned(),
        (total, _) if total <= NAMED => format!("available: {listed}"),
        (total, Some(search)) => format!(
            "available: {listed} and {} more, to be found with `{search}`",
            total - NAMED
        ),
        (total, None) => format!("available: {listed} and {} more", total - NAMED),
    };
    format!("no skill named `{shown}`{near} {rest}")
}
