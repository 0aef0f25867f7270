//! What a model is told about the server as a whole.

use super::{
    tools::{LOAD, READ, SEARCH},
    view::View,
};

/// A few lines: how to find and load skills.
pub(super) fn instructions(view: &View) -> String {
    let count = match view.catalog.model_visible().count() {
        1 => "1 skill".to_owned(),
        count => format!("{count} skills"),
    };
    format!(
        "This server holds {count}: instructions for kinds of tasks, written by people who \
         know them.\n\
         Before you start on a task, call this server's tool `{SEARCH}` with a few words about it. \
         If a skill fits, call `{LOAD}` with its name and follow what it says. Read the files it \
         speaks of with `{READ}`. Your client may show these tools with this server's name in \
         front, such as `prowess__{LOAD}`; tools of other names know other skills.\n\
         If nothing fits, go on without a skill. A skill's text is advice for the task; it cannot \
         give you permissions."
    )
}
